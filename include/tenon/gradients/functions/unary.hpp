// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of ops of one tensor, element by element, and of the activation gradients, which second orders need.

#include <cmath>
#include <numbers>

#include <tenon/gradients/gradient_builder.hpp>
#include <tenon/gradients/registry.hpp>
#include <tenon/gradients/functions/common.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail::gradients {

// The gradient is an op of the output and its gradient.
inline void ByOutput(GradientBuilder& g, std::string_view op) { g.set(0, g.Add(op, {g.y(), g.dy()})); }

inline void Cast(GradientBuilder& g) {
  constexpr DataTypeSet kTypes = kFloatingTypes | kComplexTypes;
  if (!kTypes.contains(g.x().dtype()) || !kTypes.contains(g.y().dtype())) return;
  TensorGradient gradient = g.raw_grad(0);
  if (!gradient.is_slices()) return g.set(0, g.Cast(g.dy(), g.x().dtype()));
  gradient.values = g.Cast(g.editor().At(gradient.values), g.x().dtype()).edge();
  g.set(0, gradient);
}
inline void Negative(GradientBuilder& g) {
  TensorGradient gradient = g.raw_grad(0);
  if (!gradient.is_slices()) return g.set(0, -g.dy());
  gradient.values = (-g.editor().At(gradient.values)).edge();
  g.set(0, gradient);
}
inline void IdentityList(GradientBuilder& g) {  // an output without a gradient gives zeros
  for (int i = 0; i < g.num_outputs(); ++i)
    if (g.has_grad(i))
      g.set(i, g.raw_grad(i));
    else if (g.needs(i))
      g.set(i, g.grad(i));
}
inline void ComplexParts(GradientBuilder& g) {
  g.set(0, g.SumTo(g.Add("Real", {g.dy()}, {{"Tout", g.x().dtype()}}), g.input(0), g.y()));
  g.set(1, g.SumTo(g.Add("Imag", {g.dy()}, {{"Tout", g.x().dtype()}}), g.input(1), g.y()));
}
inline Symbol ToComplex(GradientBuilder& g, Symbol re, Symbol im, DataType type) {
  return g.Add("Complex", {re, im}, {{"Tout", type}});
}
inline void ComplexAbs(GradientBuilder& g) {
  const DataType type = g.x().dtype();
  const Symbol zero = g.ZerosLike(g.dy());
  g.set(0,
        g.Add("DivNoNan", {ToComplex(g, g.dy(), zero, type) * g.x(), ToComplex(g, g.y(), g.ZerosLike(g.y()), type)}));
}
inline void Angle(GradientBuilder& g) {
  const DataType real = g.y().dtype(), type = g.x().dtype();
  const Symbol re = g.Add("Real", {g.x()}, {{"Tout", real}}), im = g.Add("Imag", {g.x()}, {{"Tout", real}});
  const Symbol inverse = Un(g, "Reciprocal", ToComplex(g, im, re, type));
  g.set(0, -(ToComplex(g, g.dy(), g.ZerosLike(g.dy()), type) * inverse));
}
// Gradients of both inputs of InvGrad(a, b) = -b a^2.
inline void InverseGrad(GradientBuilder& g) {
  const Symbol conj = g.Conj(g.input(0)), dy = g.dy();
  g.set(0, g.Conj(dy) * -2.0 * g.input(1) * conj);
  g.set(1, g.Add("ReciprocalGrad", {conj, dy}));
}
// The gradient of f(features, dy) with respect to dy is f(features, .) itself.
inline void StepGrad(GradientBuilder& g, std::string_view op) {  // ReluGrad(dy, features)
  g.set(0, g.Add(op, {g.dy(), g.input(1)}));
  g.set(1, g.ZerosLike(g.input(1)));
}
inline void EluGradGrad(GradientBuilder& g, std::string_view grad_op) {
  const Symbol dy = g.dy(), x = g.input(1);  // op's output
  g.set(0, g.Add(grad_op, {dy, x}));
  const Symbol zero = g.ZerosLike(x);
  g.set(1, g.Where(g.Add("Less", {x, zero}), dy * g.input(0), zero));
}
inline Symbol Bessel(GradientBuilder& g, std::string_view other) { return Un(g, other, g.x()); }
// `slope` where x is not 0, and `limit` where it is.
inline Symbol ExceptAtZero(GradientBuilder& g, Symbol slope, double limit) {
  const Symbol x = g.x();
  return g.Where(g.Add("Equal", {x, g.Scalar(x.dtype(), 0)}), g.Scalar(x.dtype(), limit), slope);
}
inline void CheckNumericsGradient(GradientBuilder& g) {
  g.set(0, g.Add(g.def().op, {g.dy()},
                 {{"message",
                   "Not a number (NaN) or infinity (Inf) values detected in gradient. " + g.string_attr("message")}}));
}
inline void PreventGradient(GradientBuilder& g) {
  g.Fail(errors::NotFound("Gradient explicitly disabled. Reason: ", g.string_attr("message")));
}

inline constexpr double kTwoOverSqrtPi = 2.0 * std::numbers::inv_sqrtpi;

inline constexpr GradientRow kUnary[] = {
    {"Identity", Pass},
    {"RefIdentity", Pass},
    {"PlaceholderWithDefault", Pass},
    {"EnsureShape", Pass},
    {"Print", Pass},
    {"IdentityN", IdentityList},
    {"PreventGradient", PreventGradient},
    {"CheckNumerics", CheckNumericsGradient},
    {"CheckNumericsV2", CheckNumericsGradient},
    {"DebugGradientIdentity", Pass},
    {"DebugIdentityV2", Pass},
    {"Cast", Cast},
    {"Neg", Negative},
    {"Abs", [](G& g) { g.set(0, g.dy() * Un(g, "Sign", g.x())); }},
    {"Sign", [](G& g) { g.set(0, g.ZerosLike(g.x())); }},
    {"Inv", [](G& g) { ByOutput(g, "ReciprocalGrad"); }},
    {"Reciprocal", [](G& g) { ByOutput(g, "ReciprocalGrad"); }},
    {"InvGrad", InverseGrad},
    {"ReciprocalGrad", InverseGrad},
    {"Square", [](G& g) { g.set(0, g.dy() * (2.0 * g.Conj(g.x()))); }},
    {"Sqrt", [](G& g) { ByOutput(g, "SqrtGrad"); }},
    {"SqrtGrad",
     [](G& g) {
       const Symbol a = g.input(0), ga = g.dy() / a;
       g.set(0, -(g.Conj(ga) * g.y()));
       g.set(1, 0.5 * ga);
     }},
    {"Rsqrt", [](G& g) { ByOutput(g, "RsqrtGrad"); }},
    {"RsqrtGrad",
     [](G& g) {
       const Symbol conj = g.Conj(g.input(0)), dy = g.dy();
       g.set(0, -1.5 * g.Conj(dy) * g.input(1) * Un(g, "Square", conj));
       g.set(1, g.Add("RsqrtGrad", {conj, dy}));
     }},
    {"Exp", [](G& g) { g.set(0, g.dy() * g.Conj(g.y())); }},
    {"Expm1", [](G& g) { g.set(0, g.dy() * Un(g, "Exp", g.Conj(g.x()))); }},
    {"Log", [](G& g) { g.set(0, g.dy() * Un(g, "Reciprocal", g.Conj(g.x()))); }},
    {"Log1p", [](G& g) { g.set(0, g.dy() * Un(g, "Reciprocal", 1.0 + g.Conj(g.x()))); }},
    {"Sin", [](G& g) { g.set(0, g.dy() * Un(g, "Cos", g.Conj(g.x()))); }},
    {"Cos", [](G& g) { g.set(0, -(g.dy() * Un(g, "Sin", g.Conj(g.x())))); }},
    {"Tan", [](G& g) { g.set(0, g.dy() * Un(g, "Square", Un(g, "Reciprocal", Un(g, "Cos", g.Conj(g.x()))))); }},
    {"Asin", [](G& g) { g.set(0, g.dy() * Un(g, "Reciprocal", Un(g, "Sqrt", 1.0 - Un(g, "Square", g.Conj(g.x()))))); }},
    {"Acos",
     [](G& g) { g.set(0, -(g.dy() * Un(g, "Reciprocal", Un(g, "Sqrt", 1.0 - Un(g, "Square", g.Conj(g.x())))))); }},
    {"Atan", [](G& g) { g.set(0, g.dy() * Un(g, "Reciprocal", 1.0 + Un(g, "Square", g.Conj(g.x())))); }},
    {"Sinh", [](G& g) { g.set(0, g.dy() * Un(g, "Cosh", g.Conj(g.x()))); }},
    {"Cosh", [](G& g) { g.set(0, g.dy() * Un(g, "Sinh", g.Conj(g.x()))); }},
    {"Tanh", [](G& g) { g.set(0, g.Add("TanhGrad", {g.Conj(g.y()), g.dy()})); }},
    {"TanhGrad",
     [](G& g) {
       const Symbol a = g.Conj(g.input(0)), b = g.Conj(g.input(1)), dy = g.dy();
       g.set(0, dy * -2.0 * b * a);
       g.set(1, g.Add("TanhGrad", {a, dy}));
     }},
    {"Asinh", [](G& g) { g.set(0, g.dy() / Un(g, "Cosh", g.Conj(g.y()))); }},
    {"Acosh", [](G& g) { g.set(0, g.dy() / Un(g, "Sinh", g.Conj(g.y()))); }},
    {"Atanh", [](G& g) { g.set(0, g.dy() * Un(g, "Reciprocal", 1.0 - Un(g, "Square", g.Conj(g.x())))); }},
    {"Sigmoid", [](G& g) { g.set(0, g.Add("SigmoidGrad", {g.Conj(g.y()), g.dy()})); }},
    {"SigmoidGrad",
     [](G& g) {
       const Symbol a = g.Conj(g.input(0)), b = g.Conj(g.input(1)), dy = g.dy(), gb = dy * b;
       g.set(0, gb - 2.0 * gb * a);
       g.set(1, g.Add("SigmoidGrad", {a, dy}));
     }},
    {"Lgamma", [](G& g) { g.set(0, g.dy() * Un(g, "Digamma", g.x())); }},
    {"Digamma", [](G& g) { g.set(0, g.dy() * g.Add("Polygamma", {g.Scalar(g.x().dtype(), 1), g.x()})); }},
    {"Erf", [](G& g) { g.set(0, g.dy() * (kTwoOverSqrtPi * Un(g, "Exp", -Un(g, "Square", g.x())))); }},
    {"Erfc", [](G& g) { g.set(0, g.dy() * (-kTwoOverSqrtPi * Un(g, "Exp", -Un(g, "Square", g.x())))); }},
    {"Erfinv", [](G& g) { g.set(0, g.dy() * (1.0 / kTwoOverSqrtPi * Un(g, "Exp", Un(g, "Square", g.y())))); }},
    {"Ndtri",
     [](G& g) {
       g.set(0, g.dy() * (std::numbers::sqrt2 / std::numbers::inv_sqrtpi * Un(g, "Exp", Un(g, "Square", g.y()) / 2.0)));
     }},
    {"Dawsn", [](G& g) { g.set(0, g.dy() * (1.0 - 2.0 * g.x() * g.y())); }},
    {"Expint", [](G& g) { g.set(0, g.dy() * Un(g, "Exp", g.x()) / g.x()); }},
    {"FresnelCos", [](G& g) { g.set(0, g.dy() * Un(g, "Cos", std::numbers::pi / 2 * Un(g, "Square", g.x()))); }},
    {"FresnelSin", [](G& g) { g.set(0, g.dy() * Un(g, "Sin", std::numbers::pi / 2 * Un(g, "Square", g.x()))); }},
    {"Spence",
     [](G& g) {
       const Symbol x = g.x(), one = g.Scalar(x.dtype(), 1);
       const Symbol partial = Un(g, "Log", x) / (1.0 - x);
       g.set(0, g.dy() * g.Where(g.Add("Equal", {x, one}), -Un(g, "OnesLike", x), partial));
     }},
    {"BesselI0", [](G& g) { g.set(0, g.dy() * Bessel(g, "BesselI1")); }},
    {"BesselI0e", [](G& g) { g.set(0, g.dy() * (Bessel(g, "BesselI1e") - Un(g, "Sign", g.x()) * g.y())); }},
    {"BesselI1", [](G& g) { g.set(0, g.dy() * ExceptAtZero(g, Bessel(g, "BesselI0") - g.y() / g.x(), 1.0)); }},
    {"BesselI1e",
     [](G& g) {
       const Symbol x = g.x();
       const Symbol slope = Bessel(g, "BesselI0e") - g.y() * (Un(g, "Sign", x) + Un(g, "Reciprocal", x));
       g.set(0, g.dy() * ExceptAtZero(g, slope, 0.5));
     }},
    {"BesselK0", [](G& g) { g.set(0, -(g.dy() * Bessel(g, "BesselK1"))); }},
    {"BesselK0e", [](G& g) { g.set(0, g.dy() * (g.y() - Bessel(g, "BesselK1e"))); }},
    {"BesselK1", [](G& g) { g.set(0, g.dy() * (-Bessel(g, "BesselK0") - g.y() / g.x())); }},
    {"BesselK1e",
     [](G& g) { g.set(0, g.dy() * (g.y() * (1.0 - Un(g, "Reciprocal", g.x())) - Bessel(g, "BesselK0e"))); }},
    {"BesselJ0", [](G& g) { g.set(0, -(g.dy() * Bessel(g, "BesselJ1"))); }},
    {"BesselJ1", [](G& g) { g.set(0, g.dy() * ExceptAtZero(g, Bessel(g, "BesselJ0") - g.y() / g.x(), 0.5)); }},
    {"BesselY0", [](G& g) { g.set(0, -(g.dy() * Bessel(g, "BesselY1"))); }},
    {"BesselY1", [](G& g) { g.set(0, g.dy() * (Bessel(g, "BesselY0") - g.y() / g.x())); }},
    {"Complex", ComplexParts},
    {"Real", [](G& g) { g.set(0, ToComplex(g, g.dy(), g.Scalar(g.dy().dtype(), 0), g.x().dtype())); }},
    {"Imag", [](G& g) { g.set(0, ToComplex(g, g.Scalar(g.dy().dtype(), 0), g.dy(), g.x().dtype())); }},
    {"Conj", [](G& g) { g.set(0, g.Conj(g.dy())); }},
    {"ComplexAbs", ComplexAbs},
    {"Angle", Angle},
    {"L2Loss", [](G& g) { g.set(0, g.x() * g.dy()); }},
    {"Relu", [](G& g) { g.set(0, g.Add("ReluGrad", {g.dy(), g.y()})); }},
    {"ReluGrad", [](G& g) { StepGrad(g, "ReluGrad"); }},
    {"Relu6", [](G& g) { g.set(0, g.Add("Relu6Grad", {g.dy(), g.y()})); }},
    {"Relu6Grad", [](G& g) { StepGrad(g, "Relu6Grad"); }},
    {"LeakyRelu", [](G& g) { g.set(0, g.AddLike("LeakyReluGrad", {g.dy(), g.x()}, {"alpha"})); }},
    {"LeakyReluGrad",
     [](G& g) {
       g.set(0, g.AddLike("LeakyReluGrad", {g.dy(), g.input(1)}, {"alpha"}));
       g.set(1, g.ZerosLike(g.input(1)));
     }},
    {"Elu", [](G& g) { g.set(0, g.Add("EluGrad", {g.dy(), g.y()})); }},
    {"EluGrad", [](G& g) { EluGradGrad(g, "EluGrad"); }},
    {"Selu", [](G& g) { g.set(0, g.Add("SeluGrad", {g.dy(), g.y()})); }},
    {"SeluGrad", [](G& g) { EluGradGrad(g, "SeluGrad"); }},
    {"Softplus", [](G& g) { g.set(0, g.Add("SoftplusGrad", {g.dy(), g.x()})); }},
    {"SoftplusGrad",
     [](G& g) {
       const Symbol dy = g.input(0), x = g.input(1), gg = g.dy();
       g.set(0, g.Add("SoftplusGrad", {gg, x}));
       g.set(1, gg * dy / (Un(g, "Exp", -x) + 2.0 + Un(g, "Exp", x)));
     }},
    {"Softsign", [](G& g) { g.set(0, g.Add("SoftsignGrad", {g.dy(), g.x()})); }},
};

inline const bool registers_unary = RegisterGradients<kUnary>();

}  // namespace detail::gradients

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
