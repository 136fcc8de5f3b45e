// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/space_batch.hpp>

#include <doctest/doctest.h>

#include <tenon/graph/import.hpp>

#include "ops/support.hpp"

namespace array_space_batch_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// SpaceToBatchND or BatchToSpaceND. Shape inference must know the size of block_shape, as in TensorFlow: all but the
// input is constant.
Result<std::vector<Tensor>> CallNd(std::string_view op, const Tensor& x, const Tensor& blocks, const Tensor& edges) {
  GraphBuilder b;
  b.Add(op, "call", {b.Placeholder("x", x.dtype()), b.Const("blocks", blocks), b.Const("edges", edges)});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  return session.Run({{"x:0", x}}, {"call:0"});
}
Tensor RunNd(std::string_view op, const Tensor& x, const Tensor& blocks, const Tensor& edges) {
  const Result<std::vector<Tensor>> outputs = CallNd(op, x, blocks, edges);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  return (*outputs)[0];
}
std::string ErrorOfNd(std::string_view op, const Tensor& x, const Tensor& blocks, const Tensor& edges) {
  const std::string text = CallNd(op, x, blocks, edges).status().ToString();
  return text.substr(0, text.find(" [node 'call'"));
}

}  // namespace

TEST_SUITE("Space and depth") {
  TEST_CASE("there and back is the input; a pixel's depth is its block, row by row") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 6, 4, 3});
      const Tensor deep = Run<ops::SpaceToDepth>({{"block_size", 2}}, {x});
      REQUIRE(deep.shape() == TensorShape({2, 3, 2, 12}));
      CHECK(SameTensor(Run<ops::DepthToSpace>({{"block_size", 2}}, {deep}), x));
    }
    const Tensor x = MakeTensor<std::int32_t>({1, 2, 4, 1}, {0, 1, 2, 3, 10, 11, 12, 13});
    CHECK(Numbered<std::int32_t>(Run<ops::SpaceToDepth>({{"block_size", 2}}, {x})) ==
          std::vector<double>{0, 1, 10, 11, 2, 3, 12, 13});
    CHECK(Run<ops::DepthToSpace>({{"block_size", 3}}, {Tensor(DataType::kFloat, {0, 1, 2, 9})}).shape() ==
          TensorShape({0, 3, 6, 1}));
  }
  TEST_CASE("channels in vectors of four: inference knows the last size") {
    for (const char* const op : {"SpaceToDepth", "DepthToSpace"}) {
      GraphBuilder b;
      b.Add(op, "y", {b.Placeholder("x", DataType::kQint8)}, {{"block_size", 2}, {"data_format", "NCHW_VECT_C"}});
      const Result<Graph> graph = ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
      REQUIRE_MESSAGE(graph.ok(), graph.status().message());
      CHECK(graph->Find("y")->output_shape(0).DebugString() == "[?,?,?,?,4]");
    }
  }
  TEST_CASE("sizes that no block divides, and blocks beyond measure") {
    const Tensor x = Make<float>({1, 3, 4, 3}, {1});
    CHECK(ErrorOf<ops::SpaceToDepth>({{"block_size", 2}}, {x})
              .find("Image height and width should be divisible by 2, got shape [1,3,4,3]") != std::string::npos);
    CHECK(ErrorOf<ops::DepthToSpace>({{"block_size", 2}}, {x})
              .find("depth dimension should be divisible by the square of 2") != std::string::npos);
    constexpr std::int64_t kLarge = std::int64_t{1} << 33;
    CHECK(Call<ops::DepthToSpace>({{"block_size", kLarge}}, {x}).status().code() == Code::kInvalidArgument);
    const Tensor none(DataType::kFloat, {1, 0, 0, 3});
    CHECK(Call<ops::SpaceToDepth>({{"block_size", kLarge}}, {none}).status().code() == Code::kInvalidArgument);
    CHECK(ErrorOf<ops::SpaceToDepth>({{"block_size", 1}}, {x}).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOf<ops::SpaceToDepth>({{"block_size", 2}, {"data_format", "NCHW"}}, {x}).find("INVALID_ARGUMENT") == 0);
  }
}

TEST_SUITE("Space and batch") {
  TEST_CASE("what was padded away is cropped away again, for one to three blocked dimensions") {
    Numbers numbers(3);
    for (int i = 0; i < 60; ++i) {
      const Index blocked = 1 + i % 3, rank = 1 + blocked + numbers.Below(2);
      TensorShape shape;
      Tensor blocks(DataType::kInt32, {blocked}), edges(DataType::kInt64, {blocked, 2});
      for (Index d = 0; d < rank; ++d) shape.AddDim(numbers.Below(9) == 0 ? 0 : 1 + numbers.Below(4));
      for (Index d = 0; d < blocked; ++d) {
        const Index block = 1 + numbers.Below(3), before = numbers.Below(4),
                    size = shape.dim_size(static_cast<int>(d) + 1);
        blocks.data<std::int32_t>()[d] = static_cast<std::int32_t>(block);
        edges.data<std::int64_t>()[2 * d] = before;
        edges.data<std::int64_t>()[2 * d + 1] = (block - (size + before) % block) % block + block * numbers.Below(2);
      }
      const Tensor x = AnyBits(i % 2 == 0 ? DataType::kUint8 : DataType::kDouble, shape);
      const Tensor batches = RunNd("SpaceToBatchND", x, blocks, edges);
      CHECK_MESSAGE(SameTensor(RunNd("BatchToSpaceND", batches, blocks, edges), x), shape);
    }
  }
  TEST_CASE("square blocks are the same op; batch b of block (i, j) holds the pixels that begin there") {
    const Tensor x = Random<float>({2, 4, 6, 1}, 4), none = Make<std::int32_t>({2, 2}, {0});
    const Tensor batches = Run<ops::SpaceToBatch>({{"block_size", 2}}, {x, none});
    REQUIRE(batches.shape() == TensorShape({8, 2, 3, 1}));
    CHECK(SameTensor(RunNd("SpaceToBatchND", x, Ints({2, 2}), none), batches));
    CHECK(SameTensor(Run<ops::BatchToSpace>({{"block_size", 2}}, {batches, none}), x));
    const Tensor strides = Ints({1, 2, 2, 1});
    for (std::int32_t block = 0; block < 4; ++block)
      CHECK(SameTensor(
          RunAll("StridedSlice", {}, {x, Ints({0, block / 2, block % 2, 0}), Ints({2, 4, 6, 1}), strides}, 1)[0],
          batches.Slice(2 * block, 2 * block + 2).DeepCopy()));
  }
  TEST_CASE("blocks, paddings and crops that do not fit") {
    const Tensor x = Make<float>({2, 3}, {1});
    const auto error = [&](const Tensor& block, std::int64_t before, std::int64_t after) {
      return ErrorOfNd("SpaceToBatchND", x, block, MakeTensor<std::int64_t>({1, 2}, {before, after}));
    };
    CHECK(error(Ints({2}), 0, 0) ==
          "INVALID_ARGUMENT: SpaceToBatchND: padded_shape[0]=3 is not divisible by block_shape[0]=2");
    CHECK(error(Ints({0}), 0, 0).find("INVALID_ARGUMENT") == 0);
    CHECK(error(Ints({2}), -1, 2).find("INVALID_ARGUMENT") == 0);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(error(Ints({2}), kMost, kMost).find("INVALID_ARGUMENT") == 0);
    CHECK(ErrorOfNd("BatchToSpaceND", x, Ints({2}), MakeTensor<std::int32_t>({1, 2}, {4, 3}))
              .find("cropped_shape[0]=-1 must be non-negative") != std::string::npos);
    CHECK(ErrorOfNd("BatchToSpaceND", x, Ints({3}), MakeTensor<std::int32_t>({1, 2}, {0, 0}))
              .find("Input batch dimension (2) is not divisible by product of block sizes (3)") != std::string::npos);
    const Tensor large(DataType::kFloat, TensorShape({1, kMost, 0}));
    CHECK(CallNd("SpaceToBatchND", large, Ints({1}), MakeTensor<std::int32_t>({1, 2}, {1, 0})).status().code() ==
          Code::kInvalidArgument);
  }
}
}  // namespace array_space_batch_test
