// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/sdca_loss.hpp>

#include <doctest/doctest.h>

namespace training_sdca_loss_test {
using namespace tenon;
using ops::detail::SdcaLoss;

TEST_SUITE("SdcaLoss") {
  TEST_CASE("the updated dual variable is where the slopes of both problems meet") {
    for (const char* type : {"logistic_loss", "squared_loss", "smooth_hinge_loss", "poisson_loss"}) {
      CAPTURE(type);
      const SdcaLoss loss(type);
      const double label = 1, dual = 0.3, wx = 0.4, norm = 2;
      const double updated = loss.UpdatedDual(label, dual, wx, norm);
      // The step moves the prediction by norm times the change, to where the slope of the loss is -updated.
      CHECK(updated == doctest::Approx(-loss.PrimalSlope(wx + norm * (updated - dual), label)).epsilon(1e-6));
    }
    // The slope of the hinge jumps from -1 to 0 at the prediction 1, where the step ends.
    CHECK(0.4 + 2 * (SdcaLoss("hinge_loss").UpdatedDual(1, 0.3, 0.4, 2) - 0.3) == doctest::Approx(1));
  }
  TEST_CASE("primal and dual losses have the same size at the optimum of one example") {
    for (const char* type : {"logistic_loss", "squared_loss", "smooth_hinge_loss", "poisson_loss"}) {
      CAPTURE(type);
      const SdcaLoss loss(type);
      const double label = 1, wx = 0.25, dual = -loss.PrimalSlope(wx, label);
      CHECK(loss.Primal(wx, label, 2) == doctest::Approx(-loss.Dual(dual, label, 2) - 2 * dual * wx));
    }
    const SdcaLoss hinge("hinge_loss");
    CHECK(hinge.Primal(0.25, 1, 2) == doctest::Approx(1.5));
    CHECK(hinge.Dual(0.5, 1, 2) == doctest::Approx(-1));
    CHECK(hinge.Dual(-0.5, 1, 2) > 1e300);
    CHECK(hinge.UpdatedDual(1, 0, 3, 1) == 0);
    CHECK(hinge.UpdatedDual(-1, 0, 3, 1) == -1);
  }
  TEST_CASE("labels") {
    for (const char* type : {"logistic_loss", "hinge_loss", "smooth_hinge_loss"}) {
      float zero = 0, one = 1, other = 0.5f;
      CHECK(SdcaLoss(type).ConvertLabel(&zero).ok());
      CHECK(SdcaLoss(type).ConvertLabel(&one).ok());
      CHECK(zero == -1);
      CHECK(one == 1);
      CHECK(SdcaLoss(type).ConvertLabel(&other).code() == Code::kInvalidArgument);
    }
    float count = 3, negative = -1;
    CHECK(SdcaLoss("poisson_loss").ConvertLabel(&count).ok());
    CHECK(SdcaLoss("poisson_loss").ConvertLabel(&negative).code() == Code::kInvalidArgument);
    CHECK(SdcaLoss("squared_loss").ConvertLabel(&negative).ok());
    CHECK(negative == -1);
  }
}
}  // namespace training_sdca_loss_test
