// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddTensor: adds nodes to a GraphDef by a function over symbols. AddLoss and AddMetric: losses and metrics, as Keras
// reduces them.

#include <cstdint>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/gradients/edited_graph.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/clipping.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// How the values of samples become a scalar.
enum class LossReduction : std::uint8_t {
  kSumOverBatchSize,  // the mean over all values
  kMeanWithSampleWeight,  // the sum over that of the weights
  kSum,
  kNone,  // one value per sample
};

// Options of AddLoss and AddMetric.
struct LossOptions {
  LossReduction reduction = LossReduction::kSumOverBatchSize;
  std::string sample_weight = {};  // a tensor that the values are multiplied with; "": none
  std::string scope = "loss";  // new nodes are "scope/...", made unique
  const OpRegistry* ops = nullptr;  // null: the ops that TENON_REGISTER put into this process
};

// One value per sample, and the samples that count.
struct LossValues {
  LossValues(Symbol all, Symbol counted = {}) : values(all), mask(counted) {}
  Symbol values, mask;  // mask: booleans; none: all count
};

// Adds the nodes that make(GraphEditor&, Span<const Symbol>) adds for some tensors of a graph. Returns the names of the
// tensors whose list it returns. After an error the graph is as it was. NotFound: a name is not in the graph. Other
// codes: the function fails, by GraphEditor::Fail or by wrong nodes. externally synchronised.
template <class Make>
Result<SlimVector<std::string>> AddTensors(GraphDef* graph, Span<const std::string> tensors, const Make& make,
                                           const std::string& scope = "tensor", const OpRegistry* ops = nullptr) {
  Result<SlimVector<std::string>> names = SlimVector<std::string>();
  const Status status = detail::CatchAll("AddTensors", [&]() -> Status {
    EditedGraph edited(graph, ops != nullptr ? *ops : Registry::Global().ops());
    TENON_RETURN_IF_ERROR(edited.Open(false));
    SlimVector<InEdge> edges;
    TENON_RETURN_IF_ERROR(edited.Find("AddTensors", tensors, &edges));
    SlimVector<Symbol> symbols;
    for (const InEdge edge : edges) symbols.push_back(edited.editor().At(edge));
    (void)edited.UseScope(scope);
    const SlimVector<Symbol> made = make(edited.editor(), Span<const Symbol>(symbols));
    TENON_RETURN_IF_ERROR(edited.editor().status());
    SlimVector<int> roots;
    for (const Symbol one : made) {
      if (!one) return errors::InvalidArgument("AddTensors: the function returned no tensor");
      names->push_back(edited.Name(one.edge()));
      roots.push_back(one.node);
    }
    edited.Store(roots);
    return OkStatus();
  });
  if (!status.ok()) return status;
  return names;
}
// Does so for a function that returns one tensor.
//
//   AddTensor(&graph, names, [](tenon::GraphEditor&, tenon::Span<const tenon::Symbol> x) { return x[0] * x[1]; });
template <class Make>
Result<std::string> AddTensor(GraphDef* graph, Span<const std::string> tensors, const Make& make,
                              const std::string& scope = "tensor", const OpRegistry* ops = nullptr) {
  const auto list = [&](GraphEditor& e, Span<const Symbol> x) { return SlimVector<Symbol>{make(e, x)}; };
  TENON_ASSIGN_OR_RETURN(const auto names, AddTensors(graph, tensors, list, scope, ops));
  return names[0];
}

namespace detail {

// Where ranks differ by one and the last size is 1: the tensor of more dimensions loses it, or a vector gets it.
inline void ToSameRank(Symbol* a, Symbol* b) {
  const int of_a = a->shape().dims(), of_b = b->shape().dims();
  if (of_a < 0 || of_b < 0 || of_a == of_b) return;
  Symbol *const more = of_a > of_b ? a : b, *const less = of_a > of_b ? b : a;
  const int rank = more->shape().dims();
  if (rank != less->shape().dims() + 1 || more->shape().dim_size(rank - 1) != 1) return;
  GraphEditor& e = *a->editor;
  if (rank == 2) {
    *less = e.Add("ExpandDims", {*less, e.Int(-1)});
  } else {
    *more = e.Add("Squeeze", {*more}, {{"squeeze_dims", SlimVector<std::int64_t>{-1}}});
  }
}
inline Symbol SumOfAll(Symbol s) { return s ? s.editor->Add("Sum", {s, AllAxes(s)}) : s; }

// Weighted values as a scalar.
inline Symbol ReduceLoss(LossValues each, Symbol weight, LossReduction reduction) {
  Symbol values = each.values;
  if (!values) return values;
  GraphEditor& e = *values.editor;
  const DataType type = values.dtype();
  const auto size = [&](Symbol s) { return Casted(e.Add("Size", {s}), type); };
  weight = Casted(weight, type);
  if (each.mask) {
    Symbol counted = Casted(each.mask, type);
    if (reduction == LossReduction::kSumOverBatchSize)
      counted = counted * e.Add("DivNoNan", {size(counted), SumOfAll(counted)});
    if (weight) ToSameRank(&counted, &weight);
    weight = weight ? weight * counted : counted;
  }
  if (weight) {
    ToSameRank(&values, &weight);
    values = values * weight;
  }
  if (reduction == LossReduction::kNone || values.shape().dims() == 0) return values;
  const Symbol sum = SumOfAll(values);
  if (reduction == LossReduction::kSum) return sum;
  const bool by_weight = weight && reduction == LossReduction::kMeanWithSampleWeight;
  return e.Add("DivNoNan", {sum, by_weight ? SumOfAll(weight) : size(values)});
}

template <class Loss>
Result<std::string> AddLossOf(GraphDef* graph, const std::string& y_true, const std::string& y_pred, const Loss& loss,
                              const LossOptions& options, LossReduction reduction) {
  SlimVector<std::string> names{y_true, y_pred};
  if (!options.sample_weight.empty()) names.push_back(options.sample_weight);
  return AddTensor(
      graph, names,
      [&](GraphEditor& e, Span<const Symbol> x) {
        return ReduceLoss(loss.Each(e, x[0], x[1]), x.size() > 2 ? x[2] : Symbol(), reduction);
      },
      options.scope, options.ops);
}

}  // namespace detail

// Adds a loss of predictions `y_pred` for the labels `y_true`, names of tensors. Returns the name of the loss. A loss
// is a struct with LossValues Each(GraphEditor&, Symbol y_true, Symbol y_pred) const. Errors and safety as AddTensor.
//
//   AddLoss(&graph, "labels", "logits", losses::SparseCategoricalCrossentropy{.from_logits = true});
template <class Loss>
Result<std::string> AddLoss(GraphDef* graph, const std::string& y_true, const std::string& y_pred, const Loss& loss,
                            const LossOptions& options = {}) {
  return detail::AddLossOf(graph, y_true, y_pred, loss, options, options.reduction);
}
// Adds a metric: the mean over samples, weighted where the options name a sample_weight.
template <class Metric>
Result<std::string> AddMetric(GraphDef* graph, const std::string& y_true, const std::string& y_pred,
                              const Metric& metric, LossOptions options = {}) {
  if (options.scope == "loss") options.scope = "metric";
  const bool mean = options.reduction == LossReduction::kSumOverBatchSize;
  return detail::AddLossOf(graph, y_true, y_pred, metric, options,
                           mean ? LossReduction::kMeanWithSampleWeight : options.reduction);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
