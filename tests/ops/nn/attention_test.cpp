// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/attention.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ops/support.hpp"

namespace nn_attention_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Ramp(const TensorShape& shape) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i) out.data<float>()[i] = 0.2f * static_cast<float>((7 * i) % 11 - 4);
  return out;
}
// q, k and v, then further operands of the scores.
Result<Tensor> Attend(const std::vector<Tensor>& inputs, std::vector<std::pair<std::string, AttrValue>> attrs = {},
                      bool shapes_known = true) {
  GraphBuilder b;
  std::vector<Output> in;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = StrCat("x", i);
    in.push_back(b.Placeholder(name, DataType::kFloat,
                               shapes_known ? PartialTensorShape(inputs[i].shape()) : PartialTensorShape()));
    feeds.push_back({name, inputs[i]});
  }
  const std::vector<GraphBuilder::Input> all{in[0], in[1], in[2], GraphBuilder::Input(std::vector<Output>()),
                                             GraphBuilder::Input(std::vector<Output>(in.begin() + 3, in.end()))};
  attrs.push_back({"T", DataType::kFloat});
  attrs.push_back({"M", std::int64_t{0}});
  attrs.push_back({"N", static_cast<std::int64_t>(inputs.size()) - 3});
  b.Add("_FusedAttention", "y", all, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session.Run(feeds, std::vector<std::string>{"y"}));
  return out[0];
}
AttrValue Ints(std::initializer_list<std::int64_t> values) { return AttrValue(SlimVector<std::int64_t>(values)); }
AttrValue Texts(std::initializer_list<const char*> values) {
  SlimVector<std::string> texts;
  for (const char* const value : values) texts.push_back(value);
  return AttrValue(texts);
}

}  // namespace

TEST_SUITE("_FusedAttention") {
  TEST_CASE("equal scores give the mean of the values") {
    const Tensor zeros = Tensor::From<float>(std::vector<float>(8, 0), {1, 2, 4});
    const Result<Tensor> y = Attend({zeros, zeros, Tensor::From<float>({1, 2, 5, 6}, {1, 2, 2})});
    REQUIRE_MESSAGE(y.ok(), y.status().ToString());
    CHECK(SameTensor(*y, Tensor::From<float>({3, 4, 3, 4}, {1, 2, 2})));
  }
  TEST_CASE("a step decides for one key; results may be transposed") {
    const Tensor q = Ramp({1, 2, 3, 4}), v = Ramp({1, 2, 3, 5});
    const Tensor bias = Tensor::From<float>({0, 1000, 0}, {3});
    const auto attrs = [](AttrValue y_axes) {
      return std::vector<std::pair<std::string, AttrValue>>{
          {"steps", Texts({"AddV2"})}, {"operands", Ints({0, 1})}, {"y_axes", std::move(y_axes)}};
    };
    for (const bool known : {true, false}) {
      const Result<Tensor> y = Attend({q, q, v, bias}, attrs(Ints({})), known);
      REQUIRE_MESSAGE(y.ok(), y.status().ToString());
      CHECK(y->shape() == TensorShape{1, 2, 3, 5});
      for (Index h = 0; h < 2; ++h)
        for (Index i = 0; i < 3; ++i)
          for (Index d = 0; d < 5; ++d)
            CHECK(y->data<float>()[(h * 3 + i) * 5 + d] == v.data<float>()[(h * 3 + 1) * 5 + d]);
      const Result<Tensor> moved = Attend({q, q, v, bias}, attrs(Ints({0, 2, 1, 3})), known);
      REQUIRE_MESSAGE(moved.ok(), moved.status().ToString());
      CHECK(moved->shape() == TensorShape{1, 3, 2, 5});
      CHECK(moved->data<float>()[5] == y->data<float>()[15]);
    }
  }
  TEST_CASE("it refuses operands that do not fit") {
    const Tensor q = Ramp({2, 3, 4}), v = Ramp({2, 3, 5});
    for (const bool known : {true, false}) {
      CHECK(errors::IsInvalidArgument(Attend({q, Ramp({3, 3, 4}), v}, {}, known).status()));
      CHECK(errors::IsInvalidArgument(Attend({Ramp({3, 4}), Ramp({3, 4}), Ramp({3, 4})}, {}, known).status()));
      CHECK(errors::IsInvalidArgument(Attend({q, q, v}, {{"q_axes", Ints({0, 1})}}, known).status()));
      CHECK(errors::IsInvalidArgument(Attend({q, q, v}, {{"y_axes", Ints({0, 1, 1})}}, known).status()));
      CHECK(errors::IsInvalidArgument(Attend({q, q, v}, {{"v_axes", Ints({0, 1, -3})}}, known).status()));
    }
    CHECK(errors::IsInvalidArgument(Attend({q, Ramp({2, 3, 5}), v}).status()));
    CHECK(errors::IsInvalidArgument(Attend({q, q, Ramp({2, 4, 5})}).status()));
    CHECK(errors::IsInvalidArgument(
        Attend({q, q, v}, {{"steps", Texts({"Where"})}, {"operands", Ints({0, -1})}}).status()));
    CHECK(errors::IsInvalidArgument(Attend({q, q, v}, {{"y_axes", Ints({0, 2, 1})}}).status()));
  }
}

}  // namespace nn_attention_test
