// SPDX-License-Identifier: Apache-2.0
#pragma once
// One optimizer op in a graph, against its published formula in float64. Hyperparameters are found by the names of the
// op's inputs, and no two have the same value: an input in the wrong place is seen.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"

namespace state_test {

struct Hyper {
  double lr = .25, alpha = .375, rho = .875, epsilon = .0625, beta1 = .75, beta2 = .625, beta1_power = .5,
         beta2_power = .3125, momentum = .4375, l1 = .0625, l2 = .03125, l2_shrinkage = .015625, lr_power = -.75,
         beta = .6875, logbase = .53125, sign_decay = .8125;
  std::int64_t global_step = 3;

  double Named(std::string_view name) const {
    const struct {
      std::string_view name;
      double value;
    } all[] = {{"lr", lr},
               {"alpha", alpha},
               {"rho", rho},
               {"epsilon", epsilon},
               {"beta1", beta1},
               {"beta2", beta2},
               {"beta1_power", beta1_power},
               {"beta2_power", beta2_power},
               {"momentum", momentum},
               {"l1", l1},
               {"l2", l2},
               {"l2_shrinkage", l2_shrinkage},
               {"lr_power", lr_power},
               {"beta", beta},
               {"logbase", logbase},
               {"sign_decay", sign_decay}};
    for (const auto& one : all)
      if (one.name == name) return one.value;
    FAIL("no hyperparameter ", name);
    return 0;
  }
};

// One step of an element: x[0] is the variable's, then those of its slots; `flag` is the op's bool attr.
using Rule = void (*)(double* x, double g, const Hyper& h, bool flag);

namespace rules {

inline double Soft(double x, double by) { return std::copysign(std::max(std::abs(x) - by, 0.0), x); }
inline double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

inline void GradientDescent(double* x, double g, const Hyper& h, bool) { x[0] -= h.alpha * g; }
// Zeiler, ADADELTA, 2012
inline void Adadelta(double* x, double g, const Hyper& h, bool) {
  x[1] = h.rho * x[1] + (1 - h.rho) * g * g;
  const double step = std::sqrt((x[2] + h.epsilon) / (x[1] + h.epsilon)) * g;
  x[2] = h.rho * x[2] + (1 - h.rho) * step * step;
  x[0] -= h.lr * step;
}
// Duchi, Hazan, Singer, Adaptive subgradient methods, 2011; the flag: the sum of squares grows
inline void Adagrad(double* x, double g, const Hyper& h, bool grows) {
  x[1] += grows ? g * g : 0;
  x[0] -= h.lr * g / std::sqrt(x[1]);
}
inline void AdagradV2(double* x, double g, const Hyper& h, bool grows) {
  x[1] += grows ? g * g : 0;
  x[0] -= h.lr * g / (std::sqrt(x[1]) + h.epsilon);
}
inline void AdagradDA(double* x, double g, const Hyper& h, bool) {
  const auto t = static_cast<double>(h.global_step);
  x[1] += g;
  x[2] += g * g;
  x[0] = -h.lr * Soft(x[1], h.l1 * t) / (h.lr * h.l2 * t + std::sqrt(x[2]));
}
// Duchi, Singer, Efficient online and batch learning using forward backward splitting, 2009
inline void Proximal(double* x, double g, double rate, const Hyper& h) {
  x[0] = Soft(x[0] - rate * g, rate * h.l1) / (1 + rate * h.l2);
}
inline void ProximalGradientDescent(double* x, double g, const Hyper& h, bool) { Proximal(x, g, h.alpha, h); }
inline void ProximalAdagrad(double* x, double g, const Hyper& h, bool) {
  x[1] += g * g;
  Proximal(x, g, h.lr / std::sqrt(x[1]), h);
}
// McMahan and others, Ad click prediction, 2013; the flag: the linear term is multiplied by lr
inline void FtrlOf(double* x, double g, double shrinkage, const Hyper& h, bool by_lr) {
  const double unit = by_lr ? h.lr : 1, before = std::pow(x[1], -h.lr_power);
  const double linear_gradient = g + 2 * shrinkage * x[0];
  x[1] += g * g;
  const double after = std::pow(x[1], -h.lr_power);
  x[2] += unit * (linear_gradient - (after - before) / h.lr * x[0]);
  x[0] = -Soft(x[2] / unit, h.l1) / (after / h.lr + 2 * h.l2);
}
inline void Ftrl(double* x, double g, const Hyper& h, bool by_lr) { FtrlOf(x, g, 0, h, by_lr); }
inline void FtrlV2(double* x, double g, const Hyper& h, bool by_lr) { FtrlOf(x, g, h.l2_shrinkage, h, by_lr); }
// Sutskever and others, On the importance of initialization and momentum, 2013; the flag: Nesterov's
inline void Momentum(double* x, double g, const Hyper& h, bool nesterov) {
  x[1] = h.momentum * x[1] + g;
  x[0] -= h.lr * (nesterov ? g + h.momentum * x[1] : x[1]);
}
inline void KerasMomentum(double* x, double g, const Hyper& h, bool nesterov) {
  x[1] = h.momentum * x[1] - h.lr * g;
  x[0] += nesterov ? h.momentum * x[1] - h.lr * g : x[1];
}
// Kingma, Ba, Adam, 2015; the flag: Nesterov's
inline void Adam(double* x, double g, const Hyper& h, bool nesterov) {
  x[1] = h.beta1 * x[1] + (1 - h.beta1) * g;
  x[2] = h.beta2 * x[2] + (1 - h.beta2) * g * g;
  const double rate = h.lr * std::sqrt(1 - h.beta2_power) / (1 - h.beta1_power);
  const double mean = nesterov ? h.beta1 * x[1] + (1 - h.beta1) * g : x[1];
  x[0] -= rate * mean / (std::sqrt(x[2]) + h.epsilon);
}
inline void AdamWithAmsgrad(double* x, double g, const Hyper& h, bool) {
  x[1] = h.beta1 * x[1] + (1 - h.beta1) * g;
  x[2] = h.beta2 * x[2] + (1 - h.beta2) * g * g;
  x[3] = std::max(x[3], x[2]);
  x[0] -= h.lr * std::sqrt(1 - h.beta2_power) / (1 - h.beta1_power) * x[1] / (std::sqrt(x[3]) + h.epsilon);
}
inline void AdaMax(double* x, double g, const Hyper& h, bool) {
  x[1] = h.beta1 * x[1] + (1 - h.beta1) * g;
  x[2] = std::max(h.beta2 * x[2], std::abs(g));
  x[0] -= h.lr / (1 - h.beta1_power) * x[1] / (x[2] + h.epsilon);
}
// Hinton, Neural networks for machine learning, lecture 6, 2012
inline void RMSProp(double* x, double g, const Hyper& h, bool) {
  x[1] = h.rho * x[1] + (1 - h.rho) * g * g;
  x[2] = h.momentum * x[2] + h.lr * g / std::sqrt(x[1] + h.epsilon);
  x[0] -= x[2];
}
inline void CenteredRMSProp(double* x, double g, const Hyper& h, bool) {
  x[1] = h.rho * x[1] + (1 - h.rho) * g;
  x[2] = h.rho * x[2] + (1 - h.rho) * g * g;
  x[3] = h.momentum * x[3] + h.lr * g / std::sqrt(x[2] - x[1] * x[1] + h.epsilon);
  x[0] -= x[3];
}
// Bello and others, Neural optimizer search, 2017
inline void AddSign(double* x, double g, const Hyper& h, bool) {
  x[1] = h.beta * x[1] + (1 - h.beta) * g;
  x[0] -= h.lr * (h.alpha + h.sign_decay * Sign(g) * Sign(x[1])) * g;
}
inline void PowerSign(double* x, double g, const Hyper& h, bool) {
  x[1] = h.beta * x[1] + (1 - h.beta) * g;
  x[0] -= h.lr * std::exp(h.logbase * h.sign_decay * Sign(g) * Sign(x[1])) * g;
}

}  // namespace rules

// A graph with the op as node "step" on variables "slot0", "slot1"... [3, 2], by handle or by reference as the op has
// them; the gradient "g" and, of a sparse op, the rows "rows" are fed. Other inputs are constants, unless `fed` names
// one of them.
template <class Op, class T>
struct Training : Machine {
  static constexpr OpView kOp = Op::signature.view();

  explicit Training(std::vector<GraphBuilder::Attr> attrs = {}, std::string_view fed = {},
                    const TensorShape& shape = TensorShape({3, 2})) {
    std::vector<GraphBuilder::Input> inputs;
    for (const ArgSpec& arg : kOp.inputs) {
      const std::string name(arg.name());
      by_handle = arg.type == DataType::kResource;
      if (by_handle || arg.is_ref) {
        const std::string slot = StrCat("slot", num_slots);
        inputs.push_back(by_handle ? Handle(slot, Start(num_slots, shape)) : Reference(slot, Start(num_slots, shape)));
        ++num_slots;
      } else if (name == "grad" || name == "delta") {
        inputs.push_back(b.Placeholder("g", dtype_of_v<T>));
      } else if (name == "indices") {
        inputs.push_back(b.Placeholder("rows", DataType::kInt32));
        sparse = true;
      } else if (name == fed) {
        inputs.push_back(b.Placeholder(name, dtype_of_v<T>));
      } else if (name == "global_step") {
        inputs.push_back(b.Const(name, Tensor::Scalar(hyper.global_step)));
      } else {
        inputs.push_back(b.Const(name, Tensor::Scalar(static_cast<T>(hyper.Named(name)))));
      }
    }
    by_handle = kOp.inputs[0].type == DataType::kResource;
    b.AddNode(kOp.name, "step", inputs, attrs);
    Machine::Start();
  }
  // Distinct numbers; those of slots are above 0, and of the first smaller than of the others: square roots are taken
  // of them, by CenteredRMSProp of a difference.
  static Tensor Start(int slot, const TensorShape& shape = TensorShape({3, 2})) {
    Tensor t(dtype_of_v<T>, shape);
    for (Index i = 0; i < t.NumElements(); ++i)
      t.template data<T>()[i] = static_cast<T>(slot == 0 ? 1.5 - .75 * static_cast<double>(i)
                                                         : .5 * slot * slot + .0625 * static_cast<double>(i));
    return t;
  }
  static Tensor Gradient(Index rows) { return testing::Make<T>({rows, 2}, {.5, -.25, -1, .125, .75, -2}); }
  void Initialize() const {
    for (int k = 0; k < num_slots; ++k) REQUIRE(Do(StrCat("slot", k, "/init")).ok());
  }
  std::vector<double> Slot(int k) const {
    return testing::Numbered<T>(Get({by_handle ? StrCat("slot", k, "/read") : StrCat("slot", k)})[0]);
  }
  std::vector<std::vector<double>> Slots() const {
    std::vector<std::vector<double>> all;
    for (int k = 0; k < num_slots; ++k) all.push_back(Slot(k));
    return all;
  }
  // One step; `rows` counts for sparse ops.
  Status Step(const Tensor& g, const std::vector<std::int32_t>& rows = {}, std::vector<NamedTensor> more = {}) const {
    more.push_back({"g", g});
    Tensor at(DataType::kInt32, {static_cast<Index>(rows.size())});
    for (std::size_t i = 0; i < rows.size(); ++i) at.data<std::int32_t>()[i] = rows[i];
    if (sparse) more.push_back({"rows", at});
    return Do("step", more);
  }

  Hyper hyper;
  int num_slots = 0;
  bool by_handle = false, sparse = false;
};

// Two steps of the op against its rule, with its bool attr `flag` (if any) off and on. A sparse op gets row 2, row 0
// and row 2 again; row 1 stays.
template <class Op, class T>
void CheckRuleFor(Rule rule, const char* flag, double allowed) {
  CAPTURE(Op::signature.name);
  for (const bool on : {false, true}) {
    if (on && flag == nullptr) continue;
    std::vector<GraphBuilder::Attr> attrs;
    if (flag != nullptr) attrs.push_back({flag, on});
    const Training<Op, T> m(attrs);
    m.Initialize();
    std::vector<std::vector<double>> want;
    for (int k = 0; k < m.num_slots; ++k) want.push_back(testing::Numbered<T>(Training<Op, T>::Start(k)));
    const std::vector<std::int32_t> rows =
        m.sparse ? std::vector<std::int32_t>{2, 0, 2} : std::vector<std::int32_t>{0, 1, 2};
    const Tensor g = Training<Op, T>::Gradient(3);
    for (int step = 0; step < 2; ++step) {
      REQUIRE(m.Step(g, rows).message() == "");
      for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t at = 2 * static_cast<std::size_t>(rows[i / 2]) + i % 2;
        double x[4] = {};
        for (std::size_t k = 0; k < want.size(); ++k) x[k] = want[k][at];
        rule(x, testing::ToDouble(g.data<T>()[i]), m.hyper, on);
        for (std::size_t k = 0; k < want.size(); ++k) want[k][at] = x[k];
      }
    }
    const std::vector<std::vector<double>> got = m.Slots();
    for (std::size_t k = 0; k < want.size(); ++k)
      for (std::size_t i = 0; i < 6; ++i) {
        CAPTURE(k);
        CAPTURE(i);
        CHECK(std::abs(got[k][i] - want[k][i]) <= allowed * std::max(1.0, std::abs(want[k][i])));
      }
  }
}
template <class Op>
void CheckRule(Rule rule, const char* flag = nullptr) {
  CheckRuleFor<Op, double>(rule, flag, 1e-13);
}

}  // namespace state_test
