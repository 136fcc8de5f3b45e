// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/unary.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace unary_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of unary ops") {
  TEST_CASE("are those of central differences") {
    const Tensor any = RandomTensor({2, 3}, -0.8, 0.8, 4), positive = RandomTensor({2, 3}, 0.5, 2);
    for (const char* op :
         {"Abs",       "Neg",    "Square", "Exp",      "Expm1",     "Sin",      "Cos",       "Tan",          "Asin",
          "Acos",      "Atan",   "Sinh",   "Cosh",     "Tanh",      "Asinh",    "Atanh",     "Sigmoid",      "Erf",
          "Erfc",      "Erfinv", "Dawsn",  "BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "Relu",         "Relu6",
          "LeakyRelu", "Elu",    "Selu",   "Softplus", "Softsign",  "Identity", "L2Loss",    "CheckNumerics"}) {
      CAPTURE(op);
      const std::string_view name = op;
      if (name == "CheckNumerics")
        CHECK(OpGradientError(op, {any}, {{"message", "m"}}) == "");
      else
        CHECK(OpGradientError(op, {any}) == "");
    }
    for (const char* op : {"Sqrt", "Rsqrt", "Reciprocal", "Inv", "Log", "Log1p", "Lgamma", "Digamma", "Expint"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {positive}) == "");
    }
    CHECK(OpGradientError("Acosh", {RandomTensor({3}, 1.5, 3)}) == "");
    CHECK(OpGradientError("Ndtri", {RandomTensor({3}, 0.3, 0.7)}) == "");
  }
  TEST_CASE("of gradient ops: second orders") {
    const Tensor a = RandomTensor({4}, 0.3, 0.8), b = RandomTensor({4}, -1, 1, 5);
    for (const char* op : {"TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "SoftplusGrad"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {a, b}) == "");
    }
  }
  TEST_CASE("PreventGradient refuses with NotFound") {
    CHECK(OpGradientError("PreventGradient", {RandomTensor({2})}).find("Gradient explicitly disabled") !=
          std::string::npos);
  }
}

}  // namespace unary_gradient_test
