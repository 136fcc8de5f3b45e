// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules by which variables follow their gradients, with the parameters and slots of TensorFlow's optimizers. A
// program may add its own: a struct with a function Update(UpdateBuilder&).

#include <tenon/gradients/training/learning_rate.hpp>
#include <tenon/gradients/training/training_nodes.hpp>
#include <tenon/gradients/training/update_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// v -= learning_rate g
struct Sgd {
  LearningRate learning_rate = 0.01;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    if (!u.is_sparse()) return u.Apply("GradientDescent", {u.variable(), u.number(learning_rate), u.gradient()});
    u.SubtractRows(u.gradient() * u.number(learning_rate));
  }
};

// a = momentum a + g; v -= learning_rate a, or with `nesterov` v -= learning_rate (g + momentum a)
struct Momentum {
  LearningRate learning_rate = 0.01;
  double momentum = 0.9;
  bool nesterov = false;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.Apply("Momentum",
            {u.variable(), u.slot("Momentum", 0), u.number(learning_rate), u.gradient(), u.number(momentum)},
            {{"use_nesterov", nesterov}});
  }
};

// a += g^2; v -= learning_rate g / sqrt(a)
struct Adagrad {
  LearningRate learning_rate = 0.01;
  double initial_accumulator_value = 0.1;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.Apply("Adagrad",
            {u.variable(), u.slot("Adagrad", initial_accumulator_value), u.number(learning_rate), u.gradient()});
  }
};

// ms = decay ms + (1 - decay) g^2; mom = momentum mom + learning_rate g / sqrt(ms + epsilon); v -= mom. `centered`: the
// square of the mean gradient is taken off ms.
struct RmsProp {
  LearningRate learning_rate = 0.001;
  double decay = 0.9, momentum = 0, epsilon = 1e-10;
  bool centered = false;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    const Symbol ms = u.slot("RMSProp", 1), mom = u.slot("RMSProp_1", 0), rate = u.number(learning_rate);
    const Symbol rho = u.number(decay), inertia = u.number(momentum), least = u.number(epsilon);
    if (!centered) return u.Apply("RMSProp", {u.variable(), ms, mom, rate, rho, inertia, least, u.gradient()});
    u.Apply("CenteredRMSProp",
            {u.variable(), u.slot("RMSProp_2", 0), ms, mom, rate, rho, inertia, least, u.gradient()});
  }
};

// lr_t = learning_rate sqrt(1 - beta2^t) / (1 - beta1^t); v -= lr_t m / (sqrt(s) + epsilon), where m and s are means of
// g and of g^2. Rows that have no gradient change, too.
struct Adam {
  LearningRate learning_rate = 0.001;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.MakeDense();
    const Symbol power1 = Power(u, "beta1_power", beta1), power2 = Power(u, "beta2_power", beta2);
    u.Apply("Adam", {u.variable(), u.slot("Adam", 0), u.slot("Adam_1", 0), power1, power2, u.number(learning_rate),
                     u.number(beta1), u.number(beta2), u.number(epsilon), u.gradient()});
  }

 private:
  // beta^t, which grows once a step.
  static Symbol Power(UpdateBuilder& u, const char* name, double beta) {
    bool made = false;
    const TrainingNodes::Shared power = u.shared(name, beta, &made);
    if (made) u.Last(u.editor().Add("AssignVariableOp", {power.handle, power.value * u.number(beta)}));
    return power.value;
  }
};

// a = rho a + (1 - rho) g^2; d = g sqrt(s + epsilon) / sqrt(a + epsilon); s = rho s + (1 - rho) d^2; v -= learning_rate
// d
struct Adadelta {
  LearningRate learning_rate = 0.001;
  double rho = 0.95, epsilon = 1e-8;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.Apply("Adadelta", {u.variable(), u.slot("Adadelta", 0), u.slot("Adadelta_1", 0), u.number(learning_rate),
                         u.number(rho), u.number(epsilon), u.gradient()});
  }
};

// "Follow the regularised leader".
struct Ftrl {
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5, initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0, l2_regularization_strength = 0;

  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    u.Apply("Ftrl", {u.variable(), u.slot("Ftrl", initial_accumulator_value), u.slot("Ftrl_1", 0), u.gradient(),
                     u.number(learning_rate), u.number(l1_regularization_strength),
                     u.number(l2_regularization_strength), u.number(learning_rate_power)});
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
