// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/variable_update.hpp>

#include <thread>

#include "ops/outputs.hpp"
#include "ops/state/state_test.hpp"

namespace state_variable_update_test {
using namespace state_test;
using tenon::testing::Ints;
using tenon::testing::Make;
using tenon::testing::ShapesOf;

namespace {

// A variable "v" with nodes "add", "sub" (x), "value", "twice" (adds its own value) and "count" (up to limit, scalars
// of integers only).
struct Updates : Machine {
  Updates(bool by_handle, const Tensor& start, std::int64_t limit = 0) {
    const Output v = by_handle ? Handle("v", start) : Reference("v", start);
    const Output x = b.Placeholder("x", start.dtype());
    b.Add(by_handle ? "AssignAddVariableOp" : "AssignAdd", "add", {v, x});
    b.Add(by_handle ? "AssignSubVariableOp" : "AssignSub", "sub", {v, x});
    const Output value =
        by_handle ? b.Add("ReadVariableOp", "value", {v}, {{"dtype", start.dtype()}}) : b.Add("Identity", "value", {v});
    b.Add(by_handle ? "AssignAddVariableOp" : "AssignAdd", "twice", {v, by_handle ? value : v});
    if (limit != 0 && by_handle)
      b.Add("ResourceCountUpTo", "count", {v}, {{"limit", limit}, {"T", start.dtype()}});
    else if (limit != 0)
      b.Add("CountUpTo", "count", {v}, {{"limit", limit}});
    Start();
  }
  Status Feed(const char* node, const Tensor& x) const { return Do(node, {{"x", x}}); }
};

}  // namespace

TEST_SUITE("updates of variables") {
  TEST_CASE("by both kinds: against a plain sum, of many elements, also of its own value") {
    for (const bool by_handle : {false, true}) {
      const Tensor start = tenon::testing::Random<float>({10007}, 3), x = tenon::testing::Random<float>({10007}, 4);
      const Updates m(by_handle, start);
      REQUIRE(m.Do("v/init").ok());
      REQUIRE(m.Feed("add", x).ok());
      REQUIRE(m.Feed("add", x).ok());
      REQUIRE(m.Feed("sub", x).ok());
      REQUIRE(m.Do("twice").ok());
      const Floats got = m.Floats("value");
      int wrong = 0;
      for (Index i = 0; i < 10007; ++i) {
        const float a = start.data<float>()[i], b = x.data<float>()[i];
        wrong += got[static_cast<std::size_t>(i)] != 2 * ((a + b + b) - b) ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  }
  TEST_CASE("integers wrap around") {
    const Updates m(true, Ints({std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}));
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Feed("add", Ints({1, 0})).ok());
    REQUIRE(m.Feed("sub", Ints({0, 1})).ok());
    CHECK(m.Get({"value"})[0].SummarizeValue(2) == "-2147483648 2147483647");
  }
  TEST_CASE("what does not fit changes nothing") {
    const Tensor start = Make<float>({2}, {1, 2});
    const Updates by_handle(true, start), by_reference(false, start);
    CHECK(by_reference.Feed("add", start).message() == "Attempting to use uninitialized value v [node 'add', CPU:0]");
    CHECK(by_handle.Feed("add", start).code() == Code::kNotFound);
    for (const Updates* m : {&by_handle, &by_reference}) REQUIRE(m->Do("v/init").ok());
    CHECK(
        by_handle.Feed("add", Make<float>({3}, {1})).message() ==
        "Cannot update variable with shape [2] using a Tensor with shape [3], shapes must be equal. [node 'add', CPU:0]");
    CHECK(by_handle.Feed("sub", Tensor::Scalar(1.0f)).code() == Code::kInvalidArgument);  // nothing is repeated
    CHECK(by_reference.Feed("add", Make<float>({1, 2}, {1})).message() ==
          "Parameters and update must be the same size: the variable has shape [2], the update [1,2] [node 'add', "
          "CPU:0]");
    CHECK(by_handle.Floats("value") == Floats{1, 2});
    CHECK(by_reference.Floats("value") == Floats{1, 2});
  }
  TEST_CASE("what was read by handle stays as it was") {
    const Updates m(true, Make<float>({2}, {1, 2}));
    REQUIRE(m.Do("v/init").ok());
    const Tensor kept = m.Get({"value"})[0];
    REQUIRE(m.Feed("add", Make<float>({2}, {5, 5})).ok());
    CHECK(Machine::ToVector(kept) == Floats{1, 2});
    CHECK(m.Floats("value") == Floats{6, 7});
  }
  TEST_CASE("counting gives the value before, and stops at the limit without a change") {
    for (const bool by_handle : {false, true})
      for (const bool wide : {false, true}) {
        const Updates m(by_handle, wide ? Tensor::Scalar<std::int64_t>(1) : Tensor::Scalar(1), 3);
        REQUIRE(m.Do("v/init").ok());
        CHECK(m.Get({"count"})[0].SummarizeValue(1) == "1");
        CHECK(m.Get({"count"})[0].SummarizeValue(1) == "2");
        for (int i = 0; i < 2; ++i) {
          const Status status = m.Try({"count"});
          CHECK(status.code() == Code::kOutOfRange);
          CHECK(status.message() == "Reached limit of 3 [node 'count', CPU:0]");
        }
        CHECK(m.Get({"value"})[0].SummarizeValue(1) == "3");
      }
  }
  TEST_CASE("to the last number of the type, and no limit beyond it") {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const Updates m(true, Tensor::Scalar(kMost - 1), kMost);
    REQUIRE(m.Do("v/init").ok());
    CHECK(*m.Get({"count"})[0].data<std::int64_t>() == kMost - 1);
    CHECK(m.Try({"count"}).code() == Code::kOutOfRange);
    CHECK(ops::detail::CheckLimit(DataType::kInt32, std::numeric_limits<std::int32_t>::max()).ok());
    CHECK(ops::detail::CheckLimit(DataType::kInt32, std::numeric_limits<std::int32_t>::min()).ok());
    CHECK(ops::detail::CheckLimit(DataType::kInt64, kMost).ok());
    const Updates narrow(false, Tensor::Scalar(std::numeric_limits<std::int32_t>::max()), std::int64_t{1} << 40);
    REQUIRE(narrow.Do("v/init").ok());
    const Status status = narrow.Try({"count"});
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Attr limit has value 1099511627776 out of range for an int32") == 0);
    CHECK(*narrow.Get({"value"})[0].data<std::int32_t>() == std::numeric_limits<std::int32_t>::max());
  }
  TEST_CASE("a counter is a scalar") {
    Machine m;  // nothing is known of the variable's shape
    const Output v = m.b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kInt32}, {"shape", PartialTensorShape()}});
    m.b.Add("AssignVariableOp", "init", {v, m.b.Const("x", Ints({1, 2}))});
    m.b.Add("ResourceCountUpTo", "count", {v}, {{"limit", 3}, {"T", DataType::kInt32}});
    m.Start();
    REQUIRE(m.Do("init").ok());
    CHECK(m.Try({"count"}).message() == "input is not a scalar: [2] [node 'count', CPU:0]");
    CHECK(ShapesOf<ops::CountUpTo>({{}}, {{"limit", 3}}) == "[]");
    CHECK(ShapesOf<ops::CountUpTo>({{2}}, {{"limit", 3}}) == "INVALID_ARGUMENT: Shape must be rank 0 but is rank 1");
  }
  TEST_CASE("two threads add; nothing is lost") {
    const Updates m(true, Make<float>({100}, {0}));
    REQUIRE(m.Do("v/init").ok());
    const Tensor ones = Make<float>({100}, {1});
    const auto add = [&] {
      for (int i = 0; i < 100; ++i)
        if (!m.Feed("add", ones).ok()) return;
    };
    std::thread other(add);
    add();
    other.join();
    CHECK(m.Floats("value") == Floats(100, 200));
  }
}
}  // namespace state_variable_update_test
