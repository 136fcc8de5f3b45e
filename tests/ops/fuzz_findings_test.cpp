// SPDX-License-Identifier: Apache-2.0
// Calls that tests/fuzz/ops_fuzz found to go wrong, made small.

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace fuzz_findings_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Found by ops_fuzz") {
  TEST_CASE("SparseDenseCwise...: indices that are a scalar are refused when the graph is made") {
    const Tensor index = Tensor::Scalar<std::int64_t>(1), value = Tensor::Scalar<float>(2);
    for (const char* op : {"SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"}) {
      GraphBuilder b;
      b.Add(op, "y",
            {b.Const("indices", index), b.Const("values", value), b.Const("shape", index), b.Const("x", value)});
      CHECK(Session::FromGraph(b).status().code() == Code::kInvalidArgument);
    }
  }
  TEST_CASE("Svd: the full side of a matrix without elements is the identity") {
    const std::vector<Tensor> wide = RunAll("Svd", {{"full_matrices", true}}, {Tensor(DataType::kFloat, {0, 2})}, 3);
    CHECK(SameTensor(wide[2], Make<float>({2, 2}, {1, 0, 0, 1})));
    const std::vector<Tensor> tall = RunAll("Svd", {{"full_matrices", true}}, {Tensor(DataType::kFloat, {2, 0})}, 3);
    CHECK(SameTensor(tall[1], Make<float>({2, 2}, {1, 0, 0, 1})));
  }
  TEST_CASE("Attrs and axes as large as can be do not overflow in shape functions") {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max(), kLeast = -kLargest - 1;
    const Tensor floats = Make<float>({2}, {1, 2});
    CHECK(CallOp("QuantizeAndDequantizeV2", {{"axis", kLargest}}, {floats, floats, floats}, 1).status().code() ==
          Code::kInvalidArgument);
    for (const std::int64_t number : {kLargest, kLeast}) {
      CHECK(CallOp("GatherV2", {{"batch_dims", number}}, {floats, Ints({0}), Int(0)}, 1).status().code() ==
            Code::kInvalidArgument);
      for (const char* op : {"ConcatV2", "GatherV2"}) {
        GraphBuilder b;
        const Output x = b.Const("x", floats), axis = b.Const("axis", Tensor::Scalar<std::int64_t>(number));
        b.Add(op, "y", {x, op[0] == 'C' ? x : b.Const("i", Ints({0})), axis});
        CHECK(Session::FromGraph(b).status().code() == Code::kInvalidArgument);
      }
    }
  }
  TEST_CASE("FakeQuantWithMinMaxVarsPerChannelGradient: inputs that are scalars where a shape is not known") {
    CHECK_FALSE(CallOp("FakeQuantWithMinMaxVarsPerChannelGradient", {},
                       {Tensor::Scalar(1.f), Tensor::Scalar(1.f), Make<float>({1}, {0}), Make<float>({1}, {1})}, 3)
                    .ok());
  }
  TEST_CASE("StridedSlice: every bit of ellipsis_mask may be set") {
    const Tensor x = Make<float>({2, 2}, {1, 2, 3, 4});
    for (const std::int64_t mask : {std::int64_t{-2147483648}, std::int64_t{-1}, std::int64_t{2147483647}})
      (void)CallOp("StridedSlice", {{"ellipsis_mask", mask}}, {x, Ints({0}), Ints({1}), Ints({1})}, 1);
    CHECK(CallOp("StridedSlice", {{"ellipsis_mask", 3}}, {x, Ints({0, 0}), Ints({1, 1}), Ints({1, 1})}, 1)
              .status()
              .code() == Code::kInvalidArgument);
  }
  TEST_CASE("RngSkip, RngReadAndSkip: a delta without elements") {
    for (const bool reads : {false, true}) {
      GraphBuilder b;
      const Tensor state = Longs({0, 0, 0});
      const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", state.dtype()}, {"shape", state.shape()}});
      const Output is = b.Add("AssignVariableOp", "is", {v, b.Const("state", state)});
      const Output algorithm = b.Const("algorithm", reads ? Int(1) : Tensor::Scalar<std::int64_t>(1));
      const DataType type = reads ? DataType::kUint64 : DataType::kInt64;
      const Output y = b.Add(reads ? "RngReadAndSkip" : "RngSkip", "y", {v, algorithm, b.Placeholder("delta", type)});
      b.AddControlInput(y, is);
      const Result<Session> session = Session::FromGraph(b);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      CHECK(session->Run({{"delta:0", Tensor(type, {0})}}, {}, {"y"}).status().code() == Code::kInvalidArgument);
    }
  }
}
}  // namespace fuzz_findings_test
