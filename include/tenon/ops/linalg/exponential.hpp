// SPDX-License-Identifier: Apache-2.0
#pragma once
// MatrixExponential: of square matrices, in graphs from before version 27.

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/linalg/exponential.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/linalg/batches.hpp>
#include <tenon/ops/linalg/spectrum.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

template <class T>
void ExponentialOf(const T* in, Index n, T* out) {
  constexpr bool kComplex = TypeList<complex64, complex128>::contains<T>;
  SlimVector<complex128> from = Numbers<complex128>(n * n), to = Numbers<complex128>(n * n);
  for (Index i = 0; i < n * n; ++i) {
    if constexpr (kComplex)
      from.data()[i] = complex128(in[i]);
    else
      from.data()[i] = complex128(static_cast<double>(in[i]));
  }
  linalg::Exponential(from.data(), n, to.data());
  for (Index i = 0; i < n * n; ++i) {
    if constexpr (kComplex)
      out[i] = static_cast<T>(to.data()[i]);
    else
      out[i] = static_cast<T>(to.data()[i].real());
  }
}

}  // namespace detail

// input: [..., n, n]  ->  output: 1 + input + input input / 2 + ...
struct MatrixExponential {
  static constexpr auto signature =
      Op("MatrixExponential")
          .Deprecated(27, "Use Python implementation tf.linalg.matrix_exponential instead.")
          .Input("input: T")
          .Output("output: T")
          .Attr("T: {double, float, half, complex64, complex128}")
          .SetShapeFn(detail::SquareUnchangedShape);
  template <class Device, class T>
    requires(Device::type == "CPU" && TypeList<double, float, half, complex64, complex128>::contains<T>)
  struct kernel {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      detail::MatrixBatch at;
      TENON_RETURN_IF_ERROR(detail::MatrixBatch::OfSquare("MatrixExponential", input.shape(), &at));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      if (input.size() == 0) return OkStatus();
      const Index n = at.rows;
      (void)detail::ForEachMatrix(context.device(), at.count, 20 * n, n, [&](Cpu&, Index i) {
        detail::ExponentialOf(input.data + i * n * n, n, out->data<T>() + i * n * n);
        return true;
      });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
