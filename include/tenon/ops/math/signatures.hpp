// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two signatures that most element-wise ops have, and TensorFlow's lists of types for them, in TensorFlow's order.

#include <string_view>

#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

inline constexpr std::string_view kRealTypes = "T: {bfloat16, half, float, double}";
inline constexpr std::string_view kFloatingTypes = "T: {bfloat16, half, float, double, complex64, complex128}";
inline constexpr std::string_view kSignedTypes =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}";
inline constexpr std::string_view kIntegerTypes = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";
inline constexpr std::string_view kOrderedTypes =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
inline constexpr std::string_view kDivisionTypes =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}";
inline constexpr std::string_view kActivationTypes = "T: {half, bfloat16, float, double}";

// x: [...]  ->  y: the same shape
constexpr auto UnaryOp(std::string_view name, std::string_view types, std::string_view output = "y: T") {
  return Op(name).Input("x: T").Output(output).Attr(types).SetShapeFn(shape_inference::UnchangedShape);
}
// x, y, broadcast against each other  ->  z
constexpr auto BinaryOp(std::string_view name, std::string_view types, std::string_view output = "z: T") {
  return Op(name).Input("x: T").Input("y: T").Output(output).Attr(types).SetShapeFn(
      shape_inference::BroadcastBinaryOpShapeFn);
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
