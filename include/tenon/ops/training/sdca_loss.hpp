// SPDX-License-Identifier: Apache-2.0
#pragma once
// SdcaLoss: the losses of stochastic dual coordinate ascent, their duals, and the step of one dual variable.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// Labels are -1 and 1, or numbers for kSquared and kPoisson. w x: the prediction. immutable.
struct SdcaLoss {
  enum class Kind : std::uint8_t { kLogistic, kSquared, kHinge, kSmoothHinge, kPoisson };

  // `loss_type`: an allowed value of the attr.
  explicit SdcaLoss(std::string_view loss_type)
      : kind(loss_type == "logistic_loss"       ? Kind::kLogistic
             : loss_type == "squared_loss"      ? Kind::kSquared
             : loss_type == "hinge_loss"        ? Kind::kHinge
             : loss_type == "smooth_hinge_loss" ? Kind::kSmoothHinge
                                                : Kind::kPoisson) {}

  // Turns labels 0 and 1 into -1 and 1, where the loss needs them. InvalidArgument: the loss has no such label.
  Status ConvertLabel(float* label) const {
    if (kind == Kind::kSquared) return OkStatus();
    if (kind == Kind::kPoisson)
      return *label < 0 ? errors::InvalidArgument("Only non-negative labels can be used with the Poisson log loss. ",
                                                  "Found example with label: ", *label)
                        : OkStatus();
    if (*label != 0 && *label != 1)
      return errors::InvalidArgument("Only labels of 0.0 or 1.0 are supported right now. Found example with label: ",
                                     *label);
    if (*label == 0) *label = -1;
    return OkStatus();
  }

  // The best dual variable of one example. `norm`: of the example, times its weight and the partitions.
  double UpdatedDual(double label, double dual, double wx, double norm) const {
    constexpr int kNewtonSteps = 10;
    switch (kind) {
      case Kind::kLogistic: {
        double x = 0;
        for (int i = 0; i < kNewtonSteps; ++i) {
          const double t = std::tanh(x);
          const double numerator = -2 * label * x - wx - norm * (0.5 * (1 + t) / label - dual);
          const double denominator = -2 * label - norm * (1 - t * t) * 0.5 / label;
          x -= numerator / denominator;
        }
        return 0.5 * (1 + std::tanh(x)) / label;
      }
      case Kind::kSquared: return dual + (label - dual - wx) / (1 + norm);
      case Kind::kHinge: return Bounded(label, dual + (label - wx) / norm);
      case Kind::kSmoothHinge: return Bounded(label, dual + (label - wx - dual) / (norm + 1));
      default: {
        const double rest = label - dual;
        double x = rest > 0 ? std::log(rest) : 0;
        for (int i = 0; i < kNewtonSteps; ++i) {
          const double e = std::exp(x);
          x -= (x - wx - norm * (rest - e)) / (1 + norm * e);
        }
        return label - std::exp(x);
      }
    }
  }
  double Dual(double dual, double label, double weight) const {
    const double y = dual * label;
    switch (kind) {
      case Kind::kLogistic: {
        const double log_y = y > 0 ? std::log(y) : 0, log_rest = 1 - y > 0 ? std::log(1 - y) : 0;
        return (y * log_y + (1 - y) * log_rest) * weight;
      }
      case Kind::kSquared: return dual * (0.5 * dual - label) * weight;
      case Kind::kHinge: return y < 0 || y > 1 ? kLargest : -y * weight;
      case Kind::kSmoothHinge: return y < 0 || y > 1 ? kLargest : (-y + 0.5 * dual * dual) * weight;
      default: {
        const double rest = label - dual;
        if (rest == 0) return 0;
        return rest < 0 ? kLargest : rest * (std::log(rest) - 1) * weight;
      }
    }
  }
  double Primal(double wx, double label, double weight) const {
    const double y = label * wx;
    switch (kind) {
      case Kind::kLogistic: return (y > 0 ? std::log1p(std::exp(-y)) : std::log1p(std::exp(y)) - y) * weight;
      case Kind::kSquared: return 0.5 * (wx - label) * (wx - label) * weight;
      case Kind::kHinge: return std::max(0.0, 1 - y) * weight;
      case Kind::kSmoothHinge:
        if (y >= 1) return 0;
        return (y <= 0 ? 0.5 - y : 0.5 * (1 - y) * (1 - y)) * weight;
      default: return (std::exp(wx) - wx * label) * weight;
    }
  }
  // The derivative of Primal for the weight 1.
  double PrimalSlope(double wx, double label) const {
    const double y = label * wx;
    switch (kind) {
      case Kind::kLogistic: return -label / (1 + std::exp(y));
      case Kind::kSquared: return wx - label;
      case Kind::kHinge: return y < 1 ? -label : 0;
      case Kind::kSmoothHinge: return y >= 1 ? 0 : y <= 0 ? -label : wx - label;
      default: return std::exp(wx) - label;
    }
  }
  // The slope changes so much at most; 0: it jumps.
  double Smoothness() const { return kind == Kind::kLogistic ? 4 : kind == Kind::kHinge ? 0 : 1; }

  const Kind kind;

 private:
  static constexpr double kLargest = std::numeric_limits<double>::max();
  static double Bounded(double label, double dual) {
    if (label * dual < 0) return 0;
    return label * dual > 1 ? label : dual;
  }
};

TENON_DETAIL_SETUP_CODE_END

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
