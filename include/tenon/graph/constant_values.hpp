// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConstantValues: what the outputs of a graph are worth that depend on constants and known shapes alone. Shape
// functions ask for them (Reshape's shape, Fill's dims, ...).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Computes nodes that depend on constants alone, with real kernels: something that a runtime can offer. Without it only
// constants, what shapes say, and small integer nodes (where graph/shapes.hpp is included) are known. one
// thread.
class ConstantEvaluator {
 public:
  virtual ~ConstantEvaluator() = default;
  // All outputs of a stateless node from all its data inputs; false when that is not possible.
  virtual bool Evaluate(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs) = 0;
};

// Values found are kept. A node that has none is not asked again, so the shapes of its inputs must be known before.
// externally synchronised.
class ConstantValues {
 public:
  // Both outlive this. `evaluator` may be null.
  explicit ConstantValues(const Graph* graph, ConstantEvaluator* evaluator = nullptr)
      : graph_(graph), evaluator_(evaluator) {}

  // The graph has moved there.
  void set_graph(const Graph* graph) { graph_ = graph; }
  // Forgets the nodes from this id on, which the graph no longer has.
  void Truncate(int num_nodes) {
    if (values_.size() <= ToSize(num_nodes)) return;
    values_.resize(ToSize(num_nodes));
    state_.resize(ToSize(num_nodes));
  }

  // The value of an output that depends on constants alone. *known says whether there is one.
  Status Find(InEdge edge, Tensor* value, bool* known) {
    Grow();
    // Looks through an Enter that the caller asks for, but not through an Enter in between, as in TensorFlow.
    if (edge.node >= 0 && graph_->node(edge.node).node_class == NodeClass::kEnter)
      edge = graph_->node(edge.node).input(0);
    TENON_RETURN_IF_ERROR(KnownWithoutInputs(edge, value, known));
    if (*known || edge.node < 0) return OkStatus();
    const Node& node = graph_->node(edge.node);
    if (node.node_class == NodeClass::kConstant && TensorOf(node) == nullptr) {
      return errors::InvalidArgument("Unable to evaluate a constant node");
    }
    TENON_RETURN_IF_ERROR(EvaluateBackwards(edge.node));
    if (const SlimVector<Tensor>& values = values_[ToSize(edge.node)]; !values.empty()) {
      *value = values[ToSize(edge.output)];
      *known = true;
    }
    return OkStatus();
  }

  // The one number of an int32 or int64 tensor.
  Status FindInteger(InEdge edge, std::int64_t* value, bool* known) {
    Tensor tensor;
    TENON_RETURN_IF_ERROR(Find(edge, &tensor, known));
    if (!*known) return OkStatus();
    if (tensor.NumElements() != 1) {
      return errors::InvalidArgument("EvaluateConstantIntScalarEdge called on non-scalar edge: ", tensor.NumElements());
    }
    detail::Integers read;
    if ((tensor.dtype() != DataType::kInt32 && tensor.dtype() != DataType::kInt64) ||
        !detail::ReadIntegers(tensor, &read)) {
      return errors::InvalidArgument("EvaluateConstantIntScalarEdge called on non-integer edge: ", tensor.dtype());
    }
    *value = read.at(0);
    return OkStatus();
  }

 private:
  enum State : char { kNotTried, kNoValue, kHasValues };

  void Grow() {
    const std::size_t n = ToSize(graph_->num_nodes());
    if (values_.size() >= n) return;
    values_.resize(n);
    state_.resize(n, kNotTried);
  }
  const PartialTensorShape& ShapeOf(InEdge edge) const {
    return edge.node < 0 ? detail::UnknownShape() : graph_->node(edge.node).output_shape(edge.output);
  }

  // The tensor of a Const; null for other nodes, and when it could not be read from the file.
  static const Tensor* TensorOf(const Node& node) {
    if (node.node_class != NodeClass::kConstant) return nullptr;
    const AttrValue* attr = node.def.attr.Find("value");
    const bool readable = attr != nullptr && attr->kind() == AttrValue::Kind::kTensor && attr->decode_status().ok();
    return readable ? &attr->tensor() : nullptr;
  }

  // Finds a value without evaluating inputs: a constant, a value found before, or one that input shapes alone give.
  Status KnownWithoutInputs(InEdge edge, Tensor* value, bool* known) {
    *known = false;
    if (edge.node < 0) return OkStatus();
    const Node& node = graph_->node(edge.node);
    if (const Tensor* tensor = TensorOf(node); tensor != nullptr && tensor->dtype() == node.output_type(0)) {
      *value = *tensor;
      *known = true;
      return OkStatus();
    }
    if (const SlimVector<Tensor>& values = values_[ToSize(edge.node)]; !values.empty()) {
      *value = values[ToSize(edge.output)];
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
      if (output >= node.num_inputs()) return OkStatus();  // another op of that name
      const PartialTensorShape& shape = ShapeOf(node.input(output));
      if (!shape.IsFullyDefined()) return OkStatus();
      found = detail::Integers::Vector({shape.begin(), shape.end()});
    } else if (op == "Rank") {
      const PartialTensorShape& shape = ShapeOf(node.input(0));
      if (shape.unknown_rank()) return OkStatus();
      found = detail::Integers::Scalar(shape.dims());
    } else if (op == "Size") {
      const PartialTensorShape& shape = ShapeOf(node.input(0));
      if (!shape.IsFullyDefined()) return OkStatus();
      found = detail::Integers::Scalar(shape.num_elements());
    } else {
      const InEdge of = node.input(0);
      if (of.node < 0 || graph_->node(of.node).op_name() != "Shape") return OkStatus();
      const PartialTensorShape& shape = ShapeOf(graph_->node(of.node).input(0));
      std::int64_t index = 0;
      if (shape.unknown_rank() || !SliceIndex(node, output, &index) || index < -shape.dims() || index >= shape.dims())
        return OkStatus();
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
    if (node.op_name() != "StridedSlice" || node.num_inputs() != 4 || mask("begin_mask") != 0 ||
        mask("end_mask") != 0 || mask("ellipsis_mask") != 0 || mask("new_axis_mask") != 0 ||
        mask("shrink_axis_mask") != 1) {
      return false;
    }
    const InEdge begin = node.input(1);
    const Tensor* tensor = begin.node < 0 ? nullptr : TensorOf(graph_->node(begin.node));
    detail::Integers value;
    if (tensor == nullptr || !detail::ReadIntegers(*tensor, &value) || value.size() != 1) return false;
    *index = value.at(0);
    return true;
  }

  // Nodes whose outputs may be computed ahead: no state, no feeds, no control flow, no functions. Without an evaluator
  // only integers are computed.
  bool MayEvaluate(const Node& node) const {
    if (node.num_inputs() == 0 || node.op->flags.is_stateful || node.op_name() == "PlaceholderWithDefault")
      return false;
    if (evaluator_ == nullptr && node.num_outputs() > 0 && !detail::IsIntegersType(node.output_type(0))) return false;
    if (node.node_class == NodeClass::kEnter || node.node_class == NodeClass::kExit ||
        node.node_class == NodeClass::kMerge)
      return false;
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
    if (state_[ToSize(root)] != kNotTried) return OkStatus();
    SlimVector<Frame> path{{root, 0}};
    while (!path.empty()) {
      const int id = path.back().node;
      const Node& node = graph_->node(id);
      bool possible = state_[ToSize(id)] == kNotTried && MayEvaluate(node);
      int wanted = -1;
      for (int& i = path.back().next; possible && wanted < 0 && i < node.num_inputs(); ++i) {
        Tensor value;
        bool known = false;
        TENON_RETURN_IF_ERROR(KnownWithoutInputs(node.input(i), &value, &known));
        if (known) continue;
        wanted = node.input(i).node;
        possible = wanted >= 0 && state_[ToSize(wanted)] == kNotTried;
      }
      if (possible && wanted >= 0) {
        path.push_back({wanted, 0});
        continue;
      }
      if (possible) TENON_RETURN_IF_ERROR(Evaluate(node, &possible));
      if (!possible) {  // whoever waits for it has no value either
        for (const Frame& waiting : path) state_[ToSize(waiting.node)] = kNoValue;
        return OkStatus();
      }
      path.pop_back();
    }
    return OkStatus();
  }

  // All inputs are known.
  Status Evaluate(const Node& node, bool* done) {
    SlimVector<Tensor> inputs(node.inputs.size()), outputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      TENON_RETURN_IF_ERROR(KnownWithoutInputs(node.inputs[i], &inputs[i], done));
    }
    const detail::FoldNode fold = detail::extensions.fold_integers.load(std::memory_order_acquire);
    *done = (fold != nullptr && fold(node, inputs, &outputs)) ||
            (evaluator_ != nullptr && evaluator_->Evaluate(node, inputs, &outputs) &&
             outputs.size() == node.output_types.size());
    if (*done) {
      values_[ToSize(node.id)] = std::move(outputs);
      state_[ToSize(node.id)] = kHasValues;
    }
    return OkStatus();
  }

  const Graph* graph_;
  ConstantEvaluator* evaluator_;
  SlimVector<SlimVector<Tensor>> values_;  // node -> values of its outputs; empty: not known
  SlimVector<char> state_;  // node -> State
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
