// SPDX-License-Identifier: Apache-2.0
#pragma once
// GradientBuilder: the view that a gradient function has of its node: inputs, outputs, attrs and the gradients of the
// outputs. It adds nodes and sets the gradients of the inputs.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Dtypes whose tensors have gradients.
inline constexpr DataTypeSet kTrainableTypes =
    ToSet(DataType::kHalf) | ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble) |
    ToSet(DataType::kComplex64) | ToSet(DataType::kComplex128) | ToSet(DataType::kResource) | ToSet(DataType::kVariant);
constexpr bool IsTrainable(DataType type) { return kTrainableTypes.contains(BaseType(type)); }

// Whether a tensor has a gradient. A list of integers has none, although its type is variant.
inline bool Trains(GraphEditor& editor, InEdge edge) {
  constexpr int kMostLoops = 64;
  for (int depth = 0; depth < kMostLoops && edge.node >= 0; ++depth) {
    const Node& node = editor.graph().node(edge.node);
    const DataType type = BaseType(node.output_type(edge.output));
    if (type != DataType::kVariant) return IsTrainable(type);
    const auto* const held = editor.refiner().Held(edge);
    if (held != nullptr && (*held)[0].dtype != DataType::kInvalid) return IsTrainable((*held)[0].dtype);
    if (const AttrValue* element = node.def.attr.Find("element_dtype"); element != nullptr)
      return IsTrainable(element->type());
    if (node.op_name() != "While" && node.op_name() != "StatelessWhile") return true;
    edge = node.input(edge.output);
  }
  return true;
}

// Gradient of a tensor: a tensor, or slices (TensorFlow's IndexedSlices: row i of `values` belongs to row indices[i] of
// a tensor of shape `dense_shape`), or nothing.
struct TensorGradient {
  InEdge dense;
  InEdge indices, values, dense_shape;

  // Whether it is slices.
  bool is_slices() const { return values.node >= 0; }
  // Whether there is a gradient.
  explicit operator bool() const { return dense.node >= 0 || is_slices(); }
};

// Makes a gradient of slices dense: rows with one index are summed.
inline Symbol DenseOf(GraphEditor& editor, const TensorGradient& gradient) {
  if (!gradient.is_slices()) return editor.At(gradient.dense);
  const Symbol rows = editor.Add(
      "StridedSlice", {editor.At(gradient.dense_shape), editor.Ints({0}), editor.Ints({1}), editor.Ints({1})},
      {{"shrink_axis_mask", 1}});
  return editor.Add("UnsortedSegmentSum", {editor.At(gradient.values), editor.At(gradient.indices), rows});
}

// One call of a gradient function. one thread.
class GradientBuilder {
 public:
  using Input = GraphEditor::Input;
  using Attr = GraphEditor::Attr;

  // For a node, the gradients of its outputs, and which inputs need one: all where `needed` is empty. The editor and
  // the functions outlive this.
  GradientBuilder(GraphEditor* editor, const GradientIndex* functions, int node, Span<const TensorGradient> gradients,
                  Span<const char> needed = {})
      : editor_(editor),
        functions_(functions),
        node_(node),
        num_inputs_(editor->graph().node(node).num_inputs()),
        num_outputs_(editor->graph().node(node).num_outputs()) {
    gradients_.assign(gradients.begin(), gradients.end());
    needed_.assign(needed.begin(), needed.end());
    results_.resize(ToSize(num_inputs_));
  }

  // ---- the node
  int node() const { return node_; }
  // The number of inputs.
  int num_inputs() const { return num_inputs_; }
  // The number of outputs.
  int num_outputs() const { return num_outputs_; }
  // An input; none where there are fewer.
  Symbol input(int i) const { return i < num_inputs_ ? editor_->At(editor_->graph().node(node_).input(i)) : Symbol(); }
  // An output.
  Symbol output(int i) const { return editor_->At(node_, i); }
  Symbol x() const { return input(0); }  // the first input
  Symbol y() const { return output(0); }  // the first output
  // The node as plain data.
  const NodeDef& def() const { return editor_->graph().node(node_).def; }
  // An attr of the node; without a value when it has none of that name.
  AttrValue attr(std::string_view name) const {
    const AttrValue* const value = def().attr.Find(name);
    return value != nullptr ? *value : AttrValue();
  }
  // An attr that is a number; 0 without it.
  std::int64_t int_attr(std::string_view name) const { return attr(name).i(); }
  // An attr that is true or false; false without it.
  bool bool_attr(std::string_view name) const { return attr(name).b(); }
  // An attr that is text; "" without it.
  std::string string_attr(std::string_view name) const { return attr(name).s(); }
  // An attr that is a type; kInvalid without it.
  DataType type_attr(std::string_view name) const { return attr(name).type(); }

  // ---- gradients of the outputs
  bool has_grad(int i) const { return static_cast<bool>(gradients_[ToSize(i)]); }
  // The gradient of an output as one tensor; zeros where it has none and its type is trainable.
  Symbol grad(int i) {
    TensorGradient& gradient = gradients_[ToSize(i)];
    if (!gradient && IsTrainable(output(i).dtype())) gradient.dense = ZerosLike(output(i)).edge();
    if (gradient.is_slices()) gradient = {DenseOf(*editor_, gradient).edge(), {}, {}, {}};
    return editor_->At(gradient.dense);
  }
  // The gradient of output 0.
  Symbol dy() { return grad(0); }
  const TensorGradient& raw_grad(int i) const { return gradients_[ToSize(i)]; }  // as it came

  // ---- gradients of the inputs
  // Whether the gradient of input i is read. One that is not may be left out.
  bool needs(int i) const { return needed_.empty() || needed_[ToSize(i)] != 0; }
  // Sets the gradient of input i.
  void set(int i, Symbol gradient) {
    if (i < num_inputs_ && gradient) results_[ToSize(i)] = {gradient.edge(), {}, {}, {}};
  }
  void set(int i, const TensorGradient& gradient) { results_[ToSize(i)] = gradient; }
  // Sets a gradient of slices.
  void SetSlices(int i, Symbol indices, Symbol values, Symbol dense_shape) {
    results_[ToSize(i)] = {{}, indices.edge(), values.edge(), dense_shape.edge()};
  }
  // The gradients that were set, one per input.
  Span<const TensorGradient> results() const { return {results_.data(), results_.size()}; }

  // ---- new nodes
  Symbol Add(std::string_view op, std::initializer_list<Input> inputs, std::initializer_list<Attr> attrs = {}) {
    return editor_->Add(op, inputs, attrs);
  }
  // With the attrs of the node that are named in `copied`.
  Symbol AddLike(std::string_view op, std::initializer_list<Input> inputs,
                 std::initializer_list<std::string_view> copied, std::initializer_list<Attr> attrs = {}) {
    SlimVector<Attr> all(attrs);
    for (const std::string_view name : copied)
      if (const AttrValue* value = def().attr.Find(name); value != nullptr) all.emplace_back(name, *value);
    return editor_->AddNode(op, {inputs.begin(), inputs.size()}, all);
  }
  // A constant scalar of a type.
  Symbol Scalar(DataType type, double value) { return editor_->Scalar(type, value); }
  // A constant int32.
  Symbol Int(std::int32_t value) { return editor_->Int(value); }
  // A constant vector of int32.
  Symbol Ints(std::initializer_list<std::int32_t> values) { return editor_->Ints(values); }
  // The tensor in another type; the symbol itself where it has the type.
  Symbol Cast(Symbol s, DataType to) { return s.dtype() == to ? s : editor_->Add("Cast", {s}, {{"DstT", to}}); }
  // The shape as a vector; a constant where it is known.
  Symbol Shape(Symbol s, DataType type = DataType::kInt32) {
    const PartialTensorShape known = s.shape();
    if (!known.IsFullyDefined()) return editor_->Add("Shape", {s}, {{"out_type", type}});
    if (type == DataType::kInt64) {
      SlimVector<std::int64_t> sizes(known.begin(), known.end());
      return editor_->Const(Tensor::From<std::int64_t>({sizes.data(), sizes.size()}, TensorShape({known.dims()})));
    }
    SlimVector<std::int32_t> sizes;
    for (const Index size : known) sizes.push_back(static_cast<std::int32_t>(size));
    return editor_->Ints(sizes);
  }
  // The number of dimensions; a constant where it is known.
  Symbol Rank(Symbol s) {
    const int rank = s.shape().dims();
    return rank >= 0 ? Int(rank) : editor_->Add("Rank", {s});
  }
  // The tensor in another shape.
  Symbol Reshape(Symbol s, Symbol shape) { return editor_->Add("Reshape", {s, shape}); }
  // The tensor in the shape of another one.
  Symbol ReshapeLike(Symbol s, Symbol like) { return KnownSame(s.shape(), like.shape()) ? s : Reshape(s, Shape(like)); }
  // Zeros of the shape and type of a tensor, or of the value of a variable.
  Symbol ZerosLike(Symbol s) {
    if (s.dtype() != DataType::kResource) return editor_->Add("ZerosLike", {s});
    return editor_->Add("Fill", {editor_->Add("VariableShape", {s}), Scalar(HeldType(s), 0)});
  }
  // A tensor of one value.
  Symbol Fill(Symbol shape, Symbol value) { return editor_->Add("Fill", {shape, value}); }
  // The complex conjugate; the symbol itself for real types.
  Symbol Conj(Symbol s) { return kComplexTypes.contains(s.dtype()) ? editor_->Add("Conj", {s}) : s; }
  // Chooses element by element.
  Symbol Where(Symbol condition, Symbol a, Symbol b) { return editor_->Add("SelectV2", {condition, a, b}); }
  // Joins tensors along an axis; the tensor itself where there is one.
  Symbol Concat(SlimVector<Symbol> parts, Symbol axis) {
    if (parts.size() == 1) return parts[0];
    return editor_->Add("ConcatV2", {Input(std::move(parts)), axis});
  }
  // The integers from begin to end.
  Symbol Range(Symbol begin, Symbol end) { return editor_->Add("Range", {begin, end, Scalar(begin.dtype(), 1)}); }
  // The sum over axes.
  Symbol Sum(Symbol s, Symbol axes, bool keep_dims = false) {
    return editor_->Add("Sum", {s, axes}, {{"keep_dims", keep_dims}});
  }
  // v[begin:end] of a vector.
  Symbol Part(Symbol v, std::int32_t begin, std::int32_t end, bool to_end = false) {
    return editor_->Add("StridedSlice", {v, Ints({begin}), Ints({end}), Ints({1})}, {{"end_mask", to_end ? 1 : 0}});
  }
  Symbol Item(Symbol v, std::int32_t i) {  // v[i]
    return editor_->Add("StridedSlice", {v, Ints({i}), Ints({i + 1}), Ints({1})},
                        {{"shrink_axis_mask", 1}, {"end_mask", i == -1 ? 1 : 0}});
  }
  // Swaps the last two dimensions.
  Symbol Transposed(Symbol s, bool conjugate = false) {
    const Symbol rank = Rank(s);
    const Symbol order = Concat({Range(Int(0), rank - 2.0), Pack({rank - 1.0, rank - 2.0})}, Int(0));
    return editor_->Add(conjugate && kComplexTypes.contains(s.dtype()) ? "ConjugateTranspose" : "Transpose",
                        {s, order});
  }
  // Joins tensors along a new axis 0.
  Symbol Pack(SlimVector<Symbol> parts) { return editor_->Add("Pack", {Input(std::move(parts))}); }

  // Sums a gradient of the shape of `whole` over the axes along which `part` was broadcast to it.
  Symbol SumTo(Symbol gradient, Symbol part, Symbol whole) {
    const PartialTensorShape from = whole.shape(), to = part.shape();
    if (KnownSame(from, to)) return gradient;
    if (from.IsFullyDefined() && to.IsFullyDefined()) {
      SlimVector<std::int32_t> axes;
      const int more = from.dims() - to.dims();
      for (int d = 0; d < from.dims(); ++d)
        if (d < more ? true : to.dim_size(d - more) == 1 && from.dim_size(d) != 1) axes.push_back(d);
      if (!axes.empty()) gradient = Sum(gradient, editor_->Ints(axes));
      return Reshape(gradient, Shape(part));
    }
    const Symbol shape = Shape(part);
    const Symbol axes = editor_->Add("BroadcastGradientArgs", {shape, Shape(whole)});
    return Reshape(Sum(gradient, axes), shape);
  }
  // Sets the gradient of input i, which was broadcast to output 0.
  void SetSummed(int i, Symbol gradient) { set(i, SumTo(gradient, input(i), output(0))); }
  // Does so for an op whose output 0 has the shape that inputs 0 and 1 have together. Both inputs share the nodes that
  // find the axes; there are none where the shapes say that the input was not broadcast.
  void SetBroadcast(int i, Symbol gradient) {
    const Symbol part = input(i), whole = output(0);
    const PartialTensorShape from = whole.shape(), to = part.shape();
    if (KnownSame(from, to) || IsWhole(to, input(1 - i).shape())) return set(i, gradient);
    if (from.IsFullyDefined() && to.IsFullyDefined()) return set(i, SumTo(gradient, part, whole));
    if (!axes_) {
      shapes_[0] = Shape(input(0));
      shapes_[1] = Shape(input(1));
      axes_ = editor_->Add("BroadcastGradientArgs", {shapes_[0], shapes_[1]});
    }
    set(i, Reshape(Sum(gradient, axes_[i]), shapes_[i]));
  }

  // The value of a symbol that depends on constants alone; false: it is not known.
  bool Value(Symbol s, Tensor* value) { return editor_->Value(s, value); }
  // Type of the tensor in a variable.
  DataType HeldType(Symbol handle) {
    const auto* const held = editor_->refiner().Held(handle.edge());
    if (held != nullptr && !held->empty()) return (*held)[0].dtype;
    const NodeDef& maker = editor_->graph().node(handle.node).def;
    const AttrValue* const type = maker.attr.Find("dtype");
    return type != nullptr ? type->type() : DataType::kFloat;
  }
  // Whether both shapes are known and equal.
  static bool KnownSame(const PartialTensorShape& a, const PartialTensorShape& b) {
    return a.IsFullyDefined() && b.IsFullyDefined() && a.IsIdenticalTo(b);
  }
  // Whether broadcasting with `other` leaves every tensor of shape `part` as it is.
  static bool IsWhole(const PartialTensorShape& part, const PartialTensorShape& other) {
    if (other.dims() == 0) return true;
    if (part.unknown_rank() || other.unknown_rank() || other.dims() > part.dims()) return false;
    const int more = part.dims() - other.dims();
    for (int d = 0; d < other.dims(); ++d) {
      const Index size = part.dim_size(d + more);
      if (other.dim_size(d) != 1 && (size == 1 || size < 0)) return false;
    }
    return true;
  }

  // Refuses the derivation.
  void Fail(const Status& status) { editor_->Fail(status); }
  // The editor of the graph.
  GraphEditor& editor() { return *editor_; }
  // All gradient functions.
  const GradientIndex& functions() const { return *functions_; }

 private:
  GraphEditor* editor_;
  const GradientIndex* functions_;
  int node_, num_inputs_, num_outputs_;
  InlinedVector<TensorGradient, 4> gradients_, results_;
  InlinedVector<char, 8> needed_;
  Symbol shapes_[2], axes_;  // of SetBroadcast
};

TENON_DETAIL_NAMESPACE_END
