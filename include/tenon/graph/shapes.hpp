// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShapeRefiner: the output shapes of a whole graph, node by node in topological order, with constants known. What it
// finds impossible is refused with TensorFlow's message, as TensorFlow's import does.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integer_folding.hpp>

TENON_NAMESPACE_BEGIN

// Computes nodes that depend on constants alone, with real kernels; the runtime has one. Without it only small integer
// nodes are known (graph/integer_folding.hpp). one thread.
class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;
  // All outputs of a stateless node from all its data inputs; false when that is not possible.
  virtual bool Evaluate(const Node& node, std::span<const Tensor> inputs, std::vector<Tensor>* outputs) = 0;
};

// Writes Node::output_shapes. Nodes are added in an order in which their inputs come first; the shape of an input that
// was not added (the back edge of a while loop) is unknown. externally synchronised.
//
//   ShapeRefiner refiner(&graph);
//   for (int id : order) TENON_RETURN_IF_ERROR(refiner.AddNode(id));
class ShapeRefiner {
 public:
  // Both outlive this. `evaluator` may be null.
  explicit ShapeRefiner(Graph* graph, ConstantEvaluator* evaluator = nullptr)
      : graph_(graph), evaluator_(evaluator), producer_(graph->versions().producer) {}
  // The shape functions see this GraphDef version rather than the graph's own.
  ShapeRefiner(Graph* graph, ConstantEvaluator* evaluator, int producer)
      : graph_(graph), evaluator_(evaluator), producer_(producer) {}

  // Runs the node's shape function, again with the values that it asked for.
  Status AddNode(int id) {
    Grow();
    const Node& node = graph_->node(id);
    context_.Reset(producer_, &node.def, node.op);
    for (int i = 0; i < node.num_inputs(); ++i) AddInput(node, i);
    if (node.op->shape_fn == nullptr) {
      for (int i = 0; i < node.num_outputs(); ++i) context_.set_output(i, context_.UnknownShape());
    } else {
      TENON_RETURN_IF_ERROR(RunUntilSettled(node));
    }
    return Store(id);
  }

  // Adds what is known of one output from elsewhere; InvalidArgument when it contradicts.
  Status MergeOutputShape(int id, int output, const PartialTensorShape& shape) {
    PartialTensorShape& known = graph_->mutable_node(id).output_shapes[Slot(output)];
    InferenceContext context;  // its Merge has TensorFlow's messages
    ShapeHandle a, b, merged;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(known, &a));
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(shape, &b));
    TENON_RETURN_IF_ERROR(context.Merge(a, b, &merged));
    return context.ToPartialTensorShape(merged, &known);
  }

  // The value of an output that depends on constants alone. *known says whether there is one.
  Status ConstantValue(InEdge edge, Tensor* value, bool* known) {
    Grow();
    TENON_RETURN_IF_ERROR(KnownWithoutInputs(edge, value, known));
    if (*known || edge.node < 0) return OkStatus();
    TENON_RETURN_IF_ERROR(EvaluateBackwards(edge.node));
    if (const std::vector<Tensor>& values = values_[Slot(edge.node)]; !values.empty()) {
      *value = values[Slot(edge.output)];
      *known = true;
    }
    return OkStatus();
  }

  // The shape that the vector on this edge stands for, as far as it is known: Reshape(x, Pack(batch, 7)) is [?,7].
  Status ConstantPartialShape(InEdge edge, PartialTensorShape* shape) {
    Grow();
    int budget = kMaxVisits;
    return PartialShape(edge, &budget, shape);
  }

 private:
  static constexpr int kMaxVisits = 1000;  // bounds both depth and work of one ConstantPartialShape
  static constexpr int kMaxCompared = 8;   // inputs of a node that are looked through for the same tensor

  enum State : char { kNotTried, kNoValue, kHasValues };
  struct Held {
    PartialTensorShape shape;
    DataType dtype;
  };
  struct Handle {  // what the resource on an output holds
    int output;
    std::vector<Held> held;
  };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  void Grow() {
    const std::size_t n = Slot(graph_->num_nodes());
    if (values_.size() >= n) return;
    values_.resize(n);
    state_.resize(n, kNotTried);
    handles_.resize(n);
  }

  PartialTensorShape ShapeOf(InEdge edge) const {
    return edge.node < 0 ? PartialTensorShape() : graph_->node(edge.node).output_shape(edge.output);
  }

  // ---- running a shape function
  void AddInput(const Node& node, int i) {
    const InEdge edge = node.input(i);
    context_.AddInput(ShapeOf(edge));
    for (int j = 0; j < i && i < kMaxCompared; ++j) {  // the same tensor twice: its unknown sizes are equal
      if (node.input(j) == edge && edge.node >= 0) {
        context_.set_input(i, context_.input(j));
        break;
      }
    }
    if (edge.node < 0) return;
    for (const Handle& handle : handles_[Slot(edge.node)]) {
      if (handle.output != edge.output) continue;
      std::vector<ShapeAndType> held(handle.held.size());
      for (std::size_t k = 0; k < held.size(); ++k) {
        (void)context_.MakeShapeFromPartialTensorShape(handle.held[k].shape, &held[k].shape);
        held[k].dtype = handle.held[k].dtype;
      }
      context_.set_input_handle_shapes_and_types(i, held);
    }
  }

  Status RunUntilSettled(const Node& node) {
    const std::size_t n = Slot(node.num_inputs());
    enum : char { kTriedValue = 1, kTriedShape = 2 };
    tried_.assign(n, 0);
    tensors_.assign(n, Tensor());
    TENON_RETURN_IF_ERROR(RunShapeFn(&context_, node.op->shape_fn));
    for (bool again = true; again;) {
      again = false;
      for (int i = 0; i < node.num_inputs(); ++i) {
        char& tried = tried_[Slot(i)];
        const bool as_shape = context_.requested_input_tensor_as_partial_shape(i);
        if ((as_shape || context_.requested_input_tensor(i)) && (tried & kTriedValue) == 0) {
          tried = static_cast<char>(tried | kTriedValue);
          bool known = false;
          TENON_RETURN_IF_ERROR(ConstantValue(node.input(i), &tensors_[Slot(i)], &known));
          if (known) {
            context_.set_input_tensor(i, &tensors_[Slot(i)]);
            again = true;
          }
        }
        if (as_shape && (tried & kTriedShape) == 0) {
          tried = static_cast<char>(tried | kTriedShape);
          PartialTensorShape shape;
          TENON_RETURN_IF_ERROR(ConstantPartialShape(node.input(i), &shape));
          context_.set_input_tensor_as_shape(i, shape);
          again = true;
        }
      }
      if (again) TENON_RETURN_IF_ERROR(RunShapeFn(&context_, node.op->shape_fn));
    }
    return OkStatus();
  }

  // A shape with more elements than an int64 counts is no error here (the kernel will refuse it): its rank is kept.
  PartialTensorShape Keep(ShapeHandle handle) const {
    PartialTensorShape shape;
    if (context_.ToPartialTensorShape(handle, &shape).ok()) return shape;
    shape = PartialTensorShape();
    const std::vector<Index> unknown(context_.RankKnown(handle) ? Slot(context_.Rank(handle)) : 0, -1);
    if (!unknown.empty()) (void)PartialTensorShape::Build(unknown, &shape);
    return shape;
  }

  Status Store(int id) {
    Node& node = graph_->mutable_node(id);
    node.output_shapes.resize(node.output_types.size());
    for (int i = 0; i < node.num_outputs(); ++i) {
      node.output_shapes[Slot(i)] = Keep(context_.output(i));
      const DataType type = BaseType(node.output_type(i));
      if (type != DataType::kResource && type != DataType::kVariant) continue;
      const std::vector<ShapeAndType>* held = context_.output_handle_shapes_and_types(i);
      if (held == nullptr) continue;
      Handle& handle = handles_[Slot(id)].emplace_back(Handle{i, {}});
      for (const ShapeAndType& one : *held) handle.held.push_back({Keep(one.shape), one.dtype});
    }
    return OkStatus();
  }

  // ---- constant values
  // What needs no evaluation of inputs: constants, values found before, and what input shapes alone say.
  Status KnownWithoutInputs(InEdge edge, Tensor* value, bool* known) {
    *known = false;
    if (edge.node < 0) return OkStatus();
    const Node& node = graph_->node(edge.node);
    if (node.node_class == NodeClass::kConstant) {
      const AttrValue* attr = node.def.attr.Find("value");
      if (attr == nullptr || attr->kind() != AttrValue::Kind::kTensor || !attr->decode_status().ok()) {
        return errors::InvalidArgument("Unable to evaluate a constant node");
      }
      if (attr->tensor().dtype() == node.output_type(0)) {
        *value = attr->tensor();
        *known = true;
      }
      return OkStatus();
    }
    if (const std::vector<Tensor>& values = values_[Slot(edge.node)]; !values.empty()) {
      *value = values[Slot(edge.output)];
      *known = true;
      return OkStatus();
    }
    return InferFromShapes(node, edge.output, value, known);
  }

  // Shape, ShapeN, Size, Rank, Shape(x)[i] and unstack(Shape(x))[i].
  Status InferFromShapes(const Node& node, int output, Tensor* value, bool* known) {
    if (node.num_inputs() == 0) return OkStatus();
    const DataType dtype = node.output_type(output);
    if (dtype != DataType::kInt32 && dtype != DataType::kInt64) return OkStatus();
    detail::Integers found;
    const std::string_view op = node.op_name();
    if (op == "Shape" || op == "ShapeN") {
      const PartialTensorShape shape = ShapeOf(node.input(output));
      if (!shape.IsFullyDefined()) return OkStatus();
      found = detail::Integers::Vector({shape.begin(), shape.end()});
    } else if (op == "Rank") {
      const PartialTensorShape shape = ShapeOf(node.input(0));
      if (shape.unknown_rank()) return OkStatus();
      found = detail::Integers::Scalar(shape.dims());
    } else if (op == "Size") {
      const PartialTensorShape shape = ShapeOf(node.input(0));
      if (!shape.IsFullyDefined()) return OkStatus();
      found = detail::Integers::Scalar(shape.num_elements());
    } else {
      const InEdge of = node.input(0);
      if (of.node < 0 || graph_->node(of.node).op_name() != "Shape") return OkStatus();
      const PartialTensorShape shape = ShapeOf(graph_->node(of.node).input(0));
      std::int64_t index = 0;
      if (shape.unknown_rank() || !SliceIndex(node, output, &index) || index < -shape.dims() || index >= shape.dims()) return OkStatus();
      const Index size = shape.dim_size(static_cast<int>(index < 0 ? index + shape.dims() : index));
      if (size < 0) return OkStatus();
      found = detail::Integers::Scalar(size);
    }
    for (const std::int64_t v : found.values) {
      if (dtype == DataType::kInt32 && v >= std::numeric_limits<std::int32_t>::max()) {
        return errors::InvalidArgument("Value is out of int32 range: ", v);
      }
    }
    *known = detail::WriteIntegers(found, dtype, value);
    return OkStatus();
  }

  // The i of "vector[i]" or of output i of "unstack(vector)".
  bool SliceIndex(const Node& node, int output, std::int64_t* index) const {
    const auto mask = [&node](std::string_view name) {
      std::int64_t value = -1;
      return TryGetNodeAttr(node.def, name, &value) ? value : -1;
    };
    if (node.op_name() == "Unpack") {
      *index = output;
      return mask("axis") == 0;
    }
    if (node.op_name() != "StridedSlice" || mask("begin_mask") != 0 || mask("end_mask") != 0 || mask("ellipsis_mask") != 0 ||
        mask("new_axis_mask") != 0 || mask("shrink_axis_mask") != 1) {
      return false;
    }
    const InEdge begin = node.input(1);
    if (begin.node < 0 || graph_->node(begin.node).node_class != NodeClass::kConstant) return false;
    const AttrValue* attr = graph_->node(begin.node).def.attr.Find("value");
    detail::Integers value;
    if (attr == nullptr || attr->kind() != AttrValue::Kind::kTensor || !attr->decode_status().ok()) return false;
    if (!detail::ReadIntegers(attr->tensor(), &value) || value.size() != 1) return false;
    *index = value.at(0);
    return true;
  }

  // Nodes whose outputs may be computed ahead: no state, no feeds, no control flow, no functions.
  static bool MayEvaluate(const Node& node) {
    if (node.num_inputs() == 0 || node.op->flags.is_stateful || node.op_name() == "PlaceholderWithDefault") return false;
    if (node.node_class == NodeClass::kEnter || node.node_class == NodeClass::kExit || node.node_class == NodeClass::kMerge) return false;
    for (const auto& [name, value] : node.def.attr) {
      if (value.kind() == AttrValue::Kind::kFunc || !value.list().func.empty()) return false;
    }
    return true;
  }

  // Fills values_[root] if that depends on constants alone: depth first, without recursion; every node is tried once.
  Status EvaluateBackwards(int root) {
    struct Frame {
      int node;
      int next;  // inputs before this one are known
    };
    std::vector<Frame> path{{root, 0}};
    while (!path.empty()) {
      const int id = path.back().node;
      const Node& node = graph_->node(id);
      bool possible = state_[Slot(id)] == kNotTried && MayEvaluate(node);
      int wanted = -1;
      for (int& i = path.back().next; possible && wanted < 0 && i < node.num_inputs(); ++i) {
        Tensor value;
        bool known = false;
        TENON_RETURN_IF_ERROR(KnownWithoutInputs(node.input(i), &value, &known));
        if (known) continue;
        wanted = node.input(i).node;
        possible = wanted >= 0 && state_[Slot(wanted)] == kNotTried;
      }
      if (possible && wanted >= 0) {
        path.push_back({wanted, 0});
        continue;
      }
      if (possible) TENON_RETURN_IF_ERROR(Evaluate(node, &possible));
      if (!possible) {  // whoever waits for it has no value either
        for (const Frame& waiting : path) state_[Slot(waiting.node)] = kNoValue;
        return OkStatus();
      }
      path.pop_back();
    }
    return OkStatus();
  }

  // All inputs are known.
  Status Evaluate(const Node& node, bool* done) {
    std::vector<Tensor> inputs(node.inputs.size()), outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      TENON_RETURN_IF_ERROR(KnownWithoutInputs(node.inputs[i], &inputs[i], done));
    }
    *done = FoldIntegers(node, inputs, &outputs) || (evaluator_ != nullptr && evaluator_->Evaluate(node, inputs, &outputs) &&
                                                     outputs.size() == node.output_types.size());
    if (*done) {
      values_[Slot(node.id)] = std::move(outputs);
      state_[Slot(node.id)] = kHasValues;
    }
    return OkStatus();
  }

  Status ConstantScalar(InEdge edge, std::int64_t* value, bool* known) {
    Tensor tensor;
    TENON_RETURN_IF_ERROR(ConstantValue(edge, &tensor, known));
    if (!*known) return OkStatus();
    if (tensor.NumElements() != 1) {
      return errors::InvalidArgument("EvaluateConstantIntScalarEdge called on non-scalar edge: ", tensor.NumElements());
    }
    detail::Integers read;
    if ((tensor.dtype() != DataType::kInt32 && tensor.dtype() != DataType::kInt64) || !detail::ReadIntegers(tensor, &read)) {
      return errors::InvalidArgument("EvaluateConstantIntScalarEdge called on non-integer edge: ", tensor.dtype());
    }
    *value = read.at(0);
    return OkStatus();
  }

  // ---- values as shapes
  // `shape` gets the sizes, or all unknown when they do not make a shape that can exist.
  static void SetSizes(std::span<const Index> sizes, PartialTensorShape* shape) {
    *shape = PartialTensorShape();
    if (sizes.size() > static_cast<std::size_t>(kMaxTensorRank)) return;
    if (!PartialTensorShape::Build(sizes, shape).ok()) *shape = PartialTensorShape();
  }

  // Of a vector whose values may be known (`value`) or only its length.
  static Status ShapeFromTensor(const Tensor* value, const PartialTensorShape& vector, PartialTensorShape* shape) {
    InferenceContext context;  // its MakeShapeFromTensor has TensorFlow's messages
    ShapeHandle handle;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(vector, &handle));
    TENON_RETURN_IF_ERROR(context.MakeShapeFromTensor(value, handle, &handle));
    if (context.Rank(handle) > kMaxTensorRank || !context.ToPartialTensorShape(handle, shape).ok()) *shape = PartialTensorShape();
    return OkStatus();
  }

  Status ScalarAsShape(InEdge edge, PartialTensorShape* shape) {
    Tensor value;
    bool known = false;
    TENON_RETURN_IF_ERROR(ConstantValue(edge, &value, &known));
    if (!known) {
      return errors::InvalidArgument(
          "Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an unknown shape.");
    }
    detail::Integers read;
    if (value.dims() == 0 && value.dtype() != DataType::kBool && detail::ReadIntegers(value, &read) && read.at(0) == -1) {
      *shape = PartialTensorShape();
      return OkStatus();
    }
    return errors::InvalidArgument("Received an invalid shape scalar with a static value that is not '-1': ", value.DebugString());
  }

  Status PartialShape(InEdge edge, int* budget, PartialTensorShape* shape) {
    *shape = PartialTensorShape();
    if (edge.node < 0 || --*budget < 0) return OkStatus();
    const Node& src = graph_->node(edge.node);
    const PartialTensorShape vector = src.output_shape(edge.output);
    if (vector.dims() == 0) return ScalarAsShape(edge, shape);
    if (vector.dims() > 1) return errors::InvalidArgument("Shape must be rank 1 but is rank ", vector.dims());
    const std::string_view op = src.op_name();
    if (vector.dims() == 1 && vector.dim_size(0) == 0) {
      SetSizes({}, shape);
      return OkStatus();
    }
    if (op == "Cast") return PartialCast(edge, src, vector, budget, shape);
    if (op == "Shape" || op == "ShapeN") {
      *shape = ShapeOf(src.input(edge.output));
      return OkStatus();
    }
    if (op == "Pack") return PartialPack(src, shape);
    if (op == "Concat" || op == "ConcatV2") return PartialConcat(src, op == "Concat" ? 0 : src.num_inputs() - 1, budget, shape);
    if (op == "StridedSlice") return PartialStridedSlice(src, budget, shape);
    if (op == "VariableShape") {
      const InEdge variable = src.input(0);
      if (variable.node < 0) return OkStatus();
      for (const Handle& handle : handles_[Slot(variable.node)]) {
        if (handle.output == variable.output && !handle.held.empty()) *shape = handle.held[0].shape;
      }
      return OkStatus();
    }
    Tensor value;
    bool known = false;
    TENON_RETURN_IF_ERROR(ConstantValue(edge, &value, &known));
    return ShapeFromTensor(known ? &value : nullptr, vector, shape);
  }

  Status PartialCast(InEdge edge, const Node& cast, const PartialTensorShape& vector, int* budget, PartialTensorShape* shape) {
    Tensor value;
    bool known = false;
    if (ConstantValue(edge, &value, &known).ok() && known && ShapeFromTensor(&value, vector, shape).ok()) return OkStatus();
    PartialTensorShape before;
    if (!PartialShape(cast.input(0), budget, &before).ok()) return ShapeFromTensor(nullptr, vector, shape);
    *shape = before;
    const DataType to = cast.output_type(0);
    if (before.unknown_rank() || to == DataType::kInt32 || to == DataType::kInt64) return OkStatus();
    SetSizes(std::vector<Index>(Slot(before.dims()), -1), shape);
    return OkStatus();
  }

  Status PartialPack(const Node& pack, PartialTensorShape* shape) {
    std::vector<Index> sizes;
    for (const InEdge& input : pack.inputs) {
      std::int64_t size = -1;
      bool known = false;
      TENON_RETURN_IF_ERROR(ConstantScalar(input, &size, &known));
      sizes.push_back(known && size >= 0 ? size : -1);
    }
    SetSizes(sizes, shape);
    return OkStatus();
  }

  Status PartialConcat(const Node& concat, int axis_input, int* budget, PartialTensorShape* shape) {
    std::vector<Index> sizes;
    for (int i = 0; i < concat.num_inputs(); ++i) {
      if (i == axis_input) continue;
      PartialTensorShape part;
      TENON_RETURN_IF_ERROR(PartialShape(concat.input(i), budget, &part));
      if (part.unknown_rank()) return *shape = part, OkStatus();
      sizes.insert(sizes.end(), part.begin(), part.end());
    }
    SetSizes(sizes, shape);
    return OkStatus();
  }

  // Of one range of a vector: x[begin:end:stride].
  Status PartialStridedSlice(const Node& slice, int* budget, PartialTensorShape* shape) {
    for (int i = 1; i <= 3; ++i) {
      const PartialTensorShape length = ShapeOf(slice.input(i));
      if (length.dims() != 1 || length.dim_size(0) != 1) return OkStatus();
    }
    std::int64_t begin_mask = 0, end_mask = 0, other = 0;
    TENON_RETURN_IF_ERROR(GetNodeAttr(slice.def, "begin_mask", &begin_mask));
    TENON_RETURN_IF_ERROR(GetNodeAttr(slice.def, "end_mask", &end_mask));
    for (const std::string_view name : {"ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
      TENON_RETURN_IF_ERROR(GetNodeAttr(slice.def, name, &other));
      if (other != 0) return OkStatus();
    }
    if ((begin_mask != 0 && begin_mask != 1) || (end_mask != 0 && end_mask != 1)) return OkStatus();
    std::int64_t begin = 0, end = std::numeric_limits<std::int64_t>::max(), stride = 1;
    bool known = true;
    if (begin_mask == 0) TENON_RETURN_IF_ERROR(ConstantScalar(slice.input(1), &begin, &known));
    if (known && end_mask == 0) TENON_RETURN_IF_ERROR(ConstantScalar(slice.input(2), &end, &known));
    if (known) TENON_RETURN_IF_ERROR(ConstantScalar(slice.input(3), &stride, &known));
    if (!known || stride == 0) return OkStatus();
    PartialTensorShape whole;
    TENON_RETURN_IF_ERROR(PartialShape(slice.input(0), budget, &whole));
    InferenceContext context;  // its Subshape has TensorFlow's messages
    ShapeHandle handle;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(whole, &handle));
    stride = std::clamp<std::int64_t>(stride, -kMaxTensorRank, kMaxTensorRank);
    TENON_RETURN_IF_ERROR(context.Subshape(handle, begin, end, stride, &handle));
    if (!context.ToPartialTensorShape(handle, shape).ok()) *shape = PartialTensorShape();
    return OkStatus();
  }

  Graph* graph_;
  ConstantEvaluator* evaluator_;
  int producer_;
  InferenceContext context_;
  std::vector<Tensor> tensors_;  // values of the current node's inputs
  std::vector<char> tried_;
  std::vector<std::vector<Tensor>> values_;  // node -> values of its outputs; empty: not known
  std::vector<char> state_;                  // node -> State
  std::vector<std::vector<Handle>> handles_;
};

TENON_NAMESPACE_END
