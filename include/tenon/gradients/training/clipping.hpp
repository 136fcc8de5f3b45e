// SPDX-License-Identifier: Apache-2.0
#pragma once
// Clipping of gradients, with the semantics of tf.clip_by_value, tf.clip_by_norm and tf.clip_by_global_norm. The parts
// stand before the rule in a Chain. Slices are clipped by their values; rows of the same index are not summed before.

#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/step_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
// The tensor in another type; the symbol itself where it has the type.
inline Symbol Casted(Symbol s, DataType type) {
  return !s || s.dtype() == type ? s : s.editor->Add("Cast", {s}, {{"DstT", type}});
}
// The numbers of all dimensions.
inline Symbol AllAxes(Symbol s) {
  if (!s) return s;
  GraphEditor& e = *s.editor;
  const int rank = s.shape().dims();
  if (rank < 0) return e.Add("Range", {e.Int(0), e.Add("Rank", {s}), e.Int(1)});
  SlimVector<std::int32_t> axes;
  for (int d = 0; d < rank; ++d) axes.push_back(d);
  return e.Ints(axes);
}
}  // namespace detail

// Numbers below `low` become `low`, numbers above `high` become `high`. NaN stays.
inline Symbol ClippedByValue(Symbol t, double low, double high) {
  if (!t) return t;
  GraphEditor& e = *t.editor;
  const Symbol below = e.Add("Minimum", {t, e.Scalar(t.dtype(), high)});
  return e.Add("Maximum", {below, e.Scalar(t.dtype(), low)});
}
// t norm / max(|t|, norm), where |t| is the root of the sum of squares of the whole tensor.
inline Symbol ClippedByNorm(Symbol t, double norm) {
  if (!t) return t;
  GraphEditor& e = *t.editor;
  const Symbol sum = e.Add("Sum", {t * t, detail::AllAxes(t)}, {{"keep_dims", true}});
  const Symbol positive = e.Add("Greater", {sum, e.Scalar(t.dtype(), 0)});
  const Symbol safe = e.Add("SelectV2", {positive, sum, e.Add("OnesLike", {sum})});
  const Symbol length = e.Add("SelectV2", {positive, e.Add("Sqrt", {safe}), sum});
  const Symbol limit = e.Scalar(t.dtype(), norm);
  return t * limit / e.Add("Maximum", {length, limit});
}
// The root of the sum of squares of all tensors, in the type of the first.
inline Symbol GlobalNorm(Span<const Symbol> tensors) {
  SlimVector<Symbol> halves;
  for (const Symbol t : tensors) {
    if (!t) return t;
    halves.push_back(detail::Casted(t.editor->Add("L2Loss", {t}), tensors[0].dtype()));
  }
  if (halves.empty()) return {};
  GraphEditor& e = *tensors[0].editor;
  const Symbol sum = halves.size() == 1 ? halves[0] : e.Add("AddN", {GraphEditor::Input(halves)});
  return e.Add("Sqrt", {sum * 2.0});
}
// A factor for every tensor: 1 where the global norm is at most `norm`, else norm / global norm. NaN where the global
// norm is infinite or NaN.
inline Symbol GlobalNormScale(Symbol global_norm, double norm) {
  if (!global_norm) return global_norm;
  GraphEditor& e = *global_norm.editor;
  const Symbol limit = e.Scalar(global_norm.dtype(), norm), one = e.Scalar(global_norm.dtype(), 1);
  const Symbol scale = limit * e.Add("Minimum", {one / global_norm, one / limit});
  const Symbol nan = e.Scalar(global_norm.dtype(), std::numeric_limits<double>::quiet_NaN());
  return e.Add("SelectV2", {e.Add("IsFinite", {global_norm}), scale, nan});
}

// A part of a Chain: every number of a gradient is in [low, high].
struct ClipByValue {
  double low = -1, high = 1;

  // Clips all gradients.
  void Gradients(StepBuilder& step) const {
    for (std::size_t i = 0; i < step.size(); ++i) step.set_values(i, ClippedByValue(step.values(i), low, high));
  }
};
// A part of a Chain: every gradient has at most this norm.
struct ClipByNorm {
  double norm = 1;

  // Clips all gradients.
  void Gradients(StepBuilder& step) const {
    for (std::size_t i = 0; i < step.size(); ++i) step.set_values(i, ClippedByNorm(step.values(i), norm));
  }
};
// A part of a Chain: all gradients together have at most this norm. They become NaN where their norm is not finite.
struct ClipByGlobalNorm {
  double norm = 1;

  // Clips all gradients.
  void Gradients(StepBuilder& step) const {
    SlimVector<Symbol> all;
    for (std::size_t i = 0; i < step.size(); ++i) all.push_back(step.values(i));
    const Symbol scale = GlobalNormScale(GlobalNorm(all), norm);
    for (std::size_t i = 0; i < step.size(); ++i) {
      step.set_values(i, all[i] * detail::Casted(scale, all[i].dtype()));
    }
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
