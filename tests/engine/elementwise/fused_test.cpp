// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/fused.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/small_ops.hpp"
#include "engine/support.hpp"

namespace fused_elementwise_test {
using namespace small_ops;
using namespace tenon;
using tenon::testing::RandomVector;
using Repeat = FusedElementwise::Repeat;

namespace {

struct NotOp {
  TENON_HD static bool map(bool x) { return !x; }
};
struct ToDoubleOp {
  TENON_HD static double map(float x) { return static_cast<double>(x) / 3; }
};

constexpr double kClose = 1e-5;  // some roundings of numbers up to 30

const Index kSizes[][2] = {{1, 1},     {1, 7},    {3, 5},    {200, 3},  {64, 64},  {7, 1000},  {2, 1536},
                           {5, 1537},  {9, 2049}, {1, 9999}, {3, 6001}, {40, 250}, {1000, 17}, {4099, 1},
                           {100, 256}, {9, 1030}, {2, 8192}, {2, 8200}, {1, 24580}};

// relu(x * scale + bias) - x, in float64: the other way.
double Expected(float x, float scale, float bias) {
  const double y = static_cast<double>(x) * static_cast<double>(scale) + static_cast<double>(bias);
  return (y > 0 ? y : 0) - static_cast<double>(x);
}

// With and without handing results over in registers.
void CheckChain(Cpu device, Index rows, Index columns, bool in_place, bool in_registers) {
  FusedElementwise program;
  const int x = program.AddInput(Repeat::kNone, sizeof(float));
  const int scale = program.AddInput(Repeat::kAll, sizeof(float));
  const int bias = program.AddInput(Repeat::kRows, sizeof(float));
  const int scaled = program.AddBinary(kBinaryLoops<MulOp, float>, nullptr, scale, x);
  const int sum = program.AddBinary(kBinaryLoops<AddOp, float>, nullptr, scaled, bias);
  const int positive = program.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, sum);
  program.AddBinary(kBinaryLoops<SubOp, float>, nullptr, positive, x);
  REQUIRE(program.Finish(in_registers ? &GetLaneChains<float, AddOp, SubOp, MulOp, ReluOp>() : nullptr).ok());
  CHECK(program.tile() % 16 == 0);
#if TENON_DETAIL_LANES
  CHECK(program.is_chain() == in_registers);
#endif

  const std::size_t n = static_cast<std::size_t>(rows * columns);
  const std::vector<float> numbers = RandomVector<float>(rows * columns, 1), biases = RandomVector<float>(columns, 2);
  const float factor = 1.75f;
  std::vector<float> fed = numbers, out(n + 1, -77.f);
  const void* const inputs[] = {fed.data(), &factor, biases.data()};
  float* const to = in_place ? fed.data() : out.data();
  REQUIRE(program.Run(device, inputs, to, rows, columns).ok());
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) {
    const double wanted = Expected(numbers[i], factor, biases[i % static_cast<std::size_t>(columns)]);
    right &= std::abs(static_cast<double>(to[i]) - wanted) <= kClose;
  }
  CHECK_MESSAGE(right, rows, " x ", columns, in_place ? ", in place" : "");
  CHECK(out[n] == -77.f);
}

}  // namespace

TEST_CASE("FusedElementwise: a chain with a scalar, a row and a value that is read twice") {
  for (const auto& size : kSizes)
    for (const bool in_place : {false, true})
      for (const bool in_registers : {false, true}) CheckChain(Cpu{}, size[0], size[1], in_place, in_registers);
}

TEST_CASE("FusedElementwise: threads") {
  ThreadPool pool(3, "fused");
  for (const auto& size : {std::pair<Index, Index>{1, 300000}, {1000, 301}, {60000, 5}, {3, 100001}})
    for (const bool in_place : {false, true})
      for (const bool in_registers : {false, true})
        CheckChain(Cpu{.pool = &pool}, size.first, size.second, in_place, in_registers);
}

TEST_CASE("FusedElementwise: what is no chain runs in tiles") {
  const LaneChains& chains = GetLaneChains<float, AddOp, MulOp, ReluOp>();
  const auto add = [](FusedElementwise& program, int a, int b) {
    return program.AddBinary(kBinaryLoops<AddOp, float>, nullptr, a, b);
  };
  FusedElementwise of_inputs;  // (x + y) + (x + x): the second step does not have the first's result
  int x = of_inputs.AddInput(Repeat::kNone, 4), y = of_inputs.AddInput(Repeat::kNone, 4);
  const int sum = add(of_inputs, x, y);
  add(of_inputs, sum, add(of_inputs, x, x));
  REQUIRE(of_inputs.Finish(&chains).ok());
  CHECK_FALSE(of_inputs.is_chain());

  FusedElementwise twice;  // z + z with z = x + y
  x = twice.AddInput(Repeat::kNone, 4), y = twice.AddInput(Repeat::kNone, 4);
  const int z = add(twice, x, y);
  add(twice, z, z);
  REQUIRE(twice.Finish(&chains).ok());
  CHECK_FALSE(twice.is_chain());

  FusedElementwise other_op;
  x = other_op.AddInput(Repeat::kNone, 4), y = other_op.AddInput(Repeat::kNone, 4);
  other_op.AddBinary(kBinaryLoops<SubOp, float>, nullptr, add(other_op, x, y), y);
  REQUIRE(other_op.Finish(&chains).ok());
  CHECK_FALSE(other_op.is_chain());

  FusedElementwise of_element;  // the first step's first operand is one element: the chain begins with the other
  x = of_element.AddInput(Repeat::kAll, 4), y = of_element.AddInput(Repeat::kRows, 4);
  add(of_element, x, y);
  REQUIRE(of_element.Finish(&chains).ok());
#if TENON_DETAIL_LANES
  CHECK(of_element.is_chain());
#endif

  const std::vector<float> a = RandomVector<float>(3000, 1), b = RandomVector<float>(3000, 2);
  std::vector<float> out(a.size());
  const void* const inputs[] = {a.data(), b.data()};
  Cpu device;
  REQUIRE(twice.Run(device, inputs, out.data(), 3, 1000).ok());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(out[i] == 2 * (a[i] + b[i]));
}

// The elements grow, shrink and become bool; results of other sizes must not land on operands that are still read.
TEST_CASE("FusedElementwise: steps that change the type") {
  FusedElementwise program;
  const int a = program.AddInput(Repeat::kNone, sizeof(float));
  const int b = program.AddInput(Repeat::kRows, sizeof(float));
  const int sum = program.AddBinary(kBinaryLoops<AddOp, float>, nullptr, a, b);
  const int wide_sum = program.AddUnary(kUnaryLoop<ToDoubleOp, float>, nullptr, sum);
  const int product = program.AddBinary(kBinaryLoops<MulOp, float>, nullptr, a, b);
  const int wide_product = program.AddUnary(kUnaryLoop<ToDoubleOp, float>, nullptr, product);
  const int less = program.AddBinary(kBinaryLoops<LessOp, double>, nullptr, wide_sum, wide_product);
  program.AddUnary(kUnaryLoop<NotOp, bool>, nullptr, less);
  REQUIRE(program.Finish().ok());
  for (const auto& size : kSizes) {
    const Index rows = size[0], columns = size[1];
    const std::vector<float> x = RandomVector<float>(rows * columns, 5), y = RandomVector<float>(columns, 6);
    std::vector<unsigned char> out(x.size());
    const void* const inputs[] = {x.data(), y.data()};
    Cpu device;
    REQUIRE(program.Run(device, inputs, out.data(), rows, columns).ok());
    bool right = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float other = y[i % y.size()];
      const double gap = static_cast<double>(x[i]) * static_cast<double>(other) -
                         (static_cast<double>(x[i]) + static_cast<double>(other));
      if (std::abs(gap) > kClose) right &= out[i] == (gap > 0 ? 0 : 1);
    }
    CHECK_MESSAGE(right, rows, " x ", columns);
  }
}

// Integers have no loops for single elements: these are spread out. Arithmetic on scalars alone is done on scalars.
TEST_CASE("FusedElementwise: integers, attrs and steps on scalars alone") {
  const ScaleOp::Attrs twice{2};
  FusedElementwise program;
  const int x = program.AddInput(Repeat::kNone, sizeof(std::int32_t));
  const int p = program.AddInput(Repeat::kAll, sizeof(std::int32_t));
  const int q = program.AddInput(Repeat::kAll, sizeof(std::int32_t));
  const int both = program.AddBinary(kBinaryLoops<AddOp, std::int32_t>, nullptr, p, q);
  const int scaled = program.AddUnary(kUnaryLoop<ScaleOp, std::int32_t>, &twice, both);
  const int left = program.AddBinary(kBinaryLoops<SubOp, std::int32_t>, nullptr, scaled, x);
  program.AddBinary(kBinaryLoops<MulOp, std::int32_t>, nullptr, left, p);
  REQUIRE(program.Finish().ok());
  const std::vector<std::int32_t> numbers = RandomVector<std::int32_t>(5000, 3, -100, 100);
  std::vector<std::int32_t> out(numbers.size());
  const std::int32_t three = 3, four = 4;
  const void* const inputs[] = {numbers.data(), &three, &four};
  Cpu device;
  REQUIRE(program.Run(device, inputs, out.data(), 50, 100).ok());
  bool right = true;
  for (std::size_t i = 0; i < out.size(); ++i) right &= out[i] == (14 - numbers[i]) * 3;
  CHECK(right);
}

// As many values as there may be, all alive until the end: the sum of 1 x, 2 x, ... 21 x.
TEST_CASE("FusedElementwise: many results that live at once") {
  FusedElementwise program;
  const int x = program.AddInput(Repeat::kNone, sizeof(double));
  std::vector<int> multiples = {x};
  for (int k = 2; k <= 21; ++k)
    multiples.push_back(program.AddBinary(kBinaryLoops<AddOp, double>, nullptr, multiples.back(), x));
  int sum = x;
  for (int k = 20; k >= 1; --k)
    sum = program.AddBinary(kBinaryLoops<AddOp, double>, nullptr, multiples[static_cast<std::size_t>(k)], sum);
  REQUIRE(program.Finish().ok());
  const std::vector<double> numbers = RandomVector<double>(3001, 4);
  std::vector<double> out(numbers.size());
  const void* const inputs[] = {numbers.data()};
  Cpu device;
  REQUIRE(program.Run(device, inputs, out.data(), 3001, 1).ok());
  bool right = true;
  for (std::size_t i = 0; i < out.size(); ++i) right &= std::abs(out[i] - 231 * numbers[i]) <= 1e-10;
  CHECK(right);
}

TEST_CASE("FusedElementwise: what cannot be run") {
  Cpu device;
  float one = 1, out[4] = {};
  const void* const inputs[] = {&one, &one};
  FusedElementwise program;
  CHECK(program.Run(device, {}, out, 1, 1).code() == Code::kFailedPrecondition);
  CHECK(program.Finish().message() == "FusedElementwise: a program needs a step");

  FusedElementwise scalars;
  const int s = scalars.AddInput(Repeat::kAll, 4);
  scalars.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, s);
  CHECK(scalars.Finish().code() == Code::kInvalidArgument);

  FusedElementwise sizes;
  const int d = sizes.AddInput(Repeat::kNone, 8);
  CHECK(sizes.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, d) == -1);
  CHECK(sizes.Finish().message() == "FusedElementwise: value 0 has elements of 8 bytes, the step reads elements of 4");

  FusedElementwise numbers;
  numbers.AddInput(Repeat::kNone, 4);
  CHECK(numbers.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, 1) == -1);
  CHECK(numbers.Finish().message() == "FusedElementwise: there is no value 1 yet");

  FusedElementwise order;
  int x = order.AddInput(Repeat::kNone, 4);
  order.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, x);
  order.AddInput(Repeat::kNone, 4);
  CHECK(order.Finish().message() == "FusedElementwise: inputs must be added before steps");

  FusedElementwise wide;
  wide.AddInput(Repeat::kNone, 17);
  CHECK(wide.Finish().code() == Code::kInvalidArgument);

  FusedElementwise many;
  x = many.AddInput(Repeat::kNone, 4);
  for (int k = 0; k < FusedElementwise::kMostValues && x >= 0; ++k)
    x = many.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, x);
  CHECK(x == -1);
  CHECK(many.Finish().code() == Code::kInvalidArgument);

  FusedElementwise fine;
  x = fine.AddInput(Repeat::kNone, 4);
  fine.AddUnary(kUnaryLoop<ReluOp, float>, nullptr, x);
  REQUIRE(fine.Finish().ok());
  CHECK(fine.Run(device, inputs, out, 1, 1).message() == "FusedElementwise: the program has 1 inputs, got 2");
  CHECK(fine.Run(device, {inputs, 1}, out, 0, 4).ok());
}

}  // namespace fused_elementwise_test
