// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelConstruction: the node, types and services of a kernel while it is built, once per node.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

class FunctionRuntime;
class PackedWeights;
class PackingBudget;
class ResourceMgr;

// Which of a kernel's inputs it reads through `weights`, if any: a session offers it there where it is constant.
struct PackedInput {
  int input = -1;
  PackedWeights* weights = nullptr;
  PackingBudget* budget = nullptr;
};

// Dtypes in a row, of anything that holds them or in braces; for arguments, since the items are another's.
class DataTypeSlice : public Span<const DataType> {
 public:
  using Span::Span;
  DataTypeSlice(Span<const DataType> types) : Span(types) {}
  DataTypeSlice(std::initializer_list<DataType> types) : Span(types.begin(), types.size()) {}
};

namespace detail {
// "float, int32->bool"
TENON_DETAIL_COLD inline std::string SignatureText(Span<const DataType> inputs, Span<const DataType> outputs) {
  return StrCat(StrJoin(inputs, ", "), "->", StrJoin(outputs, ", "));
}
// InvalidArgument unless a node has these types; a reference is accepted where a value is expected.
TENON_DETAIL_COLD inline Status MatchTypes(Span<const DataType> inputs, Span<const DataType> outputs,
                                           Span<const DataType> expected_inputs,
                                           Span<const DataType> expected_outputs) {
  const auto fit = [](Span<const DataType> have, Span<const DataType> expected) {
    for (std::size_t i = 0; i < have.size() && i < expected.size(); ++i)
      if (expected[i] != have[i] && expected[i] != BaseType(have[i])) return false;
    return have.size() == expected.size();
  };
  if (fit(inputs, expected_inputs) && fit(outputs, expected_outputs)) return OkStatus();
  return errors::InvalidArgument("Signature mismatch, have: ", SignatureText(inputs, outputs),
                                 " expected: ", SignatureText(expected_inputs, expected_outputs));
}
}  // namespace detail

// one thread. The node, the op and the type lists outlive the kernel.
class OpKernelConstruction {
 public:
  OpKernelConstruction(const NodeDef* def, const OpView* op, std::string_view device_type,
                       Span<const DataType> input_types, Span<const DataType> output_types, Allocator* allocator,
                       FunctionRuntime* functions = nullptr, std::string_view device_name = {})
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
  TENON_DETAIL_ALWAYS_INLINE Status GetAttr(std::string_view name, T* value) const {
    return GetNodeAttr(*def_, name, value);
  }
  bool HasAttr(std::string_view name) const { return def_->attr.Find(name) != nullptr; }

  // A tensor that the kernel keeps; ResourceExhausted when memory is out.
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* out, AllocatorAttributes attributes = {}) {
    if (attributes.scope_id != 0)
      return errors::InvalidArgument("ScopedAllocator cannot be used via OpKernelConstruction.");
    if (detail::ElementBytes(dtype) == 0) return Tensor::Make(dtype, shape, allocator_).status();
    Allocator* const allocator = allocator_ != nullptr ? allocator_ : DefaultAllocator();
    *out = Tensor(allocator, dtype, shape);
    if (out->IsInitialized()) return OkStatus();
    return errors::ResourceExhausted("OOM when allocating temporary tensor with shape", shape, " and type ", dtype,
                                     " by ", detail::NoMemoryFrom(*allocator, detail::BytesWanted(dtype, shape)));
  }

  // InvalidArgument unless the node's tensors have these types.
  Status MatchSignature(DataTypeSlice inputs, DataTypeSlice outputs) const {
    return detail::MatchTypes(input_types_, output_types_, inputs, outputs);
  }

  // From the Init of a kernel: `weights` are a member of it.
  void PackInput(int input, PackedWeights* weights) {
    packed_input_.input = input;
    packed_input_.weights = weights;
  }
  void set_packing_budget(PackingBudget* budget) { packed_input_.budget = budget; }
  const PackedInput& packed_input() const { return packed_input_; }

  // Keeps the first error; the node is refused when there is one.
  void SetStatus(const Status& status) { status_.Update(status); }
  void CtxFailure(const Status& status) { SetStatus(status); }
  // SetStatus with TensorFlow's names; the forms with a warning also log (in <tenon/kernel/context_access.hpp>).
  void CtxFailure(const char* file, int line, const Status& status);
  void CtxFailureWithWarning(const Status& status);
  void CtxFailureWithWarning(const char* file, int line, const Status& status);
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
  Span<const DataType> input_types() const { return input_types_; }
  Span<const DataType> output_types() const { return output_types_; }
  Allocator* allocator() const { return allocator_; }
  // The functions of the graph's library; null outside of a session.
  FunctionRuntime* function_library() const { return functions_; }
  // The session's resources; null outside of a session. (In <tenon/kernel/context_access.hpp>.)
  ResourceMgr* resource_manager() const;
  // The version of the graph's producer.
  int graph_def_version() const { return graph_def_version_; }
  void set_graph_def_version(int version) { graph_def_version_ = version; }

 private:
  const NodeDef* def_;
  const OpView* op_;
  std::string_view device_type_;
  Span<const DataType> input_types_, output_types_;
  Allocator* allocator_;
  FunctionRuntime* functions_;
  Status status_;
  std::string_view device_name_;
  int graph_def_version_ = 0;
  PackedInput packed_input_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
