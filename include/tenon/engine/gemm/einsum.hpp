// SPDX-License-Identifier: Apache-2.0
#pragma once
// Einsum's equation "bij,bjk->bik" as labels of dimensions, and the work to do: the labels of each operand are batches
// (in both operands and the output), free (in one and the output), contracted (in both only) or summed (in one only).
// The batch product of operands [batches, free, contracted] is the output, but for the order of its labels.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/op/shape/einsum_equation.hpp>
#include <tenon/engine/layout/transpose.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A dimension's name: a byte of the equation, or 256 + i for number i, from the right, of those that an ellipsis stands
// for.
using EinsumLabel = std::int16_t;
using EinsumLabels = InlinedVector<EinsumLabel, 8>;
inline constexpr EinsumLabel kEinsumBroadcast = 256;
inline constexpr int kEinsumLabels = 256 + kMaxTensorRank;

namespace detail {

// The labels of a subscript whose ellipsis stands for `dots` dimensions.
inline EinsumLabels LabelsOf(std::string_view subscript, int dots) {
  EinsumLabels labels;
  for (std::size_t i = 0; i < subscript.size(); ++i) {
    if (subscript[i] != '.') {
      labels.push_back(static_cast<unsigned char>(subscript[i]));
      continue;
    }
    for (int d = dots; d-- > 0;) labels.push_back(static_cast<EinsumLabel>(kEinsumBroadcast + d));
    i += 2;
  }
  return labels;
}
inline bool Has(const EinsumLabels& labels, EinsumLabel label) {
  for (const EinsumLabel other : labels)
    if (other == label) return true;
  return false;
}
inline void AddOnce(EinsumLabels* labels, EinsumLabel label) {
  if (!Has(*labels, label)) labels->push_back(label);
}

}  // namespace detail

// One operand: its labels, dimension by dimension, and its free and summed labels, once each.
struct EinsumOperand {
  EinsumLabels labels, free, summed;
};

// The work that an equation needs for operands of certain shapes. immutable once made.
struct EinsumPlan {
  EinsumOperand operands[2];
  EinsumLabels batch, contracted;  // in the order in which the first operand has them
  EinsumLabels output;
  Index size[kEinsumLabels];  // sizes of the labels in use; of batches after broadcasting
  Index operand_size[2][kEinsumLabels];  // in one operand; 1 where it has to be repeated or does not have the label

  // Elements of so many labels together.
  Index Product(const EinsumLabels& labels) const {
    Index n = 1;
    for (const EinsumLabel label : labels) n = n < 0 ? n : MultiplyWithoutOverflow(n, size[label]);
    return n;
  }
};

namespace detail {

// Reads the sizes of one operand's dimensions.
inline Status ReadEinsumOperand(const TensorShape& shape, std::string_view subscript, int number, EinsumPlan* plan,
                                int* dots) {
  bool ellipsis = false;
  TENON_RETURN_IF_ERROR(CheckEinsumEllipsis(subscript, &ellipsis));
  const int named = static_cast<int>(subscript.size()) - (ellipsis ? 3 : 0);
  if (ellipsis ? shape.dims() < named : shape.dims() != named)
    return errors::InvalidArgument("Einsum: Expected input ", number, " to have rank ", ellipsis ? "at least " : "",
                                   named, " but got: ", shape.dims());
  const int own_dots = shape.dims() - named;
  if (own_dots > *dots) *dots = own_dots;
  EinsumOperand& operand = plan->operands[number];
  operand.labels = LabelsOf(subscript, own_dots);
  for (int d = 0; d < shape.dims(); ++d) {
    const EinsumLabel label = operand.labels[static_cast<std::size_t>(d)];
    const Index got = shape.dim_size(d);
    Index& size = plan->size[label];
    const bool may_repeat = label >= kEinsumBroadcast;
    if (size >= 0 && size != got && !(may_repeat && (size == 1 || got == 1))) {
      if (may_repeat)
        return errors::InvalidArgument("Einsum: Invalid broadcasting dimensions: ", size, " vs. ", got, " in input ",
                                       number, " of shape ", shape);
      return errors::InvalidArgument("Einsum: Expected dimension ", size, " at axis ", d, " of the input shaped ",
                                     shape, " but got dimension ", got);
    }
    if (size < 0 || size == 1) size = got;
    plan->operand_size[number][label] = got;
  }
  return OkStatus();
}

}  // namespace detail

// InvalidArgument, with TensorFlow's words, where equation and shapes do not fit.
inline Status PlanEinsum(std::string_view equation, Span<const TensorShape* const> shapes, EinsumPlan* plan) {
  EinsumTexts texts;
  TENON_RETURN_IF_ERROR(SplitEinsum(equation, &texts));
  if (texts.inputs.size() != shapes.size())
    return errors::InvalidArgument("Expected ", texts.inputs.size(), " inputs for equation ", equation,
                                   " but got: ", shapes.size());
  for (int label = 0; label < kEinsumLabels; ++label) {
    plan->size[label] = -1;
    plan->operand_size[0][label] = plan->operand_size[1][label] = 1;
  }
  int dots = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    TENON_RETURN_IF_ERROR(detail::ReadEinsumOperand(*shapes[i], texts.inputs[i], static_cast<int>(i), plan, &dots));
  bool ellipsis = false;
  TENON_RETURN_IF_ERROR(CheckEinsumEllipsis(texts.output, &ellipsis));
  if (dots > 0 && !ellipsis)
    return errors::InvalidArgument("Einsum: Output contains ", dots,
                                   " broadcasting dimension(s) but no ellipsis (...) was found in the output "
                                   "subscripts.");
  plan->output = detail::LabelsOf(texts.output, dots);
  for (const EinsumLabel label : plan->output)
    if (plan->size[label] < 0)
      return errors::InvalidArgument("Einsum output subscripts for equation '", equation, "' has label '",
                                     std::string_view(reinterpret_cast<const char*>(&label), 1),
                                     "' which is not present in the input subscripts");
  const bool two = shapes.size() == 2;
  for (int number = 0; number < (two ? 2 : 1); ++number) {
    EinsumOperand& operand = plan->operands[number];
    const EinsumLabels& others = plan->operands[1 - number].labels;
    for (const EinsumLabel label : operand.labels) {
      const bool shared = two && (label >= kEinsumBroadcast || detail::Has(others, label));
      const bool kept = detail::Has(plan->output, label);
      if (shared)
        detail::AddOnce(kept ? &plan->batch : &plan->contracted, label);
      else
        detail::AddOnce(kept ? &operand.free : &operand.summed, label);
    }
  }
  return OkStatus();
}

// The copy that lays an operand (row-major, dimensions named by `from`, sizes as `size` says) out as the labels in
// `to`, one dimension each: diagonals where `from` has a label more than once.
inline NdCopy EinsumLayout(const EinsumLabels& from, const EinsumLabels& to, const Index* size) {
  NdCopy copy;
  Index out = 1;
  for (const EinsumLabel label : to) out = MultiplySizes(out, size[label]);
  for (const EinsumLabel label : to) {
    Index in = 0, step = 1;
    for (std::size_t d = from.size(); d-- > 0;) {
      if (from[d] == label) in += step;
      step = MultiplySizes(step, size[from[d]]);
    }
    out /= size[label] == 0 ? 1 : size[label];
    copy.Add(size[label], in, out);
  }
  return copy;
}
// The other way: labels once each in `from`, any number of times in `to`, whose diagonals are written.
inline NdCopy EinsumSpread(const EinsumLabels& from, const EinsumLabels& to, const Index* size) {
  NdCopy copy = EinsumLayout(to, from, size);
  for (NdCopy::Dim& dim : copy.dims) {
    const Index in = dim.in;
    dim.in = dim.out;
    dim.out = in;
  }
  return copy;
}
// Whether such a copy changes nothing.
inline bool IsPlainCopy(const NdCopy& copy) {
  return copy.dims.empty() || (copy.dims.size() == 1 && copy.dims[0].in == 1 && copy.dims[0].out == 1);
}

TENON_DETAIL_NAMESPACE_END
