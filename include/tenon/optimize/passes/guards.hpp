// SPDX-License-Identifier: Apache-2.0
#pragma once
// Guards of rules: what must be known of a match's values before they may be replaced.

#include <cmath>
#include <cstdint>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/rules.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The values of an integer constant; false: it is not known.
inline bool ReadVector(const Match& match, std::string_view name, SlimVector<std::int64_t>* values) {
  const Tensor* const tensor = match.constant(name);
  Integers read;
  if (tensor == nullptr || tensor->dims() > 1 || !ReadIntegers(*tensor, &read)) return false;
  for (Index i = 0; i < read.size(); ++i) values->push_back(read.at(i));
  return true;
}

inline Refusal FloatsOnly(const Match& match) {
  return IsFloating(match.graph().type({match.root(), 0})) ? Refusal() : Refusal(kNoMatch);
}
// Broadcasting the constant `c` over `x` leaves the shape of `x`.
inline Refusal KeepsShape(const Match& match) {
  const Tensor& c = *match.constant("c");
  if (c.dims() == 0) return {};
  const PartialTensorShape shape = match.shape("x");
  if (shape.unknown_rank() || shape.dims() < c.dims()) return "the shape may change";
  for (int d = 0; d < c.dims(); ++d) {
    const Index size = c.dim_size(d);
    if (size != 1 && size != shape.dim_size(shape.dims() - c.dims() + d)) return "the shape may change";
  }
  return {};
}
inline Refusal KeepsShapeOfFloats(const Match& match) {
  return IsFloating(match.type("x")) ? KeepsShape(match) : Refusal(kNoMatch);
}
inline Refusal KeepsShapeOfIntegers(const Match& match) {
  return IsInteger(match.type("x")) ? KeepsShape(match) : Refusal(kNoMatch);
}
// x - 0 is x for the zero without a sign.
inline Refusal SubtractsZero(const Match& match) {
  const Tensor& c = *match.constant("c");
  if (c.dtype() == DataType::kFloat)
    for (Index i = 0; i < c.NumElements(); ++i)
      if (std::signbit(c.data<float>()[i])) return "-0";
  if (c.dtype() == DataType::kDouble)
    for (Index i = 0; i < c.NumElements(); ++i)
      if (std::signbit(c.data<double>()[i])) return "-0";
  if (c.dtype() == DataType::kHalf || c.dtype() == DataType::kBfloat16) return kNoMatch;
  return KeepsShape(match);
}
inline Refusal SameShape(const Match& match) {
  const PartialTensorShape before = match.shape("x"), after = match.graph().shape({match.root(), 0});
  if (!before.IsFullyDefined() || !after.IsFullyDefined()) return "the shape is not known";
  return before.IsIdenticalTo(after) ? Refusal() : Refusal(kNoMatch);
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
