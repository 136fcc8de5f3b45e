// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of ops of two or three tensors, element by element, with broadcasting: the gradient of an input is summed
// over the axes along which it was broadcast.

#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

inline void Div(G& g) {
  const Symbol x = g.Conj(g.input(0)), y = g.Conj(g.input(1)), dy = g.dy();
  g.SetBroadcast(0, dy / y);
  if (g.needs(1)) g.SetBroadcast(1, dy * ((-x / y) / y));
}
inline void DivNoNan(G& g) {
  const Symbol x = g.Conj(g.input(0)), y = g.Conj(g.input(1)), dy = g.dy();
  g.SetBroadcast(0, g.Add("DivNoNan", {dy, y}));
  g.SetBroadcast(1, dy * g.Add("DivNoNan", {g.Add("DivNoNan", {-x, y}), y}));
}
inline void Power(G& g) {
  const Symbol x = g.Conj(g.input(0)), y = g.Conj(g.input(1)), z = g.Conj(g.y()), dy = g.dy();
  g.SetBroadcast(0, dy * y * g.Add("Pow", {x, y - 1.0}));
  // log(x) where x > 0; complex: where x is not 0.
  const Symbol zero = g.ZerosLike(x);
  const Symbol mask = kComplexTypes.contains(x.dtype()) ? g.Add("NotEqual", {x, zero}) : g.Add("Greater", {x, zero});
  const Symbol safe = g.Where(mask, x, g.Add("OnesLike", {x}));
  g.SetBroadcast(1, dy * z * g.Where(mask, g.Add("Log", {safe}), zero));
}
// Maximum, Minimum: all to the first input where `test` holds.
inline void Extreme(G& g, std::string_view test) {
  const Symbol dy = g.dy(), zero = g.ZerosLike(dy), mask = g.Add(test, {g.input(0), g.input(1)});
  g.SetBroadcast(0, g.Where(mask, dy, zero));
  if (g.needs(1)) g.SetBroadcast(1, g.Where(mask, zero, dy));
}
inline Symbol NotZero(G& g, Symbol x) {  // 1 where x is not 0
  return g.Cast(g.Add("NotEqual", {x, g.Scalar(x.dtype(), 0)}), x.dtype());
}
inline void SquaredDifference(G& g) {
  const Symbol slope = 2.0 * g.dy() * (g.input(0) - g.input(1));
  g.SetBroadcast(0, slope);
  const Symbol part = g.SumTo(slope, g.input(1), g.y());
  g.set(1, -part);
}
inline void IncompleteGamma(G& g, bool upper) {
  const Symbol a = g.input(0), x = g.input(1), dy = g.dy();
  const Symbol by_a = g.Add("IgammaGradA", {a, x});
  const Symbol by_x = g.Add("Exp", {-x + (a - 1.0) * g.Add("Log", {x}) - g.Add("Lgamma", {a})});
  g.SetBroadcast(0, upper ? -(by_a * dy) : by_a * dy);
  g.SetBroadcast(1, upper ? -(by_x * dy) : by_x * dy);
}
inline void IncompleteBeta(G& g) {
  const Symbol a = g.input(0), b = g.input(1), x = g.input(2);
  const Symbol log_beta = g.Add("Lgamma", {a}) + g.Add("Lgamma", {b}) - g.Add("Lgamma", {a + b});
  const Symbol slope = g.Add("Exp", {g.Add("Xlog1py", {b - 1.0, -x}) + g.Add("Xlogy", {a - 1.0, x}) - log_beta});
  g.SetSummed(2, slope * g.dy());
}
inline void Select(G& g) {
  const Symbol c = g.input(0), dy = g.dy(), zero = g.ZerosLike(g.x().dtype() == DataType::kBool ? g.input(1) : g.x());
  g.set(1, g.Add("Select", {c, dy, zero}));
  g.set(2, g.Add("Select", {c, zero, dy}));
}
inline void SelectBroadcast(G& g) {
  const Symbol c = g.input(0), dy = g.dy(), zero = g.Scalar(dy.dtype(), 0);
  g.SetSummed(1, g.Where(c, dy, zero));
  g.SetSummed(2, g.Where(c, zero, dy));
}
inline void Clip(G& g) {
  const Symbol x = g.input(0), low = g.input(1), high = g.input(2), dy = g.dy(), zero = g.ZerosLike(dy);
  const Symbol below = g.Add("Less", {x, low}), above = g.Add("Greater", {x, high});
  g.set(0, g.Where(g.Add("LogicalOr", {below, above}), zero, dy));
  g.SetSummed(1, g.Where(below, dy, zero));
  g.SetSummed(2, g.Where(above, dy, zero));
}
inline void AddAll(G& g) {
  for (int i = 0; i < g.num_inputs(); ++i) g.set(i, g.raw_grad(0));
}
inline void FloorMod(G& g) {
  const Symbol dy = g.dy();
  g.SetBroadcast(0, dy);
  g.SetBroadcast(1, dy * -g.Add("FloorDiv", {g.input(0), g.input(1)}));
}
inline constexpr GradientRow kBinary[] = {
    {"Add",
     [](G& g) {
       g.SetBroadcast(0, g.dy());
       if (g.needs(1)) g.SetBroadcast(1, g.dy());
     }},
    {"AddV2",
     [](G& g) {
       g.SetBroadcast(0, g.dy());
       if (g.needs(1)) g.SetBroadcast(1, g.dy());
     }},
    {"Sub",
     [](G& g) {
       g.SetBroadcast(0, g.dy());
       if (g.needs(1)) g.SetBroadcast(1, -g.dy());
     }},
    {"Mul",
     [](G& g) {
       g.SetBroadcast(0, g.dy() * g.Conj(g.input(1)));
       if (g.needs(1)) g.SetBroadcast(1, g.Conj(g.input(0)) * g.dy());
     }},
    {"MulNoNan",
     [](G& g) {
       g.SetBroadcast(0, g.Add("MulNoNan", {g.dy(), g.input(1)}));
       g.SetBroadcast(1, g.Add("MulNoNan", {g.input(0), g.dy()}));
     }},
    {"Div", Div},
    {"RealDiv", Div},
    {"DivNoNan", DivNoNan},
    {"Pow", Power},
    {"Maximum", [](G& g) { Extreme(g, "GreaterEqual"); }},
    {"Minimum", [](G& g) { Extreme(g, "LessEqual"); }},
    {"SquaredDifference", SquaredDifference},
    {"Xlogy",
     [](G& g) {
       const Symbol x = g.input(0), y = g.input(1), dy = g.dy();
       g.SetBroadcast(0, g.Add("Xlogy", {NotZero(g, x), y}) * dy);
       g.SetBroadcast(1, g.Add("Xdivy", {x, y}) * dy);
     }},
    {"Xlog1py",
     [](G& g) {
       const Symbol x = g.input(0), y = g.input(1), dy = g.dy();
       g.SetBroadcast(0, g.Add("Xlog1py", {NotZero(g, x), y}) * dy);
       g.SetBroadcast(1, g.Add("Xdivy", {x, y + 1.0}) * dy);
     }},
    {"Xdivy",
     [](G& g) {
       const Symbol x = g.input(0), y = g.input(1), dy = g.dy();
       g.SetBroadcast(0, g.Add("Xdivy", {NotZero(g, x), y}) * dy);
       g.SetBroadcast(1, g.Add("Xdivy", {-x, g.Add("Square", {y})}) * dy);
     }},
    {"Atan2",
     [](G& g) {
       const Symbol y = g.input(0), x = g.input(1);
       const Symbol slope = g.dy() / (g.Add("Square", {x}) + g.Add("Square", {y}));
       g.SetBroadcast(0, x * slope);
       g.SetBroadcast(1, -y * slope);
     }},
    {"FloorMod", FloorMod},
    {"NextAfter",
     [](G& g) {
       const Symbol dy = g.dy();
       g.SetBroadcast(0, dy);
       g.SetBroadcast(1, g.ZerosLike(dy));
     }},
    {"Zeta",
     [](G& g) {
       const Symbol x = g.input(0), q = g.input(1);
       g.SetBroadcast(1, -x * g.Add("Zeta", {x + 1.0, q}) * g.dy());
     }},
    {"Polygamma",
     [](G& g) {
       const Symbol n = g.input(0), x = g.input(1);
       g.SetBroadcast(1, g.dy() * g.Add("Polygamma", {n + 1.0, x}));
     }},
    {"Igamma", [](G& g) { IncompleteGamma(g, false); }},
    {"Igammac", [](G& g) { IncompleteGamma(g, true); }},
    {"Betainc", IncompleteBeta},
    {"Select", Select},
    {"SelectV2", SelectBroadcast},
    {"ClipByValue", Clip},
    {"AddN", AddAll},
    {"AccumulateNV2", AddAll},
    {"Cross",
     [](G& g) {
       g.set(0, g.Add("Cross", {g.input(1), g.dy()}));
       g.set(1, g.Add("Cross", {g.dy(), g.input(0)}));
     }},
};

inline const bool registers_binary = RegisterGradients<kBinary>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
