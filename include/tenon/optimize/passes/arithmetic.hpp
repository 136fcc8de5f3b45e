// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic simplification: element-wise nodes that give back their input, undo each other or have a cheaper form.
// TensorFlow's ArithmeticOptimizer and the algebra of its ConstantFolding.

#include <cstring>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>
#include <tenon/optimize/passes/constant_folding.hpp>
#include <tenon/optimize/passes/guards.hpp>
#include <tenon/optimize/passes/reassociation.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline Refusal SameOps(const Match& match) {
  return match.node("inner").op == match.graph().node(match.root()).op ? Refusal() : Refusal(kNoMatch);
}
// x - x, whose elements are integers: a float may be infinite.
inline Refusal ZerosOf(const Match& match) {
  IndexedGraph& graph = match.graph();
  const PartialTensorShape shape = match.shape("x");
  if (!IsInteger(match.type("x"))) return "may not be a number";
  if (!shape.IsFullyDefined()) return "the shape is not known";
  if (shape.num_elements() > 4096) return "a large constant";
  TensorShape size;
  if (!shape.AsTensorShape(&size)) return "the shape is not known";
  Tensor zeros(match.type("x"), size);
  if (!zeros.IsInitialized()) return "no memory";
  if (zeros.TotalBytes() != 0)
    std::memset(const_cast<void*>(static_cast<const void*>(zeros.raw_data())), 0, zeros.TotalBytes());
  return ReplaceByConstant(&graph, match.root(), std::move(zeros));
}
inline Refusal ByConstantFloats(const Match& match) {
  const Tensor* const c = match.constant("c");
  if (c == nullptr) return kNoMatch;
  return IsFloating(c->dtype()) ? Refusal() : Refusal(kNoMatch);
}
// Every value of `from` is one of `to`.
inline bool Widens(DataType from, DataType to) {
  const auto bits = [](DataType type, bool* is_signed) {
    *is_signed = true;
    switch (type) {
      case DataType::kBool: return *is_signed = false, 1;
      case DataType::kUint8: return *is_signed = false, 8;
      case DataType::kUint16: return *is_signed = false, 16;
      case DataType::kUint32: return *is_signed = false, 32;
      case DataType::kInt8: return 7;
      case DataType::kInt16: return 15;
      case DataType::kInt32: return 31;
      case DataType::kInt64: return 63;
      case DataType::kHalf: return 11;
      case DataType::kBfloat16: return 8;
      case DataType::kFloat: return 24;
      case DataType::kDouble: return 53;
      default: return 0;
    }
  };
  bool signed_from = false, signed_to = false;
  const int a = bits(from, &signed_from), b = bits(to, &signed_to);
  if (a == 0 || b == 0 || a > b || (signed_from && !signed_to)) return false;
  if (IsFloating(from)) {
    if (!IsFloating(to)) return false;
    return to == DataType::kDouble || to == DataType::kFloat || from == to;  // half and bfloat16 range differently
  }
  return to != DataType::kHalf || a <= 11;
}
inline Refusal CastOfSameType(const Match& match) {
  return match.type("x") == match.graph().type({match.root(), 0}) ? Refusal() : Refusal(kNoMatch);
}
inline Refusal CastChain(const Match& match) {
  return Widens(match.type("x"), match.type("inner")) ? Refusal() : Refusal("the first cast may lose digits");
}

}  // namespace detail

inline constexpr Rule kArithmeticRules[] = {
    {"times one", "Mul~(x, c:1)", "x", detail::KeepsShape},
    {"divided by one", "RealDiv|Div(x, c:1)", "x", detail::KeepsShape},
    {"plus zero", "Add|AddV2~(x, c:0)", "x", detail::KeepsShapeOfIntegers},
    {"plus zero, floats", "Add|AddV2~(x, c:0)", "x", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"minus zero", "Sub(x, c:0)", "x", detail::SubtractsZero},
    {"minus itself", "Sub(x, x)", {}, nullptr, detail::ZerosOf},
    {"double negation", "Neg(Neg(x))", "x"},
    {"double not", "LogicalNot(LogicalNot(x))", "x"},
    {"double inversion", "Invert(Invert(x))", "x"},
    {"double conjugation", "Conj(Conj(x))", "x"},
    {"double reciprocal", "Reciprocal|Inv(Reciprocal|Inv(x))", "x", nullptr, nullptr, OptimizerLevel::kFast},
    {"twice what once does",
     "Abs|Ceil|Floor|Rint|Round|Sign|Relu|Relu6(inner:Abs|Ceil|Floor|Rint|Round|Sign|Relu|Relu6(x))", "inner",
     detail::SameOps},
    {"activation twice", "Relu6(!Relu(x))", "Relu6(x)"},
    {"activation of the smaller range", "Relu(x:Relu6(_))", "x"},
    {"a choice of one", "Maximum|Minimum|LogicalAnd|LogicalOr|BitwiseAnd|BitwiseOr(x, x)", "x"},
    {"absolute value of a negation", "Abs(!Neg(x))", "Abs(x)"},
    {"square of a negation", "Square(!Neg|Abs(x))", "Square(x)"},
    {"product of negations", "Mul(!Neg(x), !Neg(y))", "Mul(x, y)"},
    {"quotient of negations", "RealDiv(!Neg(x), !Neg(y))", "RealDiv(x, y)"},
    {"negated difference", "Neg(!Sub(x, y))", "Sub(y, x)", nullptr, nullptr, OptimizerLevel::kFast},
    {"not equal", "LogicalNot(!Equal[incompatible_shape_error=true](x, y))", "NotEqual(x, y)"},
    {"equal", "LogicalNot(!NotEqual[incompatible_shape_error=true](x, y))", "Equal(x, y)"},
    {"plus a negation", "Add|AddV2~(x, !Neg(y))", "Sub(x, y)"},
    {"minus a negation", "Sub(x, !Neg(y))", "AddV2(x, y)"},
    {"times itself", "Mul(x, x)", "Square(x)"},
    {"power of 1", "Pow(x, c:1)", "x", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"power of 2", "Pow(x, c:2)", "Square(x)", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"power of 3", "Pow(x, c:3)", "Mul(x, Square(x))", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"power of 0.5", "Pow(x, c:0.5)", "Sqrt(x)", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"power of -0.5", "Pow(x, c:-0.5)", "Rsqrt(x)", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"power of -1", "Pow(x, c:-1)", "Reciprocal(x)", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"reciprocal of a root", "Reciprocal|Inv(!Sqrt(x))", "Rsqrt(x)", nullptr, nullptr, OptimizerLevel::kFast},
    {"divided by a root", "RealDiv(x, !Sqrt(y))", "Mul(x, Rsqrt(y))", nullptr, nullptr, OptimizerLevel::kFast},
    {"divided by a constant", "RealDiv(x, #c)", "Mul(x, Reciprocal(c))", detail::ByConstantFloats, nullptr,
     OptimizerLevel::kFast},
    {"logarithm of a softmax", "Log(!Softmax(x))", "LogSoftmax(x)", nullptr, nullptr, OptimizerLevel::kFast},
    {"logarithm of 1 + x", "Log(!Add|AddV2~(x, c:1))", "Log1p(x)", detail::KeepsShapeOfFloats, nullptr,
     OptimizerLevel::kFast},
    {"exponential - 1", "Sub(!Exp(x), c:1)", "Expm1(x)", detail::KeepsShapeOfFloats, nullptr, OptimizerLevel::kFast},
    {"selection with a mask of its shape", "SelectV2(LogicalAnd~(Fill(Shape(x), 1), mask), x, y)",
     "SelectV2(mask, x, y)"},
    {"cast to the same type", "Cast(x)", "x", detail::CastOfSameType},
    {"cast chain", "Cast(inner:Cast(x))", "Cast(x)", detail::CastChain},
};

inline void SimplifyArithmetic(PassRun* run) {
  ApplyRules(kArithmeticRules, run);
  ApplyRules(kReassociationRules, run);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
