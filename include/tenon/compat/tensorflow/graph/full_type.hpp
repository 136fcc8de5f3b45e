// SPDX-License-Identifier: Apache-2.0
#pragma once
// Full types of ops: names for SetTypeConstructor, which takes them and changes nothing.

#include <functional>
#include <string>

#include <tenon/compat/tensorflow/base/status.hpp>

namespace tensorflow {

class OpDef;
enum FullTypeId : int {
  TFT_UNSET = 0,
  TFT_VAR = 1,
  TFT_ANY = 2,
  TFT_PRODUCT = 3,
  TFT_NAMED = 4,
  TFT_FOR_EACH = 20,
  TFT_CALLABLE = 100,
  TFT_BOOL = 200,
  TFT_UINT8 = 201,
  TFT_UINT16 = 202,
  TFT_UINT32 = 203,
  TFT_UINT64 = 204,
  TFT_INT8 = 205,
  TFT_INT16 = 206,
  TFT_INT32 = 207,
  TFT_INT64 = 208,
  TFT_HALF = 209,
  TFT_FLOAT = 210,
  TFT_DOUBLE = 211,
  TFT_COMPLEX64 = 212,
  TFT_COMPLEX128 = 213,
  TFT_STRING = 214,
  TFT_BFLOAT16 = 215,
  TFT_TENSOR = 1000,
  TFT_ARRAY = 1001,
  TFT_OPTIONAL = 1002,
  TFT_LITERAL = 1003,
  TFT_ENCODED = 1004,
  TFT_SHAPE_TENSOR = 1005,
  TFT_DATASET = 10102,
  TFT_RAGGED = 10103,
  TFT_ITERATOR = 10104,
  TFT_MUTEX_LOCK = 10202,
  TFT_LEGACY_VARIANT = 10203
};
using OpTypeConstructor = std::function<Status(OpDef*)>;

namespace full_type {
inline OpTypeConstructor NoOp() {
  return [](OpDef*) { return Status(); };
}
inline OpTypeConstructor NoOutputs() { return NoOp(); }
inline OpTypeConstructor Nullary(FullTypeId) { return NoOp(); }
inline OpTypeConstructor Unary(FullTypeId, const std::string&) { return NoOp(); }
inline OpTypeConstructor UnaryGeneric(FullTypeId) { return NoOp(); }
inline OpTypeConstructor UnaryTensorContainer(FullTypeId, FullTypeId) { return NoOp(); }
inline OpTypeConstructor UnaryTensorContainer(FullTypeId, const std::string&) { return NoOp(); }
inline OpTypeConstructor VariadicTensorContainer(FullTypeId, const std::string&) { return NoOp(); }
}  // namespace full_type

}  // namespace tensorflow
