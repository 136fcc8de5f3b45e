// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses for AddLoss with the semantics of Keras 3. Numbers are computed in the type of the predictions; half and
// bfloat16 in float.

#include <cstdint>
#include <optional>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/add_loss.hpp>
#include <tenon/gradients/training/clipping.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline constexpr double kKerasEpsilon = 1e-7;

// Nodes that losses need. `y_true` has the type of `y_pred`.
struct LossMath {
  GraphEditor& e;
  Symbol y_true, y_pred;

  LossMath(GraphEditor& editor, Symbol labels, Symbol predictions) : e(editor) {
    const DataType type = predictions.dtype();
    y_pred = Casted(predictions, type == DataType::kHalf || type == DataType::kBfloat16 ? DataType::kFloat : type);
    y_true = Casted(labels, y_pred.dtype());
    ToSameRank(&y_true, &y_pred);
  }
  Symbol Number(double value) const { return e.Scalar(y_pred.dtype(), value); }
  Symbol Mean(Symbol s) const { return e.Add("Mean", {s, e.Int(-1)}); }
  Symbol Sum(Symbol s, bool keep = false) const { return e.Add("Sum", {s, e.Int(-1)}, {{"keep_dims", keep}}); }
  Symbol Where(Symbol condition, Symbol a, Symbol b) const { return e.Add("SelectV2", {condition, a, b}); }
  Symbol Log(Symbol s) const { return e.Add("Log", {s}); }
  Symbol Square(Symbol s) const { return e.Add("Square", {s}); }
  Symbol Positive(Symbol s) const { return e.Add("Maximum", {s, Number(0)}); }
  // In [epsilon, high].
  Symbol Clipped(Symbol s, double high) const { return ClippedByValue(s, kKerasEpsilon, high); }
  // The input of a Softmax or Sigmoid that made the predictions: losses of logits lose less.
  static bool LogitsOf(Symbol s, std::string_view op, Symbol* logits) {
    if (!s || s.editor->graph().node(s.node).op_name() != op) return false;
    *logits = s.editor->At(s.editor->graph().node(s.node).input(0));
    return true;
  }
  // The size of the last dimension: int32.
  Symbol LastSize(Symbol s) const {
    const int rank = s.shape().dims();
    if (rank > 0 && s.shape().dim_size(rank - 1) >= 0)
      return e.Int(static_cast<std::int32_t>(s.shape().dim_size(rank - 1)));
    return e.Add("StridedSlice", {e.Add("Shape", {s}), e.Ints({-1}), e.Ints({0}), e.Ints({1})},
                 {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  }
  // [a, b, n] as [a b, n].
  Symbol Rows(Symbol s) const {
    return s.shape().dims() == 2 ? s : e.Add("Reshape", {s, e.Add("Pack", {{e.Int(-1), LastSize(s)}})});
  }
  // One value per row, in the shape [a, b] of a tensor [a, b, n].
  Symbol InLeading(Symbol rows, Symbol s) const {
    if (s.shape().dims() == 2) return rows;
    return e.Add("Reshape", {rows, e.Add("StridedSlice", {e.Add("Shape", {s}), e.Ints({0}), e.Ints({-1}), e.Ints({1})},
                                         {{"begin_mask", 1}})});
  }
  // Labels 0 and 1 become -1 and 1; others stay.
  Symbol Signs() const {
    const Symbol zero = e.Add("Equal", {y_true, Number(0)}), one = e.Add("Equal", {y_true, Number(1)});
    const Symbol either = e.Add("LogicalOr", {zero, one});
    return Where(e.Add("All", {either, AllAxes(either)}), 2.0 * y_true - 1.0, y_true);
  }
};

}  // namespace detail

namespace losses {

// mean (y_true - y_pred)^2
struct MeanSquaredError {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    return m.Mean(m.Square(m.y_true - m.y_pred));
  }
};
// mean |y_true - y_pred|
struct MeanAbsoluteError {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    return m.Mean(e.Add("Abs", {m.y_true - m.y_pred}));
  }
};
// mean of d^2 / 2 where |d| <= delta, else delta |d| - delta^2 / 2
struct Huber {
  double delta = 1;
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    const Symbol d = m.y_pred - m.y_true, size = e.Add("Abs", {d}), limit = m.Number(delta);
    return m.Mean(m.Where(e.Add("LessEqual", {size, limit}), 0.5 * m.Square(d), limit * size - 0.5 * m.Square(limit)));
  }
};
// mean log(cosh(y_pred - y_true))
struct LogCosh {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    const Symbol d = m.y_pred - m.y_true;
    return m.Mean(d + e.Add("Softplus", {d * -2.0}) - 0.69314718055994530942);
  }
};
// mean max(1 - y_true y_pred, 0). Labels 0 and 1 count as -1 and 1.
struct Hinge {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    return m.Mean(m.Positive(1.0 - m.Signs() * m.y_pred));
  }
};
// mean max(1 - y_true y_pred, 0)^2
struct SquaredHinge {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    return m.Mean(m.Square(m.Positive(1.0 - m.Signs() * m.y_pred)));
  }
};
// max(1 + max((1 - y_true) y_pred) - sum y_true y_pred, 0)
struct CategoricalHinge {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    const Symbol others = e.Add("Max", {(1.0 - m.y_true) * m.y_pred, e.Int(-1)});
    return m.Positive(others - m.Sum(m.y_true * m.y_pred) + 1.0);
  }
};
// sum y_true log(y_true / y_pred)
struct KLDivergence {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    const Symbol t = m.Clipped(m.y_true, 1);
    return m.Sum(t * m.Log(t / m.Clipped(m.y_pred, 1)));
  }
};
// mean y_pred - y_true log(y_pred)
struct Poisson {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    return m.Mean(m.y_pred - m.y_true * m.Log(m.y_pred + detail::kKerasEpsilon));
  }
};
// -sum of the products of both, each divided by its length
struct CosineSimilarity {
  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const detail::LossMath m(e, y_true, y_pred);
    const auto unit = [&](Symbol s) {
      const Symbol inverse = e.Add("Rsqrt", {m.Sum(m.Square(s), true)});
      return s * e.Add("Minimum", {inverse, m.Number(1 / detail::kKerasEpsilon)});
    };
    return -m.Sum(unit(m.y_true) * unit(m.y_pred));
  }
};
// -mean(y_true log(p) + (1 - y_true) log(1 - p)), where p is y_pred, or its sigmoid for logits.
struct BinaryCrossentropy {
  bool from_logits = false;
  double label_smoothing = 0;  // labels move so far towards 0.5

  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const bool logits = detail::LossMath::LogitsOf(y_pred, "Sigmoid", &y_pred) || from_logits;
    const detail::LossMath m(e, y_true, y_pred);
    Symbol t = m.y_true;
    if (label_smoothing != 0) t = t * (1 - label_smoothing) + 0.5 * label_smoothing;
    if (logits) {
      const Symbol positive = e.Add("GreaterEqual", {m.y_pred, m.Number(0)}), zeros = e.Add("ZerosLike", {m.y_pred});
      const Symbol down = e.Add("Exp", {m.Where(positive, -m.y_pred, m.y_pred)});
      return m.Mean(m.Where(positive, m.y_pred, zeros) - m.y_pred * t + e.Add("Log1p", {down}));
    }
    const Symbol p = m.Clipped(m.y_pred, 1 - detail::kKerasEpsilon);
    return m.Mean(-(t * m.Log(p) + (1.0 - t) * m.Log(1.0 - p)));
  }
};
// -sum y_true log(p), where p is y_pred divided by its sum, or the softmax of logits.
struct CategoricalCrossentropy {
  bool from_logits = false;
  double label_smoothing = 0;  // labels move so far towards equal ones

  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const bool logits = detail::LossMath::LogitsOf(y_pred, "Softmax", &y_pred) || from_logits;
    const detail::LossMath m(e, y_true, y_pred);
    Symbol t = m.y_true;
    if (label_smoothing != 0) {
      t = t * (1 - label_smoothing) + label_smoothing / detail::Casted(m.LastSize(t), t.dtype());
    }
    if (!logits) {
      const Symbol p = m.y_pred / m.Sum(m.y_pred, true);
      return -m.Sum(t * m.Log(m.Clipped(p, 1 - detail::kKerasEpsilon)));
    }
    return m.InLeading(e.Add("SoftmaxCrossEntropyWithLogits", {m.Rows(m.y_pred), m.Rows(t)}), m.y_pred);
  }
};
// As CategoricalCrossentropy, where a label is the number of its class. Samples of class `ignore_class` do not count.
struct SparseCategoricalCrossentropy {
  bool from_logits = false;
  std::optional<std::int64_t> ignore_class = {};

  // Adds the nodes of the loss of each example.
  LossValues Each(GraphEditor& e, Symbol y_true, Symbol y_pred) const {
    const bool logits = detail::LossMath::LogitsOf(y_pred, "Softmax", &y_pred) || from_logits;
    const detail::LossMath m(e, y_pred, y_pred);
    const int rank = y_true.shape().dims();
    if (rank > 0 && rank == y_pred.shape().dims() && y_true.shape().dim_size(rank - 1) == 1)
      y_true = e.Add("Squeeze", {y_true}, {{"squeeze_dims", SlimVector<std::int64_t>{-1}}});
    Symbol labels = detail::Casted(y_true, DataType::kInt64), scores = m.y_pred, mask;
    if (ignore_class.has_value()) {
      mask = e.Add("NotEqual", {labels, e.Const(Tensor::Scalar(*ignore_class))});
      labels = m.Where(mask, labels, e.Scalar(DataType::kInt64, 0));
      scores = m.Where(e.Add("ExpandDims", {mask, e.Int(-1)}), scores, m.Number(0));
    }
    if (!logits) scores = m.Log(m.Clipped(scores, 1 - detail::kKerasEpsilon));
    const Symbol flat = scores.shape().dims() == 2 ? labels : e.Add("Reshape", {labels, e.Ints({-1})});
    Symbol loss = e.Add("SparseSoftmaxCrossEntropyWithLogits", {m.Rows(scores), flat});
    loss = m.InLeading(loss, scores);
    return {mask ? m.Where(mask, loss, m.Number(0)) : loss, mask};
  }
};

}  // namespace losses

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
