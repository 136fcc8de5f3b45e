// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/add_jvp.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace add_jvp_test {
using namespace tenon;

namespace {
GraphDef Model() {
  GraphBuilder b;
  const Output x = b.Const("x", Tensor::From<float>({0.5f, -1}, {1, 2}));
  const Output w = b.Const("w", Tensor::From<float>({1, 2, 0.5f, -0.25f}, {2, 2}));
  b.Const("dx", Tensor::From<float>({1, 0.5f}, {1, 2}));
  b.Const("dw", Tensor::From<float>({0.1f, 0.2f, 0.3f, 0.4f}, {2, 2}));
  b.Add("Mul", "y", {b.Add("Tanh", "t", {b.Add("MatMul", "m", {x, w})}), x});
  const Output rows =
      b.Add("GatherV2", "rows",
            {w, b.Const("i", Tensor::From<std::int32_t>({1, 1, 0}, {3})), b.Const("axis", Tensor::Scalar(0))});
  b.Add("Sum", "z", {b.Add("Square", "s", {rows}), b.Const("one", Tensor::Scalar(1))});
  b.Add("Floor", "f", {x});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
}  // namespace

TEST_SUITE("AddJvp") {
  // Numbers of tools/training_numbers.py jvp.
  TEST_CASE("gives the products of tf.autodiff.ForwardAccumulator") {
    GraphDef graph = Model();
    const std::vector<std::string> ys{"y", "z", "f"}, xs{"x", "w"}, tangents{"dx", "dw"};
    const auto names = AddJvp(&graph, ys, xs, tangents);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    REQUIRE(names->size() == 3);
    CHECK((*names)[2].empty());
    const auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const std::vector<std::string> fetches{(*names)[0], (*names)[1]};
    const auto got = session->Run({}, fetches, {});
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    const std::vector<float> y{0.5f, -0.0175113976f}, z{0.100000009f, 0.100000009f, 1};
    for (std::size_t i = 0; i < y.size(); ++i) CHECK((*got)[0].data<float>()[i] == doctest::Approx(y[i]));
    for (std::size_t i = 0; i < z.size(); ++i) CHECK((*got)[1].data<float>()[i] == doctest::Approx(z[i]));
  }
  TEST_CASE("leaves the graph alone after an error") {
    GraphDef graph = Model();
    const std::vector<std::string> ys{"y"}, xs{"x", "w"}, tangents{"dx"}, nowhere{"dx", "nowhere"};
    CHECK(AddJvp(&graph, ys, xs, tangents).status().code() == Code::kInvalidArgument);
    CHECK(AddJvp(&graph, ys, xs, nowhere).status().code() == Code::kNotFound);
    CHECK(graph == Model());
  }
}

}  // namespace add_jvp_test
