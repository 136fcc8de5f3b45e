// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/optimizers.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include <doctest/doctest.h>

namespace training_test {
using namespace tenon;

namespace {

// A rule in numbers of float64: `x` the variable and its slots, `s` the scalars, `t` the global step.
using Formula = std::function<void(double* x, double g, const double* s, double t, bool flag)>;
using Scalars = std::vector<double>;

double Soft(double x, double by) { return std::copysign(std::max(std::abs(x) - by, 0.0), x); }

// Three steps from the same elements, with and without the flag, float and double against the formula.
template <class Rule, class T>
void CheckType(const Scalars& scalars, const Formula& formula, double allowed) {
  constexpr int kElements = 4;
  const double start[4][kElements] = {{1, -2, .5, .03125}, {.5, .25, 1, 2}, {.75, .5, 1.5, .125}, {2, .5, .25, .0625}};
  const double grads[3][kElements] = {{.5, -1, .25, 0}, {-.75, -.5, 2, 1}, {.125, .5, -.25, -3}};
  for (const bool flag : {false, true}) {
    T slots[4][kElements], given[8];
    double wanted[4][kElements];
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < kElements; ++i) slots[k][i] = static_cast<T>(wanted[k][i] = start[k][i]);
    TrainingRun run{};
    const void* pointers[8];
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      given[k] = static_cast<T>(scalars[k]);
      pointers[k] = &given[k];
    }
    run.scalars = pointers;
    run.flag = flag;
    run.n = kElements;
    for (int k = 0; k < Rule::kSlots; ++k) run.slots[k] = slots[k];
    REQUIRE(static_cast<std::size_t>(Rule::kScalars) == scalars.size());
    for (int step = 0; step < 3; ++step) {
      T g[kElements];
      for (int i = 0; i < kElements; ++i) {
        g[i] = static_cast<T>(grads[step][i]);
        double x[4] = {wanted[0][i], wanted[1][i], wanted[2][i], wanted[3][i]};
        formula(x, grads[step][i], scalars.data(), step + 1, flag);
        for (int k = 0; k < 4; ++k) wanted[k][i] = x[k];
      }
      run.grad = g;
      run.global_step = step + 1;
      training::RunRule<Rule, T>(run);
      for (int k = 0; k < Rule::kSlots; ++k)
        for (int i = 0; i < kElements; ++i) {
          CAPTURE(step);
          CAPTURE(k);
          CAPTURE(i);
          CHECK(std::abs(static_cast<double>(slots[k][i]) - wanted[k][i]) <=
                allowed * std::max(1.0, std::abs(wanted[k][i])));
        }
    }
  }
}
template <class Rule>
void Check(const Scalars& scalars, const Formula& formula) {
  CheckType<Rule, float>(scalars, formula, 1e-5);
  CheckType<Rule, double>(scalars, formula, 1e-13);
}

// FTRL-proximal of McMahan et al. with TensorFlow's additions; `shrunk` is the gradient with the shrinkage.
void Ftrl(double* x, double g, double shrunk, double lr, double l1, double l2, double power, bool by_lr) {
  const double n = x[1] + g * g, grown = std::pow(n, -power) - std::pow(x[1], -power);
  const double unit = by_lr ? lr : 1;  // of the linear term and the penalties
  x[2] += (shrunk - grown / lr * x[0]) * unit;
  x[0] = -Soft(x[2], l1 * unit) / ((std::pow(n, -power) / lr + 2 * l2) * unit);
  x[1] = n;
}

}  // namespace

// A run of elements has the bits that its parts have: threads may cut it anywhere.
template <class Rule>
void CheckParts(const std::vector<float>& scalars) {
  constexpr int kElements = 101;
  const void* pointers[8];
  for (std::size_t k = 0; k < scalars.size(); ++k) pointers[k] = &scalars[k];
  std::vector<float> grad, whole[4], parts[4];
  for (int i = 0; i < kElements; ++i) grad.push_back(static_cast<float>((i * 37) % 19 - 9) / 7);
  for (int k = 0; k < Rule::kSlots; ++k)
    for (int i = 0; i < kElements; ++i) whole[k].push_back(static_cast<float>((i * (k + 11)) % 23 + 1) / 13);
  const auto run = [&](std::vector<float>* slots, int begin, int end) {
    TrainingRun r{};
    r.scalars = pointers;
    r.flag = true;
    r.n = end - begin;
    r.grad = grad.data() + begin;
    for (int k = 0; k < Rule::kSlots; ++k) r.slots[k] = slots[k].data() + begin;
    training::RunRule<Rule, float>(r);
  };
  for (int cut : {0, 1, 15, 17, 50, 64, 100}) {
    std::vector<float> all[4];
    for (int k = 0; k < 4; ++k) all[k] = parts[k] = whole[k];
    run(all, 0, kElements);
    run(parts, 0, cut);
    run(parts, cut, kElements);
    for (int k = 0; k < Rule::kSlots; ++k) CHECK(all[k] == parts[k]);
    CHECK(all[0] != whole[0]);
  }
}

TEST_SUITE("training rules against their formulas") {
  TEST_CASE("rules by vectors give the same bits wherever a run is cut") {
    CheckParts<training::GradientDescent>({.1f});
    CheckParts<training::Adagrad>({.1f});
    CheckParts<training::AdagradV2>({.1f, 1e-7f});
    CheckParts<training::Momentum>({.1f, .9f});
    CheckParts<training::Adam>({.9f, .99f, .1f, .9f, .99f, 1e-8f});
  }
  TEST_CASE("descent and Adagrad") {
    Check<training::GradientDescent>({.25},
                                     [](double* x, double g, const double* s, double, bool) { x[0] -= s[0] * g; });
    Check<training::Adagrad>({.25}, [](double* x, double g, const double* s, double, bool grows) {
      if (grows) x[1] += g * g;
      x[0] -= s[0] * g / std::sqrt(x[1]);
    });
    Check<training::AdagradV2>({.25, .125}, [](double* x, double g, const double* s, double, bool grows) {
      if (grows) x[1] += g * g;
      x[0] -= s[0] * g / (std::sqrt(x[1]) + s[1]);
    });
    Check<training::Adadelta>({.5, .9, 1e-3}, [](double* x, double g, const double* s, double, bool) {
      x[1] = s[1] * x[1] + (1 - s[1]) * g * g;
      const double update = std::sqrt(x[2] + s[2]) / std::sqrt(x[1] + s[2]) * g;
      x[2] = s[1] * x[2] + (1 - s[1]) * update * update;
      x[0] -= s[0] * update;
    });
  }
  TEST_CASE("proximal ones and FTRL, with and without l1") {
    for (const double l1 : {0.0, .25}) {
      Check<training::ProximalGradientDescent>({.5, l1, .125}, [](double* x, double g, const double* s, double, bool) {
        x[0] = Soft(x[0] - s[0] * g, s[0] * s[1]) / (1 + s[0] * s[2]);
      });
      Check<training::ProximalAdagrad>({.5, l1, .125}, [](double* x, double g, const double* s, double, bool) {
        x[1] += g * g;
        const double rate = s[0] / std::sqrt(x[1]);
        x[0] = Soft(x[0] - rate * g, rate * s[1]) / (1 + rate * s[2]);
      });
      Check<training::AdagradDA>({.5, l1, .125}, [](double* x, double g, const double* s, double t, bool) {
        x[1] += g;
        x[2] += g * g;
        x[0] = -Soft(x[1], s[1] * t) * s[0] / (s[2] * t * s[0] + std::sqrt(x[2]));
      });
      for (const double power : {-.5, -.75}) {
        Check<training::Ftrl>({.5, l1, .125, power}, [](double* x, double g, const double* s, double, bool by_lr) {
          Ftrl(x, g, g, s[0], s[1], s[2], s[3], by_lr);
        });
        const auto ftrl_v2 = [](double* x, double g, const double* s, double, bool by_lr) {
          Ftrl(x, g, g + 2 * s[3] * x[0], s[0], s[1], s[2], s[4], by_lr);
        };
        Check<training::FtrlV2>({.5, l1, .125, .25, power}, ftrl_v2);
        Check<training::SparseFtrlV2>({.5, l1, .125, .25, power}, ftrl_v2);
      }
    }
  }
  TEST_CASE("momentum and RMSProp") {
    Check<training::Momentum>({.5, .75}, [](double* x, double g, const double* s, double, bool nesterov) {
      x[1] = s[1] * x[1] + g;
      x[0] -= s[0] * (nesterov ? g + s[1] * x[1] : x[1]);
    });
    Check<training::KerasMomentum>({.5, .75}, [](double* x, double g, const double* s, double, bool nesterov) {
      x[1] = s[1] * x[1] - s[0] * g;
      x[0] += nesterov ? s[1] * x[1] - s[0] * g : x[1];
    });
    const auto rms_prop = [](double* x, double g, const double* s, double, bool) {
      x[1] = s[1] * x[1] + (1 - s[1]) * g * g;
      x[2] = s[2] * x[2] + s[0] * g / std::sqrt(x[1] + s[3]);
      x[0] -= x[2];
    };
    Check<training::RMSProp>({.5, .9, .75, 1e-3}, rms_prop);
    Check<training::SparseRMSProp>({.5, .9, .75, 1e-3}, rms_prop);
    // The mean starts above the root of the mean of squares: epsilon keeps the root real.
    const auto centered = [](double* x, double g, const double* s, double, bool) {
      x[1] = s[1] * x[1] + (1 - s[1]) * g;
      x[2] = s[1] * x[2] + (1 - s[1]) * g * g;
      x[3] = s[2] * x[3] + s[0] * g / std::sqrt(x[2] - x[1] * x[1] + s[3]);
      x[0] -= x[3];
    };
    Check<training::CenteredRMSProp>({.5, .9, .75, 4}, centered);
    Check<training::SparseCenteredRMSProp>({.5, .9, .75, 4}, centered);
  }
  TEST_CASE("Adam, its kin and the signs") {
    const Scalars adam = {.81, .98, .5, .9, .99, 1e-3};
    Check<training::Adam>(adam, [](double* x, double g, const double* s, double, bool nesterov) {
      const double rate = s[2] * std::sqrt(1 - s[1]) / (1 - s[0]);
      x[1] = s[3] * x[1] + (1 - s[3]) * g;
      x[2] = s[4] * x[2] + (1 - s[4]) * g * g;
      x[0] -= rate * (nesterov ? s[3] * x[1] + (1 - s[3]) * g : x[1]) / (std::sqrt(x[2]) + s[5]);
    });
    Check<training::AdamWithAmsgrad>(adam, [](double* x, double g, const double* s, double, bool) {
      x[1] = s[3] * x[1] + (1 - s[3]) * g;
      x[2] = s[4] * x[2] + (1 - s[4]) * g * g;
      x[3] = std::max(x[3], x[2]);
      x[0] -= s[2] * std::sqrt(1 - s[1]) / (1 - s[0]) * x[1] / (std::sqrt(x[3]) + s[5]);
    });
    Check<training::AdaMax>({.81, .5, .9, .99, 1e-3}, [](double* x, double g, const double* s, double, bool) {
      x[1] = s[2] * x[1] + (1 - s[2]) * g;
      x[2] = std::max(s[3] * x[2], std::abs(g));
      x[0] -= s[1] / (1 - s[0]) * x[1] / (x[2] + s[4]);
    });
    const auto sign = [](double v) { return double((v > 0) - (v < 0)); };
    Check<training::AddSign>({.5, 1.5, .75, .9}, [sign](double* x, double g, const double* s, double, bool) {
      x[1] = s[3] * x[1] + (1 - s[3]) * g;
      x[0] -= s[0] * (s[1] + s[2] * sign(g) * sign(x[1])) * g;
    });
    Check<training::PowerSign>({.5, 1.5, .75, .9}, [sign](double* x, double g, const double* s, double, bool) {
      x[1] = s[3] * x[1] + (1 - s[3]) * g;
      x[0] -= s[0] * std::exp(s[1] * s[2] * sign(g) * sign(x[1])) * g;
    });
  }
  TEST_CASE("loops for the types that have them") {
    using training::LoopFor;
    CHECK((LoopFor<training::GradientDescent, true>(DataType::kComplex64) != nullptr));
    CHECK((LoopFor<training::GradientDescent, false>(DataType::kComplex64) == nullptr));
    CHECK((LoopFor<training::GradientDescent, true>(DataType::kInt32) == nullptr));
    std::complex<float> var(1, 2);
    const std::complex<float> rate(0, 1), grad(3, 1);
    const half narrow_rate(.5f), narrow_grad(3.f);
    const void* scalars[] = {&rate};
    TrainingRun run{{&var}, &grad, scalars, 0, false, 1};
    LoopFor<training::GradientDescent, true>(DataType::kComplex64)(run);
    CHECK(var == std::complex<float>(2, -1));
    half narrow(1.f);
    scalars[0] = &narrow_rate;
    run.slots[0] = &narrow;
    run.grad = &narrow_grad;
    LoopFor<training::GradientDescent, false>(DataType::kHalf)(run);
    CHECK(float(narrow) == -.5f);
  }
}
}  // namespace training_test
