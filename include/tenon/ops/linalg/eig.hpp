// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eig and MatrixSquareRoot: of general square matrices, by Schur's decomposition in double.

#include <algorithm>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/linalg/schur.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>
#include <tenon/ops/linalg/spectrum.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

template <class T>
using ComplexOf = std::complex<linalg::Real<T>>;

// False: there are none. As in TensorFlow, the eigenvalues of a complex matrix rise by their sizes. Those of a real one
// are in the order of the decomposition, of a pair first the one with the positive imaginary part.
template <class T>
bool GeneralEigenOf(const T* in, Index n, ComplexOf<T>* e, ComplexOf<T>* v) {
  linalg::Schur schur(n);
  if (!schur.Run(in)) return false;
  SlimVector<complex128> values = Numbers<complex128>(n), vectors = Numbers<complex128>(v == nullptr ? 0 : n * n);
  for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = schur.t(i, i);
  if (v != nullptr) schur.Eigenvectors(vectors.data());
  const auto swap = [&](Index i, Index j) {
    std::swap(values.data()[i], values.data()[j]);
    for (Index r = 0; v != nullptr && i != j && r < n; ++r)
      std::swap(vectors.data()[r * n + i], vectors.data()[r * n + j]);
  };
  for (Index i = 0; i < n && !std::is_floating_point_v<T>; ++i) {
    Index least = i;
    for (Index j = i + 1; j < n; ++j)
      if (std::abs(values.data()[j]) < std::abs(values.data()[least])) least = j;
    swap(i, least);
  }
  for (Index i = 0; i + 1 < n && std::is_floating_point_v<T>; ++i) {
    const complex128 &one = values.data()[i], &next = values.data()[i + 1];
    if (one.imag() < 0 && std::abs(std::conj(one) - next) < 1e-9 * std::abs(one)) swap(i, i + 1);
  }
  CopyAs(values.data(), e, n);
  if (v != nullptr) CopyAs(vectors.data(), v, n * n);
  return true;
}

// NaN where a real matrix has no real root, and where elements are not finite.
template <class T>
void SquareRootOf(const T* in, Index n, T* out) {
  constexpr auto kNaN = std::numeric_limits<linalg::Real<T>>::quiet_NaN();
  linalg::Schur schur(n);
  bool good = schur.Run(in);
  if constexpr (std::is_floating_point_v<T>)
    for (Index i = 0; i < n && good; ++i) {
      const complex128 value = schur.t(i, i);
      good = !(value.real() < 0 && std::fabs(value.imag()) <= 1e-12 * std::fabs(value.real()));
    }
  if (!good) {
    std::fill(out, out + n * n, T(kNaN));
    return;
  }
  SlimVector<complex128> root = Numbers<complex128>(n * n);
  schur.SquareRoot(root.data());
  for (Index i = 0; i < n * n; ++i) {
    if constexpr (std::is_floating_point_v<T>)
      out[i] = static_cast<T>(root.data()[i].real());
    else
      out[i] = static_cast<T>(root.data()[i]);
  }
}

}  // namespace detail

// input: [..., n, n]  ->  e: [..., n], v: [..., n, n], the vectors of length 1 as columns (empty without
// compute_v). Tout is the complex type of T.
struct Eig {
  static constexpr auto signature = Op("Eig")
                                        .Input("input: T")
                                        .Output("e: Tout")
                                        .Output("v: Tout")
                                        .Attr("compute_v: bool = true")
                                        .Attr("T: {float, double, complex64, complex128}")
                                        .Attr("Tout: {complex64, complex128}")
                                        .SetShapeFn(detail::EigenShape);
  struct Attrs {
    bool compute_v;
  };
  static constexpr auto kernel_types = TypeAttrs("T");
  template <class Device, class T>
    requires(Device::type == "CPU" && detail::LinalgTypes::contains<T>)
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, Tensor& e, Tensor& v) const {
      using C = detail::ComplexOf<T>;
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("Eig", input.shape(), &at));
      const Index n = at.rows;
      TensorShape shape;
      TENON_RETURN_IF_ERROR(at.With(n, &shape));
      Tensor *e_out = &e, *v_out = &v;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &e_out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, this->compute_v ? input.shape() : TensorShape{0}, &v_out));
      if (e_out->dtype() != dtype_of_v<C>)
        return errors::InvalidArgument("Eig: Tout must be ", dtype_of_v<C>, " for this input, got ", e_out->dtype());
      if (shape.num_elements() == 0) return OkStatus();
      if (detail::ForEachMatrix(context.device(), at.count, 8 * n, n, [&](Cpu&, Index i) {
            return detail::GeneralEigenOf(input.data + i * n * n, n, e_out->data<C>() + i * n,
                                          this->compute_v ? v_out->data<C>() + i * n * n : nullptr);
          }))
        return OkStatus();
      return errors::InvalidArgument("Eig: Eigen decomposition was not successful. The input might not be valid.");
    }
  };
};

// input: [..., n, n]  ->  output: the root whose eigenvalues have no negative real parts; output output = input
struct MatrixSquareRoot {
  static constexpr auto signature = Op("MatrixSquareRoot")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {double, float, half, complex64, complex128}")
                                        .SetShapeFn(detail::SquareUnchangedShape);
  template <class Device, class T>
    requires(Device::type == "CPU" && detail::LinalgTypes::contains<T>)
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("MatrixSquareRoot", input.shape(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      if (input.size() == 0) return OkStatus();
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, 8 * n, n, [&](Cpu&, Index i) {
        detail::SquareRootOf(input.data + i * n * n, n, out->data<T>() + i * n * n);
        return true;
      });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
