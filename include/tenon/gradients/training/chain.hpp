// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chain: an optimizer made of parts, each a struct that changes the loss, the gradients or a variable.
//
//   Chain{ClipByGlobalNorm{1.0}, AdamW{.learning_rate = 0.001}, MovingAverage{.decay = 0.99}}

#include <tuple>
#include <utility>

#include <tenon/gradients/graph_editor.hpp>
#include <tenon/gradients/training/step_builder.hpp>
#include <tenon/gradients/training/update_builder.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Parts in the order in which they work. A part has some of Loss, Gradients and Update, as AddTraining describes them.
// An update of a variable sees those of the parts before it.
template <class... Parts>
class Chain {
 public:
  // The parts, in the order in which they work.
  explicit Chain(Parts... parts) : parts_(std::move(parts)...) {}

  // The tensor to derive: the loss, changed by each part.
  Symbol Loss(StepBuilder& step, Symbol loss) const {
    Each([&](const auto& part) {
      if constexpr (requires { part.Loss(step, loss); }) loss = part.Loss(step, loss);
    });
    return loss;
  }
  // Changes the gradients.
  void Gradients(StepBuilder& step) const {
    Each([&](const auto& part) {
      if constexpr (requires { part.Gradients(step); }) part.Gradients(step);
    });
  }
  // Adds the nodes that update one variable.
  void Update(UpdateBuilder& u) const {
    Each([&](const auto& part) {
      if constexpr (requires { part.Update(u); }) {
        part.Update(u);
        u.Then();
      }
    });
  }

 private:
  template <class Use>
  void Each(Use use) const {
    std::apply([&](const auto&... part) { (use(part), ...); }, parts_);
  }
  std::tuple<Parts...> parts_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
