// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/static_shape.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

namespace static_shape_test {
namespace {
using namespace tenon;

constexpr float FloatDefault(std::string_view text) {
  float out = -77;
  return detail::ReadSimpleFloat(text, &out) ? out : -77;
}
static_assert(FloatDefault("0.1") == 0.1f && FloatDefault("-1e-5") == -1e-5f && FloatDefault("1.5E3") == 1500.0f);
static_assert(FloatDefault("-inf") < 0 && FloatDefault("5.") == 5.0f && FloatDefault("0x1p3") == -77 &&
              FloatDefault("1e30") == -77);

static_assert(StaticShape().rank == -1 && StaticShape{2, -1}.rank == 2 && StaticShape{2, -1}.dims[1] == -1);
static_assert(StaticShape{2, 3} == StaticShape{2, 3} && !(StaticShape{2, 3} == StaticShape{2}));
static_assert(StaticInput::Vector({4, 5}).value_count == 2 && StaticInput::Vector({4, 5}).shape == StaticShape{2});
static_assert(StaticInput::Scalar(7).values[0] == 7 && StaticInput::Scalar(7).shape.rank == 0);

TEST_SUITE("StaticAttr") {
  TEST_CASE("has the value that it was written with, and no other kind") {
    const StaticAttr flag{"flag", true};
    bool b = false;
    std::int64_t i = 0;
    CHECK(flag.Get(&b));
    CHECK(b);
    CHECK_FALSE(flag.Get(&i));
    const StaticAttr mode{"mode", "fast"};
    std::string_view text;
    CHECK(mode.Get(&text));
    CHECK(text == "fast");
  }
}
}  // namespace
}  // namespace static_shape_test
