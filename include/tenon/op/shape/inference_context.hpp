// SPDX-License-Identifier: Apache-2.0
#pragma once
// InferenceContext: the inputs and results of a shape function, with TensorFlow's members and messages. One function
// runs at run time and in constant expressions (a network's shapes can be checked by static_assert). A mistake found
// there stops the compiler at a call whose name states the mistake.
//
//   Status MatrixShape(InferenceContext* c) {
//     ShapeHandle in;
//     TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &in));
//     c->set_output(0, c->Matrix(c->Dim(in, 1), c->Dim(in, 0)));
//     return OkStatus();
//   }

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/constant_shapes.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/shape/shape_algebra.hpp>
#include <tenon/op/shape/shape_errors.hpp>
#include <tenon/op/shape/shape_handles.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/static_shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

class AttrSlice;

// One node's inputs while its output shapes are found. Keeps its memory when it is used again. externally synchronised.
class InferenceContext : public ShapeAlgebra {
 public:
  static constexpr int kGraphDefVersion = 2474;  // version of graphs described in C++

  constexpr InferenceContext() = default;

  // `tensors` are the values of constant inputs, `as_shapes` the known facts of the shapes that inputs stand for. Both
  // may be shorter than `inputs`, and hold null for unknown ones. node, op, names and tensors outlive the use of the
  // context.
  InferenceContext(int graph_def_version, const NodeDef* node, const OpView* op, Span<const PartialTensorShape> inputs,
                   Span<const Tensor* const> tensors = {}, Span<const PartialTensorShape* const> as_shapes = {}) {
    Reset(graph_def_version, node, op);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      AddInput(inputs[i], i < tensors.size() ? tensors[i] : nullptr);
      if (i < as_shapes.size() && as_shapes[i] != nullptr)
        set_input_tensor_as_shape(static_cast<int>(i), *as_shapes[i]);
    }
    CheckInputCount();
  }
  // For constant expressions (works at run time too). Attrs that are not given have their defaults.
  constexpr InferenceContext(const OpView& op, std::initializer_list<StaticInput> inputs,
                             std::initializer_list<StaticAttr> attrs = {}) {
    own_view_ = op;
    op_ = &own_view_;
    graph_def_version_ = kGraphDefVersion;
    static_attrs_ = attrs;
    for (const StaticInput& input : inputs) {
      SlimVector<DimensionHandle> sizes;
      for (int d = 0; d < input.shape.rank; ++d) sizes.push_back(MakeDim(input.shape.dims[d]));
      inputs_.push_back(
          {input.shape.rank < 0 ? UnknownShape() : MakeShape(sizes), nullptr, {}, {}, false, false, false});
      inputs_.back().has_values = input.value_count >= 0;
      for (int i = 0; i < input.value_count; ++i) inputs_.back().values.push_back(input.values[i]);
    }
    FindOutputs();
    CheckInputCount();
    for (const StaticAttr& attr : attrs)
      if (status_.ok() && op.AttrIndex(attr.name) < 0)
        status_ = detail::attr_is_not_in_the_signature(attr.name, op.name);
  }
  InferenceContext(const InferenceContext&) = delete;
  InferenceContext& operator=(const InferenceContext&) = delete;

  // Begins with another node, or with the same one again: no inputs, no shapes. Then AddInput for each.
  void Reset(int graph_def_version, const NodeDef* node, const OpView* op) {
    graph_def_version_ = graph_def_version;
    node_ = node;
    op_ = op;
    static_attrs_.clear();
    status_ = OkStatus();
    ClearResults();
    inputs_.clear();
    FindOutputs();
  }
  void AddInput(const TensorShape& shape, const Tensor* value = nullptr) {
    AddInputHandle(MakeShape(shape.dim_sizes()), value);
  }
  void AddInput(const PartialTensorShape& shape, const Tensor* value = nullptr) {
    AddInputHandle(shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes()), value);
  }
  void set_input_tensor(int i, const Tensor* value) { in(i).tensor = value; }
  void set_input_tensor_as_shape(int i, const PartialTensorShape& shape) {
    in(i).as_shape = shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes());
  }
  // Another input count than the op's, or an attr that says how many outputs there are is missing.
  constexpr const Status& construction_status() const { return status_; }

  // --- inputs and outputs
  constexpr int num_inputs() const { return static_cast<int>(inputs_.size()); }
  constexpr int num_outputs() const { return static_cast<int>(outputs_.size()); }
  constexpr ShapeHandle input(int i) const { return in(i).shape; }
  constexpr void set_input(int i, ShapeHandle shape) { in(i).shape = shape; }
  constexpr ShapeHandle output(int i) const { return outputs_[static_cast<std::size_t>(i)]; }
  constexpr void set_output(int i, ShapeHandle shape) { outputs_[static_cast<std::size_t>(i)] = shape; }
  // All shapes of a named argument.
  template <GrowableListOf<ShapeHandle> List>
  constexpr Status input(std::string_view name, List* shapes) const {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->inputs, name, &begin, &end)) return detail::unknown_argument_name("input", name);
    shapes->clear();
    for (std::size_t i = begin; i < end && i < inputs_.size(); ++i) shapes->push_back(inputs_[i].shape);
    return OkStatus();
  }
  template <GrowableListOf<ShapeHandle> List>
  constexpr Status output(std::string_view name, List* shapes) const {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->outputs, name, &begin, &end)) return detail::unknown_argument_name("output", name);
    shapes->assign(outputs_.begin() + static_cast<std::ptrdiff_t>(begin),
                   outputs_.begin() + static_cast<std::ptrdiff_t>(end));
    return OkStatus();
  }
  constexpr Status set_output(std::string_view name, const SlimVector<ShapeHandle>& shapes) {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->outputs, name, &begin, &end)) return detail::unknown_argument_name("output", name);
    if (shapes.size() != end - begin) return detail::wrong_number_of_shapes(end - begin);
    for (std::size_t i = begin; i < end; ++i) outputs_[i] = shapes[i - begin];
    return OkStatus();
  }
  // Null when the value is not known; says that it would have been welcome.
  constexpr const Tensor* input_tensor(int i) {
    in(i).requested_tensor = true;
    return in(i).tensor;
  }
  // Says the same without asking, and that the shape that the value stands for would do.
  constexpr void request_input_tensor(int i) { in(i).requested_tensor = true; }
  constexpr void request_input_tensor_as_partial_shape(int i) { in(i).requested_as_shape = true; }
  constexpr bool requested_input_tensor(int i) const { return in(i).requested_tensor; }
  constexpr bool requested_input_tensor_as_partial_shape(int i) const { return in(i).requested_as_shape; }
  constexpr ShapeHandle input_tensor_as_shape(int i) const { return in(i).as_shape; }
  SlimVector<ShapeHandle> input_tensors_as_shapes() const {
    SlimVector<ShapeHandle> all;
    for (const Input& i : inputs_) all.push_back(i.as_shape);
    return all;
  }
  // The values of the first inputs, null for unknown values. The other inputs stay as they are.
  void set_input_tensors(Span<const Tensor* const> values) {
    for (std::size_t i = 0; i < values.size() && i < inputs_.size(); ++i) inputs_[i].tensor = values[i];
  }
  // The shapes that the first inputs stand for, in the same way; unset is not known.
  void set_input_tensors_as_shapes(Span<const ShapeHandle> shapes) {
    for (std::size_t i = 0; i < shapes.size() && i < inputs_.size(); ++i) inputs_[i].as_shape = shapes[i];
  }
  // Adds outputs of unset shape beside the op's outputs. InvalidArgument: fewer than there are.
  Status ExpandOutputs(int count) {
    if (count < num_outputs()) return errors::InvalidArgument("Trying to reduce number of outputs of op.");
    outputs_.resize(static_cast<std::size_t>(count));
    return OkStatus();
  }
  constexpr int graph_def_version() const { return graph_def_version_; }
  constexpr const OpView& op() const { return *op_; }
  const NodeDef* node() const { return node_; }

  // The contents of the resource behind an input or output; null when nothing is known.
  constexpr const SlimVector<ShapeAndType>* input_handle_shapes_and_types(int i) const {
    return input_handles_.Find(i);
  }
  constexpr const SlimVector<ShapeAndType>* output_handle_shapes_and_types(int i) const {
    return output_handles_.Find(i);
  }
  constexpr void set_input_handle_shapes_and_types(int i, const SlimVector<ShapeAndType>& held) {
    input_handles_.Set(i, held);
  }
  constexpr void set_output_handle_shapes_and_types(int i, const SlimVector<ShapeAndType>& held) {
    output_handles_.Set(i, held);
  }

  // Value of an attr of the node, else its default; T as for AttrValue::Get.
  template <class T>
  constexpr Status GetAttr(std::string_view name, T* value) const {
    // Numbers, not pointers: UBSan's null tests are not constant.
    if (const int i = StaticAttrIndex(name); i >= 0) {
      if (static_attrs_[static_cast<std::size_t>(i)].Get(value)) return OkStatus();
      return detail::attr_is_missing_or_has_another_type(name, op_->name);
    }
    const int i = NodeHasAttr(name) ? -1 : DefaultIndex(name);
    if (i >= 0 && detail::ReadAttrDefault(op_->attrs[static_cast<std::size_t>(i)], value)) return OkStatus();
    if (node_ != nullptr) return GetNodeAttr(*node_, name, value);
    return detail::attr_is_missing_or_has_another_type(name, op_->name);
  }

  // Whether the node has the attr, or its op a default for it.
  constexpr bool HasAttr(std::string_view name) const {
    return StaticAttrIndex(name) >= 0 || NodeHasAttr(name) || DefaultIndex(name) >= 0;
  }
  // A shape attr as a handle.
  constexpr Status GetShapeAttr(std::string_view name, ShapeHandle* out) {
    SlimVector<ShapeHandle> shapes;
    if (ConstantShapes(name, false, &shapes)) return Done(out, shapes.front());
    return ReadShapeAttr(name, out);
  }
  // The shapes of an attr that is a list of them.
  constexpr Status GetShapeListAttr(std::string_view name, SlimVector<ShapeHandle>* out) {
    out->clear();
    return ConstantShapes(name, true, out) ? OkStatus() : ReadShapeListAttr(name, out);
  }

  // --- shapes and sizes from values
  // The shape whose sizes are the values of input i, a vector; -1 is an unknown size.
  constexpr Status MakeShapeFromShapeTensor(int i, ShapeHandle* out) {
    ShapeHandle vector;
    TENON_RETURN_IF_ERROR(WithRank(input(i), 1, &vector));
    return ShapeOfInput(i, vector, out);
  }
  // MakeShapeFromShapeTensor, but a scalar stands for an unknown shape.
  constexpr Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int i, ShapeHandle* out) {
    ShapeHandle s;
    TENON_RETURN_IF_ERROR(WithRankAtMost(input(i), 1, &s));
    return ShapeOfInput(i, s, out);
  }

  // The values of an integer input, in constant expressions too. *known is false, and nothing else is written, when
  // there are none.
  constexpr Status ReadInput(int i, SlimVector<std::int64_t>* values, bool* known) {
    Input& input = in(i);
    input.requested_tensor = true;
    *known = input.has_values || input.tensor != nullptr;
    if (input.has_values) *values = input.values;
    return input.tensor == nullptr ? OkStatus() : ReadTensor(*input.tensor, values);
  }
  constexpr Status ReadScalarInput(int i, std::int64_t* value, bool* known) {
    Input& input = in(i);
    input.requested_tensor = true;
    *known = input.has_values || input.tensor != nullptr;
    if (input.has_values) *value = input.values.front();
    return input.tensor == nullptr ? OkStatus() : GetScalarFromTensor(input.tensor, value);
  }
  // The size that the scalar input i says.
  constexpr Status MakeDimForScalarInput(int i, DimensionHandle* out) {
    std::int64_t value = 0;
    bool known = false;
    TENON_RETURN_IF_ERROR(ReadScalarInput(i, &value, &known));
    if (!known) return Done(out, UnknownDim());
    if (value < 0) return Failed(out, detail::size_must_not_be_negative(i, value));
    return Done(out, MakeDim(value));
  }
  // The position that it says; -1 is the last of `rank` (unknown rank: -1).
  constexpr Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle* out) {
    std::int64_t value = 0;
    bool known = false;
    TENON_RETURN_IF_ERROR(ReadScalarInput(i, &value, &known));
    if (!known || (value < 0 && rank < 0)) return Done(out, UnknownDim());
    if (rank >= 0 && (value < -rank || value >= rank)) return Failed(out, detail::index_is_out_of_range(value, rank));
    return Done(out, MakeDim(value < 0 ? value + rank : value));
  }

  // --- TensorFlow's rarer members. Callers include <tenon/op/shape/inference_context_extended.hpp>; it explains them
  Status Run(ShapeFn fn);
  AttrSlice attrs() const;
  const AttrValue* GetAttr(std::string_view name) const;
  std::string_view ret_types() const;
  Status MakeShapeFromShapeProto(Span<const std::byte> proto, ShapeHandle* out);
  ShapeHandle MakeShapeFromShapeTensor(const TensorShape& shape);
  Status ShapeHandleToProto(ShapeHandle shape, std::string* proto) const;
  Status ShapeHandleToTensorShape(ShapeHandle shape, TensorShape* out) const;
  void SetInput(int i, ShapeHandle shape);
  bool MergeInput(int i, ShapeHandle shape);
  bool RelaxInput(int i, ShapeHandle shape);
  bool MergeInputHandleShapesAndTypes(int i, const SlimVector<ShapeAndType>& more);
  bool MergeOutputHandleShapesAndTypes(int i, const SlimVector<ShapeAndType>& more);
  bool RelaxInputHandleShapesAndMergeTypes(int i, const SlimVector<ShapeAndType>& more);
  bool RelaxOutputHandleShapesAndMergeTypes(int i, const SlimVector<ShapeAndType>& more);
  using ShapeAlgebra::DebugString;
  std::string DebugString() const;

  // The error with the node and the known facts of its inputs behind it, as TensorFlow words it. Forgets the merges on
  // the way to it.
  TENON_DETAIL_COLD Status AttachContext(const Status& status) {
    ForgetMerges();
    std::string shapes, tensors, as_shapes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      StrAppend(&shapes, i == 0 ? "" : ", ", DebugString(input.shape));
      if (input.requested_as_shape && (RankKnown(input.as_shape) || input.tensor != nullptr))
        StrAppend(&as_shapes, as_shapes.empty() ? "" : ",", "input[", i, "] = ", AsShapeText(input));
      else if (input.requested_tensor && input.tensor != nullptr)
        StrAppend(&tensors, tensors.empty() ? "" : ", ", "input[", i, "] = <", input.tensor->SummarizeValue(256), ">");
    }
    return status.WithAppended(
        StrCat(" for '", node_ != nullptr ? SummarizeNodeDef(*node_) : std::string(op_ != nullptr ? op_->name : ""),
               "' with input shapes: ", shapes, tensors.empty() ? "" : " and with computed input tensors: ", tensors,
               as_shapes.empty() ? "" : " and with input tensors computed as partial shapes: ", as_shapes, "."));
  }

 private:
  struct Input {
    using in_constant_expressions = void;  // of SlimVector
    ShapeHandle shape;
    const Tensor* tensor = nullptr;
    ShapeHandle as_shape;  // the shape that the values stand for; unset when not known
    SlimVector<std::int64_t> values;  // in constant expressions
    bool has_values = false;
    bool requested_tensor = false;
    bool requested_as_shape = false;
  };

  // The position of the attr among the attrs given as constants, or -1.
  constexpr int StaticAttrIndex(std::string_view name) const {
    for (std::size_t i = 0; i < static_attrs_.size(); ++i)
      if (static_attrs_[i].name == name) return static_cast<int>(i);
    return -1;
  }
  constexpr bool NodeHasAttr(std::string_view name) const {
    return node_ != nullptr && node_->attr.Find(name) != nullptr;
  }
  // The position of the attr among the op's attrs, or -1, also when it has no default.
  constexpr int DefaultIndex(std::string_view name) const {
    const int i = op_->AttrIndex(name);
    return i >= 0 && op_->attrs[static_cast<std::size_t>(i)].has_default ? i : -1;
  }

  constexpr Input& in(int i) { return inputs_[static_cast<std::size_t>(i)]; }
  constexpr const Input& in(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  // "[2,?]": the values of a shape input, however they came.
  std::string AsShapeText(const Input& input) const {
    SlimVector<std::int64_t> values;
    if (RankKnown(input.as_shape)) return DebugString(input.as_shape);
    if (!ReadTensor(*input.tensor, &values).ok()) return "?";
    return StrCat(
        "[",
        StrJoin(values, ",", [](std::string* out, std::int64_t v) { v < 0 ? StrAppend(out, "?") : StrAppend(out, v); }),
        "]");
  }
  // The shapes that were given as a constant, or that a shape attr of the op has as its default.
  constexpr bool ConstantShapes(std::string_view name, bool is_list, SlimVector<ShapeHandle>* out) {
    if (const int i = StaticAttrIndex(name); i >= 0)
      return detail::ShapesOf(static_attrs_[static_cast<std::size_t>(i)], is_list, this, out);
    const int i = NodeHasAttr(name) ? -1 : DefaultIndex(name);
    return i >= 0 && detail::DefaultShapesOf(op_->attrs[static_cast<std::size_t>(i)], is_list, this, out);
  }
  Status ReadShapeAttr(std::string_view name, ShapeHandle* out) {
    PartialTensorShape shape;
    TENON_RETURN_IF_ERROR(GetAttr(name, &shape));
    return MakeShapeFromPartialTensorShape(shape, out);
  }
  Status ReadShapeListAttr(std::string_view name, SlimVector<ShapeHandle>* out) {
    SlimVector<PartialTensorShape> shapes;
    out->clear();
    TENON_RETURN_IF_ERROR(GetAttr(name, &shapes));
    for (const PartialTensorShape& shape : shapes) {
      ShapeHandle handle;
      TENON_RETURN_IF_ERROR(MakeShapeFromPartialTensorShape(shape, &handle));
      out->push_back(handle);
    }
    return OkStatus();
  }
  void AddInputHandle(ShapeHandle shape, const Tensor* value) {
    inputs_.push_back({shape, value, {}, {}, false, false, false});
  }
  constexpr void ClearResults() {
    ClearShapes();
    outputs_.clear();
    input_handles_.clear();
    output_handles_.clear();
  }

  constexpr std::int64_t Count(const ArgSpec& arg) const {
    if (!arg.is_list()) return 1;
    SlimVector<DataType> defaults;
    return op_->ArgCount(arg, [&](const AttrSpec& attr, ArgAttrValue* value) {
      if (attr.kind == AttrKind::kInt) return GetAttr(attr.name(), &value->number).ok();
      if (!GetAttr(attr.name(), &defaults).ok()) return false;
      value->types = defaults;
      return true;
    });
  }
  constexpr void FindOutputs() {
    if (op_ == nullptr) return;
    std::size_t n = 0;
    for (const ArgSpec& arg : op_->outputs) {
      const std::int64_t count = Count(arg);
      if (count < 0) {
        status_ = detail::attr_is_missing_or_has_another_type(
            arg.is_type_list ? arg.type_list_attr() : arg.number_attr(), op_->name);
        return;
      }
      n += static_cast<std::size_t>(count);
    }
    outputs_.resize(n);
  }
  constexpr void CheckInputCount() {
    if (op_ == nullptr || !status_.ok()) return;
    std::size_t want = 0;
    for (const ArgSpec& arg : op_->inputs) want += static_cast<std::size_t>(Count(arg));
    if (want != inputs_.size()) status_ = detail::wrong_number_of_inputs(inputs_.size(), want);
  }
  constexpr bool FindRange(Span<const ArgSpec> args, std::string_view name, std::size_t* begin,
                           std::size_t* end) const {
    *end = 0;
    for (const ArgSpec& arg : args) {
      *begin = *end;
      *end += static_cast<std::size_t>(Count(arg));
      if (arg.name() == name) return true;
    }
    return false;
  }

  // vector: the input's shape, of rank 1 or 0 (only where a scalar means an unknown shape) or unknown.
  constexpr Status ShapeOfInput(int i, ShapeHandle vector, ShapeHandle* out) {
    Input& input = in(i);
    input.requested_as_shape = true;
    if (RankKnown(input.as_shape)) return Done(out, input.as_shape);
    if (input.tensor != nullptr) return ShapeFromTensor(*input.tensor, out);
    if (input.has_values && Rank(vector) == 1) return ShapeFromValues(input.values, out);
    if (Rank(vector) == 0 && input.has_values && input.values.front() != -1)
      return Failed(out, detail::scalar_shape_must_be_minus_one(input.values.front()));
    if (Rank(vector) == 0) return Done(out, UnknownShape());
    return UnknownShapeOfLength(vector, out);
  }

  int graph_def_version_ = 0;
  const NodeDef* node_ = nullptr;
  const OpView* op_ = nullptr;
  OpView own_view_;
  Status status_;
  SlimVector<Input> inputs_;
  SlimVector<ShapeHandle> outputs_;
  HeldShapes input_handles_, output_handles_;
  SlimVector<StaticAttr> static_attrs_;
};

namespace detail {
constexpr Status CallShapeFn(InferenceContext* context, ShapeFn fn) {
#if defined(__cpp_exceptions)
  try {
    return fn(context);
  } catch (...) {
    return StatusOfException("the shape function threw");
  }
#else
  return fn(context);
#endif
}
}  // namespace detail

// Calls a shape function. An error, Internal where the function throws, names the node and the known facts of its
// inputs.
constexpr Status RunShapeFn(InferenceContext* context, ShapeFn fn) {
  TENON_RETURN_IF_ERROR(Status(context->construction_status()));
  context->ForgetMerges();
  Status status = detail::CallShapeFn(context, fn);
  return status.ok() ? status : context->AttachContext(status);
}

// The shape of one output of an op struct, in a constant expression:
//   static_assert(InferShape<MatMul>({{32, 784}, {784, 10}}) == StaticShape{32, 10});
template <class Op>
constexpr StaticShape InferShape(std::initializer_list<StaticInput> inputs,
                                 std::initializer_list<StaticAttr> attrs = {}, int output = 0) {
  InferenceContext context(Op::signature.view(), inputs, attrs);
  if (!RunShapeFn(&context, Op::signature.shape_fn).ok()) return StaticShape();
  return context.ToStaticShape(context.output(output));
}

// TensorFlow's names for the same things.
namespace shape_inference {
using tenon::DimensionHandle;
using tenon::DimensionOrConstant;
using tenon::InferenceContext;
using tenon::ShapeAndType;
using tenon::ShapeHandle;
}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
