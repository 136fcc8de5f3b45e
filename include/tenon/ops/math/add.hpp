// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of two: the arithmetic that BiasAdd needs, too. Integers wrap.

#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
// Integers wrap: computed without sign, in a type that is not widened to int on the way.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned,
                                    std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, int, T>>>;
}  // namespace detail

struct Add {
  static constexpr auto signature =
      Op("Add")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) + static_cast<detail::Wrapping<T>>(y));
    else if constexpr (std::is_same_v<T, tstring>)
      return Concatenated(x, y);
    else
      return x + y;
  }

  template <class Device, class T>
  using kernel = Map2<Add, Device, T>;

 private:
  static tstring Concatenated(const tstring& x, const tstring& y) {
    tstring out = x;
    out.append(y);
    return out;
  }
};

struct AddV2 {
  static constexpr auto signature =
      Op("AddV2")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return Add::map(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<AddV2, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
