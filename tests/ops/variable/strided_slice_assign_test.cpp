// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/strided_slice_assign.hpp>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"

namespace state_strided_slice_assign_test {
using namespace state_test;
using tenon::testing::Make;
using tenon::testing::Numbered;
using tenon::testing::Random;

namespace {

Tensor Longs(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size())}, numbers);
}
// A variable "v" of floats with a node "part": v[begin:end:strides] = x, all fed.
struct Parts : Machine {
  Parts(bool by_handle, const Tensor& start) {
    const Output v = by_handle ? Handle("v", start) : Reference("v", start);
    const Output begin = b.Placeholder("begin", DataType::kInt64), end = b.Placeholder("end", DataType::kInt64);
    const Output strides = b.Placeholder("strides", DataType::kInt64), x = b.Placeholder("x", start.dtype());
    const char* const op = by_handle ? "ResourceStridedSliceAssign" : "StridedSliceAssign";
    b.Add(op, "part", {v, begin, end, strides, x});
    const Output value = by_handle ? b.Add("ReadVariableOp", "own", {v}, {{"dtype", start.dtype()}}) : v;
    b.Add(op, "own_part", {v, begin, end, strides, value});
    if (by_handle)
      b.Add("ReadVariableOp", "value", {v}, {{"dtype", start.dtype()}});
    else
      b.Add("Identity", "value", {v});
    Start();
  }
  Status Assign(const Tensor& begin, const Tensor& end, const Tensor& strides, const Tensor& x) const {
    return Do("part", {{"begin", begin}, {"end", end}, {"strides", strides}, {"x", x}});
  }
};

}  // namespace

TEST_SUITE("parts of variables are assigned") {
  TEST_CASE("CopyToPart reaches the places that a plain loop does, backwards too") {
    StridedCopy part;
    const Index input[] = {4, 5, 3}, begin[] = {3, 0, 1}, stride[] = {-2, 2, 1}, count[] = {2, 3, 2};
    part.Make(input, begin, stride, count);
    const Tensor value = Random<float>({2, 3, 2}, 7);
    Tensor to = Make<float>({4, 5, 3}, {0}), want = Make<float>({4, 5, 3}, {0});
    ops::detail::CopyToPart(MoverOf(DataType::kFloat), part, value.raw_data(), to.raw_data());
    for (Index a = 0; a < 2; ++a)
      for (Index d = 0; d < 3; ++d)
        for (Index c = 0; c < 2; ++c)
          want.data<float>()[((3 - 2 * a) * 5 + 2 * d) * 3 + 1 + c] = value.data<float>()[(a * 3 + d) * 2 + c];
    CHECK(Numbered<float>(to) == Numbered<float>(want));
    StridedCopy scalar;
    scalar.Make({}, {}, {}, {});
    Tensor one = Make<float>({}, {0});
    ops::detail::CopyToPart(MoverOf(DataType::kFloat), scalar, value.raw_data(), one.raw_data());
    CHECK(*one.data<float>() == value.data<float>()[0]);
  }
  TEST_CASE("RepeatValue, along every dimension") {
    const TensorShape shape({2, 2, 3});
    const auto repeated = [&](const Tensor& value) {
      Tensor out = Make<float>(shape, {-1});
      REQUIRE(ops::detail::RepeatValue(MoverOf(DataType::kFloat), value, shape, &out).ok());
      return out.SummarizeValue(12);
    };
    CHECK(repeated(Make<float>({}, {7})) == "[[7 7 7][7 7 7]][[7 7 7][7 7 7]]");
    CHECK(repeated(Make<float>({3}, {1, 2, 3})) == "[[1 2 3][1 2 3]][[1 2 3][1 2 3]]");
    CHECK(repeated(Make<float>({2, 1, 1}, {1, 2})) == "[[1 1 1][1 1 1]][[2 2 2][2 2 2]]");
    CHECK(repeated(Make<float>({2, 1}, {1, 2})) == "[[1 1 1][2 2 2]][[1 1 1][2 2 2]]");
    CHECK(repeated(Make<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6})) == "[[1 2 3][1 2 3]][[4 5 6][4 5 6]]");
  }
  TEST_CASE("by both kinds of variables: a part, a repeated value, an empty part, one that does not fit") {
    for (const bool by_handle : {false, true}) {
      CAPTURE(by_handle);
      const Parts m(by_handle, Make<float>({5}, {1, 2, 3, 4, 5}));
      REQUIRE(m.Do("v/init").ok());
      const Tensor kept = m.Get({"value"})[0];
      REQUIRE(m.Assign(Longs({4}), Longs({0}), Longs({-2}), Make<float>({2}, {50, 30})).ok());
      CHECK(m.Floats("value") == Floats{1, 2, 30, 4, 50});
      REQUIRE(m.Assign(Longs({0}), Longs({2}), Longs({1}), Tensor::Scalar(9.0f)).ok());
      CHECK(m.Floats("value") == Floats{9, 9, 30, 4, 50});
      if (by_handle) CHECK(Machine::ToVector(kept) == Floats{1, 2, 3, 4, 5});  // what was read stays
      CHECK(m.Assign(Longs({3}), Longs({3}), Longs({1}), Make<float>({7}, {0})).ok());  // no element: any value
      CHECK(m.Assign(Longs({0}), Longs({3}), Longs({1}), Make<float>({2}, {0})).message() ==
            StrCat(by_handle ? "ResourceStridedSliceAssign" : "StridedSliceAssign",
                   ": Cannot broadcast input shape [2] into final shape [3] [node 'part', CPU:0]"));
      CHECK(m.Assign(Longs({0}), Longs({3}), Longs({1}), Make<float>({1, 3}, {0})).code() == Code::kInvalidArgument);
      CHECK(m.Assign(Longs({0}), Longs({3}), Longs({0}), Tensor::Scalar(0.0f)).code() == Code::kInvalidArgument);
      CHECK(m.Floats("value") == Floats{9, 9, 30, 4, 50});
    }
  }
  TEST_CASE("the variable's own value, reversed: it is read before it is written") {
    for (const bool by_handle : {false, true}) {
      CAPTURE(by_handle);
      const Parts m(by_handle, Make<float>({4}, {1, 2, 3, 4}));
      REQUIRE(m.Do("v/init").ok());
      REQUIRE(m.Do("own_part", {{"begin", Longs({-1})}, {"end", Longs({-9})}, {"strides", Longs({-1})}}).ok());
      CHECK(m.Floats("value") == Floats{4, 3, 2, 1});
    }
  }
  TEST_CASE("a variable that has no value yet") {
    const Parts by_reference(false, Make<float>({1}, {1})), by_handle(true, Make<float>({1}, {1}));
    const Tensor zero = Longs({0}), one = Longs({1});
    CHECK(by_reference.Assign(zero, one, one, Tensor::Scalar(0.0f)).message() ==
          "Attempting to use uninitialized value v [node 'part', CPU:0]");
    CHECK(by_handle.Assign(zero, one, one, Tensor::Scalar(0.0f)).code() == Code::kNotFound);
  }
}
}  // namespace state_strided_slice_assign_test
