// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/variable_scatter.hpp>

#include "ops/state/state_test.hpp"

namespace state_variable_scatter_test {
using namespace state_test;

TEST_SUITE("parts of variables") {
  const Tensor start = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});

  TEST_CASE("rows, by reference and by handle") {
    for (const bool by_handle : {false, true}) {
      Machine m;
      const Output v = by_handle ? m.Handle("v", start) : m.Reference("v", start);
      const std::string op = by_handle ? "ResourceScatter" : "Scatter", read = by_handle ? "v/read" : "v";
      const Output rows = m.b.Const("rows", MakeTensor<std::int32_t>({3}, {2, 0, 2}));
      const Output two = m.b.Const("two", Tensor::Scalar(2.0f));
      for (const char* what : {"Add", "Sub", "Mul", "Div", "Max", "Update"}) m.b.Add(op + what, what, {v, rows, two});
      m.Start();
      REQUIRE(m.Do("v/init").ok());
      REQUIRE(m.Do("Add").ok());
      CHECK(m.Floats(read) == Floats{3, 4, 3, 4, 9, 10});
      REQUIRE(m.Do("Sub").ok());
      CHECK(m.Floats(read) == Floats{1, 2, 3, 4, 5, 6});
      REQUIRE(m.Do("Mul").ok());
      CHECK(m.Floats(read) == Floats{2, 4, 3, 4, 20, 24});
      REQUIRE(m.Do("Div").ok());
      REQUIRE(m.Do("Max").ok());
      CHECK(m.Floats(read) == Floats{2, 2, 3, 4, 5, 6});
      const Tensor kept = m.Get({read})[0];
      REQUIRE(m.Do("Update").ok());
      CHECK(m.Floats(read) == Floats{2, 2, 3, 4, 2, 2});
      CHECK(Machine::ToVector(kept) == Floats{2, 2, 3, 4, 5, 6});
    }
  }
  TEST_CASE("refusals") {
    Machine m;
    const Output v = m.Handle("v", MakeTensor<std::int32_t>({2}, {1, 2}));
    const Output rows = m.b.Placeholder("rows", DataType::kInt32), x = m.b.Placeholder("x", DataType::kInt32);
    m.b.Add("ResourceScatterDiv", "div", {v, rows, x});
    m.Start();
    const auto run = [&](std::int32_t row, const Tensor& by) {
      return m.Do("div", {{"rows", MakeTensor<std::int32_t>({1}, {row})}, {"x", by}});
    };
    const Tensor one = MakeTensor<std::int32_t>({1}, {1});
    CHECK(run(0, one).code() == Code::kNotFound);
    REQUIRE(m.Do("v/init").ok());
    CHECK(run(0, one).ok());
    CHECK(run(0, MakeTensor<std::int32_t>({1}, {0})).message().find("Integer division by zero") != std::string::npos);
    CHECK(run(2, one).message().find("indices[0] = 2 is not in [0, 2)") != std::string::npos);
    CHECK(run(-1, one).code() == Code::kInvalidArgument);
    CHECK(run(0, MakeTensor<std::int32_t>({2}, {1, 1}))
              .message()
              .find("Must have updates.shape = indices.shape + params.shape[1:]") != std::string::npos);
  }
  TEST_CASE("the least integer divided by minus one wraps") {
    Machine m;
    const std::int32_t least = std::numeric_limits<std::int32_t>::min();
    const Output v = m.Handle("v", MakeTensor<std::int32_t>({1}, {least}));
    m.b.Add("ResourceScatterDiv", "div",
            {v, m.b.Const("row", MakeTensor<std::int32_t>({1}, {0})), m.b.Const("by", Tensor::Scalar(-1))});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Do("div").ok());
    CHECK(m.Get({"v/read"})[0].data<std::int32_t>()[0] == least);
  }
  TEST_CASE("places by index vectors; those before a bad one are changed") {
    Machine m;
    const Output v = m.Handle("v", start);
    const Output at = m.b.Placeholder("at", DataType::kInt32), x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("ResourceScatterNdAdd", "add", {v, at, x});
    m.b.Add("ResourceGatherNd", "get", {v, at}, {{"dtype", DataType::kFloat}});
    m.b.Add("ResourceGather", "rows", {v, m.b.Const("row", MakeTensor<std::int32_t>({1}, {1}))},
            {{"dtype", DataType::kFloat}});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    const Tensor places = MakeTensor<std::int32_t>({2, 2}, {0, 1, 2, 0});
    REQUIRE(m.Do("add", {{"at", places}, {"x", MakeTensor<float>({2}, {10, 20})}}).ok());
    CHECK(m.Floats("get", {{"at", places}}) == Floats{12, 25});
    CHECK(m.Floats("rows") == Floats{3, 4});
    const Status status =
        m.Do("add", {{"at", MakeTensor<std::int32_t>({2, 2}, {0, 0, 3, 0})}, {"x", MakeTensor<float>({2}, {1, 1})}});
    CHECK(status.message().find("indices[1] = [3, 0] does not index into shape [3,2]") != std::string::npos);
    CHECK(m.Floats("v/read") == Floats{2, 12, 3, 4, 25, 6});
  }
  TEST_CASE("strided assignment repeats the value") {
    for (const bool by_handle : {false, true}) {
      Machine m;
      const Output v = by_handle ? m.Handle("v", start) : m.Reference("v", start);
      const auto vector = [&](const char* name, std::int32_t a, std::int32_t b) {
        return m.b.Const(name, MakeTensor<std::int32_t>({2}, {a, b}));
      };
      m.b.Add(by_handle ? "ResourceStridedSliceAssign" : "StridedSliceAssign", "set",
              {v, vector("begin", 2, 0), vector("end", -4, 2), vector("step", -2, 1),
               m.b.Placeholder("x", DataType::kFloat)});
      m.Start();
      REQUIRE(m.Do("v/init").ok());
      REQUIRE(m.Do("set", {{"x", MakeTensor<float>({2, 1}, {7, 8})}}).ok());
      CHECK(m.Floats(by_handle ? "v/read" : "v") == Floats{8, 8, 3, 4, 7, 7});
      CHECK(m.Do("set", {{"x", MakeTensor<float>({3}, {7, 8, 9})}})
                .message()
                .find("Cannot broadcast input shape [3] into final shape [2,2]") != std::string::npos);
    }
  }
}
}  // namespace state_variable_scatter_test
