// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/fused.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/constant_weights.hpp"
#include "ops/support.hpp"

namespace nn_fused_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

namespace {
using Names = std::vector<std::string>;

AttrArgs ConvAttrs(Names fused, std::int64_t args, std::vector<DataType> types) {
  return {
      {"fused_ops", fused}, {"num_args", args}, {"TArgs", types}, {"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}};
}
// One _FusedConv2D of x, f and further arguments.
Result<std::vector<Tensor>> Conv(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  GraphBuilder b;
  std::vector<Output> ends;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = StrCat("in", i);
    ends.push_back(b.Placeholder(name, inputs[i].dtype(), PartialTensorShape()));
    feeds.push_back({name + ":0", inputs[i]});
  }
  std::vector<GraphBuilder::Input> arguments{ends[0], ends[1]};
  SlimVector<Output> list;
  for (std::size_t i = 2; i < ends.size(); ++i) list.push_back(ends[i]);
  arguments.emplace_back(list);
  arguments.emplace_back(SlimVector<Output>());
  b.Add("_FusedConv2D", "call", arguments, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  const std::vector<std::string> fetches{"call:0"};
  return session.Run(feeds, fetches);
}
template <class T>
std::vector<double> ConvNumbers(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> y = Conv(attrs, inputs);
  REQUIRE_MESSAGE(y.ok(), y.status().message());
  return Numbered<T>((*y)[0]);
}
std::string ConvError(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  return Conv(attrs, inputs).status().ToString();
}
}  // namespace

TEST_SUITE("fused ops") {
  TEST_CASE("constant weights give the same bits as fed ones") {
    const Tensor bias = Random<float>({33}, 3);
    CHECK(DifferenceWithConstantWeights("_FusedMatMul", {{"fused_ops", Names{"BiasAdd", "Relu"}}, {"num_args", 1}},
                                        Random<float>({20, 70}, 1), Random<float>({70, 33}, 2), {{bias}}) == "");
    for (const Index side : {5, 15, 20})
      CHECK(DifferenceWithConstantWeights("_FusedConv2D", ConvAttrs({"BiasAdd"}, 1, {DataType::kFloat}),
                                          Random<float>({1, side, side, 9}, 1), Random<float>({3, 3, 9, 33}, 2),
                                          {{bias}, {}}) == "");
  }
  TEST_CASE_TEMPLATE("a convolution, TensorFlow's numbers", T, float, double) {
    const DataType t = dtype_of_v<T>;
    const Tensor x = Make<T>({1, 2, 2, 1}, {-2, -.5, .5, 7}), f = Make<T>({1, 1, 1, 1}, {1}), zero = Make<T>({1}, {0}),
                 one = Make<T>({1}, {1});
    CHECK(ConvNumbers<T>(ConvAttrs({"BiasAdd", "Relu6"}, 1, {t}), {x, f, zero}) == std::vector<double>{0, 0, .5, 6});
    const std::vector<double> y =
        ConvNumbers<T>(ConvAttrs({"FusedBatchNorm", "Elu"}, 4, {t, t, t, t}), {x, f, one, zero, zero, one});
    CHECK(y[0] == doctest::Approx(-0.8646512031555176));
    CHECK(y[3] == doctest::Approx(6.999650478363037));
  }
  TEST_CASE_TEMPLATE("a matrix product", T, float, half, bfloat16) {
    const Tensor x = Make<T>({4, 1}, {-2, -.5, .5, 7}), w = Make<T>({1, 1}, {1}), b = Make<T>({1}, {1});
    const AttrArgs relu = {{"fused_ops", Names{"BiasAdd", "Relu"}}, {"num_args", std::int64_t{1}}};
    CHECK(Numbered<T>(Run<ops::FusedMatMul>(relu, {x, w, b})) == std::vector<double>{0, .5, 1.5, 8});
    CHECK(Numbered<T>(Run<ops::FusedMatMul>(relu, {Make<T>({2, 0}, {1}), Make<T>({0, 1}, {1}), b})) ==
          std::vector<double>{0, 0});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    const Tensor x = Make<float>({1, 2, 2, 1}, {1}), f = Make<float>({1, 1, 1, 1}, {1}), b = Make<float>({1}, {0});
    const auto error = [&](Names fused) { return ConvError(ConvAttrs(fused, 1, {DataType::kFloat}), {x, f, b}); };
    CHECK(error({}).starts_with("INVALID_ARGUMENT"));
    CHECK(error({"BiasAdd", "Tanh"}).find("Fusion is not implemented: [BiasAdd,Tanh]") != std::string::npos);
    CHECK(error({"Relu"}).starts_with("UNIMPLEMENTED"));
    CHECK(error({"FusedBatchNorm"}).find("must have four extra arguments") != std::string::npos);
    CHECK(ConvError(ConvAttrs({"BiasAdd"}, 1, {DataType::kHalf}),
                    {Make<half>({1, 1, 1, 1}, {1}), Make<half>({1, 1, 1, 1}, {1}), Make<half>({1}, {1})})
              .find("Op does not support half inputs") != std::string::npos);
    CHECK(ConvError(ConvAttrs({"BiasAdd"}, 1, {DataType::kInt32}), {x, f, Make<std::int32_t>({1}, {1})})
              .find("bias must be of type float") != std::string::npos);
    CHECK(ErrorOf<ops::FusedMatMul>({{"fused_ops", Names{"BiasAdd"}}, {"num_args", std::int64_t{1}}},
                                    {Make<float>({3, 4}, {1}), Make<float>({5, 5}, {1}), b})
              .find("Matrix size-incompatible: In[0]: [3,4], In[1]: [5,5]") != std::string::npos);
  }
}
}  // namespace nn_fused_test
