// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/gradient_maker.hpp>

#include <tenon/base/errors.hpp>

#include <doctest/doctest.h>

namespace gradient_maker_test {
using namespace tenon;

namespace {
Result<FunctionDef> None(const NameAttrList& function, const FunctionDefLibrary&, const OpRegistry&) {
  return errors::NotFound(function.name);
}
}  // namespace

TEST_CASE("SetGradientMaker gives back the one before") {  // tests/ops/flow/symbolic_gradient_test.cpp calls one
  const GradientMaker before = SetGradientMaker(&None);
  CHECK((SetGradientMaker(before) == &None));
  CHECK((SetGradientMaker(before) == before));
}
}  // namespace gradient_maker_test
