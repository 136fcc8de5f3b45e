// SPDX-License-Identifier: Apache-2.0
#pragma once
// GradientWalk: derives some tensors of a graph with respect to others, node by node from the last to the first, as
// tf.gradients does.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/gradient_kernels.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// How gradients that reach one tensor are added: tf.AggregationMethod.
enum class GradientAggregation : char {
  kAddN,  // all at once, when the last of them is there
  kTree,  // each to the sum of those before it, which frees its memory: EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N
};

// One derivation. Makes Run once. one thread.
class GradientWalk {
 public:
  // All outlive the walk. Scopes of new nodes are "scope/NODE_grad".
  GradientWalk(GraphEditor* editor, const GradientIndex* functions, std::string scope,
               GradientAggregation aggregation = GradientAggregation::kAddN)
      : editor_(*editor),
        graph_(editor->graph()),
        functions_(*functions),
        scope_(std::move(scope)),
        aggregation_(aggregation) {}

  // Gradients of the sum of grad_ys[i] * ys[i] with respect to xs, one per x; nothing where an x is not connected.
  // NotFound: no gradient is defined for some nodes between xs and ys; the message names all of them. Other codes: a
  // gradient function refuses its node.
  Result<SlimVector<TensorGradient>> Run(Span<const InEdge> ys, Span<const InEdge> xs,
                                         Span<const TensorGradient> grad_ys, Span<const InEdge> stops) {
    count_ = graph_.num_nodes();
    FindBetween(ys, xs);
    first_output_.reserve(ToSize(count_) + 1);
    std::size_t outputs = 0;
    for (int id = 0; id < count_; ++id) {
      first_output_.push_back(outputs);
      outputs += ToSize(graph_.node(id).num_outputs());
    }
    first_output_.push_back(outputs);
    gradients_.resize(outputs);
    for (std::size_t i = 0; i < ys.size(); ++i) AddGradient(ys[i], grad_ys[i]);
    FindStops(xs, stops);
    SlimVector<int> ready;
    SlimVector<char> queued(ToSize(count_), 0);
    for (const InEdge y : ys)
      if (Has(y.node, kBetween) && pending_[ToSize(y.node)] == 0 && std::exchange(queued[ToSize(y.node)], 1) == 0)
        ready.push_back(y.node);
    for (std::size_t next = 0; next < ready.size(); ++next) {
      const int id = ready[next];
      TENON_RETURN_IF_ERROR(Derive(id));
      for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
        const int source = graph_.node(id).input(i).node;
        if (source >= 0 && source < count_ && --pending_[ToSize(source)] == 0) ready.push_back(source);
      }
    }
    TENON_RETURN_IF_ERROR(Missing());
    SlimVector<TensorGradient> results;
    editor_.set_scope(scope_);
    for (const InEdge x : xs) results.push_back(Summed(x));
    TENON_RETURN_IF_ERROR(editor_.status());
    return results;
  }

 private:
  enum : char { kReached = 1, kBetween = 2, kStop = 4 };
  using Parts = InlinedVector<TensorGradient, 1>;

  // Nodes on paths from xs to ys, and how many inputs of such nodes read each of them.
  void FindBetween(Span<const InEdge> ys, Span<const InEdge> xs) {
    marks_.resize(ToSize(count_), 0);
    pending_.resize(ToSize(count_), 0);
    toward_x_.resize(ToSize(count_), -1);
    toward_y_.resize(ToSize(count_), -1);
    SlimVector<int> queue;
    for (const InEdge x : xs) Mark(x.node, -1, kReached, &toward_x_, &queue);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const Node& node = graph_.node(queue[next]);
      for (const OutEdge& edge : node.outputs)
        if (edge.input != kControlSlot && Trains(editor_, {node.id, edge.output}))
          Mark(edge.node, node.id, kReached, &toward_x_, &queue);
    }
    queue.clear();
    for (const InEdge y : ys)
      if (Has(y.node, kReached)) Mark(y.node, -1, kBetween, &toward_y_, &queue);
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const InEdge& input : graph_.node(queue[next]).inputs)
        if (input.node >= 0 && Has(input.node, kReached)) {
          ++pending_[ToSize(input.node)];
          Mark(input.node, queue[next], kBetween, &toward_y_, &queue);
        }
  }
  bool Has(int id, char mark) const { return (marks_[ToSize(id)] & mark) != 0; }
  void Mark(int id, int from, char mark, SlimVector<int>* way, SlimVector<int>* queue) {
    if (id < 0 || Has(id, mark)) return;
    marks_[ToSize(id)] = static_cast<char>(marks_[ToSize(id)] | mark);
    (*way)[ToSize(id)] = from;
    queue->push_back(id);
  }
  // Nodes of xs that no other x lies before, and nodes of `stops`: nothing flows on from them.
  void FindStops(Span<const InEdge> xs, Span<const InEdge> stops) {
    for (const InEdge x : xs) {
      bool first = true;
      for (const InEdge& input : graph_.node(x.node).inputs)
        first = first && !(input.node >= 0 && pending_[ToSize(input.node)] > 0);
      if (first) marks_[ToSize(x.node)] = static_cast<char>(marks_[ToSize(x.node)] | kStop);
    }
    for (const InEdge stop : stops) marks_[ToSize(stop.node)] = static_cast<char>(marks_[ToSize(stop.node)] | kStop);
  }

  Parts& PartsOf(InEdge edge) { return gradients_[first_output_[ToSize(edge.node)] + ToSize(edge.output)]; }
  void AddGradient(InEdge edge, const TensorGradient& gradient) {
    if (gradient && edge.node >= 0 && edge.node < count_) PartsOf(edge).push_back(gradient);
  }
  // The sum of all gradients that reached a tensor; kept.
  TensorGradient Summed(InEdge edge) {
    Parts& parts = PartsOf(edge);
    if (parts.empty()) return {};
    if (parts.size() == 1) return parts[0];
    bool slices = true;
    for (const TensorGradient& part : parts) slices = slices && part.is_slices();
    const TensorGradient sum = slices ? JoinSlices(parts) : Sum(parts);
    parts.clear();
    parts.push_back(sum);
    return sum;
  }
  TensorGradient Sum(const Parts& parts) {
    SlimVector<Symbol> terms;
    for (const TensorGradient& part : parts) terms.push_back(DenseOf(editor_, part));
    if (aggregation_ == GradientAggregation::kAddN) return {Added(std::move(terms)).edge(), {}, {}, {}};
    Symbol sum = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i) sum = Added({sum, terms[i]});
    return {sum.edge(), {}, {}, {}};
  }
  Symbol Added(SlimVector<Symbol> terms) {
    if (AddsTwo(terms)) return terms[0] + terms[1];
    return editor_.Add("AddN", {GraphEditor::Input(std::move(terms))});
  }
  // Whether AddV2 gives the sum: its kernels have loops for the type, and may be planned and fused. AddN has kernels
  // for more types, and a program may have registered it alone.
  bool AddsTwo(const SlimVector<Symbol>& terms) {
    if (terms.size() != 2 || editor_.ops().Find("AddV2") == nullptr) return false;
    const DataType type = terms[0].dtype();
    return type != DataType::kVariant && type != DataType::kResource &&
           GradientBuilder::KnownSame(terms[0].shape(), terms[1].shape()) && HasSums(type);
  }
  // Whether AddV2 has a kernel for the type, or AddN has none either.
  bool HasSums(DataType type) {
    if (has_sums_.contains(type)) return true;
    const detail::GradientKernels kernels(editor_.ops().registry());
    if (kernels.Lacks("AddV2", type) && editor_.ops().Find("AddN") != nullptr && !kernels.Lacks("AddN", type))
      return false;
    has_sums_.insert(type);
    return true;
  }
  TensorGradient JoinSlices(const Parts& parts) {
    SlimVector<Symbol> indices, values;
    DataType type = DataType::kInt32;
    for (const TensorGradient& part : parts)
      if (editor_.At(part.indices).dtype() == DataType::kInt64) type = DataType::kInt64;
    for (const TensorGradient& part : parts) {
      Symbol index = editor_.At(part.indices);
      if (index.dtype() != type) index = editor_.Add("Cast", {index}, {{"DstT", type}});
      indices.push_back(index);
      values.push_back(editor_.At(part.values));
    }
    const Symbol axis = editor_.Int(0);
    return {{},
            editor_.Add("ConcatV2", {GraphEditor::Input(std::move(indices)), axis}).edge(),
            editor_.Add("ConcatV2", {GraphEditor::Input(std::move(values)), axis}).edge(),
            parts[0].dense_shape};
  }

  Status Derive(int id) {
    editor_.set_scope(StrCat(scope_, "/", graph_.node(id).name(), "_grad"));
    const auto outputs = static_cast<int>(first_output_[ToSize(id) + 1] - first_output_[ToSize(id)]);
    InlinedVector<TensorGradient, 4> gradients;
    bool any = false;
    for (int i = 0; i < outputs; ++i) {
      gradients.push_back(Summed({id, i}));
      any = any || gradients.back();
    }
    if (!any || Has(id, kStop)) return editor_.status();
    const std::string own(graph_.node(id).op_name());
    const AttrValue* const other =
        graph_.node(id).HasOtherAttrs() ? graph_.node(id).def.attr.Find("_gradient_op_type") : nullptr;
    const GradientRow* row = functions_.Find(other != nullptr ? other->s() : own);
    const std::string given = row == nullptr && other != nullptr ? RegisteredFunction(other->s()) : "";
    // A name like "PartitionedCall-17" was made for the process that wrote the graph.
    if (row == nullptr && given.empty() && StartsWith(other != nullptr ? other->s() : "", own + "-"))
      row = functions_.Find(own);
    if (row == nullptr && given.empty()) {
      missing_.push_back(id);
      return OkStatus();
    }
    if (row != nullptr && row->function == nullptr) return OkStatus();
    InlinedVector<char, 8> needed;
    for (const InEdge& input : graph_.node(id).inputs)
      needed.push_back(input.node >= 0 && Has(input.node, kReached) ? 1 : 0);
    GradientBuilder builder(&editor_, &functions_, id, {gradients.data(), gradients.size()},
                            {needed.data(), needed.size()});
    if (row != nullptr)
      row->function(builder);
    else
      CallRegistered(builder, given);
    if (!editor_.status().ok()) return AttachNode(editor_.status(), graph_.node(id).name());
    for (int i = 0; i < builder.num_inputs(); ++i) {
      const TensorGradient& result = builder.results()[ToSize(i)];
      if (!result) continue;
      const InEdge input = graph_.node(id).input(i);
      if (result.dense.node >= 0) TENON_RETURN_IF_ERROR(CheckShape(id, i, input, result.dense));
      AddGradient(input, result);
    }
    return OkStatus();
  }
  // The function that the library of a SavedModel names for a custom gradient; empty: none.
  std::string RegisteredFunction(const std::string& name) const {
    for (const RegisteredGradient& gradient : editor_.library().registered_gradients)
      if (gradient.registered_op_type == name) return gradient.gradient_func;
    return "";
  }
  // Such a function takes the gradients of the outputs and gives one for each input.
  void CallRegistered(GradientBuilder& g, const std::string& name) {
    const FunctionDef* function = nullptr;
    for (const FunctionDef& one : editor_.library().function)
      if (one.signature.name == name) function = &one;
    if (function == nullptr) return g.Fail(errors::NotFound("The graph's library has no function '", name, "'"));
    if (function->signature.input_arg.size() != ToSize(g.num_outputs()) ||
        function->signature.output_arg.size() != ToSize(g.num_inputs()))
      return g.Fail(errors::InvalidArgument("The gradient function '", name, "' does not suit node '", g.def().name,
                                            "', which has ", g.num_inputs(), " inputs and ", g.num_outputs(),
                                            " outputs"));
    SlimVector<Symbol> gradients;
    SlimVector<DataType> types;
    for (int i = 0; i < g.num_outputs(); ++i)
      gradients.push_back(IsTrainable(g.output(i).dtype()) ? g.grad(i) : g.ZerosLike(g.output(i)));
    for (int i = 0; i < g.num_inputs(); ++i) types.push_back(BaseType(function->signature.output_arg[ToSize(i)].type));
    const Symbol call = g.Add("StatefulPartitionedCall", {GradientBuilder::Input(std::move(gradients))},
                              {{"f", AttrValue(NameAttrList{name, {}})}, {"Tout", AttrValue(types)}});
    for (int i = 0; i < g.num_inputs(); ++i)
      if (IsTrainable(g.input(i).dtype())) g.set(i, call[i]);
  }
  // The gradient has its input's shape, which the graph then knows.
  Status CheckShape(int id, int i, InEdge input, InEdge gradient) {
    const Node& from = graph_.node(input.node);
    if (BaseType(from.output_type(input.output)) == DataType::kResource) return OkStatus();
    const PartialTensorShape& want = from.output_shape(input.output);
    const PartialTensorShape& got = graph_.node(gradient.node).output_shape(gradient.output);
    if (!want.IsCompatibleWith(got))
      return errors::InvalidArgument(
          "Incompatible shapes between op input and calculated input gradient. Forward operation: ",
          graph_.node(id).name(), ". Input index: ", i, ". Original input shape: ", want,
          ". Calculated input gradient shape: ", got);
    if (got.IsFullyDefined() || want.unknown_rank()) return OkStatus();
    return editor_.refiner().MergeOutputShape(gradient.node, gradient.output, want);
  }

  // "y <- b <- a": nodes from a y to an x through this node.
  std::string PathThrough(int id) const {
    SlimVector<int> before;
    for (int at = toward_y_[ToSize(id)]; at >= 0; at = toward_y_[ToSize(at)]) before.push_back(at);
    std::string text;
    for (std::size_t k = before.size(); k-- > 0;) StrAppend(&text, graph_.node(before[k]).name(), " <- ");
    text += graph_.node(id).name();
    for (int at = toward_x_[ToSize(id)]; at >= 0; at = toward_x_[ToSize(at)])
      StrAppend(&text, " <- ", graph_.node(at).name());
    return text;
  }
  Status Missing() const {
    if (missing_.empty()) return OkStatus();
    constexpr std::size_t kMostPaths = 20;
    std::string text;
    for (std::size_t k = 0; k < missing_.size() && k < kMostPaths; ++k) {
      const Node& node = graph_.node(missing_[k]);
      const AttrValue* const other = node.def.attr.Find("_gradient_op_type");
      StrAppend(&text, k == 0 ? "No gradient defined for operation '" : "; for operation '", node.name(),
                "' (op type: ", other != nullptr ? other->s() : node.op_name(), "), path: ", PathThrough(node.id));
    }
    if (missing_.size() > kMostPaths) StrAppend(&text, "; and ", missing_.size() - kMostPaths, " more");
    return errors::NotFound(text);
  }

  GraphEditor& editor_;
  Graph& graph_;
  const GradientIndex& functions_;
  std::string scope_;
  const GradientAggregation aggregation_;
  int count_ = 0;          // nodes before the walk
  DataTypeSet has_sums_;   // types for which HasSums is known to be true
  SlimVector<char> marks_;
  SlimVector<int> pending_, toward_x_, toward_y_;  // per node
  SlimVector<std::size_t> first_output_;           // per node
  SlimVector<Parts> gradients_;                    // per output of each node
  SlimVector<int> missing_;
};

TENON_DETAIL_NAMESPACE_END
