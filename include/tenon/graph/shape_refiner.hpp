// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShapeRefiner: the output shapes of a whole graph, node by node in topological order, with constants known. What it
// finds impossible is refused with TensorFlow's message, as TensorFlow's import does. Nodes that compute with shapes
// are known where <tenon/graph/shapes.hpp> is included.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/constant_values.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Writes Node::output_shapes. Nodes are added in an order in which their inputs come first; the shape of an input that
// was not added (the back edge of a while loop) is unknown. externally synchronised.
//
//   ShapeRefiner refiner(&graph);
//   for (int id : order) TENON_RETURN_IF_ERROR(refiner.AddNode(id));
class ShapeRefiner {
 public:
  // A tensor behind a resource or in a variant; what one output of a node holds; the same for all nodes, by id.
  struct HeldTensor {
    PartialTensorShape shape;
    DataType dtype;
  };
  struct Handle {
    int output;
    SlimVector<HeldTensor> held;
  };
  using Handles = SlimVector<SlimVector<Handle>>;

  // Both outlive this. `evaluator` may be null.
  explicit ShapeRefiner(Graph* graph, ConstantEvaluator* evaluator = nullptr)
      : ShapeRefiner(graph, evaluator, graph->versions().producer) {}
  // The shape functions see this GraphDef version rather than the graph's own.
  ShapeRefiner(Graph* graph, ConstantEvaluator* evaluator, int producer)
      : graph_(graph), constants_(graph, evaluator), producer_(producer) {}

  // The graph has moved there.
  void set_graph(Graph* graph) {
    graph_ = graph;
    constants_.set_graph(graph);
  }
  // Forgets the nodes from this id on, which the graph no longer has.
  void Truncate(int num_nodes) {
    constants_.Truncate(num_nodes);
    if (handles_.size() > ToSize(num_nodes)) handles_.resize(ToSize(num_nodes));
  }

  // Runs the node's shape function, again with the values that it asked for. InvalidArgument when there is no such
  // node, or its shapes contradict. A node that was added before has what is known of its inputs now.
  Status AddNode(int id) {
    if (id < 0 || id >= graph_->num_nodes())
      return errors::InvalidArgument("node ", id, " is out of range: the graph has ", graph_->num_nodes(), " nodes");
    Grow();
    handles_[ToSize(id)].clear();
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

  // Adds what is known of one output from elsewhere; InvalidArgument when it contradicts, or there is no such output,
  // Internal when the node was not added.
  Status MergeOutputShape(int id, int output, const PartialTensorShape& shape) {
    const bool there = id >= 0 && id < graph_->num_nodes();
    if (!there || output < 0 || output >= graph_->node(id).num_outputs())
      return errors::InvalidArgument(
          "output_port '", output, "' is out of range, ",
          there ? StrCat("node '", graph_->node(id).def.name, "' has ", graph_->node(id).num_outputs(), " outputs")
                : StrCat("there is no node ", id));
    if (graph_->node(id).output_shapes.size() != ToSize(graph_->node(id).num_outputs()))
      return errors::Internal("Could not find context for ", graph_->node(id).def.name, ": the node was not added");
    PartialTensorShape& known = graph_->mutable_node(id).output_shapes[ToSize(output)];
    if (known.IsIdenticalTo(shape)) return OkStatus();
    InferenceContext context;  // its Merge has TensorFlow's messages
    ShapeHandle a, b, merged;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(known, &a));
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(shape, &b));
    TENON_RETURN_IF_ERROR(context.Merge(a, b, &merged));
    return context.ToPartialTensorShape(merged, &known);
  }

  // Contents of the resource or variant on this edge, tensor by tensor; null when nothing is known of it.
  const SlimVector<HeldTensor>* Held(InEdge edge) const { return FindHeld(handles_, edge); }
  static const SlimVector<HeldTensor>* FindHeld(const Handles& handles, InEdge edge) {
    if (edge.node < 0 || ToSize(edge.node) >= handles.size()) return nullptr;
    for (const Handle& handle : handles[ToSize(edge.node)])
      if (handle.output == edge.output && !handle.held.empty()) return &handle.held;
    return nullptr;
  }
  // Sets the contents of an output of a node that was added, in place of those known before.
  void SetHeld(InEdge edge, const SlimVector<HeldTensor>& held) {
    for (Handle& handle : handles_[ToSize(edge.node)])
      if (handle.output == edge.output) return static_cast<void>(handle.held = held);
    handles_[ToSize(edge.node)].push_back(Handle{edge.output, held});
  }
  // Moves the handles out, for use after the refiner has gone. It knows none afterwards.
  Handles TakeHandles() { return std::move(handles_); }

  // The shape that the vector on this edge stands for, as far as it is known: Reshape(x, Pack(batch, 7)) is [?,7].
  Status ConstantPartialShape(InEdge edge, PartialTensorShape* shape) {
    Grow();
    int budget = kMaxVisits;
    return PartialShape(edge, &budget, shape);
  }

 private:
  static constexpr int kMaxVisits = 1000;  // bounds both depth and work of one ConstantPartialShape
  static constexpr int kMaxCompared = 8;  // inputs of a node that are looked through for the same tensor

  void Grow() {
    if (handles_.size() < ToSize(graph_->num_nodes())) handles_.resize(ToSize(graph_->num_nodes()));
  }

  const PartialTensorShape& ShapeOf(InEdge edge) const {
    return edge.node < 0 ? detail::UnknownShape() : graph_->node(edge.node).output_shape(edge.output);
  }

  // ---- running a shape function
  void AddInput(const Node& node, int i) {
    const InEdge edge = node.input(i);
    context_.AddInput(ShapeOf(edge));
    for (int j = 0; j < i && i < kMaxCompared; ++j) {  // one tensor twice: its unknown sizes are equal
      if (node.input(j) == edge && edge.node >= 0) {
        context_.set_input(i, context_.input(j));
        break;
      }
    }
    if (edge.node < 0) return;
    for (const Handle& handle : handles_[ToSize(edge.node)]) {
      if (handle.output != edge.output) continue;
      SlimVector<ShapeAndType> held(handle.held.size());
      for (std::size_t k = 0; k < held.size(); ++k) {
        (void)context_.MakeShapeFromPartialTensorShape(handle.held[k].shape, &held[k].shape);
        held[k].dtype = handle.held[k].dtype;
      }
      context_.set_input_handle_shapes_and_types(i, held);
    }
  }

  Status RunUntilSettled(const Node& node) {
    const std::size_t n = ToSize(node.num_inputs());
    enum : char { kTriedValue = 1, kTriedShape = 2 };
    tried_.assign(n, 0);
    tensors_.assign(n, Tensor());
    TENON_RETURN_IF_ERROR(RunShapeFn(&context_, node.op->shape_fn));
    for (bool again = true; again;) {
      again = false;
      for (int i = 0; i < node.num_inputs(); ++i) {
        char& tried = tried_[ToSize(i)];
        const bool as_shape = context_.requested_input_tensor_as_partial_shape(i);
        if ((as_shape || context_.requested_input_tensor(i)) && (tried & kTriedValue) == 0) {
          tried = static_cast<char>(tried | kTriedValue);
          bool known = false;
          TENON_RETURN_IF_ERROR(constants_.Find(node.input(i), &tensors_[ToSize(i)], &known));
          if (known) {
            context_.set_input_tensor(i, &tensors_[ToSize(i)]);
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
    const SlimVector<Index> unknown(context_.RankKnown(handle) ? ToSize(context_.Rank(handle)) : 0, -1);
    if (!unknown.empty()) (void)PartialTensorShape::Build(unknown, &shape);
    return shape;
  }

  Status Store(int id) {
    Node& node = graph_->mutable_node(id);
    node.output_shapes.resize(node.output_types.size());
    for (int i = 0; i < node.num_outputs(); ++i) {
      node.output_shapes[ToSize(i)] = Keep(context_.output(i));
      const DataType type = BaseType(node.output_type(i));
      if (type != DataType::kResource && type != DataType::kVariant) continue;
      const SlimVector<ShapeAndType>* held = context_.output_handle_shapes_and_types(i);
      if (held == nullptr) continue;
      Handle& handle = handles_[ToSize(id)].emplace_back(Handle{i, {}});
      for (const ShapeAndType& one : *held) handle.held.push_back({Keep(one.shape), one.dtype});
    }
    return OkStatus();
  }

  // ---- values as shapes
  // `shape` gets the sizes, or all unknown when they do not make a shape that can exist.
  static void SetSizes(Span<const Index> sizes, PartialTensorShape* shape) {
    *shape = PartialTensorShape();
    if (sizes.size() > static_cast<std::size_t>(kMaxTensorRank)) return;
    if (!PartialTensorShape::Build(sizes, shape).ok()) *shape = PartialTensorShape();
  }

  // Shape given by a vector whose values may be known (`value`), or only its length.
  static Status ShapeFromTensor(const Tensor* value, const PartialTensorShape& vector, PartialTensorShape* shape) {
    InferenceContext context;  // its MakeShapeFromTensor has TensorFlow's messages
    ShapeHandle handle;
    TENON_RETURN_IF_ERROR(context.MakeShapeFromPartialTensorShape(vector, &handle));
    TENON_RETURN_IF_ERROR(context.MakeShapeFromTensor(value, handle, &handle));
    if (context.Rank(handle) > kMaxTensorRank || !context.ToPartialTensorShape(handle, shape).ok())
      *shape = PartialTensorShape();
    return OkStatus();
  }

  Status ScalarAsShape(InEdge edge, PartialTensorShape* shape) {
    Tensor value;
    bool known = false;
    TENON_RETURN_IF_ERROR(constants_.Find(edge, &value, &known));
    if (!known) {
      return errors::InvalidArgument(
          "Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an unknown shape.");
    }
    detail::Integers read;
    if (value.dims() == 0 && value.dtype() != DataType::kBool && detail::ReadIntegers(value, &read) &&
        read.at(0) == -1) {
      *shape = PartialTensorShape();
      return OkStatus();
    }
    return errors::InvalidArgument("Received an invalid shape scalar with a static value that is not '-1': ",
                                   value.DebugString());
  }

  Status PartialShape(InEdge edge, int* budget, PartialTensorShape* shape) {
    *shape = PartialTensorShape();
    if (edge.node < 0 || --*budget < 0 || StackIsShort(kMaxVisits - *budget)) return OkStatus();
    const Node& src = graph_->node(edge.node);
    const PartialTensorShape& vector = src.output_shape(edge.output);
    if (vector.dims() == 0) return ScalarAsShape(edge, shape);
    if (vector.dims() > 1) return errors::InvalidArgument("Shape must be rank 1 but is rank ", vector.dims());
    const std::string_view op = src.op_name();
    if (vector.dims() == 1 && vector.dim_size(0) == 0) {
      SetSizes({}, shape);
      return OkStatus();
    }
    // Another op may have the name in this registry, with other inputs.
    if (op == "Cast" && src.num_inputs() == 1) return PartialCast(edge, src, vector, budget, shape);
    if ((op == "Shape" || op == "ShapeN") && edge.output < src.num_inputs()) {
      *shape = ShapeOf(src.input(edge.output));
      return OkStatus();
    }
    if (op == "Pack") return PartialPack(src, shape);
    if ((op == "Concat" || op == "ConcatV2") && src.num_inputs() > 1)
      return PartialConcat(src, op == "Concat" ? 0 : src.num_inputs() - 1, budget, shape);
    if (op == "StridedSlice" && src.num_inputs() == 4) return PartialStridedSlice(src, budget, shape);
    if (op == "VariableShape" && src.num_inputs() == 1) {
      const InEdge variable = src.input(0);
      if (variable.node < 0) return OkStatus();
      for (const Handle& handle : handles_[ToSize(variable.node)]) {
        if (handle.output == variable.output && !handle.held.empty()) *shape = handle.held[0].shape;
      }
      return OkStatus();
    }
    Tensor value;
    bool known = false;
    TENON_RETURN_IF_ERROR(constants_.Find(edge, &value, &known));
    return ShapeFromTensor(known ? &value : nullptr, vector, shape);
  }

  Status PartialCast(InEdge edge, const Node& cast, const PartialTensorShape& vector, int* budget,
                     PartialTensorShape* shape) {
    Tensor value;
    bool known = false;
    if (constants_.Find(edge, &value, &known).ok() && known && ShapeFromTensor(&value, vector, shape).ok())
      return OkStatus();
    PartialTensorShape before;
    if (!PartialShape(cast.input(0), budget, &before).ok()) return ShapeFromTensor(nullptr, vector, shape);
    *shape = before;
    const DataType to = cast.output_type(0);
    if (before.unknown_rank() || to == DataType::kInt32 || to == DataType::kInt64) return OkStatus();
    SetSizes(SlimVector<Index>(ToSize(before.dims()), -1), shape);
    return OkStatus();
  }

  Status PartialPack(const Node& pack, PartialTensorShape* shape) {
    SlimVector<Index> sizes;
    for (const InEdge& input : pack.inputs) {
      std::int64_t size = -1;
      bool known = false;
      TENON_RETURN_IF_ERROR(constants_.FindInteger(input, &size, &known));
      sizes.push_back(known && size >= 0 ? size : -1);
    }
    SetSizes(sizes, shape);
    return OkStatus();
  }

  Status PartialConcat(const Node& concat, int axis_input, int* budget, PartialTensorShape* shape) {
    SlimVector<Index> sizes;
    for (int i = 0; i < concat.num_inputs(); ++i) {
      if (i == axis_input) continue;
      PartialTensorShape part;
      TENON_RETURN_IF_ERROR(PartialShape(concat.input(i), budget, &part));
      if (part.unknown_rank()) return *shape = part, OkStatus();
      sizes.append(part.begin(), part.end());
    }
    SetSizes(sizes, shape);
    return OkStatus();
  }

  // Shape given by one range of a vector: x[begin:end:stride].
  Status PartialStridedSlice(const Node& slice, int* budget, PartialTensorShape* shape) {
    for (int i = 1; i <= 3; ++i) {
      const PartialTensorShape& length = ShapeOf(slice.input(i));
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
    if (begin_mask == 0) TENON_RETURN_IF_ERROR(constants_.FindInteger(slice.input(1), &begin, &known));
    if (known && end_mask == 0) TENON_RETURN_IF_ERROR(constants_.FindInteger(slice.input(2), &end, &known));
    if (known) TENON_RETURN_IF_ERROR(constants_.FindInteger(slice.input(3), &stride, &known));
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
  ConstantValues constants_;
  int producer_;
  InferenceContext context_;
  SlimVector<Tensor> tensors_;  // values of the current node's inputs
  SlimVector<char> tried_;
  Handles handles_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
