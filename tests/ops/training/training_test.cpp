// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/training.hpp>

#include <cmath>

#include "ops/state/state_test.hpp"

namespace state_training_test {
using namespace state_test;

TEST_SUITE("optimizer steps") {
  TEST_CASE("Adam, dense, by both kinds of variables, against its formula") {
    for (const bool by_handle : {false, true}) {
      Machine m;
      const auto make = [&](const char* name, float a, float b) {
        const Tensor value = MakeTensor<float>({2}, {a, b});
        return by_handle ? m.Handle(name, value) : m.Reference(name, value);
      };
      const auto scalar = [&](const char* name, float value) { return m.b.Const(name, Tensor::Scalar(value)); };
      const Output var = make("var", 1, 2), mean = make("m", 0.1f, 0.2f), square = make("s", 0.3f, 0.4f);
      m.b.Add(by_handle ? "ResourceApplyAdam" : "ApplyAdam", "step",
              {var, mean, square, scalar("b1p", 0.9f), scalar("b2p", 0.99f), scalar("lr", 0.5f), scalar("b1", 0.9f),
               scalar("b2", 0.99f), scalar("eps", 1e-3f), m.b.Const("g", MakeTensor<float>({2}, {1, -2}))});
      m.Start();
      for (const char* init : {"var/init", "m/init", "s/init"}) REQUIRE(m.Do(init).ok());
      REQUIRE(m.Do("step").ok());
      const Floats got = m.Floats(by_handle ? "var/read" : "var");
      const double start[2] = {1, 2}, m0[2] = {0.1, 0.2}, s0[2] = {0.3, 0.4}, g[2] = {1, -2};
      for (int i = 0; i < 2; ++i) {
        const double m1 = 0.9 * m0[i] + 0.1 * g[i], s1 = 0.99 * s0[i] + 0.01 * g[i] * g[i];
        const double want = start[i] - 0.5 * std::sqrt(1 - 0.99) / (1 - 0.9) * m1 / (std::sqrt(s1) + 1e-3);
        CHECK(got[static_cast<std::size_t>(i)] == doctest::Approx(want).epsilon(1e-5));
      }
    }
  }
  TEST_CASE("sparse rows, one of them twice") {
    Machine m;
    const Output var = m.Handle("var", MakeTensor<float>({3, 1}, {1, 2, 3}));
    const Output accum = m.Handle("accum", MakeTensor<float>({3, 1}, {1, 1, 1}));
    m.b.Add("ResourceSparseApplyAdagrad", "step",
            {var, accum, m.b.Const("lr", Tensor::Scalar(1.0f)), m.b.Const("g", MakeTensor<float>({2, 1}, {2, 2})),
             m.b.Placeholder("rows", DataType::kInt32)});
    m.Start();
    const auto rows = [](std::int32_t a, std::int32_t b) { return MakeTensor<std::int32_t>({2}, {a, b}); };
    CHECK(m.Do("step", {{"rows", rows(2, 2)}}).code() == Code::kInternal);  // no variable yet
    REQUIRE(m.Do("var/init").ok());
    REQUIRE(m.Do("accum/init").ok());
    REQUIRE(m.Do("step", {{"rows", rows(2, 2)}}).ok());
    CHECK(m.Floats("accum/read") == Floats{1, 1, 9});
    const Floats after = m.Floats("var/read");
    CHECK(after[1] == 2);
    CHECK(after[2] == doctest::Approx(3 - 2 / std::sqrt(5.0) - 2 / std::sqrt(9.0)));
    CHECK(m.Do("step", {{"rows", rows(0, 3)}}).message().find("Index 3 at offset 1 in indices is out of range") !=
          std::string::npos);
    CHECK(m.Floats("var/read") == after);  // Adagrad looks at all indices first
  }
  TEST_CASE("two slots that are one variable, and refusals") {
    Machine m;
    const Output var = m.Handle("var", MakeTensor<float>({2}, {1, 2}));
    m.b.Add("ResourceApplyMomentum", "step",
            {var, var, m.b.Placeholder("lr", DataType::kFloat), m.b.Placeholder("g", DataType::kFloat),
             m.b.Const("mu", Tensor::Scalar(0.5f))});
    m.Start();
    REQUIRE(m.Do("var/init").ok());
    const Tensor g = MakeTensor<float>({2}, {1, 1}), lr = Tensor::Scalar(0.0f);
    CHECK(m.Do("step", {{"lr", lr}, {"g", g}}).ok());  // does not wait for itself
    CHECK(m.Do("step", {{"lr", g}, {"g", g}}).message().find("lr is not a scalar: [2]") != std::string::npos);
    CHECK(m.Do("step", {{"lr", lr}, {"g", lr}}).message().find("var and grad do not have the same shape: [2] []") !=
          std::string::npos);
  }
}
}  // namespace state_training_test
