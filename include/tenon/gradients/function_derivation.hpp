// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionDerivation: the body of a function that a node calls, and the nodes of its gradients beside it. Calls,
// branches and loops write their forward and backward functions from it.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/arg_op.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/gradients/function_writer.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/raise_loops.hpp>
#include <tenon/gradients/recompute.hpp>
#include <tenon/gradients/walk.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

class FunctionDerivation {
 public:
  static constexpr int kMaxDepth = 64;  // calls within calls

  // Makes the body with arguments of the shapes of `inputs`, tensors of the graph of `outer`, which outlives this.
  Status Import(GraphEditor& outer, const NameAttrList& f, Span<const InEdge> inputs,
                Span<const PartialTensorShape> shapes) {
    if (outer.depth() >= kMaxDepth)
      return errors::Unimplemented("Gradients of functions are nested more than ", kMaxDepth, " deep: '", f.name, "'");
    FunctionIndex functions(outer.library());
    const FunctionDef* const function = functions.Find(f.name);
    if (function == nullptr) return errors::NotFound("The graph's library has no function '", f.name, "'");
    name_ = f.name;
    TENON_ASSIGN_OR_RETURN(FunctionGraph body, InstantiateFunction(*function, f.attr, functions, &outer.ops()));
    if (body.args.size() != inputs.size())
      return errors::InvalidArgument("Function '", f.name, "' takes ", body.args.size(),
                                     " arguments, but is called with ", inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) DescribeArg(outer, inputs[i], shapes[i], &body.graph.node[i]);
    body.graph.versions = outer.graph().versions();
    CallShapes calls;
    calls.functions = &functions;
    ImportOptions options;
    options.allow_internal_ops = true;
    options.ignore_shape_errors = true;
    options.calls = &calls;
    options.ops = &outer.ops();
    options.refiner = &refiner_;
    if (detail::HasLoops(body.graph)) {
      if (!outer.adds_functions())
        return errors::Unimplemented("SymbolicGradient of function '", f.name, "', which has a loop");
      TENON_RETURN_IF_ERROR(RaiseLoops(&body.graph, &outer.library(), outer.ops().registry(), options));
      functions = FunctionIndex(outer.library());
    }
    TENON_ASSIGN_OR_RETURN(graph_, ImportGraphDef(std::move(body.graph), outer.ops().registry(), options));
    refiner_->set_graph(&graph_);
    editor_ = MakeOwned<GraphEditor>(&graph_, refiner_.get(), &outer.ops());
    editor_->set_outer(&outer);
    // TensorArrays of gradients are found by the first part of the scope.
    scope_ = outer.scope().substr(0, outer.scope().find('/'));
    for (const std::string& arg : body.args) args_.push_back({graph_.Find(arg)->id, 0});
    for (const FunctionGraph::Output& result : body.results)
      results_.push_back({graph_.Find(result.node)->id, result.index});
    control_results_ = body.control_results;
    forward_nodes_ = graph_.num_nodes();
    return OkStatus();
  }

  // Adds the gradients of the arguments that `needed` names; of all where it is empty. grad_args()[i] is a new argument
  // for the gradient of result i where `has_grad` says so.
  Status Derive(const GradientIndex& functions, Span<const char> has_grad, Span<const char> needed = {}) {
    SlimVector<InEdge> ys, xs;
    SlimVector<TensorGradient> grad_ys;
    editor_->set_scope(scope_);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      grad_args_.emplace_back();
      if (has_grad[i] == 0) continue;
      grad_args_[i] = AddArg(GradientType(results_[i]), GradientShape(results_[i])).edge();
      ys.push_back(results_[i]);
      grad_ys.push_back({grad_args_[i], {}, {}, {}});
    }
    backward_nodes_ = graph_.num_nodes();
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (needed.empty() || needed[i] != 0) xs.push_back(args_[i]);
    GradientWalk walk(editor_.get(), &functions, scope_);
    TENON_ASSIGN_OR_RETURN(const SlimVector<TensorGradient> found, walk.Run(ys, xs, grad_ys, {}));
    const TensorGradient* next = found.begin();
    for (std::size_t i = 0; i < args_.size(); ++i)
      gradients_.push_back(needed.empty() || needed[i] != 0 ? *next++ : TensorGradient());
    TENON_RETURN_IF_ERROR(editor_->status());
    TENON_RETURN_IF_ERROR(detail::Recomputation(editor_.get(), forward_nodes_).Run(scope_));
    editor_->set_scope(scope_);
    return OkStatus();
  }
  // Forward tensors that the backward nodes read: arguments of the function, and others. Constants are not among them.
  void FindCaptured(Span<const InEdge> results) {
    SlimVector<char> seen(ToSize(graph_.num_nodes()), 0);
    SlimVector<int> stack;
    SlimVector<InEdge> found;
    const auto read = [&](InEdge edge) {
      if (edge.node < 0) return;
      if (edge.node >= forward_nodes_) {
        if (std::exchange(seen[ToSize(edge.node)], 1) == 0) stack.push_back(edge.node);
      } else if (graph_.node(edge.node).node_class != NodeClass::kConstant) {
        for (const InEdge& known : found)
          if (known == edge) return;
        found.push_back(edge);
      }
    };
    for (const InEdge edge : results) read(edge);
    while (!stack.empty()) {
      const int id = stack.back();
      stack.pop_back();
      for (const InEdge& edge : graph_.node(id).inputs) read(edge);
    }
    for (const InEdge edge : found)
      (graph_.node(edge.node).node_class == NodeClass::kArg ? captured_args_ : captured_).push_back(edge);
  }

  // A new argument of the body.
  Symbol AddArg(DataType type, const PartialTensorShape& shape) {
    const Symbol arg = editor_->Add("_Arg", {}, {{"T", type}, {"index", num_new_args_++}});
    if (arg && !shape.unknown_rank()) editor_->Fail(refiner_->MergeOutputShape(arg.node, 0, shape));
    return arg;
  }
  // Type and shape of the gradient of a tensor: that of its value for a variable's handle.
  DataType GradientType(InEdge edge) {
    const Symbol s = editor_->At(edge);
    if (s.dtype() != DataType::kResource) return s.dtype();
    return GradientBuilder(editor_.get(), nullptr, edge.node, {}).HeldType(s);
  }
  PartialTensorShape GradientShape(InEdge edge) {
    const Symbol s = editor_->At(edge);
    if (s.dtype() != DataType::kResource) return s.shape();
    const auto* const held = refiner_->Held(edge);
    return held != nullptr && !held->empty() ? (*held)[0].shape : PartialTensorShape();
  }
  Symbol ZerosLike(InEdge edge) {
    const PartialTensorShape shape = GradientShape(edge);
    GradientBuilder builder(editor_.get(), nullptr, edge.node, {});
    const DataType type = GradientType(edge);
    if (shape.IsFullyDefined() && type != DataType::kVariant) {
      SlimVector<std::int64_t> sizes(shape.begin(), shape.end());
      const Tensor vector = Tensor::From<std::int64_t>({sizes.data(), sizes.size()}, TensorShape({shape.dims()}));
      return builder.Fill(editor_->Const(vector), builder.Scalar(type, 0));
    }
    return builder.ZerosLike(editor_->At(edge));
  }

  // Whether a node gives the tensor in less time than a list keeps it: a view, a shape, or a few numbers.
  bool IsCheap(InEdge edge) {
    const Node& node = graph_.node(edge.node);
    if (node.op == nullptr || node.op->flags.is_stateful || node.num_inputs() == 0 || IsConditional(edge)) return false;
    if (node.node_class == NodeClass::kIdentity) return true;
    if (node.node_class != NodeClass::kOther && node.node_class != NodeClass::kMetadata) return false;
    for (const std::string_view op :
         {"Cast", "ExpandDims", "Rank", "Reshape", "Shape", "ShapeN", "Size", "Squeeze", "StopGradient"})
      if (node.op_name() == op) return true;
    constexpr Index kFew = 16;
    const auto is_few = [this](InEdge one) {
      const PartialTensorShape shape = graph_.node(one.node).output_shape(one.output);
      const DataType type = BaseType(graph_.node(one.node).output_type(one.output));
      const bool counts = type == DataType::kInt32 || type == DataType::kInt64 || type == DataType::kBool;
      return counts && shape.IsFullyDefined() && shape.num_elements() <= kFew;
    };
    for (const InEdge& input : node.inputs)
      if (!is_few(input)) return false;
    for (const AttrSpec& attr : node.op->attrs)
      if (attr.kind == AttrKind::kFunc) return false;
    return is_few(edge);
  }

  // Whether the tensor has no value in some runs: it lies between a Switch and a Merge.
  bool IsConditional(InEdge edge) {
    FindBranches();
    return BranchOf(edge) >= 0;
  }
  // The tensor, or an empty one of its type where it has no value.
  Symbol Alive(InEdge edge) {
    FindBranches();
    Symbol alive = editor_->At(edge);
    for (int at = BranchOf(edge); at >= 0; at = branches_[ToSize(at)].outer) {
      Result<Tensor> empty = Tensor::Make(alive.dtype(), TensorShape({0}));
      if (!empty.ok()) {
        editor_->Fail(errors::Unimplemented("Gradient of function '", name_, "': a ", alive.dtype(),
                                            " between Switch and Merge"));
        return alive;
      }
      const Branch& branch = branches_[ToSize(at)];
      const Symbol other =
          editor_->Add("Switch", {editor_->Const(*empty), editor_->At(branch.predicate)})[1 - branch.side];
      alive = editor_->Add("Merge", {GraphEditor::Input{alive, other}});
    }
    return alive;
  }
  // Captures the predicates of all branches that captured tensors lie in.
  void CapturePredicates() {
    FindBranches();
    for (std::size_t k = 0; k < captured_.size(); ++k)
      for (int at = BranchOf(captured_[k]); at >= 0; at = branches_[ToSize(at)].outer) {
        const InEdge predicate = branches_[ToSize(at)].predicate;
        const NodeClass node_class = graph_.node(predicate.node).node_class;
        SlimVector<InEdge>& list = node_class == NodeClass::kArg ? captured_args_ : captured_;
        bool known = node_class == NodeClass::kConstant;
        for (const InEdge& other : list) known = known || other == predicate;
        if (!known) list.push_back(predicate);
      }
  }
  // `value`, which stands for a captured tensor, or no value where the tensor has none.
  Symbol Guarded(InEdge edge, Symbol value) {
    FindBranches();
    SlimVector<int> inside;
    for (int at = BranchOf(edge); at >= 0; at = branches_[ToSize(at)].outer) inside.push_back(at);
    for (std::size_t k = inside.size(); k-- > 0;) {
      const Branch& branch = branches_[ToSize(inside[k])];
      value = editor_->Add("Switch", {value, editor_->At(branch.predicate)})[branch.side];
    }
    return value;
  }

  // All nodes of the body before Derive, and its control results.
  void KeepForward(FunctionWriter* writer) const {
    for (int id = 0; id < forward_nodes_; ++id) writer->Keep(id);
    for (const std::string& node : control_results_) writer->AddControlResult(node);
  }

  GraphEditor& editor() { return *editor_; }
  const Graph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  int forward_nodes() const { return forward_nodes_; }
  const SlimVector<InEdge>& args() const { return args_; }
  const SlimVector<InEdge>& results() const { return results_; }
  const SlimVector<InEdge>& grad_args() const { return grad_args_; }
  const SlimVector<InEdge>& captured() const { return captured_; }
  const SlimVector<InEdge>& captured_args() const { return captured_args_; }
  SlimVector<TensorGradient>& gradients() { return gradients_; }
  DataType TypeOf(InEdge edge) { return editor_->At(edge).dtype(); }

 private:
  // One side of a Switch, inside of another branch or not (-1).
  struct Branch {
    InEdge predicate;
    int side = 0, outer = -1, depth = 0;
  };
  int BranchOf(InEdge edge) const {
    const int branch = branch_of_[ToSize(edge.node)];
    return graph_.node(edge.node).node_class == NodeClass::kSwitch ? branch + edge.output : branch;
  }
  // The innermost branch of each forward node. A Switch has the number of its side 0; its side 1 follows.
  void FindBranches() {
    if (!branch_of_.empty()) return;
    branch_of_.resize(ToSize(forward_nodes_), -1);
    for (int id = 0; id < forward_nodes_; ++id) {
      const Node& node = graph_.node(id);
      int inner = -1;
      for (const InEdge& edge : node.inputs) {
        if (edge.node < 0 || edge.node >= id) continue;
        const int branch = BranchOf(edge);
        if (branch >= 0 && (inner < 0 || branches_[ToSize(branch)].depth > branches_[ToSize(inner)].depth))
          inner = branch;
      }
      for (const int control : node.control_inputs) {
        if (control >= id || graph_.node(control).node_class == NodeClass::kSwitch) continue;
        const int branch = BranchOf({control, 0});
        if (branch >= 0 && (inner < 0 || branches_[ToSize(branch)].depth > branches_[ToSize(inner)].depth))
          inner = branch;
      }
      if (node.node_class == NodeClass::kMerge && inner >= 0) inner = branches_[ToSize(inner)].outer;
      branch_of_[ToSize(id)] = inner;
      if (node.node_class != NodeClass::kSwitch) continue;
      branch_of_[ToSize(id)] = static_cast<int>(branches_.size());
      for (int side = 0; side < 2; ++side)
        branches_.push_back({node.input(1), side, inner, inner < 0 ? 1 : branches_[ToSize(inner)].depth + 1});
    }
  }
  static void DescribeArg(GraphEditor& outer, InEdge input, const PartialTensorShape& shape, NodeDef* arg) {
    SlimVector<PartialTensorShape> known{shape};
    arg->attr.Set("_output_shapes", AttrValue(std::move(known)));
    const SlimVector<ShapeRefiner::HeldTensor>* const held = outer.refiner().Held(input);
    if (held == nullptr) return;
    SlimVector<PartialTensorShape> shapes;
    SlimVector<DataType> types;
    for (const ShapeRefiner::HeldTensor& one : *held) {
      shapes.push_back(one.shape);
      types.push_back(one.dtype);
    }
    arg->attr.Set(std::string(kHandleShapesAttr), AttrValue(std::move(shapes)));
    arg->attr.Set(std::string(kHandleTypesAttr), AttrValue(std::move(types)));
  }

  std::string name_, scope_;
  Graph graph_;
  Owned<ShapeRefiner> refiner_;
  Owned<GraphEditor> editor_;
  int forward_nodes_ = 0, backward_nodes_ = 0;
  std::int64_t num_new_args_ = 0;
  SlimVector<InEdge> args_, results_, grad_args_, captured_, captured_args_;
  SlimVector<std::string> control_results_;
  SlimVector<Branch> branches_;
  SlimVector<int> branch_of_;  // per forward node
  SlimVector<TensorGradient> gradients_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
