// SPDX-License-Identifier: Apache-2.0
#pragma once
// Qr, Svd, SelfAdjointEigV2: orthogonal decompositions of batches of matrices.

#include <algorithm>
#include <initializer_list>
#include <cmath>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/linalg/spectral.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// input: [..., m, n]  ->  the batch, both sizes and the lesser of them
struct SpectrumShape {
  ShapeHandle batch;
  DimensionHandle m, n, least;

  Status Read(InferenceContext* c) {
    ShapeHandle input;
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
    m = c->Dim(input, -2);
    n = c->Dim(input, -1);
    TENON_RETURN_IF_ERROR(c->Min(m, n, &least));
    return c->Subshape(input, 0, -2, &batch);
  }
  Status Set(InferenceContext* c, int output, ShapeHandle matrix) const {
    ShapeHandle out;
    TENON_RETURN_IF_ERROR(c->Concatenate(batch, matrix, &out));
    c->set_output(output, out);
    return OkStatus();
  }
};
inline Status QrShape(InferenceContext* c) {
  SpectrumShape s;
  bool full = false;
  TENON_RETURN_IF_ERROR(s.Read(c));
  TENON_RETURN_IF_ERROR(c->GetAttr("full_matrices", &full));
  TENON_RETURN_IF_ERROR(s.Set(c, 0, c->Matrix(s.m, full ? s.m : s.least)));
  return s.Set(c, 1, c->Matrix(full ? s.m : s.least, s.n));
}
inline Status SvdShape(InferenceContext* c) {
  SpectrumShape s;
  bool full = false, vectors = false;
  TENON_RETURN_IF_ERROR(s.Read(c));
  TENON_RETURN_IF_ERROR(c->GetAttr("full_matrices", &full));
  TENON_RETURN_IF_ERROR(c->GetAttr("compute_uv", &vectors));
  TENON_RETURN_IF_ERROR(s.Set(c, 0, c->Vector(s.least)));
  if (!vectors) {
    c->set_output(1, c->Vector(0));
    c->set_output(2, c->Vector(0));
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(s.Set(c, 1, c->Matrix(s.m, full ? s.m : s.least)));
  return s.Set(c, 2, c->Matrix(s.n, full ? s.n : s.least));
}
inline Status EigenShape(InferenceContext* c) {
  ShapeHandle batch, e, v;
  DimensionHandle n;
  bool vectors = false;
  TENON_RETURN_IF_ERROR(SquareShape(c, c->input(0), &batch, &n));
  TENON_RETURN_IF_ERROR(c->GetAttr("compute_v", &vectors));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Vector(n), &e));
  c->set_output(0, e);
  if (vectors)
    TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(n, n), &v));
  else
    v = c->Vector(0);
  c->set_output(1, v);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

inline constexpr Index kSmallSpectrum = 32;

// W: the type that the numbers are computed in.
template <class W, class T>
void QrAs(Cpu& device, const T* in, Index m, Index n, Index kept, T* q, T* r) {
  SlimVector<W> a = Numbers<W>(m * n), factor = Numbers<W>(m * kept);
  if constexpr (std::is_same_v<T, half>)
    for (Index i = 0; i < m * n; ++i) a[static_cast<std::size_t>(i)] = static_cast<W>(static_cast<float>(in[i]));
  else
    CopyAs(in, a.data(), m * n);
  linalg::Blocked<W>(device).FactorQr(a.data(), m, n, kept, factor.data());
  CopyAs(a.data(), r, kept * n);
  CopyAs(factor.data(), q, m * kept);
}
// Small matrices are computed in double, large ones in the precision of their elements.
template <class T>
void QrOf(Cpu& device, const T* in, Index m, Index n, Index kept, T* q, T* r) {
  if (std::min(m, n) <= kSmallSpectrum)
    QrAs<typename WideOf<T>::type>(device, in, m, n, kept, q, r);
  else
    QrAs<typename WorkOf<T>::type>(device, in, m, n, kept, q, r);
}

// u: [m, u_columns] and v: [n, v_columns] if there are to be `vectors`. Either may be empty, and null then. NaN for
// matrices with elements that are not finite.
template <class W, class T>
void SvdAs(Cpu& device, const T* in, Index m, Index n, Index u_columns, Index v_columns, bool vectors, T* s, T* u,
           T* v) {
  const Index most = std::max(m, n), least = std::min(m, n), columns = m >= n ? u_columns : v_columns;
  using R = linalg::Real<W>;
  SlimVector<W> a = Numbers<W>(m * n), tall = Numbers<W>(m < n ? m * n : 0);
  SlimVector<W> longer = Numbers<W>(vectors ? most * columns : 0), shorter = Numbers<W>(vectors ? least * least : 0);
  SlimVector<R> values = Numbers<R>(least);
  CopyAs(in, a.data(), m * n);
  if (m < n) linalg::Adjoint(a.data(), m, n, tall.data());
  const bool good =
      linalg::Spectral<W>(device).SvdTall(m < n ? tall.data() : a.data(), most, least, columns, values.data(),
                                          vectors ? longer.data() : nullptr, vectors ? shorter.data() : nullptr);
  constexpr R kNaN = std::numeric_limits<R>::quiet_NaN();
  if (!good)
    for (SlimVector<W>* each : {&longer, &shorter}) std::fill(each->begin(), each->end(), W(kNaN));
  for (Index i = 0; i < least; ++i)
    s[i] = T(static_cast<linalg::Real<T>>(good ? values[static_cast<std::size_t>(i)] : kNaN));
  if (!vectors) return;
  CopyAs(longer.data(), m >= n ? u : v, most * columns);
  CopyAs(shorter.data(), m >= n ? v : u, least * least);
}
// Small matrices are computed in double, large ones in the precision of their elements.
template <class T>
void SvdOf(Cpu& device, const T* in, Index m, Index n, Index u_columns, Index v_columns, bool vectors, T* s, T* u,
           T* v) {
  if (std::min(m, n) <= kSmallSpectrum)
    SvdAs<typename WideOf<T>::type>(device, in, m, n, u_columns, v_columns, vectors, s, u, v);
  else
    SvdAs<T>(device, in, m, n, u_columns, v_columns, vectors, s, u, v);
}

// Whether the lower triangle of a: [n, n] is one that iterations come to an end with: none with NaN, or with infinity
// below the diagonal.
template <class W>
bool HasEigenvalues(const W* a, Index n) {
  for (Index i = 0; i < n && n > 1; ++i) {
    if (std::isnan(std::real(a[i * n + i]))) return false;
    for (Index j = 0; j < i; ++j)
      if (!std::isfinite(std::real(a[i * n + j])) || !std::isfinite(std::imag(a[i * n + j]))) return false;
  }
  return true;
}

// False: there are none.
template <class W, class T>
TENON_DETAIL_RARE bool EigenAs(Cpu& device, const T* in, Index n, T* e, T* v) {
  SlimVector<W> a = Numbers<W>(n * n), vectors = Numbers<W>(v == nullptr ? 0 : n * n);
  SlimVector<linalg::Real<W>> values = Numbers<linalg::Real<W>>(n);
  CopyAs(in, a.data(), n * n);
  if (!HasEigenvalues(a.data(), n)) return false;
  if (!linalg::Spectral<W>(device).EigenHermitian(a.data(), n, values.data(),
                                                  v == nullptr ? nullptr : vectors.data())) {
    if (n > 2) return false;
    // As TensorFlow, whose iterations begin at three rows: infinity on the diagonal.
    std::fill(values.begin(), values.end(), std::numeric_limits<linalg::Real<W>>::quiet_NaN());
    for (Index i = 0; v != nullptr && i < n * n; ++i)
      vectors[static_cast<std::size_t>(i)] = W(i % (n + 1) == 0 ? 1 : 0);
  }
  for (Index i = 0; i < n; ++i) e[i] = T(static_cast<linalg::Real<T>>(values[static_cast<std::size_t>(i)]));
  if (v != nullptr) CopyAs(vectors.data(), v, n * n);
  return true;
}
template <class T>
bool EigenOf(Cpu& device, const T* in, Index n, T* e, T* v) {
  if (n <= kSmallSpectrum) return EigenAs<typename WideOf<T>::type>(device, in, n, e, v);
  return EigenAs<T>(device, in, n, e, v);
}

}  // namespace detail

// input: [..., m, n]  ->  q: [..., m, p], r: [..., p, n], p = min(m, n), or m with full_matrices; input = q r
struct Qr {
  static constexpr auto signature = Op("Qr")
                                        .Input("input: T")
                                        .Output("q: T")
                                        .Output("r: T")
                                        .Attr("full_matrices: bool = false")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::QrShape);

  struct Attrs {
    bool full_matrices;
  };
  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, Tensor& q, Tensor& r) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::Of("Qr", input.shape(), 0, &at));
      const Index m = at.rows, n = at.columns, kept = this->full_matrices ? m : std::min(m, n);
      TensorShape q_shape, r_shape;
      TENON_RETURN_IF_ERROR(at.With(m, kept, &q_shape));
      TENON_RETURN_IF_ERROR(at.With(kept, n, &r_shape));
      Tensor *q_out = &q, *r_out = &r;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, q_shape, &q_out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, r_shape, &r_out));
      if (at.count == 0 || m == 0 || std::max(kept, n) == 0) return OkStatus();
      (void)detail::ForEachMatrix(context.device(), at.count, m, kept + n, [&](Cpu& device, Index i) {
        detail::QrOf(device, input.data + i * m * n, m, n, kept, q_out->data<T>() + i * m * kept,
                     r_out->data<T>() + i * kept * n);
        return true;
      });
      return OkStatus();
    }
  };
};

// input: [..., m, n]  ->  s: [..., p], u: [..., m, p], v: [..., n, p], p = min(m, n); input = u diag(s) v^H. u and v
// are square with full_matrices, and empty without compute_uv.
struct Svd {
  static constexpr auto signature = Op("Svd")
                                        .Input("input: T")
                                        .Output("s: T")
                                        .Output("u: T")
                                        .Output("v: T")
                                        .Attr("compute_uv: bool = true")
                                        .Attr("full_matrices: bool = false")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::SvdShape);

  struct Attrs {
    bool compute_uv, full_matrices;
  };
  template <class Device, class T>
    requires(Device::type == "CPU" && detail::LinalgTypes::contains<T>)
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, Tensor& s, Tensor& u, Tensor& v) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::Of("Svd", input.shape(), 0, &at));
      const Index m = at.rows, n = at.columns, least = std::min(m, n);
      const Index u_columns = this->full_matrices ? m : least, v_columns = this->full_matrices ? n : least;
      TensorShape s_shape, u_shape{0}, v_shape{0};
      TENON_RETURN_IF_ERROR(at.With(least, &s_shape));
      if (this->compute_uv) {
        TENON_RETURN_IF_ERROR(at.With(m, u_columns, &u_shape));
        TENON_RETURN_IF_ERROR(at.With(n, v_columns, &v_shape));
      }
      Tensor *s_out = &s, *u_out = &u, *v_out = &v;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, s_shape, &s_out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, u_shape, &u_out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(2, v_shape, &v_out));
      if (s_shape.num_elements() + u_shape.num_elements() + v_shape.num_elements() == 0) return OkStatus();
      (void)detail::ForEachMatrix(context.device(), at.count, 4 * m, n, [&](Cpu& device, Index i) {
        detail::SvdOf(device, input.data + i * m * n, m, n, u_columns, v_columns, this->compute_uv,
                      s_out->data<T>() + i * least, this->compute_uv ? u_out->data<T>() + i * m * u_columns : nullptr,
                      this->compute_uv ? v_out->data<T>() + i * n * v_columns : nullptr);
        return true;
      });
      return OkStatus();
    }
  };
};

// input: [..., n, n], Hermitian, of which the lower triangle is read  ->  e: [..., n], ascending, v: [..., n, n], the
// vectors as columns (empty without compute_v).
struct SelfAdjointEigV2 {
  static constexpr auto signature = Op("SelfAdjointEigV2")
                                        .Input("input: T")
                                        .Output("e: T")
                                        .Output("v: T")
                                        .Attr("compute_v: bool = true")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::EigenShape);

  struct Attrs {
    bool compute_v;
  };
  template <class Device, class T>
    requires(Device::type == "CPU" && detail::LinalgTypes::contains<T>)
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, Tensor& e, Tensor& v) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("SelfAdjointEigV2", input.shape(), &at));
      const Index n = at.rows;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(at.With(n, &shape));
      Tensor *e_out = &e, *v_out = &v;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &e_out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, this->compute_v ? input.shape() : TensorShape{0}, &v_out));
      if (shape.num_elements() == 0) return OkStatus();
      if (!detail::ForEachMatrix(context.device(), at.count, 8 * n, n, [&](Cpu& device, Index i) {
            return detail::EigenOf(device, input.data + i * n * n, n, e_out->data<T>() + i * n,
                                   this->compute_v ? v_out->data<T>() + i * n * n : nullptr);
          }))
        return errors::InvalidArgument(
            "SelfAdjointEigV2: Self-adjoint eigen decomposition was not successful. The input might not be valid.");
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
