// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/config_text.hpp>

#include <doctest/doctest.h>

namespace config_text_test {
using namespace tenon;

TEST_CASE("enums of the tables have names, negative ones too") {
  const wire::Field level =
      wire::detail::WireField(3, "opt_level", wire::Kind::kEnum, false, &wire::detail::kOptimizerOptionsLevel);
  CHECK(wire::detail::EnumNameOf(level, -1) == "L0");
  CHECK(wire::detail::EnumNameOf(level, 0) == "L1");
  CHECK(wire::detail::EnumNameOf(level, 5).empty());
  std::int32_t number = 7;
  CHECK(wire::detail::EnumNumberOf(level, "L0", &number));
  CHECK(number == -1);
  CHECK_FALSE(wire::detail::EnumNumberOf(level, "L2", &number));
  CHECK(wire::detail::EnumNames(level).size() == 2);
}

TEST_CASE("fields of kept messages") {
  REQUIRE(wire::detail::kRewriterConfig.Find(200) != nullptr);
  CHECK(wire::detail::kRewriterConfig.Find(200)->name == "custom_optimizers");
  CHECK(wire::detail::kConfigProtoExperimental.Find(3)->name == "executor_type");
}
}  // namespace config_text_test
