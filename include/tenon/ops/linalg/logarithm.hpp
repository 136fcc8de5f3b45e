// SPDX-License-Identifier: Apache-2.0
#pragma once
// MatrixLogarithm: of complex square matrices.

#include <algorithm>
#include <limits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/linalg/logarithm.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>
#include <tenon/ops/linalg/spectrum.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// NaN where there is no logarithm.
template <class T>
void LogarithmOf(const T* in, Index n, T* out) {
  SlimVector<complex128> from = Numbers<complex128>(n * n), to = Numbers<complex128>(n * n);
  for (Index i = 0; i < n * n; ++i) from.data()[i] = complex128(in[i]);
  if (!linalg::Logarithm(from.data(), n, to.data())) {
    constexpr auto kNaN = std::numeric_limits<typename T::value_type>::quiet_NaN();
    std::fill(out, out + n * n, T(kNaN, kNaN));
    // TensorFlow's logarithm of one zero in float.
    if (n == 1 && in[0] == T(0) && sizeof(T) == sizeof(complex64))
      out[0] = T(-std::numeric_limits<typename T::value_type>::infinity(), kNaN);
    return;
  }
  for (Index i = 0; i < n * n; ++i) out[i] = static_cast<T>(to.data()[i]);
}

}  // namespace detail

// input: [..., n, n]  ->  output: exp(output) = input, eigenvalues with imaginary parts in (-pi, pi]
struct MatrixLogarithm {
  static constexpr auto signature = Op("MatrixLogarithm")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {complex64, complex128}")
                                        .SetShapeFn(detail::SquareUnchangedShape);
  template <class Device, class T>
    requires(Device::type == "CPU" && TypeList<complex64, complex128>::contains<T>)
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("MatrixLogarithm", input.shape(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      if (input.size() == 0) return OkStatus();
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, 16 * n, n, [&](Cpu&, Index i) {
        detail::LogarithmOf(input.data + i * n * n, n, out->data<T>() + i * n * n);
        return true;
      });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
