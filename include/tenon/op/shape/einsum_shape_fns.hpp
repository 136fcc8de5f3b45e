// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shape function of Einsum.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/einsum_equation.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

namespace internal {
// The sizes of one input's labels, merged with those known, and what its ellipsis stands for, broadcast with that of
// the other.
constexpr Status EinsumInputShape(InferenceContext* c, std::string_view equation, std::string_view subscript, int input,
                                  DimensionHandle (&sizes)[256], bool (&seen)[256], ShapeHandle* dots) {
  bool ellipsis = false;
  TENON_RETURN_IF_ERROR(CheckEinsumEllipsis(subscript, &ellipsis));
  ShapeHandle shape = c->input(input);
  if (!c->RankKnown(shape)) {
    if (ellipsis) *dots = c->UnknownShape();
    return OkStatus();
  }
  const auto named = static_cast<std::int64_t>(subscript.size()) - (ellipsis ? 3 : 0);
  const Status fits = ellipsis ? c->WithRankAtLeast(shape, named, &shape) : c->WithRank(shape, named, &shape);
  if (!fits.ok())
    return errors::InvalidArgument(fits.message(), "\n\t for ", input, "th input and equation: ", equation);
  std::int64_t d = 0;
  for (std::size_t i = 0; i < subscript.size(); ++i) {
    if (subscript[i] == '.') {
      ShapeHandle part;
      const std::int64_t count = c->Rank(shape) - named;
      TENON_RETURN_IF_ERROR(c->Subshape(shape, d, d + count, &part));
      TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, *dots, part, true, dots));
      d += count;
      i += 2;
      continue;
    }
    const auto label = static_cast<unsigned char>(subscript[i]);
    const DimensionHandle size = c->Dim(shape, d++);
    if (seen[label])
      TENON_RETURN_IF_ERROR(c->Merge(sizes[label], size, &sizes[label]));
    else
      sizes[label] = size;
    seen[label] = true;
  }
  return OkStatus();
}
}  // namespace internal

// The attr `equation` says which dimensions of one or two inputs are one; an ellipsis broadcasts.
constexpr Status EinsumShape(InferenceContext* c) {
  std::string_view equation;
  TENON_RETURN_IF_ERROR(c->GetAttr("equation", &equation));
  EinsumTexts texts;
  TENON_RETURN_IF_ERROR(SplitEinsum(equation, &texts));
  if (texts.inputs.size() != static_cast<std::size_t>(c->num_inputs()))
    return errors::InvalidArgument("Expected ", texts.inputs.size(), " inputs for equation ", equation,
                                   " but got: ", c->num_inputs());
  bool output_ellipsis = false;
  TENON_RETURN_IF_ERROR(CheckEinsumEllipsis(texts.output, &output_ellipsis));
  DimensionHandle sizes[256];
  for (DimensionHandle& size : sizes) size = c->UnknownDim();
  bool seen[256] = {};
  ShapeHandle dots = c->Scalar();
  for (int i = 0; i < c->num_inputs(); ++i)
    TENON_RETURN_IF_ERROR(
        internal::EinsumInputShape(c, equation, texts.inputs[static_cast<std::size_t>(i)], i, sizes, seen, &dots));
  for (const char label : texts.output) {
    bool there = label == '.';
    for (const std::string_view input : texts.inputs) there = there || input.find(label) != input.npos;
    if (!there)
      return errors::InvalidArgument("Einsum output subscripts for equation '", equation, "' has label '",
                                     std::string_view(&label, 1), "' which is not present in the input subscripts");
  }
  if (!output_ellipsis) {
    const Status fits = c->WithRankAtMost(dots, 0, &dots);
    if (!fits.ok())
      return errors::InvalidArgument(fits.message(), "\n\t for einsum equation '", equation,
                                     "' without ellipsis (...) in the output subscripts where input(s) have "
                                     "non-empty broadcasting shape");
  }
  ShapeHandle out = c->Scalar();
  for (std::size_t i = 0; i < texts.output.size(); ++i) {
    const bool is_dots = texts.output[i] == '.';
    TENON_RETURN_IF_ERROR(
        c->Concatenate(out, is_dots ? dots : c->Vector(sizes[static_cast<unsigned char>(texts.output[i])]), &out));
    if (is_dots) i += 2;
  }
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
