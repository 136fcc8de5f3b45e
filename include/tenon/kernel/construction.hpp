// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelConstruction: what a kernel sees while it is built, once per node.

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

class FunctionRuntime;

// one thread. The node, the op and the type lists outlive the kernel.
class OpKernelConstruction {
 public:
  OpKernelConstruction(const NodeDef* def, const OpView* op, std::string_view device_type,
                       std::span<const DataType> input_types, std::span<const DataType> output_types,
                       Allocator* allocator, FunctionRuntime* functions = nullptr, std::string_view device_name = {})
      : def_(def),
        op_(op),
        device_type_(device_type),
        input_types_(input_types),
        output_types_(output_types),
        allocator_(allocator),
        functions_(functions),
        device_name_(device_name) {}

  // Reads an attr of the node. NotFound when there is none, InvalidArgument when it has another type.
  template <class T>
  Status GetAttr(std::string_view name, T* value) const {
    return GetNodeAttr(*def_, name, value);
  }
  bool HasAttr(std::string_view name) const { return def_->attr.Find(name) != nullptr; }

  // A tensor that the kernel keeps; ResourceExhausted when memory is out.
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* out) {
    TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, allocator_));
    return OkStatus();
  }

  // Keeps the first error; the node is refused when there is one.
  void SetStatus(const Status& status) { status_.Update(status); }
  void CtxFailure(const Status& status) { SetStatus(status); }
  const Status& status() const { return status_; }

  const NodeDef& def() const { return *def_; }
  const OpView& op() const { return *op_; }
  std::string_view device_type() const { return device_type_; }
  // The full name of the node's device; empty outside of a session.
  std::string_view device_name() const { return device_name_; }
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  DataType input_type(int i) const { return input_types_[static_cast<std::size_t>(i)]; }
  DataType output_type(int i) const { return output_types_[static_cast<std::size_t>(i)]; }
  std::span<const DataType> input_types() const { return input_types_; }
  std::span<const DataType> output_types() const { return output_types_; }
  Allocator* allocator() const { return allocator_; }
  // The functions of the graph's library; null outside of a session.
  FunctionRuntime* function_library() const { return functions_; }

 private:
  const NodeDef* def_;
  const OpView* op_;
  std::string_view device_type_;
  std::span<const DataType> input_types_, output_types_;
  Allocator* allocator_;
  FunctionRuntime* functions_;
  Status status_;
  std::string_view device_name_;
};

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
