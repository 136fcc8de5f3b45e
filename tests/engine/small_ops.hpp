// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops of one instruction, and exp, for the tests of the loops that run such ops.

#include <cmath>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>

// chained: the same on lanes (engine/elementwise/vector_chain.hpp).
namespace small_ops {

struct AddOp {
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return static_cast<T>(x + y);
  }
  template <class L>
  TENON_HD static L chained(const L& x, const L& y) {
    return x + y;
  }
};
struct SubOp {
  template <class T>
  TENON_HD static T map(T x, T y) {
    return static_cast<T>(x - y);
  }
  template <class L>
  TENON_HD static L chained(const L& x, const L& y) {
    return x - y;
  }
};
struct MulOp {
  template <class T>
  TENON_HD static T map(T x, T y) {
    return static_cast<T>(x * y);
  }
  template <class L>
  TENON_HD static L chained(const L& x, const L& y) {
    return x * y;
  }
};
struct LessOp {
  template <class T>
  TENON_HD static bool map(T x, T y) {
    return x < y;
  }
};
struct ReluOp {
  template <class T>
  TENON_HD static T map(T x) {
    return x > T(0) ? x : T(0);
  }
  template <class L>
  TENON_HD static L chained(const L& x) {
    return Select(x > L(0), x, L(0));
  }
};
struct ScaleOp {
  struct Attrs {
    float factor;
  };
  template <class T>
  TENON_HD static T map(T x, const Attrs& attrs) {
    return static_cast<T>(x * static_cast<T>(attrs.factor));
  }
};
struct ExpOp {
  static constexpr float cost_ns = 5;
  template <class T>
  TENON_HD static T map(T x) {
    return std::exp(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return tenon::simd::Exp(x);
  }
};

}  // namespace small_ops
