// SPDX-License-Identifier: Apache-2.0
#pragma once
// Full types of ops: names for SetTypeConstructor and SetForwardTypeFn, which take them and change nothing.

#include <functional>
#include <string>
#include <vector>

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
// A type and its arguments: a tensor of floats is TFT_TENSOR[TFT_FLOAT].
class FullTypeDef {
 public:
  FullTypeId type_id() const { return type_id_; }
  void set_type_id(FullTypeId id) { type_id_ = id; }
  int args_size() const { return static_cast<int>(args_.size()); }
  const std::vector<FullTypeDef>& args() const { return args_; }
  const FullTypeDef& args(int i) const { return args_[static_cast<std::size_t>(i)]; }
  FullTypeDef* mutable_args(int i) { return &args_[static_cast<std::size_t>(i)]; }
  FullTypeDef* add_args() { return &args_.emplace_back(); }
  const std::string& s() const { return s_; }
  void set_s(const std::string& name) { s_ = name; }
  int64_t i() const { return i_; }
  void set_i(int64_t value) { i_ = value; }

 private:
  FullTypeId type_id_ = TFT_UNSET;
  std::vector<FullTypeDef> args_;
  std::string s_;
  int64_t i_ = 0;
};
using TypeRefVector = std::vector<std::reference_wrapper<const FullTypeDef>>;
using FunctionTypeInferrer = std::function<StatusOr<FullTypeDef>(const std::string&, const TypeRefVector&)>;
using TypeInferenceFn = std::function<StatusOr<FullTypeDef>(const TypeRefVector&, const FunctionTypeInferrer&)>;
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

// Inference of types.
using TypeMap = std::function<FullTypeDef(const FullTypeDef&)>;
inline TypeInferenceFn KeepExisting() { return {}; }
inline TypeInferenceFn Tensor(FullTypeId) { return {}; }
inline TypeInferenceFn ReplicateInput(int = 0, int = 1) { return {}; }
inline TypeInferenceFn Merge() { return {}; }
inline TypeInferenceFn Encode(FullTypeId, int) { return {}; }
inline TypeInferenceFn Decode(FullTypeId, int) { return {}; }
inline TypeInferenceFn UnaryContainerCreate(FullTypeId, int) { return {}; }
inline TypeInferenceFn UnaryContainerAdd(FullTypeId, int, int, bool) { return {}; }
inline TypeInferenceFn MultiaryUnstack(FullTypeId, const TypeMap&) { return {}; }
inline TypeInferenceFn ContainerMap(FullTypeId, int, const TypeMap&) { return {}; }
inline TypeInferenceFn MapCovariant(FullTypeId, FullTypeId, int) { return {}; }
inline TypeInferenceFn FunctionCall(const std::string&) { return {}; }
inline TypeInferenceFn Tuple(const std::vector<TypeInferenceFn>&) { return {}; }
// The part of a type that a dataset of slices, batches or shards has: the type itself.
inline FullTypeDef UnstackTensor(const FullTypeDef& type) { return type; }
inline FullTypeDef BatchTensor(const FullTypeDef& type) { return type; }
inline FullTypeDef ShardTensor(const FullTypeDef& type) { return type; }
}  // namespace full_type

}  // namespace tensorflow
