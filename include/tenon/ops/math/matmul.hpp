// SPDX-License-Identifier: Apache-2.0
#pragma once
// MatMul: the product of two matrices.

#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/op_types.hpp>
#include <tenon/kernel/packs_input.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

template <class Device, class T>
inline constexpr bool kPacksMatMul = Device::type == "CPU" && std::is_floating_point_v<T>;
struct NoWeights {};
template <class Device, class T>
using MatMulWeights = std::conditional_t<kPacksMatMul<Device, T>, PacksInput<1>, NoWeights>;

}  // namespace detail

// a: [m, k]  b: [k, n]  ->  [m, n]; a transposed operand is stored the other way round. Complex numbers are not
// conjugated.
struct MatMul {
  static constexpr auto signature =
      Op("MatMul")
          .Input("a: T")
          .Input("b: T")
          .Output("product: T")
          .Attr("transpose_a: bool = false")
          .Attr("transpose_b: bool = false")
          .Attr(
              "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
          .Attr("grad_a: bool = false")
          .Attr("grad_b: bool = false")
          .SetShapeFn(shape_inference::MatMulShape);

  struct Attrs {
    bool transpose_a = false, transpose_b = false;
  };
  static constexpr std::string_view unused[] = {"grad_a", "grad_b"};

  // TensorFlow has no kernels for unsigned integers.
  template <class Device, class T>
    requires(!std::is_unsigned_v<T> && MapsOn<Device, T>)
  struct kernel : Attrs, detail::MatMulWeights<Device, T> {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T, 2> a, In<T, 2> b, Out<T, 2> product) const {
      if constexpr (detail::kPacksMatMul<Device, T>)
        return Gemm(device, a, transpose_a, b, transpose_b, product, &this->weights);
      else
        return Gemm(device, a, transpose_a, b, transpose_b, product);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
