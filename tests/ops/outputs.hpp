// SPDX-License-Identifier: Apache-2.0
#pragma once
// All outputs of one call as one text, and what an op's shape function says of them: what tests of ops with many
// outputs compare.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/op/shape/inference_context.hpp>

#include "ops/support.hpp"

namespace tenon::testing {

// "[0 1][2 0] | 5 6 | 4 2", or "CODE: text" as ErrorOf has it. At most 30 elements of each.
template <class Op>
std::string OutputsOf(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> outputs = Call<Op>(attrs, inputs);
  if (!outputs.ok()) return ErrorOf<Op>(attrs, inputs);
  std::string text;
  for (std::size_t i = 0; i < outputs->size(); ++i)
    StrAppend(&text, i == 0 ? "" : " | ", (*outputs)[i].SummarizeValue(30));
  return text;
}

// "[?,2] [?] [2]", or "CODE: text" without the node that the text names.
template <class Op>
std::string ShapesOf(std::initializer_list<StaticInput> inputs, std::initializer_list<StaticAttr> attrs = {}) {
  InferenceContext context(Op::signature.view(), inputs, attrs);
  if (const Status status = RunShapeFn(&context, Op::signature.shape_fn); !status.ok()) {
    std::string text = status.ToString();
    text.resize(std::min(text.size(), text.find(" for '")));
    return text;
  }
  std::string text;
  for (int i = 0; i < context.num_outputs(); ++i)
    StrAppend(&text, i == 0 ? "" : " ", context.DebugString(context.output(i)));
  return text;
}

}  // namespace tenon::testing
