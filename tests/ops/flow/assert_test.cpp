// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/assert.hpp>

#include <string>

#include <doctest/doctest.h>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace flow_assert_test {
using namespace tenon;
using namespace runtime_test;

namespace {
// What Assert(p, floats [2,2,3], texts, 5, an empty matrix, bools) says.
Status Asserted(std::int64_t summarize, const Tensor& p) {
  FlowGraph g;
  Tensor floats(DataType::kFloat, {2, 2, 3}), texts(DataType::kString, {4});
  for (int i = 0; i < 12; ++i) floats.flat<float>()(i) = static_cast<float>(i) / 3;
  for (int i = 0; i < 4; ++i) texts.flat<tstring>()(i) = i == 1 ? "bb\n\"" : std::string(1, static_cast<char>('a' + i));
  g.Feed("p", DataType::kBool)
      .Const("floats", floats)
      .Const("texts", texts)
      .Const("five", Tensor::Scalar(std::int64_t{5}));
  g.Const("none", Tensor(DataType::kInt32, {0, 2})).Const("bools", MakeTensor<bool>({4}, {true, false, true, true}));
  g.Node("a", "Assert", {"p", "floats", "texts", "five", "none", "bools"},
         {{"T", AttrValue(SlimVector<DataType>{DataType::kFloat, DataType::kString, DataType::kInt64, DataType::kInt32,
                                               DataType::kBool})},
          {"summarize", AttrValue(summarize)}},
         false);
  return g.Run({{"p", p}}, {}, {"a"}).status();
}
}  // namespace

TEST_SUITE("Assert") {
  TEST_CASE("says what TensorFlow says") {
    const Tensor no = Tensor::Scalar(false);
    const auto begins = [](const Status& status, std::string_view text) {
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK_MESSAGE(status.message().find(text) == 0, status.message());
    };
    begins(Asserted(0, no), "assertion failed: [...] [...] [...] [] [] [node 'a'");
    begins(Asserted(1, no), "assertion failed: [[[0...]]...] [a...] [5] [] [1...] [node 'a'");
    begins(Asserted(2, no), "assertion failed: [[[0 0.333333343...]]...] [a bb\\n\\\"...] [5] [] [1 0...] [node 'a'");
    for (const std::int64_t all : {-1, -5})
      begins(Asserted(all, no),
             "assertion failed: [[[0 0.333333343 0.666666687][1 1.33333337 1.66666663]][[2 2.33333325 2.66666675][3 "
             "3.33333325 3.66666675]]] [a bb\\n\\\" c d] [5] [] [1 0 1 1] [node 'a'");
  }
  TEST_CASE("lets the run go on where the condition holds, and wants a scalar") {
    CHECK(Asserted(3, Tensor::Scalar(true)).ok());
    const Status vector = Asserted(3, MakeTensor<bool>({2}, {true, true}));
    CHECK(vector.code() == Code::kInvalidArgument);
    CHECK(vector.message().find("In[0] should be a scalar: [2]") == 0);
  }
}
}  // namespace flow_assert_test
