// SPDX-License-Identifier: Apache-2.0
#pragma once
// Metrics for AddMetric with the semantics of Keras 3: 1 for each sample that is right, else 0, as float.
// AddRunningMean keeps the mean of a tensor over several runs.

#include <cstdint>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/add_loss.hpp>
#include <tenon/gradients/training/clipping.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
inline Symbol AreEqual(GraphEditor& e, Symbol a, Symbol b) { return Casted(e.Add("Equal", {a, b}), DataType::kFloat); }
// Number of the largest item of the last axis: int64.
inline Symbol Largest(GraphEditor& e, Symbol s) { return e.Add("ArgMax", {s, e.Int(-1)}); }
// Labels [n, 1] for predictions [n, k] as [n].
inline Symbol WithoutLastOne(GraphEditor& e, Symbol labels, Symbol like) {
  const int rank = labels.shape().dims();
  const bool one = rank > 0 && rank == like.shape().dims() && labels.shape().dim_size(rank - 1) == 1;
  return one ? e.Add("Squeeze", {labels}, {{"squeeze_dims", SlimVector<std::int64_t>{-1}}}) : labels;
}
// Whether each label, the number of a class, is among the k largest predictions.
inline Symbol InTop(GraphEditor& e, Symbol labels, Symbol y_pred, int k) {
  const Symbol classes = Casted(labels, DataType::kInt32);
  const int rank = y_pred.shape().dims();
  const Symbol flat = labels.shape().dims() == 1 ? classes : e.Add("Reshape", {classes, e.Ints({-1})});
  Symbol rows = Casted(y_pred, DataType::kFloat);
  if (rank != 2) {
    const Symbol last = e.Add("StridedSlice", {e.Add("Shape", {rows}), e.Ints({-1}), e.Ints({0}), e.Ints({1})},
                              {{"end_mask", 1}, {"shrink_axis_mask", 1}});
    rows = e.Add("Reshape", {rows, e.Add("Pack", {{e.Int(-1), last}})});
  }
  const Symbol in = Casted(e.Add("InTopKV2", {rows, flat, e.Int(k)}), DataType::kFloat);
  return labels.shape().dims() == 1 ? in : e.Add("Reshape", {in, e.Add("Shape", {labels})});
}
}  // namespace detail

namespace metrics {

// y_true == y_pred
struct Accuracy {
  // Adds the nodes of the metric of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    y_true = detail::Casted(y_true, y_pred.dtype());
    detail::ToSameRank(&y_true, &y_pred);
    return detail::AreEqual(e, y_true, y_pred);
  }
};
// y_true == (y_pred > threshold)
struct BinaryAccuracy {
  double threshold = 0.5;
  // Adds the nodes of the metric of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    detail::ToSameRank(&y_true, &y_pred);
    const Symbol over = e.Add("Greater", {y_pred, e.Scalar(y_pred.dtype(), threshold)});
    return detail::AreEqual(e, y_true, detail::Casted(over, y_true.dtype()));
  }
};
// The largest of y_true [n, k] is the largest of y_pred [n, k].
struct CategoricalAccuracy {
  // Adds the nodes of the metric of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    return detail::AreEqual(e, detail::Largest(e, y_true), detail::Largest(e, y_pred));
  }
};
// y_true [n] is the number of the largest of y_pred [n, k].
struct SparseCategoricalAccuracy {
  // Adds the nodes of the metric of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    y_true = detail::WithoutLastOne(e, y_true, y_pred);
    return detail::AreEqual(e, detail::Casted(y_true, DataType::kInt64), detail::Largest(e, y_pred));
  }
};
// The largest of y_true [n, classes] is among the k largest of y_pred [n, classes].
struct TopKCategoricalAccuracy {
  int k = 5;
  // Adds the nodes of the metric of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    return detail::InTop(e, detail::Largest(e, y_true), y_pred, k);
  }
};
// y_true [n] is the number of one of the k largest of y_pred [n, classes].
struct SparseTopKCategoricalAccuracy {
  int k = 5;
  // Adds the nodes of the metric of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    return detail::InTop(e, detail::WithoutLastOne(e, y_true, y_pred), y_pred, k);
  }
};

}  // namespace metrics

// `reset` runs once before the first run. `mean` adds the numbers of a run and is the mean of all since.
struct RunningMeanNames {
  std::string mean, reset;
};
// Adds a running mean of all numbers of a floating tensor, with variables "name/total" and "name/count". Errors and
// safety as AddTensors. InvalidArgument: the tensor is not of a floating type.
inline Result<RunningMeanNames> AddRunningMean(GraphDef* graph, const std::string& tensor,
                                               const std::string& name = "running_mean") {
  const std::string tensors[] = {tensor};
  const auto make = [&](GraphEditor& e, Span<const Symbol> x) -> SlimVector<Symbol> {
    const DataType type = x[0].dtype();
    if (!kFloatingTypes.contains(type)) {
      e.Fail(errors::InvalidArgument("AddRunningMean: '", tensor, "' is of type ", type,
                                     "; only floating-point tensors have a mean"));
      return {};
    }
    const Symbol reset = e.Add("NoOp", {});
    const auto sum_of = [&](const char* part, Symbol more) {  // over all runs
      const Symbol sum = e.Add("VarHandleOp", {},
                               {{"dtype", type},
                                {"shape", PartialTensorShape(TensorShape())},
                                {"shared_name", StrCat(e.scope(), "/", part)}});
      const Symbol clear = e.Add("AssignVariableOp", {sum, e.Scalar(type, 0)});
      const Symbol add = e.Add("AssignAddVariableOp", {sum, more}),
                   read = e.Add("ReadVariableOp", {sum}, {{"dtype", type}});
      if (!read || !reset) return read;
      e.graph().AddControlEdge(clear.node, reset.node);
      e.graph().AddControlEdge(add.node, read.node);
      return read;
    };
    const Symbol total = sum_of("total", detail::SumOfAll(x[0]));
    const Symbol count = sum_of("count", detail::Casted(e.Add("Size", {x[0]}), type));
    return {e.Add("DivNoNan", {total, count}), reset};
  };
  TENON_ASSIGN_OR_RETURN(const auto names, AddTensors(graph, tensors, make, name));
  return RunningMeanNames{names[0], names[1]};
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
