// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weight decay beside the gradient, and the rules that Keras builds on it: AdamW, Lion, LAMB.

#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/learning_rate.hpp>
#include <tenon/gradients/training/update_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// v -= v weight_decay learning_rate, before the rule that comes next in a Chain. A variable stays if its name contains
// an item of `exclude`.
struct WeightDecay {
  double weight_decay = 0.004;
  LearningRate learning_rate = 0.001;
  SlimVector<std::string> exclude = {};

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    for (const std::string& text : exclude)
      if (u.name().find(text) != std::string::npos) return;
    const Symbol v = u.Read(u.variable());
    u.Assign(u.variable(), v - v * u.number(weight_decay) * u.number(learning_rate));
    u.Then();
  }
};

namespace detail {
// beta^t, where t counts from 1.
inline Symbol PowerOfStep(UpdateBuilder& u, double beta) {
  const Symbol step = u.editor().Add("Cast", {u.iteration()}, {{"DstT", u.type()}});
  return u.editor().Add("Pow", {u.number(beta), step + 1.0});
}
// mean += (value - mean) (1 - beta), stored in the slot. Returns the new mean.
inline Symbol MoveMean(UpdateBuilder& u, Symbol slot, Symbol value, double beta) {
  const Symbol mean = u.Read(slot), moved = mean + (value - mean) * u.number(1 - beta);
  u.Assign(slot, moved);
  return moved;
}
}  // namespace detail

// WeightDecay and Adam, as keras.optimizers.AdamW.
struct AdamW {
  LearningRate learning_rate = 0.001;
  double weight_decay = 0.004, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;
  SlimVector<std::string> exclude = {};  // from the decay

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.MakeDense();
    WeightDecay{weight_decay, learning_rate, exclude}.Update(u);
    const Symbol power1 = detail::PowerOfStep(u, beta1), power2 = detail::PowerOfStep(u, beta2);
    u.Apply("Adam", {u.variable(), u.slot("momentum", 0), u.slot("velocity", 0), power1, power2,
                     u.number(learning_rate), u.number(beta1), u.number(beta2), u.number(epsilon), u.gradient()});
  }
};

// v -= learning_rate sign(beta1 m + (1 - beta1) g); m = beta2 m + (1 - beta2) g, as keras.optimizers.Lion.
struct Lion {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  SlimVector<std::string> exclude = {};  // from the decay

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.MakeDense();
    if (weight_decay != 0) WeightDecay{weight_decay, learning_rate, exclude}.Update(u);
    const Symbol slot = u.slot("momentum", 0), m = u.Read(slot), g = u.gradient();
    const Symbol b1 = u.number(beta1), b2 = u.number(beta2);
    const Symbol sign = u.editor().Add("Sign", {m * b1 + g * (1.0 - b1)});
    u.Subtract(u.variable(), u.number(learning_rate) * sign);
    u.Assign(slot, m * b2 + g * (1.0 - b2));
  }
};

// Adam's step, scaled by the norm of the variable over that of the step, as keras.optimizers.Lamb.
struct Lamb {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7, weight_decay = 0;
  SlimVector<std::string> exclude = {};  // from the decay

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.MakeDense();
    if (weight_decay != 0) WeightDecay{weight_decay, learning_rate, exclude}.Update(u);
    GraphEditor& e = u.editor();
    const Symbol g = u.gradient(), v = u.Read(u.variable());
    const Symbol m = detail::MoveMean(u, u.slot("momentum", 0), g, beta1);
    const Symbol s = detail::MoveMean(u, u.slot("velocity", 0), e.Add("Square", {g}), beta2);
    const Symbol mean = m / (1.0 - detail::PowerOfStep(u, beta1));
    const Symbol root = e.Add("Sqrt", {s / (1.0 - detail::PowerOfStep(u, beta2))}) + u.number(epsilon);
    const Symbol step = mean / root, of_v = Norm(u, v), of_step = Norm(u, step);
    const Symbol one = u.number(1), zero = u.number(0);
    const Symbol inner = e.Add("SelectV2", {e.Add("Greater", {of_step, zero}), of_v / of_step, one});
    const Symbol ratio = e.Add("SelectV2", {e.Add("Greater", {of_v, zero}), inner, one});
    u.Subtract(u.variable(), ratio * u.number(learning_rate) * step);
  }

 private:
  static Symbol Norm(UpdateBuilder& u, Symbol s) {
    GraphEditor& e = u.editor();
    const Symbol axes = e.Add("Range", {e.Int(0), e.Add("Rank", {s}), e.Int(1)});
    return e.Add("Sqrt", {e.Add("Sum", {e.Add("Square", {s}), axes})});
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
