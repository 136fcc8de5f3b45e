// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string_view>

namespace passes_test {
using namespace tenon;

TEST_SUITE("kPasses") {
  TEST_CASE("each name is given once, and only the first row stays out of the rounds") {
    std::set<std::string_view> names;
    for (const Pass& pass : kPasses) {
      CHECK(names.insert(pass.name).second);
      CHECK(pass.level != OptimizerLevel::kOff);
      CHECK((pass.run == nullptr) == (&pass == &kPasses[0]));
      CHECK(pass.at_end == (pass.name == "convolutions" || pass.name == "fusion" || pass.name == "products"));
    }
    CHECK(kPasses[0].name == kFunctionPass);
  }
}

}  // namespace passes_test
