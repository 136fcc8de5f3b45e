// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/steps.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

namespace steps_test {
using namespace tenon;

namespace {

struct Product {
  template <class T>
  static T map(const T& a, const T& b) {
    return a * b;
  }
};
struct Sum {
  template <class T>
  static T map(const T& a, const T& b) {
    return a + b;
  }
};
struct Exponential {
  template <class T>
  static T map(const T& x) {
    return std::exp(x);
  }
};

struct Operand {
  TensorShape shape;
  std::vector<float> values;
  explicit Operand(const TensorShape& s, float scale = 1) : shape(s) {
    for (Index i = 0; i < s.num_elements(); ++i)
      values.push_back(scale * static_cast<float>((7 * i) % 13 - 6) + 0.25f * static_cast<float>(i % 5));
  }
};
const ElementwiseStep kMulStep{nullptr, &kBinaryLoops<Product, float>, nullptr, 0, 1};
const ElementwiseStep kAddStep{nullptr, &kBinaryLoops<Sum, float>, nullptr, 3, 2};
const ElementwiseStep kExpStep{&kUnaryLoop<Exponential, float>, nullptr, nullptr, 4, -1};

// exp(a * b + c) with RunSteps, and with the engine's own calls for each step.
void Compare(const Operand& a, const Operand& b, const Operand& c, bool in_place = false,
             tenon::detail::KeptSteps* kept = nullptr) {
  Cpu cpu;
  const ElementwiseStep steps[] = {kMulStep, kAddStep, kExpStep};
  const StepInput inputs[] = {{a.values.data(), &a.shape}, {b.values.data(), &b.shape}, {c.values.data(), &c.shape}};
  TensorShape product, sum, shape;
  REQUIRE(BroadcastShape(a.shape, b.shape, &product).ok());
  REQUIRE(BroadcastShape(product, c.shape, &sum).ok());
  REQUIRE(StepsShape(steps, inputs, &shape).ok());
  CHECK(shape == sum);
  const auto n = static_cast<std::size_t>(sum.num_elements());
  std::vector<float> ab(static_cast<std::size_t>(product.num_elements())), want(n), got(n);
  REQUIRE(BinaryBroadcast(cpu, *kMulStep.binary, nullptr, a.values.data(), a.shape, b.values.data(), b.shape, ab.data(),
                          product)
              .ok());
  REQUIRE(
      BinaryBroadcast(cpu, *kAddStep.binary, nullptr, ab.data(), product, c.values.data(), c.shape, want.data(), sum)
          .ok());
  REQUIRE(Unary(cpu, *kExpStep.unary, nullptr, want.data(), want.data(), sum.num_elements()).ok());
  if (in_place) {
    got = a.values;
    const StepInput same[] = {{got.data(), &a.shape}, inputs[1], inputs[2]};
    REQUIRE(RunSteps(cpu, steps, same, got.data(), sum).ok());
  } else {
    REQUIRE(RunSteps(cpu, steps, inputs, got.data(), sum, kept).ok());
  }
  CHECK((n == 0 || std::memcmp(got.data(), want.data(), n * sizeof(float)) == 0));
}

}  // namespace

TEST_SUITE("RunSteps") {
  TEST_CASE("it gives the bits of the steps alone, however the operands broadcast") {
    const TensorShape full{3, 5, 7}, row{7}, rows{5, 7}, one{}, ones{1, 1, 1, 1}, column{5, 1}, outer{3, 1, 1};
    for (const TensorShape& b : {full, row, rows, one, column, outer, TensorShape{1, 1, 7}})
      for (const TensorShape& c : {full, row, rows, one, ones, column, outer}) {
        CAPTURE(b.DebugString());
        CAPTURE(c.DebugString());
        Compare(Operand(full), Operand(b, 0.1f), Operand(c, 0.2f));
        Compare(Operand(b), Operand(c, 0.1f), Operand(full, 0.2f));
        Compare(Operand(c), Operand(full, 0.1f), Operand(b, 0.2f));
      }
    Compare(Operand({64, 1000}), Operand({1000}, 0.1f), Operand({64, 1000}, 0.1f));
  }

  TEST_CASE("runs share the program of the first, and make their own where operands broadcast in another way") {
    const TensorShape full{3, 5, 7};
    tenon::detail::KeptSteps kept;
    for (int run = 0; run < 2; ++run)
      for (const TensorShape& b : {full, TensorShape{7}, TensorShape{5, 7}, TensorShape{}, TensorShape{5, 1}})
        for (const TensorShape& c : {full, TensorShape{7}, TensorShape{1, 1, 1}, TensorShape{3, 1, 1}}) {
          CAPTURE(b.DebugString());
          CAPTURE(c.DebugString());
          Compare(Operand(full), Operand(b, 0.1f), Operand(c, 0.2f), false, &kept);
        }
    Compare(Operand({2, 9}), Operand({2, 9}, 0.1f), Operand({2, 9}, 0.2f), false, &kept);
  }
  TEST_CASE("threads share a program") {
    const Operand a({4, 50}), b({50}, 0.1f), c({4, 50}, 0.2f);
    const ElementwiseStep steps[] = {kMulStep, kAddStep, kExpStep};
    const StepInput inputs[] = {{a.values.data(), &a.shape}, {b.values.data(), &b.shape}, {c.values.data(), &c.shape}};
    std::vector<float> want(200);
    Cpu cpu;
    REQUIRE(RunSteps(cpu, steps, inputs, want.data(), a.shape).ok());
    tenon::detail::KeptSteps kept;
    std::atomic<int> equal{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int run = 0; run < 50; ++run) {
          Cpu own;
          std::vector<float> got(200);
          equal += RunSteps(own, steps, inputs, got.data(), a.shape, &kept).ok() && got == want ? 1 : 0;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(equal == 200);
  }

  TEST_CASE("single elements and empty tensors") {
    Compare(Operand(TensorShape{}), Operand(TensorShape{}), Operand(TensorShape{}));
    Compare(Operand({1, 1}), Operand({1}), Operand(TensorShape{}));
    Compare(Operand({0, 3}), Operand({3}), Operand({1, 3}));
  }

  TEST_CASE("the output may be an input") {
    Compare(Operand({4, 6}), Operand({6}, 0.1f), Operand({4, 6}, 0.1f), true);
    Compare(Operand({4, 6}), Operand({4, 1}, 0.1f), Operand({6}, 0.1f), true);
  }

  TEST_CASE("operands that do not broadcast are an error") {
    const Operand a({2, 3}), b({4}), c({3});
    const ElementwiseStep steps[] = {kMulStep, kAddStep, kExpStep};
    const StepInput inputs[] = {{a.values.data(), &a.shape}, {b.values.data(), &b.shape}, {c.values.data(), &c.shape}};
    TensorShape shape;
    CHECK(StepsShape(steps, inputs, &shape).ToString() == "INVALID_ARGUMENT: Incompatible shapes: [2,3] vs. [4]");
  }

  TEST_CASE("more values than one pass takes") {
    Cpu cpu;
    const Operand a({3, 40});
    std::vector<ElementwiseStep> steps;
    for (int s = 0; s < 100; ++s) steps.push_back({nullptr, &kBinaryLoops<Sum, float>, nullptr, s, 0});
    const StepInput inputs[] = {{a.values.data(), &a.shape}};
    std::vector<float> got(120);
    REQUIRE(RunSteps(cpu, {steps.data(), steps.size()}, inputs, got.data(), a.shape).ok());
    for (std::size_t i = 0; i < got.size(); ++i) {
      float want = a.values[i];
      for (int s = 0; s < 100; ++s) want += a.values[i];
      CHECK(got[i] == want);
    }
  }
}

}  // namespace steps_test
