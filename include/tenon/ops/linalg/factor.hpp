// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cholesky, CholeskyGrad, Lu, MatrixDeterminant, LogMatrixDeterminant, MatrixInverse: of batches of square matrices.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DeterminantShape(InferenceContext* c) {
  ShapeHandle batch;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(SquareShape(c, c->input(0), &batch, &n));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, batch);
  return OkStatus();
}
inline Status LuShape(InferenceContext* c) {
  ShapeHandle batch, lu, p;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(SquareShape(c, c->input(0), &batch, &n));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(n, n), &lu));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Vector(n), &p));
  c->set_output(0, lu);
  c->set_output(1, p);
  return OkStatus();
}

template <class T>
void DeterminantOf(Cpu& device, const T* in, Index n, T* sign, linalg::Real<T>* log_size) {
  SlimVector<T> a = Numbers<T>(n * n);
  std::copy(in, in + n * n, a.data());
  SlimVector<Index> order = Numbers<Index>(n);
  Index swaps = 0;
  (void)linalg::Blocked<T>(device).FactorLu(a.data(), n, order.data(), &swaps);
  *sign = T(swaps % 2 == 0 ? 1 : -1);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    const T diagonal = a[static_cast<std::size_t>(i * n + i)];
    const linalg::Real<T> size = std::abs(diagonal);
    if (size == 0)
      *sign = T(0);
    else if constexpr (std::is_same_v<T, linalg::Real<T>>)
      *sign = diagonal < 0 ? -*sign : *sign;
    else
      *sign = linalg::Times(*sign, T(diagonal / size));
    sum += std::log(static_cast<double>(size));
  }
  *log_size = static_cast<linalg::Real<T>>(sum);
}

template <class T>
bool InverseOf(Cpu& device, const T* in, Index n, bool adjoint, T* out) {
  using W = typename WorkOf<T>::type;
  SlimVector<W> a = Numbers<W>(n * n), b = Numbers<W>(n * n), x = Numbers<W>(n * n);
  CopyAs(in, a.data(), n * n);
  if (adjoint) {
    linalg::Adjoint(a.data(), n, n, b.data());
    std::copy(b.begin(), b.end(), a.data());
  }
  SlimVector<Index> order = Numbers<Index>(n);
  Index swaps = 0;
  linalg::Blocked<W> blocked(device);
  if (!blocked.FactorLu(a.data(), n, order.data(), &swaps)) return false;
  std::fill(b.begin(), b.end(), W(0));
  for (Index i = 0; i < n; ++i) b[static_cast<std::size_t>(i * n + i)] = W(1);
  blocked.SolveLu(a.data(), order.data(), n, b.data(), x.data(), n);
  CopyAs(x.data(), out, n * n);
  return true;
}

// As TensorFlow: the lower triangle is NaN where the matrix is not positive definite. The rest is 0; TensorFlow leaves
// it undefined.
template <class T>
void CholeskyOf(Cpu& device, const T* in, Index n, T* out) {
  std::copy(in, in + n * n, out);
  if (linalg::Blocked<T>(device).FactorCholesky(out, n)) return;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) out[i * n + j] = T(j > i ? 0 : std::numeric_limits<linalg::Real<T>>::quiet_NaN());
}

// I. Murray, "Differentiation of the Cholesky decomposition" (2016), equation 10: with P the lower triangle of l^T g,
// its diagonal halved, the symmetric part of l^-T P l^-1.
template <class T>
void CholeskyGradOf(Cpu& device, const T* l, const T* g, Index n, T* out) {
  SlimVector<T> lower = Numbers<T>(n * n), a = Numbers<T>(n * n), p = Numbers<T>(n * n), low_g = Numbers<T>(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      lower[static_cast<std::size_t>(i * n + j)] = l[i * n + j];
      low_g[static_cast<std::size_t>(i * n + j)] = g[i * n + j];
    }
  linalg::Adjoint(lower.data(), n, n, a.data());
  linalg::Blocked<T> blocked(device);
  blocked.Multiply(a.data(), low_g.data(), p.data(), n, n, n);
  for (Index i = 0; i < n; ++i) {
    p[static_cast<std::size_t>(i * n + i)] /= T(2);
    for (Index j = i + 1; j < n; ++j) p[static_cast<std::size_t>(i * n + j)] = T(0);
  }
  blocked.SolveTriangular(a.data(), n, false, false, p.data(), n);  // l^-T P
  linalg::Adjoint(p.data(), n, n, low_g.data());
  blocked.SolveTriangular(a.data(), n, false, false, low_g.data(), n);  // l^-T (l^-T P)^T
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      out[i * n + j] = (low_g[static_cast<std::size_t>(i * n + j)] + low_g[static_cast<std::size_t>(j * n + i)]) / T(2);
}

template <class Device, class T>
concept Factors = Device::type == "CPU" && LinalgTypes::contains<T>;

}  // namespace detail

// input: [..., n, n]  ->  output: the same: lower triangular, output output^H = input. Reads the lower triangle.
struct Cholesky {
  static constexpr auto signature = Op("Cholesky")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::SquareUnchangedShape);

  template <class Device, class T>
    requires detail::Factors<Device, T>
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("Cholesky", input.shape(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      if (input.size() == 0) return OkStatus();  // however many matrices
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, n, n, [&](Cpu& device, Index i) {
        detail::CholeskyOf(device, input.data + i * n * n, n, out->data<T>() + i * n * n);
        return true;
      });
      return OkStatus();
    }
  };
};

// The gradient with respect to the input of Cholesky, whose output is l.
struct CholeskyGrad {
  static constexpr auto signature = Op("CholeskyGrad")
                                        .Input("l: T")
                                        .Input("grad: T")
                                        .Output("output: T")
                                        .Attr("T: {half, float, double}")
                                        .SetShapeFn(detail::SquareUnchangedShape);

  template <class Device, class T>
    requires(detail::Factors<Device, T> && std::is_floating_point_v<T>)
  struct kernel {
    Status operator()(Context<Device>& context, In<T> l, In<T> grad, Tensor& output) const {
      detail::MatrixBatch at, other;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::Of("CholeskyGrad", l.shape(), 0, &at));
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::Of("CholeskyGrad", grad.shape(), 1, &other));
      if (at.rows != at.columns || other.rows != other.columns)
        return errors::InvalidArgument("CholeskyGrad: Inputs must be a square matrices, got ", l.shape(), " and ",
                                       grad.shape());
      if (!(l.shape() == grad.shape()))
        return errors::InvalidArgument("CholeskyGrad: Inputs must have the same shape, got ", l.shape(), " and ",
                                       grad.shape());
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, l.shape(), &out));
      if (l.size() == 0) return OkStatus();
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, n, n, [&](Cpu& device, Index i) {
        detail::CholeskyGradOf(device, l.data + i * n * n, grad.data + i * n * n, n, out->data<T>() + i * n * n);
        return true;
      });
      return OkStatus();
    }
  };
};

// input: [..., n, n]  ->  lu: both factors in one, p: [..., n]: the input's rows in their order.
struct Lu {
  static constexpr auto signature = Op("Lu")
                                        .Input("input: T")
                                        .Output("lu: T")
                                        .Output("p: output_idx_type")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .Attr("output_idx_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::LuShape);

  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires detail::Factors<Device, T>
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& lu, Tensor& p) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("Lu", input.shape(), &at));
      const Index n = at.rows;
      Tensor *out = &lu, *order = &p;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(at.With(n, &shape));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, shape, &order));
      if (input.size() == 0) return OkStatus();
      const bool good = detail::ForEachMatrix(context.device(), at.count, n, n, [&](Cpu& device, Index i) {
        T* const a = out->data<T>() + i * n * n;
        std::copy(input.data + i * n * n, input.data + (i + 1) * n * n, a);
        SlimVector<Index> rows = detail::Numbers<Index>(n);
        Index swaps = 0;
        const bool regular = linalg::Blocked<T>(device).FactorLu(a, n, rows.data(), &swaps);
        for (Index r = 0; r < n; ++r) {
          const Index row = rows[static_cast<std::size_t>(r)];
          if (order->dtype() == DataType::kInt32)
            order->data<std::int32_t>()[i * n + r] = static_cast<std::int32_t>(row);
          else
            order->data<std::int64_t>()[i * n + r] = row;
        }
        return regular;
      });
      return good ? OkStatus() : detail::NotInvertible("Lu");
    }
  };
};

// input: [..., n, n]  ->  [...]
struct MatrixDeterminant {
  static constexpr auto signature = Op("MatrixDeterminant")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {half, float, double, complex64, complex128}")
                                        .SetShapeFn(detail::DeterminantShape);

  template <class Device, class T>
    requires detail::Factors<Device, T>
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("MatrixDeterminant", input.shape(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, at.batch, &out));
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, n, n, [&](Cpu& device, Index i) {
        T sign = T(1);
        linalg::Real<T> log_size = 0;
        detail::DeterminantOf(device, input.data + i * n * n, n, &sign, &log_size);
        out->data<T>()[i] = sign * std::exp(log_size);
        return true;
      });
      return OkStatus();
    }
  };
};

// The determinant is sign * exp(log_abs_determinant); of a singular matrix 0 * exp(-inf).
struct LogMatrixDeterminant {
  static constexpr auto signature = Op("LogMatrixDeterminant")
                                        .Input("input: T")
                                        .Output("sign: T")
                                        .Output("log_abs_determinant: T")
                                        .Attr("T: {half, float, double, complex64, complex128}")
                                        .SetShapeFn(detail::DeterminantShape);

  template <class Device, class T>
    requires detail::Factors<Device, T>
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& sign, Tensor& log_abs_determinant) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("LogMatrixDeterminant", input.shape(), &at));
      Tensor *signs = &sign, *logs = &log_abs_determinant;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, at.batch, &signs));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, at.batch, &logs));
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, n, n, [&](Cpu& device, Index i) {
        linalg::Real<T> log_size = 0;
        detail::DeterminantOf(device, input.data + i * n * n, n, signs->data<T>() + i, &log_size);
        logs->data<T>()[i] = T(log_size);
        return true;
      });
      return OkStatus();
    }
  };
};

// input: [..., n, n]  ->  the same; adjoint: of the conjugate transposed.
struct MatrixInverse {
  static constexpr auto signature = Op("MatrixInverse")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("adjoint: bool = false")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::SquareUnchangedShape);

  struct Attrs {
    bool adjoint;
  };
  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("MatrixInverse", input.shape(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      if (input.size() == 0) return OkStatus();  // however many matrices
      const Index n = at.rows;
      const bool good = detail::ForEachMatrix(context.device(), at.count, n, n, [&](Cpu& device, Index i) {
        return detail::InverseOf(device, input.data + i * n * n, n, this->adjoint, out->data<T>() + i * n * n);
      });
      return good ? OkStatus() : detail::NotInvertible("MatrixInverse");
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
