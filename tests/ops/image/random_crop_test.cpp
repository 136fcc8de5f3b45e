// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/random_crop.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace image_random_crop_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The output of an op that graphs of version 1 have, or its error.
std::string InOldGraph(std::string_view op, const AttrArgs& attrs, std::initializer_list<Tensor> inputs) {
  GraphDef graph;
  graph.versions.producer = 1;
  NodeDef node;
  node.name = "call";
  node.op = op;
  for (const auto& [name, value] : attrs) node.attr.Set(name, value);
  for (const Tensor& input : inputs) {
    NodeDef constant;
    constant.name = StrCat("c", graph.node.size());
    constant.op = "Const";
    constant.attr.Set("dtype", AttrValue(input.dtype()));
    constant.attr.Set("value", AttrValue(input));
    node.input.push_back(constant.name);
    graph.node.push_back(constant);
  }
  node.attr.Set("T", AttrValue(DataType::kFloat));
  graph.node.push_back(node);
  const Result<Session> session = Session::FromGraphDef(graph);
  if (!session.ok()) return session.status().ToString();
  const Result<std::vector<Tensor>> got = session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{"call:0"});
  return got.ok() ? (*got)[0].SummarizeValue(30) : got.status().ToString();
}
std::string Cropped(const Tensor& size) {
  return InOldGraph("RandomCrop", {{"seed", 3}, {"seed2", 5}}, {Make<float>({3, 2, 1}, {0, 1, 2, 3, 4, 5}), size});
}

}  // namespace

// TensorFlow's parts are in tests/golden/ops/old_ops.pb.
TEST_SUITE("old image ops") {
  TEST_CASE("a crop is a part of the image") {
    CHECK(Cropped(Longs({3, 2})) == "[[0][1]][[2][3]][[4][5]]");
    CHECK(Cropped(Longs({1, 2})).size() == std::string_view("[[0][1]]").size());
    CHECK(Cropped(Longs({4, 1})).find("FAILED_PRECONDITION") == 0);
    CHECK(Cropped(Longs({-1, 1})).find("INVALID_ARGUMENT") == 0);
    CHECK(Cropped(Longs({1})).find("INVALID_ARGUMENT") == 0);
  }
  TEST_CASE("many rows without elements take no time") {
    constexpr std::int64_t kMany = std::int64_t{1} << 50;
    CHECK(InOldGraph("RandomCrop", {}, {Tensor(DataType::kFloat, {kMany + 1, 1, 0}), Longs({kMany, 1})}).empty());
  }
  TEST_CASE("numbers below another one") {
    PhiloxWords words(Philox::FromSeeds(1, 2));
    CHECK(ops::detail::UniformBelow(&words, 1) == 0);
    for (int i = 0; i < 100; ++i) CHECK(ops::detail::UniformBelow(&words, 7) < 7);
    for (int i = 0; i < 100; ++i) CHECK(ops::detail::UniformBelow(&words, 8) < 8);
  }
  TEST_CASE("contrast within limits") {
    const Tensor image = Make<float>({2, 2, 1}, {1, 2, 3, 5}), two = Tensor::Scalar(2.0f), none = Tensor::Scalar(0.0f),
                 five = Tensor::Scalar(5.0f);
    CHECK(InOldGraph("AdjustContrast", {}, {image, two, none, five}) == "[[0][1.25]][[3.25][5]]");
    CHECK(InOldGraph("AdjustContrast", {}, {image, Make<float>({1}, {1}), none, five}).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace image_random_crop_test
