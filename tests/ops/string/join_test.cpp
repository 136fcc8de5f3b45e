// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/join.hpp>

#include "ops/support.hpp"

namespace string_join_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Texts(const TensorShape& shape, std::initializer_list<const char*> texts) {
  Tensor tensor(DataType::kString, shape);
  Index i = 0;
  for (const char* text : texts) tensor.data<tstring>()[i++].assign(text);
  return tensor;
}
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
}  // namespace

TEST_SUITE("Joining texts") {
  TEST_CASE("ReduceJoin takes the first axis fastest") {
    const Tensor in = Texts({2, 2}, {"a", "b", "c", "d"});
    CHECK(Run<ops::ReduceJoin>({}, {in, MakeTensor<std::int32_t>({2}, {0, 1})}).data<tstring>()[0] == "acbd");
    CHECK(Run<ops::ReduceJoin>({}, {in, MakeTensor<std::int32_t>({2}, {1, 0})}).data<tstring>()[0] == "abcd");
  }
  TEST_CASE("what joins nothing is empty") {
    const Tensor none(DataType::kString, TensorShape({2, 0}));
    const Tensor out = Run<ops::ReduceJoin>({}, {none, MakeTensor<std::int32_t>({1}, {1})});
    CHECK(out.shape() == TensorShape({2}));
    CHECK(out.data<tstring>()[1] == "");
  }
  TEST_CASE("scalars go with every element") {
    const Tensor out = Run<ops::StringJoin>({{"separator", AttrValue("-")}}, {Text("x"), Texts({2}, {"a", "b"})});
    CHECK(out.data<tstring>()[0] == "x-a");
    CHECK(out.data<tstring>()[1] == "x-b");
    CHECK(Call<ops::StringJoin>({}, {Texts({2}, {"a", "b"}), Texts({1}, {"c"})}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("segments: no memory for absurd numbers of them, no separator before the first text") {
    const Tensor in = Texts({3}, {"", "a", "b"}), ids = MakeTensor<std::int64_t>({3}, {0, 0, 0});
    CHECK(Run<ops::UnsortedSegmentJoin>({{"separator", AttrValue("+")}}, {in, ids, Tensor::Scalar<std::int32_t>(1)})
              .data<tstring>()[0] == "a+b");
    CHECK(
        !Call<ops::UnsortedSegmentJoin>({}, {in, ids, Tensor::Scalar(std::numeric_limits<std::int64_t>::max())}).ok());
    const Tensor nothing(DataType::kString, TensorShape({3, 0}));
    CHECK(Run<ops::UnsortedSegmentJoin>({}, {nothing, ids, Tensor::Scalar(std::int64_t{1} << 50)}).NumElements() == 0);
  }
}
}  // namespace string_join_test
