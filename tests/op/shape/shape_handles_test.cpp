// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_handles.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace shape_handles_test {
namespace {
using namespace tenon;

static_assert(sizeof(DimensionHandle) == 8 && sizeof(ShapeHandle) == 12);
static_assert(std::is_trivially_copyable_v<DimensionHandle> && std::is_trivially_copyable_v<ShapeHandle>);

TEST_SUITE("shape handles") {
  TEST_CASE("are unset at first, and then the same") {
    CHECK_FALSE(DimensionHandle().IsSet());
    CHECK_FALSE(ShapeHandle().IsSet());
    CHECK(ShapeHandle().SameHandle(ShapeHandle()));
    CHECK(DimensionHandle().SameHandle(DimensionHandle()));
  }
  TEST_CASE("a number stands for a dimension") {
    CHECK(DimensionOrConstant(5).val == 5);
    CHECK_FALSE(DimensionOrConstant(5).dim.IsSet());
    CHECK(DimensionOrConstant(DimensionHandle()).val == -1);
    CHECK(ShapeAndType().dtype == DataType::kInvalid);
  }
  TEST_CASE("what is held is found by number, and replaced") {
    HeldShapes held;
    CHECK(held.Find(0) == nullptr);
    held.Set(3, {ShapeAndType{{}, DataType::kFloat}});
    held.Set(1, {ShapeAndType{{}, DataType::kInt32}, ShapeAndType{}});
    held.Set(3, {ShapeAndType{{}, DataType::kDouble}});
    CHECK(held.Find(0) == nullptr);
    REQUIRE(held.Find(3) != nullptr);
    CHECK(held.Find(3)->size() == 1);
    CHECK(held.Find(3)->front().dtype == DataType::kDouble);
    CHECK(held.Find(1)->size() == 2);
    held.clear();
    CHECK(held.Find(1) == nullptr);
  }
}
}  // namespace
}  // namespace shape_handles_test
