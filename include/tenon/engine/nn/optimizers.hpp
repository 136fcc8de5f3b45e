// SPDX-License-Identifier: Apache-2.0
#pragma once
// Training: how each optimizer changes a variable's elements. A rule is one function of an element of the variable,
// those of its slots and the gradient; the loops around it are shared by dense and sparse ops.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A run of elements to update.
struct TrainingRun {
  void* slots[4];                // the variable first
  const void* grad;
  const void* const* scalars;    // one element each, in the order of the op's inputs
  std::int64_t global_step;      // for AdagradDA
  bool flag;                     // use_nesterov, update_slots or multiply_linear_by_lr
  Index n;
};
using TrainingLoop = void (*)(const TrainingRun& run);
using TrainingLaunch = Status (*)(void* device, const TrainingRun& run);  // queued on a GPU

namespace training {

inline constexpr int kMaxScalars = 8;

// Arguments of a step other than the elements.
template <class T>
struct Given {
  T s[kMaxScalars];
  T global_step;
  bool flag;
};

template <class T>
inline constexpr bool kInFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
TENON_HD T Sqrt(T x) {
  if constexpr (kInFloat<T>)
    return T(std::sqrt(static_cast<float>(x)));
  else
    return std::sqrt(x);
}
template <class T>
TENON_HD T Power(T x, T y) {
  if constexpr (kInFloat<T>)
    return T(std::pow(static_cast<float>(x), static_cast<float>(y)));
  else
    return std::pow(x, y);
}
template <class T>
TENON_HD T Exp(T x) {
  if constexpr (kInFloat<T>)
    return T(std::exp(static_cast<float>(x)));
  else
    return std::exp(x);
}
template <class T>
TENON_HD T Magnitude(T x) {
  return x < T(0) ? -x : x;
}
template <class T>
TENON_HD T Sign(T x) {
  return x < T(0) ? T(-1) : x > T(0) ? T(1) : x;
}

// AssignAdd and AssignSub.
struct Add {
  static constexpr int kSlots = 1, kScalars = 0;
  template <class T>
  TENON_HD static void Step(T& var, T x, const Given<T>&) {
    if constexpr (std::is_integral_v<T>)  // wraps
      var = static_cast<T>(static_cast<std::uint64_t>(var) + static_cast<std::uint64_t>(x));
    else
      var += x;
  }
};
struct Subtract {
  static constexpr int kSlots = 1, kScalars = 0;
  template <class T>
  TENON_HD static void Step(T& var, T x, const Given<T>&) {
    if constexpr (std::is_integral_v<T>)
      var = static_cast<T>(static_cast<std::uint64_t>(var) - static_cast<std::uint64_t>(x));
    else
      var -= x;
  }
};
// scalars: alpha
struct GradientDescent {
  static constexpr int kSlots = 1, kScalars = 1;
  static constexpr bool kByLanes = true;
  template <class T>
  TENON_HD static void Step(T& var, const T& g, const Given<T>& p) {
    var = var - g * p.s[0];
  }
};

// scalars: lr, rho, epsilon
struct Adadelta {
  static constexpr int kSlots = 3, kScalars = 3;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, T& accum_update, T g, const Given<T>& p) {
    const T lr = p.s[0], rho = p.s[1], epsilon = p.s[2];
    accum = accum * rho + g * g * (T(1) - rho);
    const T update = Sqrt(accum_update + epsilon) * (T(1) / Sqrt(accum + epsilon)) * g;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (T(1) - rho);
  }
};

// flag: update_slots; scalars: lr
struct Adagrad {
  static constexpr int kSlots = 2, kScalars = 1;
  static constexpr bool kByLanes = true;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, const T& g, const Given<T>& p) {
    if (p.flag) accum = accum + g * g;
    var = var - g * p.s[0] * (T(1) / Sqrt(accum));
  }
};
// flag: update_slots; scalars: lr, epsilon
struct AdagradV2 {
  static constexpr int kSlots = 2, kScalars = 2;
  static constexpr bool kByLanes = true;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, const T& g, const Given<T>& p) {
    if (p.flag) accum = accum + g * g;
    var = var - (g * p.s[0]) / (Sqrt(accum) + p.s[1]);
  }
};

// Shrinks x towards zero by l1 * rate, then divides by 1 + l2 * rate.
template <class T>
TENON_HD T Shrink(T x, T rate, T l1, T l2) {
  if (!(l1 > T(0))) return x / (T(1) + l2 * rate);
  const T left = Magnitude(x) - rate * l1;
  return Sign(x) * (left > T(0) ? left : T(0)) / (T(1) + l2 * rate);
}
// scalars: alpha, l1, l2
struct ProximalGradientDescent {
  static constexpr int kSlots = 1, kScalars = 3;
  template <class T>
  TENON_HD static void Step(T& var, T g, const Given<T>& p) {
    var = Shrink(var - g * p.s[0], p.s[0], p.s[1], p.s[2]);
  }
};
// scalars: lr, l1, l2
struct ProximalAdagrad {
  static constexpr int kSlots = 2, kScalars = 3;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, T g, const Given<T>& p) {
    accum += g * g;
    const T rate = p.s[0] * (T(1) / Sqrt(accum));
    var = Shrink(var - g * rate, rate, p.s[1], p.s[2]);
  }
};
// scalars: lr, l1, l2; and the global step
struct AdagradDA {
  static constexpr int kSlots = 3, kScalars = 3;
  template <class T>
  TENON_HD static void Step(T& var, T& sum, T& squares, T g, const Given<T>& p) {
    const T lr = p.s[0], l1 = p.s[1], l2 = p.s[2];
    sum += g;
    squares += g * g;
    const T scale = l2 * p.global_step * lr + Sqrt(squares);
    if (l1 > T(0)) {
      const T left = Magnitude(sum) - l1 * p.global_step;
      var = Sign(-sum) * lr * (left > T(0) ? left : T(0)) / scale;
    } else {
      var = -(sum * lr) / scale;
    }
  }
};

// g: the gradient that the accumulator gets, shrunk: the one that the linear term gets. A NaN gives 0 where `selects`,
// as in TensorFlow's dense ops, and else NaN.
template <bool selects, class T>
TENON_HD void FtrlStep(T& var, T& accum, T& linear, T g, T shrunk, T lr, T l1, T l2, T lr_power, bool by_lr) {
  const T grown = accum + g * g;
  const bool root = lr_power == T(-0.5f);
  const T after = root ? Sqrt(grown) : Power(grown, -lr_power), before = root ? Sqrt(accum) : Power(accum, -lr_power);
  T limit = l1, curvature;
  if (by_lr) {
    linear += shrunk * lr - (after - before) * var;
    curvature = after + T(2) * l2 * lr;
    limit = l1 * lr;
  } else {
    linear += shrunk - (after - before) / lr * var;
    curvature = after / lr + T(2) * l2;
  }
  if (Magnitude(linear) > limit)
    var = (limit * Sign(linear) - linear) / curvature;
  else
    var = selects ? T(0) : (linear - linear) / curvature;
  accum = grown;
}
// flag: multiply_linear_by_lr; scalars: lr, l1, l2, lr_power
template <bool selects>
struct FtrlOf {
  static constexpr int kSlots = 3, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, T& linear, T g, const Given<T>& p) {
    FtrlStep<selects>(var, accum, linear, g, g, p.s[0], p.s[1], p.s[2], p.s[3], p.flag);
  }
};
using Ftrl = FtrlOf<true>;
using SparseFtrl = FtrlOf<false>;
// flag: multiply_linear_by_lr; scalars: lr, l1, l2, l2_shrinkage, lr_power
template <bool selects>
struct FtrlV2Of {
  static constexpr int kSlots = 3, kScalars = 5;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, T& linear, T g, const Given<T>& p) {
    FtrlStep<selects>(var, accum, linear, g, g + T(2) * p.s[3] * var, p.s[0], p.s[1], p.s[2], p.s[4], p.flag);
  }
};
using FtrlV2 = FtrlV2Of<true>;
using SparseFtrlV2 = FtrlV2Of<false>;

// flag: use_nesterov; scalars: lr, momentum
struct Momentum {
  static constexpr int kSlots = 2, kScalars = 2;
  static constexpr bool kByLanes = true;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, const T& g, const Given<T>& p) {
    accum = accum * p.s[1] + g;
    var = var - (p.flag ? g * p.s[0] + accum * p.s[1] * p.s[0] : accum * p.s[0]);
  }
};
struct KerasMomentum {
  static constexpr int kSlots = 2, kScalars = 2;
  template <class T>
  TENON_HD static void Step(T& var, T& accum, T g, const Given<T>& p) {
    accum = accum * p.s[1] - g * p.s[0];
    var += p.flag ? accum * p.s[1] - g * p.s[0] : accum;
  }
};

// flag: use_nesterov; scalars: beta1_power, beta2_power, lr, beta1, beta2, epsilon
struct Adam {
  static constexpr int kSlots = 3, kScalars = 6;
  static constexpr bool kByLanes = true;
  template <class T>
  TENON_HD static void Step(T& var, T& m, T& v, const T& g, const Given<T>& p) {
    const T alpha = p.s[2] * Sqrt(T(1) - p.s[1]) / (T(1) - p.s[0]), beta1 = p.s[3];
    m = m + (g - m) * (T(1) - beta1);
    v = v + (g * g - v) * (T(1) - p.s[4]);
    const T direction = p.flag ? g * (T(1) - beta1) + beta1 * m : m;
    var = var - (direction * alpha) / (Sqrt(v) + p.s[5]);
  }
};
struct AdamWithAmsgrad {
  static constexpr int kSlots = 4, kScalars = 6;
  template <class T>
  TENON_HD static void Step(T& var, T& m, T& v, T& vhat, T g, const Given<T>& p) {
    const T alpha = p.s[2] * Sqrt(T(1) - p.s[1]) / (T(1) - p.s[0]);
    m += (g - m) * (T(1) - p.s[3]);
    v += (g * g - v) * (T(1) - p.s[4]);
    if (vhat < v) vhat = v;
    var -= (m * alpha) / (Sqrt(vhat) + p.s[5]);
  }
};
// scalars: beta1_power, lr, beta1, beta2, epsilon
struct AdaMax {
  static constexpr int kSlots = 3, kScalars = 5;
  template <class T>
  TENON_HD static void Step(T& var, T& m, T& v, T g, const Given<T>& p) {
    m += (g - m) * (T(1) - p.s[2]);
    const T decayed = p.s[3] * v, size = Magnitude(g);
    v = decayed < size ? size : decayed;
    var -= p.s[1] / (T(1) - p.s[0]) * (m / (v + p.s[4]));
  }
};

// scalars: lr, rho, momentum, epsilon
struct RMSProp {
  static constexpr int kSlots = 3, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& ms, T& mom, T g, const Given<T>& p) {
    ms += (g * g - ms) * (T(1) - p.s[1]);
    mom = mom * p.s[2] + (g * p.s[0]) / Sqrt(ms + p.s[3]);
    var -= mom;
  }
};
struct CenteredRMSProp {
  static constexpr int kSlots = 4, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& mg, T& ms, T& mom, T g, const Given<T>& p) {
    ms += (g * g - ms) * (T(1) - p.s[1]);
    mg += (g - mg) * (T(1) - p.s[1]);
    mom = mom * p.s[2] + (g * p.s[0]) / Sqrt(ms - mg * mg + p.s[3]);
    var -= mom;
  }
};
// Rows of sparse ops round in another order.
struct SparseRMSProp {
  static constexpr int kSlots = 3, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& ms, T& mom, T g, const Given<T>& p) {
    ms = ms * p.s[1] + g * g * (T(1) - p.s[1]);
    mom = mom * p.s[2] + T(1) / Sqrt(ms + p.s[3]) * p.s[0] * g;
    var -= mom;
  }
};
struct SparseCenteredRMSProp {
  static constexpr int kSlots = 4, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& mg, T& ms, T& mom, T g, const Given<T>& p) {
    ms = ms * p.s[1] + g * g * (T(1) - p.s[1]);
    mg = mg * p.s[1] + g * (T(1) - p.s[1]);
    mom = mom * p.s[2] + T(1) / Sqrt(ms + p.s[3] - mg * mg) * p.s[0] * g;
    var -= mom;
  }
};

// scalars: lr, alpha, sign_decay, beta
struct AddSign {
  static constexpr int kSlots = 2, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& m, T g, const Given<T>& p) {
    m = m * p.s[3] + g * (T(1) - p.s[3]);
    var -= p.s[0] * (p.s[1] + p.s[2] * (Sign(g) * Sign(m))) * g;
  }
};
// scalars: lr, logbase, sign_decay, beta
struct PowerSign {
  static constexpr int kSlots = 2, kScalars = 4;
  template <class T>
  TENON_HD static void Step(T& var, T& m, T g, const Given<T>& p) {
    m = m * p.s[3] + g * (T(1) - p.s[3]);
    var -= p.s[0] * Exp(p.s[1] * p.s[2] * (Sign(g) * Sign(m))) * g;
  }
};

// Element i of a variable and its slots.
template <class Rule, class T>
TENON_HD void StepElement(T* const (&slots)[4], const T* g, Index i, const Given<T>& p) {
  if constexpr (Rule::kSlots == 1)
    Rule::Step(slots[0][i], T(g[i]), p);
  else if constexpr (Rule::kSlots == 2)
    Rule::Step(slots[0][i], slots[1][i], T(g[i]), p);
  else if constexpr (Rule::kSlots == 3)
    Rule::Step(slots[0][i], slots[1][i], slots[2][i], T(g[i]), p);
  else
    Rule::Step(slots[0][i], slots[1][i], slots[2][i], slots[3][i], T(g[i]), p);
}

// Whether a rule also takes vectors of float for T.
template <class Rule, class T>
inline constexpr bool kByLanes = false;
#if TENON_DETAIL_LANES
template <class Rule>
  requires(Rule::kByLanes)
inline constexpr bool kByLanes<Rule, float> = true;

// The rest of a run goes through a vector, too: an element has the same bits wherever the run begins.
template <class Rule>
struct LaneRule {
  template <int bytes>
  TENON_HD static void Run(const TrainingRun* run) {
    using L = simd::Lanes<float, bytes>;
    Given<L> p;
    for (int k = 0; k < Rule::kScalars; ++k) p.s[k] = L::Repeat(*static_cast<const float*>(run->scalars[k]));
    p.flag = run->flag;
    float* slots[Rule::kSlots];
    for (int k = 0; k < Rule::kSlots; ++k) slots[k] = static_cast<float*>(run->slots[k]);
    const float* const g = static_cast<const float*>(run->grad);
    Index i = 0;
    for (; i + L::size <= run->n; i += L::size) StepAt(slots, g, i, p);
    const Index rest = run->n - i;
    if (rest == 0) return;
    float ends[Rule::kSlots][L::size] = {}, end[L::size] = {};
    float* at_ends[Rule::kSlots];
    for (int k = 0; k < Rule::kSlots; ++k) {
      at_ends[k] = ends[k];
      for (Index j = 0; j < rest; ++j) ends[k][j] = slots[k][i + j];
    }
    for (Index j = 0; j < rest; ++j) end[j] = g[i + j];
    StepAt(at_ends, end, 0, p);
    for (int k = 0; k < Rule::kSlots; ++k)
      for (Index j = 0; j < rest; ++j) slots[k][i + j] = ends[k][j];
  }

 private:
  template <class L>
  TENON_HD static void StepAt(float* const (&slots)[Rule::kSlots], const float* g, Index i, const Given<L>& p) {
    L values[Rule::kSlots];
    for (int k = 0; k < Rule::kSlots; ++k) values[k] = L::Load(slots[k] + i);
    if constexpr (Rule::kSlots == 1)
      Rule::Step(values[0], L::Load(g + i), p);
    else if constexpr (Rule::kSlots == 2)
      Rule::Step(values[0], values[1], L::Load(g + i), p);
    else
      Rule::Step(values[0], values[1], values[2], L::Load(g + i), p);
    for (int k = 0; k < Rule::kSlots; ++k) values[k].Store(slots[k] + i);
  }
};
#endif

template <class Rule, class T>
TENON_DETAIL_ALWAYS_INLINE void RunElements(const TrainingRun& run) {
#if TENON_DETAIL_LANES
  if constexpr (kByLanes<Rule, T>)
    return simd::detail::ForLevels<LaneRule<Rule>, simd::Compiled, const TrainingRun*>::Best()(&run);
#endif
  Given<T> p{};
  for (int k = 0; k < Rule::kScalars; ++k) p.s[k] = *static_cast<const T*>(run.scalars[k]);
  p.global_step = static_cast<T>(static_cast<float>(run.global_step));
  p.flag = run.flag;
  T* const slots[4] = {static_cast<T*>(run.slots[0]), static_cast<T*>(run.slots[1]), static_cast<T*>(run.slots[2]),
                       static_cast<T*>(run.slots[3])};
  const T* const g = static_cast<const T*>(run.grad);
  for (Index i = 0; i < run.n; ++i) StepElement<Rule>(slots, g, i, p);
}
template <class Rule, class T>
void RunRule(const TrainingRun& run) {
  RunElements<Rule, T>(run);
}
template <class Rule, class T>
TENON_DETAIL_RARE void RunRareRule(const TrainingRun& run) {
  RunElements<Rule, T>(run);
}

// The loop for one element type; null where the rule has none.
template <class Rule, bool kComplex>
TrainingLoop LoopFor(DataType type) {
  if (type == DataType::kFloat) return &RunRule<Rule, float>;
  if (type == DataType::kDouble) return &RunRule<Rule, double>;
  if (type == DataType::kHalf) return &RunRareRule<Rule, half>;
  if (type == DataType::kBfloat16) return &RunRareRule<Rule, bfloat16>;
  if constexpr (kComplex) {
    if (type == DataType::kComplex64) return &RunRareRule<Rule, complex64>;
    if (type == DataType::kComplex128) return &RunRareRule<Rule, complex128>;
  }
  return nullptr;
}

}  // namespace training

TENON_DETAIL_NAMESPACE_END
