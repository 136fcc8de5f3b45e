// SPDX-License-Identifier: Apache-2.0
#pragma once
// Learning rates that follow the number of the step, as tf.keras.optimizers.schedules: float scalars. Each stands in
// the place of a number: Adam{.learning_rate = CosineDecay{.initial = 0.1, .decay_steps = 1000}}.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/gradients/graph_editor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
// Arithmetic of floats for schedules.
struct ScheduleMath {
  GraphEditor& e;

  Symbol Number(double value) const { return e.Scalar(DataType::kFloat, value); }
  Symbol Float(Symbol step) const { return e.Add("Cast", {step}, {{"DstT", DataType::kFloat}}); }
  Symbol Floor(Symbol s) const { return e.Add("Floor", {s}); }
  Symbol Pow(Symbol base, Symbol power) const { return e.Add("Pow", {base, power}); }
  Symbol Least(Symbol a, Symbol b) const { return e.Add("Minimum", {a, b}); }
  Symbol Where(Symbol condition, Symbol a, Symbol b) const { return e.Add("SelectV2", {condition, a, b}); }
  // 0.5 (1 + cos(pi fraction))
  Symbol HalfCosine(Symbol fraction) const {
    return 0.5 * (1.0 + e.Add("Cos", {Number(3.14159265358979323846) * fraction}));
  }
};
}  // namespace detail

// initial decay_rate^(step / decay_steps). `staircase`: the exponent is rounded down.
struct ExponentialDecay {
  double initial = 0.1, decay_steps = 1000, decay_rate = 0.96;
  bool staircase = false;

  // Adds the nodes of the rate.
  Symbol At(GraphEditor& editor, Symbol step) const {
    const detail::ScheduleMath m{editor};
    Symbol p = m.Float(step) / m.Number(decay_steps);
    if (staircase) p = m.Floor(p);
    return m.Number(initial) * m.Pow(m.Number(decay_rate), p);
  }
};

// initial / (1 + decay_rate step / decay_steps). `staircase`: the fraction is rounded down.
struct InverseTimeDecay {
  double initial = 0.1, decay_steps = 1000, decay_rate = 0.5;
  bool staircase = false;

  // Adds the nodes of the rate.
  Symbol At(GraphEditor& editor, Symbol step) const {
    const detail::ScheduleMath m{editor};
    Symbol p = m.Float(step) / m.Number(decay_steps);
    if (staircase) p = m.Floor(p);
    return m.Number(initial) / (1.0 + m.Number(decay_rate) * p);
  }
};

// (initial - end) (1 - step / decay_steps)^power + end; `end` after decay_steps. `cycle`: decay_steps grows to the next
// multiple instead.
struct PolynomialDecay {
  double initial = 0.1, decay_steps = 1000, end = 0.0001, power = 1;
  bool cycle = false;

  // Adds the nodes of the rate.
  Symbol At(GraphEditor& editor, Symbol step) const {
    const detail::ScheduleMath m{editor};
    Symbol at = m.Float(step), steps = m.Number(decay_steps);
    if (cycle) {
      const Symbol first = editor.Add("Equal", {at, m.Number(0)});
      steps = steps * m.Where(first, m.Number(1), editor.Add("Ceil", {at / m.Number(decay_steps)}));
    } else {
      at = m.Least(at, steps);
    }
    const Symbol rest = m.Pow(1.0 - at / steps, m.Number(power));
    return (m.Number(initial) - m.Number(end)) * rest + m.Number(end);
  }
};

// values[0] up to and with step boundaries[0], values[i] up to boundaries[i], the last value afterwards.
struct PiecewiseConstant {
  SlimVector<std::int64_t> boundaries = {};
  SlimVector<double> values = {};

  // Adds the nodes of the rate.
  Symbol At(GraphEditor& editor, Symbol step) const {
    if (boundaries.empty() || boundaries.size() + 1 != values.size()) {
      editor.Fail(errors::InvalidArgument("PiecewiseConstant: the number of boundaries, ", boundaries.size(),
                                          ", should be 1 less than the number of values, ", values.size()));
      return {};
    }
    const detail::ScheduleMath m{editor};
    Symbol rate = m.Number(values[boundaries.size()]);
    for (std::size_t i = boundaries.size(); i-- > 0;) {
      const Symbol bound = editor.Const(Tensor::Scalar(boundaries[i]));
      rate = m.Where(editor.Add("LessEqual", {step, bound}), m.Number(values[i]), rate);
    }
    return rate;
  }
};

// Half a cosine from `initial` to alpha initial over decay_steps. With warmup_steps the rate first rises in a straight
// line from `initial` to warmup_target, which then decays.
struct CosineDecay {
  double initial = 0.1, decay_steps = 1000, alpha = 0, warmup_target = 0, warmup_steps = 0;

  // Adds the nodes of the rate.
  Symbol At(GraphEditor& editor, Symbol step) const {
    const detail::ScheduleMath m{editor};
    const Symbol steps = m.Number(decay_steps), start = m.Number(initial), warm = m.Number(warmup_steps);
    if (!(warmup_steps > 0)) return Decayed(m, m.Least(m.Float(step), steps), start);
    const Symbol at = m.Least(m.Float(step), steps + warm), target = m.Number(warmup_target);
    return m.Where(editor.Add("Less", {at, warm}), (target - start) * (at / warm) + start,
                   Decayed(m, at - warm, target));
  }

 private:
  Symbol Decayed(const detail::ScheduleMath& m, Symbol at, Symbol from) const {
    return from * (m.Number(1 - alpha) * m.HalfCosine(at / m.Number(decay_steps)) + m.Number(alpha));
  }
};

// Half cosines one after the other. Each lasts t_mul times as long as the one before and begins at m_mul times its
// height.
struct CosineDecayRestarts {
  double initial = 0.1, first_decay_steps = 1000, t_mul = 2, m_mul = 1, alpha = 0;

  // Adds the nodes of the rate.
  Symbol At(GraphEditor& editor, Symbol step) const {
    const detail::ScheduleMath m{editor};
    Symbol done = m.Float(step) / m.Number(first_decay_steps), restart;
    const Symbol t = m.Number(t_mul);
    if (t_mul == 1) {
      restart = m.Floor(done);
      done = done - restart;
    } else {
      restart = m.Floor(editor.Add("Log", {1.0 - done * (1.0 - t)}) / editor.Add("Log", {t}));
      const Symbol before = (1.0 - m.Pow(t, restart)) / (1.0 - t);
      done = (done - before) / m.Pow(t, restart);
    }
    const Symbol height = 0.5 * m.Pow(m.Number(m_mul), restart);
    const Symbol wave = 1.0 + editor.Add("Cos", {m.Number(3.14159265358979323846) * done});
    return m.Number(initial) * ((1.0 - m.Number(alpha)) * (height * wave) + m.Number(alpha));
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
