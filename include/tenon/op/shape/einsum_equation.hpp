// SPDX-License-Identifier: Apache-2.0
#pragma once
// The texts of Einsum's equation "bij,bjk->bik": shape function and engine read it alike.

#include <cstddef>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The texts around ',' and '->' of an equation; they point into it. immutable once made.
struct EinsumTexts {
  SlimVector<std::string_view> inputs;  // one or two
  std::string_view output;
};

// InvalidArgument unless there is one "->", with one or two subscripts before it.
constexpr Status SplitEinsum(std::string_view equation, EinsumTexts* texts) {
  const std::size_t arrow = equation.find("->");
  if (arrow == equation.npos || equation.find("->", arrow + 2) != equation.npos)
    return errors::InvalidArgument("Expecting exactly one '->' in einsum equation: ", equation);
  texts->output = equation.substr(arrow + 2);
  std::string_view rest = equation.substr(0, arrow);
  for (std::size_t comma; (comma = rest.find(',')) != rest.npos; rest.remove_prefix(comma + 1))
    texts->inputs.push_back(rest.substr(0, comma));
  texts->inputs.push_back(rest);
  if (texts->inputs.size() > 2)
    return errors::InvalidArgument("Expecting 1 or 2 input subscripts in equation '", equation,
                                   "' but got: ", texts->inputs.size());
  return OkStatus();
}

// Whether the subscript has an ellipsis. InvalidArgument for other periods.
constexpr Status CheckEinsumEllipsis(std::string_view subscript, bool* found) {
  std::size_t periods = 0;
  for (const char c : subscript) periods += c == '.' ? 1 : 0;
  *found = periods != 0;
  if (periods == 0) return OkStatus();
  if (periods != 3)
    return errors::InvalidArgument("Expected at most one ellipsis (...), but found ", periods,
                                   " periods (.) in the input subscript: ", subscript);
  if (subscript.find("...") == subscript.npos)
    return errors::InvalidArgument("Periods found outside of ellipsis in subscript: ", subscript);
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
