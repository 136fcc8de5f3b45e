// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/dense.hpp>

#include "ops/outputs.hpp"

namespace sparse_dense_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseDenseCwiseDiv;
using ops::SparseDenseCwiseMul;
using ops::SparseTensorDenseAdd;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}

}  // namespace

TEST_SUITE("a sparse tensor and a dense one") {
  const Tensor places = Places({0, 1, 1, 0, 1, 2}), values = Make<float>({3}, {2, 3, 4}), shape = Longs({2, 3});
  const Tensor dense = Make<float>({2, 3}, {1, 2, 3, 4, 5, 6});

  TEST_CASE("elements at the same place add up, in any order, for both index types") {
    const std::vector<float> added{0, 9, 0, 3, 0, 0};
    for (const bool narrow : {false, true}) {
      const Tensor at = narrow ? MakeTensor<std::int32_t>({3, 2}, {1, 0, 0, 1, 0, 1}) : Places({1, 0, 0, 1, 0, 1});
      const Tensor out =
          Run<SparseTensorDenseAdd>({}, {at, Make<float>({3}, {3, 4, 5}), narrow ? Ints({2, 3}) : shape, dense});
      for (Index i = 0; i < 6; ++i)
        CHECK(out.data<float>()[i] == dense.data<float>()[i] + added[static_cast<std::size_t>(i)]);
    }
  }
  TEST_CASE("a dense tensor that nobody else reads is added to where it is") {
    GraphBuilder b;
    const Output own =
        b.Add("Mul", "own", {b.Placeholder("d", DataType::kFloat), b.Const("one", Tensor::Scalar<float>(1))});
    b.Add("SparseTensorDenseAdd", "call", {b.Const("p", places), b.Const("v", values), b.Const("s", shape), own});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE(session.ok());
    const std::vector<NamedTensor> feeds{{"d", dense}};
    const Result<std::vector<Tensor>> out = session->Run(feeds, std::vector<std::string>{"call"});
    REQUIRE(out.ok());
    CHECK((*out)[0].SummarizeValue(6) == "[1 4 3][7 5 10]");
    CHECK((*out)[0].buffer()->allocator() != CpuAllocator());  // memory of the step: own's
    CHECK(dense.SummarizeValue(6) == "[1 2 3][4 5 6]");
  }
  TEST_CASE("the same tensor as values and as dense, which nobody else reads") {
    GraphBuilder b;
    const Output own =
        b.Add("Mul", "own", {b.Placeholder("d", DataType::kFloat), b.Const("one", Tensor::Scalar<float>(1))});
    const Output at = b.Const("p", MakeTensor<std::int64_t>({3, 1}, {2, 1, 0})), size = b.Const("s", Longs({3}));
    b.Add("SparseTensorDenseAdd", "call", {at, own, size, own});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE(session.ok());
    const Result<std::vector<Tensor>> out = session->Run({{"d", Make<float>({3}, {1, 10, 100})}}, {"call"});
    REQUIRE(out.ok());
    CHECK((*out)[0].SummarizeValue(3) == "101 20 101");
  }
  TEST_CASE("dense is repeated to the sparse shape") {
    CHECK(OutputsOf<SparseDenseCwiseMul>({}, {places, values, shape, Tensor::Scalar<float>(10)}) == "20 30 40");
    CHECK(OutputsOf<SparseDenseCwiseMul>({}, {places, values, shape, Make<float>({2, 1}, {1, 10})}) == "2 30 40");
    CHECK(OutputsOf<SparseDenseCwiseMul>({}, {places, values, shape, Make<float>({3}, {1, 2, 3})}) == "4 3 12");
    CHECK(OutputsOf<ops::SparseDenseCwiseAdd>({}, {Places({}), Make<float>({0}, {0}), shape, dense}) == "");
    CHECK(OutputsOf<SparseDenseCwiseMul>({}, {places, values, shape, Make<float>({2}, {1, 2})}) ==
          "INVALID_ARGUMENT: SparseDenseCwiseMul: SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
          "incompatible shapes: [2,3] vs. [2]");
    CHECK(OutputsOf<SparseDenseCwiseMul>({}, {places, values, shape, Make<float>({1, 2, 3}, {1})}).find("[1,2,3]") !=
          std::string::npos);
  }
  TEST_CASE("a zero is only refused where it divides") {
    const Tensor zeros = Make<float>({3}, {1, 1, 0});
    CHECK(OutputsOf<SparseDenseCwiseDiv>({}, {places, values, shape, zeros}) ==
          "INVALID_ARGUMENT: SparseDenseCwiseDiv: SparseDenseCwiseDiv cannot divide by zero, but input dense tensor "
          "contains zero");
    CHECK(OutputsOf<SparseDenseCwiseDiv>({}, {Places({0, 1}), Make<float>({1}, {2}), shape, zeros}) == "2");
    const Tensor least = Tensor::Scalar(std::numeric_limits<std::int32_t>::min());
    CHECK(OutputsOf<SparseDenseCwiseDiv>({}, {Places({0, 1}), Ints({std::numeric_limits<std::int32_t>::min()}), shape,
                                              Int(-1)}) == "-2147483648");  // it wraps around
    CHECK(OutputsOf<SparseDenseCwiseDiv>({}, {Places({0, 1}), Ints({7}), shape, least}) == "0");
  }
  TEST_CASE("operands of SparseTensorDenseAdd that do not fit") {
    const auto refused = [&](const Tensor& i, const Tensor& v, const Tensor& s, const Tensor& d) {
      return ErrorOf<SparseTensorDenseAdd>({}, {i, v, s, d});
    };
    const std::string where = "INVALID_ARGUMENT: SparseTensorDenseAdd: ";
    CHECK(refused(places, values, Longs({2, 4}), dense) ==
          where + "Dimension 1 does not equal (no broadcasting is supported): sparse side 4 vs dense side 3");
    CHECK(refused(places, values, Longs({2}), dense) == where + "Two operands have different ranks; received: 1 and 2");
    CHECK(refused(places, Make<float>({2}, {1}), shape, dense) ==
          where + "Dimensions 3 and 2 are not compatible (rows of a_indices, a_values)");
    CHECK(refused(Places({0, 0, 2, 0, 0, 0}), values, shape, dense) ==
          where + "Sparse tensor has an invalid index on dimension 0: a_indices(1,0) = 2, dense tensor shape: [2,3]");
    CHECK(refused(Tensor(DataType::kInt64, {0, 6}), Tensor(DataType::kFloat, {0}), Longs({1, 1, 1, 1, 1, 1}),
                  Tensor(DataType::kFloat, {1, 1, 1, 1, 1, 1})) ==
          where + "Only tensors with ranks between 1 and 5 are currently supported.  Tensor rank: 6");
  }
  TEST_CASE("an index outside is named with all of it") {
    CHECK(ErrorOf<SparseDenseCwiseMul>({}, {Places({0, 1, 1, 3, 0, 0}), values, shape, dense}) ==
          "INVALID_ARGUMENT: SparseDenseCwiseMul: Provided indices are out-of-bounds w.r.t. dense side with "
          "broadcasted shape [2,3], indices[1] = [1,3]");
    CHECK(ErrorOf<SparseDenseCwiseMul>({}, {Places({0, 1}), values, shape, dense}) ==
          "INVALID_ARGUMENT: SparseDenseCwiseMul: The first dimension of values and indices should match. (3 vs. 1)");
  }
}
}  // namespace sparse_dense_test
