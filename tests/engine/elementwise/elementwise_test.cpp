// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/elementwise.hpp>

#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/small_ops.hpp"
#include "engine/support.hpp"

namespace elementwise_test {
using namespace small_ops;
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

// Compares with the obvious loop; bit for bit, since each element is computed alone.
template <class Op, class T, class R>
bool BinaryIsRight(Cpu device, const TensorShape& a_shape, const TensorShape& b_shape, std::uint64_t seed) {
  TensorShape shape;
  if (!BroadcastShape(a_shape, b_shape, &shape).ok()) return false;
  const std::vector<T> a = RandomVector<T>(a_shape.num_elements(), seed),
                       b = RandomVector<T>(b_shape.num_elements(), seed + 1);
  const std::size_t n = static_cast<std::size_t>(shape.num_elements());
  std::vector<T> storage(n * sizeof(R) / sizeof(T) + 2);  // vector<bool> has no elements to point at
  R* out = reinterpret_cast<R*>(storage.data());
  if (!BinaryBroadcast(device, kBinaryLoops<Op, T>, nullptr, a.data(), a_shape, b.data(), b_shape, out, shape).ok())
    return false;
  const std::vector<Index> at_a = testing::BroadcastIndices(a_shape, shape),
                           at_b = testing::BroadcastIndices(b_shape, shape);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(out[i] == Op::map(a[static_cast<std::size_t>(at_a[i])], b[static_cast<std::size_t>(at_b[i])]))) return false;
  }
  return true;
}

const TensorShape kShapePairs[][2] = {
    {{}, {}},
    {{5}, {}},
    {{7}, {7}},
    {{3, 4}, {3, 4}},
    {{6, 5}, {5}},
    {{6, 5}, {6, 1}},
    {{6, 1}, {1, 5}},
    {{2, 3, 4}, {3, 1}},
    {{200, 3}, {3}},
    {{200, 3}, {200, 1}},
    {{9, 70}, {70}},
    {{9, 7}, {9, 1}},
    {{9, 8}, {9, 1}},
    {{9, 8}, {9, 8}},
    {{40, 32}, {32}},
    {{40, 33}, {33}},
    {{5, 6, 15}, {5, 1, 15}},
    {{5, 6, 16}, {5, 1, 16}},
    {{1, 3, 20}, {4, 1, 20}},
    {{3, 4, 1}, {3, 1, 12}},
    {{9, 70}, {9, 1}},
    {{5, 2, 3}, {5, 1, 3}},
    {{50, 1, 7}, {1, 40, 1}},
    {{2, 1, 3, 1, 2}, {4, 1, 3, 1}},
    {{1, 28, 28, 8}, {8}},
    {{0, 3}, {3}},
    {{0}, {1}},
    {{1, 1}, {2, 1000}},
    {{3, 1, 500}, {2, 1}},
    {{2000}, {}},
    {{33, 63}, {63}},
    {{33, 64}, {64}},
    {{5, 1}, {5, 5000}},
};

}  // namespace

TEST_SUITE("elementwise") {
  TEST_CASE_TEMPLATE("binary operations broadcast in every type", T, float, double, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, half,
                     bfloat16, complex64, complex128) {
    for (const auto& [a, b] : kShapePairs) {
      CHECK(BinaryIsRight<SubOp, T, T>(Cpu{}, a, b, 7));
      CHECK(BinaryIsRight<SubOp, T, T>(Cpu{}, b, a, 8));
    }
  }

  TEST_CASE_TEMPLATE("results may have another type", T, float, std::int64_t, half, std::int8_t) {
    for (const auto& [a, b] : kShapePairs) CHECK(BinaryIsRight<LessOp, T, bool>(Cpu{}, a, b, 9));
  }

  TEST_CASE("strings may be added") {
    const std::vector<std::string> a = {"a", "b", "a rather long text that is not stored inline"}, b = {"x"};
    std::vector<std::string> out(3);
    constexpr BinaryLoops loops{&detail::RunBinaryPlain<AddOp, std::string, std::string, false, false>,
                                &detail::RunBinaryPlain<AddOp, std::string, std::string, true, false>,
                                &detail::RunBinaryPlain<AddOp, std::string, std::string, false, true>,
                                sizeof(std::string),
                                sizeof(std::string),
                                10.f};
    Cpu device;
    REQUIRE(BinaryBroadcast(device, loops, nullptr, a.data(), {3}, b.data(), {}, out.data(), {3}).ok());
    CHECK(out == std::vector<std::string>{"ax", "bx", a[2] + "x"});
    std::vector<std::string> table(6);
    const std::vector<std::string> column = {"1", "2"};
    REQUIRE(BinaryBroadcast(device, loops, nullptr, column.data(), {2, 1}, a.data(), {3}, table.data(), {2, 3}).ok());
    CHECK(table[4] == "2b");
  }

  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    Cpu device{.pool = &pool};
    CHECK(BinaryIsRight<SubOp, float, float>(device, {300, 1000}, {300, 1000}, 3));
    CHECK(BinaryIsRight<SubOp, float, float>(device, {300, 1000}, {}, 3));
    CHECK(BinaryIsRight<SubOp, std::int16_t, std::int16_t>(device, {}, {300, 1000}, 3));
    CHECK(BinaryIsRight<SubOp, float, float>(device, {300000, 3}, {3}, 3));
    CHECK(BinaryIsRight<SubOp, float, float>(device, {100000, 3}, {100000, 1}, 3));
    CHECK(BinaryIsRight<SubOp, float, float>(device, {3, 100001}, {3, 1}, 3));
    CHECK(BinaryIsRight<LessOp, half, bool>(device, {70, 1, 40}, {1, 50, 1}, 3));
  }

  TEST_CASE("results that no cache holds, by one thread and by several") {
    const Index n = detail::Caches().last / 2 / static_cast<Index>(sizeof(float)) + 4099;
    const auto size = static_cast<std::size_t>(n);
    std::vector<float> a(size), b(size), out(size), again(size);
    for (std::size_t i = 0; i < size; ++i) {
      a[i] = static_cast<float>(i % 1009) - 500;
      b[i] = static_cast<float>(i % 7);
    }
    const auto differing = [&](const std::vector<float>& results, const auto& expected) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < size; ++i) count += results[i] != expected(i) ? 1 : 0;
      return count;
    };
    ThreadPool pool(3, "test");
    for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
      Cpu device{.pool = threads};
      REQUIRE(Unary(device, kUnaryLoop<ReluOp, float>, nullptr, a.data(), out.data(), n).ok());
      CHECK(differing(out, [&](std::size_t i) { return ReluOp::map(a[i]); }) == 0);
      REQUIRE(
          BinaryBroadcast(device, kBinaryLoops<SubOp, float>, nullptr, a.data(), {n}, b.data(), {n}, out.data(), {n})
              .ok());
      CHECK(differing(out, [&](std::size_t i) { return a[i] - b[i]; }) == 0);
      REQUIRE(
          BinaryBroadcast(device, kBinaryLoops<SubOp, float>, nullptr, b.data() + 3, {}, a.data(), {n}, out.data(), {n})
              .ok());
      CHECK(differing(out, [&](std::size_t i) { return 3 - a[i]; }) == 0);
      again = a;
      REQUIRE(BinaryBroadcast(device, kBinaryLoops<SubOp, float>, nullptr, again.data(), {n}, b.data(), {n},
                              again.data(), {n})
                  .ok());
      CHECK(differing(again, [&](std::size_t i) { return a[i] - b[i]; }) == 0);
    }
  }

  TEST_CASE("the output may be one of the operands") {
    const std::vector<float> x = RandomVector<float>(1000, 1), row = RandomVector<float>(10, 2);
    std::vector<float> a = x, b = x;
    Cpu device;
    REQUIRE(BinaryBroadcast(device, kBinaryLoops<SubOp, float>, nullptr, a.data(), {100, 10}, row.data(), {10},
                            a.data(), {100, 10})
                .ok());
    REQUIRE(BinaryBroadcast(device, kBinaryLoops<SubOp, float>, nullptr, row.data(), {10}, b.data(), {100, 10},
                            b.data(), {100, 10})
                .ok());
    for (std::size_t i = 0; i < 1000; ++i) {
      CHECK_UNARY(a[i] == x[i] - row[i % 10]);
      CHECK_UNARY(b[i] == row[i % 10] - x[i]);
    }
    std::vector<float> c = x;
    REQUIRE(BinaryBroadcast(device, kBinaryLoops<AddOp, float>, nullptr, c.data(), {1000}, c.data(), {1000}, c.data(),
                            {1000})
                .ok());
    REQUIRE(Unary(device, kUnaryLoop<ReluOp, float>, nullptr, c.data(), c.data(), 1000).ok());
    for (std::size_t i = 0; i < 1000; ++i) CHECK_UNARY(c[i] == (x[i] > 0 ? x[i] + x[i] : 0.f));
    float one = 3;  // a single element that is operand and output at once
    REQUIRE(BinaryBroadcast(device, kBinaryLoops<SubOp, float>, nullptr, &one, {1}, &x[0], {}, &one, {1}).ok());
    CHECK(one == 3 - x[0]);
  }

  TEST_CASE("shapes that do not fit are refused") {
    std::vector<float> a(6), b(4), out(6);
    Cpu device;
    const Status status = BinaryBroadcast(device, kBinaryLoops<AddOp, float>, nullptr, a.data(), {2, 3}, b.data(), {4},
                                          out.data(), {2, 3});
    CHECK(status.ToString() == "INVALID_ARGUMENT: Incompatible shapes: [2,3] vs. [4]");
  }

  TEST_CASE_TEMPLATE("unary operations of any length", T, float, double, std::int32_t, std::uint8_t, half, bfloat16) {
    Cpu device;
    for (const Index n : {Index{0}, Index{1}, Index{3}, Index{17}, Index{1000}}) {
      const std::vector<T> x = RandomVector<T>(n, 5);
      std::vector<T> out(static_cast<std::size_t>(n));
      REQUIRE(Unary(device, kUnaryLoop<ReluOp, T>, nullptr, x.data(), out.data(), n).ok());
      bool right = true;
      for (std::size_t i = 0; i < out.size(); ++i) right = right && out[i] == (x[i] > T(0) ? x[i] : T(0));
      CHECK(right);
    }
  }
}
}  // namespace elementwise_test
