// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/decoupled.hpp>

#include <doctest/doctest.h>

#include "gradients/training/trained.hpp"

namespace decoupled_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("decoupled") {
  // Numbers of tools/training_numbers.py optimizers.
  TEST_CASE("AdamW, Lion and LAMB are those of Keras") {
    const auto trained = [](const auto& optimizer) {
      Trained model(optimizer);
      model.Steps(5);
      return model.Variable("w");
    };
    CheckNear(trained(AdamW{.learning_rate = 0.1, .weight_decay = 0.01}), {1.49109614, -1.49362218, 0.439004034});
    CheckNear(trained(AdamW{.learning_rate = ExponentialDecay{.initial = 0.1, .decay_steps = 2, .decay_rate = 0.5},
                            .weight_decay = 0.01}),
              {1.27724504, -1.71425939, 0.481570601});
    CheckNear(trained(Lion{.learning_rate = 0.1}), {1.50000012, -1.49999988, 0.5});
    CheckNear(trained(Lion{.learning_rate = 0.1, .weight_decay = 0.1}), {1.44108963, -1.41188049, 0.473514944});
    CheckNear(trained(Lamb{.learning_rate = 0.1}), {1.78298998, -1.21562481, 0.5});
    CheckNear(trained(Lamb{.learning_rate = 0.1, .weight_decay = 0.1}), {1.65964603, -1.19411361, 0.423040748});
  }
  TEST_CASE("WeightDecay works before any rule and leaves excluded variables alone") {
    Trained model(Chain{WeightDecay{.weight_decay = 0.1, .learning_rate = 0.1}, Sgd{.learning_rate = 0.1}});
    model.Steps(5);
    CheckNear(model.Variable("w"), {2.28568959, -0.450579286, 0.483516783});
    Trained plain(AdamW{.learning_rate = 0.1, .weight_decay = 0.9, .exclude = {"w"}});
    Trained none(AdamW{.learning_rate = 0.1, .weight_decay = 0});
    plain.Steps(3);
    none.Steps(3);
    CHECK(plain.Variable("w") == none.Variable("w"));
  }
}

}  // namespace decoupled_test
