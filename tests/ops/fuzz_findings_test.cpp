// SPDX-License-Identifier: Apache-2.0
// Calls that tests/fuzz/ops_fuzz found to go wrong, made small.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace fuzz_findings_test {
using namespace tenon;
using namespace tenon::testing;

using List = SlimVector<std::int64_t>;

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
      CHECK(CallOp("GatherV2", {}, {floats, Ints({0}), Tensor::Scalar<std::int64_t>(number)}, 1).status().code() ==
            Code::kInvalidArgument);
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
  TEST_CASE("Qr of a long matrix with few columns, or none, takes no square of its rows") {
    const Index rows = 200000;
    LimitedAllocator memory(CpuAllocator(), std::size_t{64} << 20, "qr");
    for (const Index columns : {Index{0}, Index{1}}) {
      Tensor tall(DataType::kFloat, {rows, columns});
      for (Index i = 0; i < rows * columns; ++i) tall.data<float>()[i] = i == 0 ? 3.f : i == 1 ? 4.f : 0.f;
      const auto outputs = CallOp("Qr", {}, {tall}, 2, {.allocator = &memory});
      REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
      CHECK((*outputs)[0].shape() == TensorShape({rows, columns}));
      if (columns == 1) CHECK((*outputs)[1].data<float>()[0] == doctest::Approx(-5));
    }
  }
  TEST_CASE("Qr of no matrices, however large each would be, is nothing") {
    const Index side = Index{1} << 41;
    const auto outputs = CallOp("Qr", {}, {Tensor(DataType::kFloat, {0, side, side})}, 2);
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK((*outputs)[0].shape() == TensorShape({0, side, side}));
    CHECK((*outputs)[1].shape() == TensorShape({0, side, side}));
  }
  TEST_CASE("Linear algebra: very many matrices of no size take no time") {
    const Tensor none(DataType::kFloat, {Index{1} << 40, 1, 0}), square(DataType::kFloat, {Index{1} << 40, 0, 0});
    CHECK(CallOp("Svd", {}, {none}, 3).ok());
    CHECK(CallOp("SelfAdjointEigV2", {}, {square}, 2).ok());
    CHECK(CallOp("Lu", {}, {square}, 2).ok());
    for (const char* op : {"Cholesky", "MatrixInverse"}) CHECK(CallOp(op, {}, {square}, 1).ok());
    CHECK(CallOp("CholeskyGrad", {}, {square, square}, 1).ok());
  }
  TEST_CASE("ExtractVolumePatches: a size at the end of int64") {
    const AttrArgs attrs{{"ksizes", SlimVector<std::int64_t>{1, 1, 1, std::numeric_limits<std::int64_t>::min(), 1}},
                         {"strides", SlimVector<std::int64_t>{1, 1, 1, 1, 1}},
                         {"padding", "VALID"}};
    CHECK_FALSE(CallOp("ExtractVolumePatches", attrs, {Make<float>({1, 2, 3, 3, 1}, {1})}, 1).ok());
    GraphBuilder b;
    const Output x = b.Const("x", Make<float>({1, 2, 3, 3, 1}, {1}));
    std::vector<GraphBuilder::Attr> with;
    for (const auto& [name, value] : attrs) with.emplace_back(name, value);
    b.AddNode("ExtractVolumePatches", "y", SlimVector<GraphBuilder::Input>{x}, with);
    const Result<Session> session = Session::FromGraph(b);
    if (session.ok()) CHECK_FALSE(session->Run({}, {"y:0"}).ok());
  }
  TEST_CASE("Dilation2D: a rate at the end of int64") {
    GraphBuilder b;
    const SlimVector<std::int64_t> ones{1, 1, 1, 1}, rates{1, std::numeric_limits<std::int64_t>::min(), 1, 1};
    b.Add("Dilation2D", "y",
          {b.Const("x", Make<float>({1, 5, 5, 2}, {1})), b.Const("filter", Make<float>({2, 2, 2}, {1}))},
          {{"strides", ones}, {"rates", rates}, {"padding", "SAME"}});
    const Result<Session> session = Session::FromGraph(b);
    if (session.ok()) CHECK_FALSE(session->Run({}, {"y:0"}).ok());
  }
  TEST_CASE("RaggedTensorToTensor: row splits far apart") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    const AttrArgs attrs{{"row_partition_types", SlimVector<std::string>{"ROW_SPLITS"}}};
    for (const Tensor& splits : {Longs({0, 2, kLeast, 5}), Longs({kLeast, 2, 2, 5})})
      CHECK_FALSE(CallOp("RaggedTensorToTensor", attrs,
                         {Longs({-1, -1}), Make<float>({5}, {1}), Tensor::Scalar(0.f), splits}, 1)
                      .ok());
  }
  TEST_CASE("Conv2D of an image without channels") {
    const AttrArgs attrs{{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
    (void)CallOp("Conv2D", attrs, {Tensor(DataType::kFloat, {1, 2, 2, 0}), Make<float>({2, 3, 1, 3}, {1})}, 1);
  }
  TEST_CASE("Shapes that are too large without one of their dimensions are refused") {
    constexpr Index kLarge = Index{1} << 40;
    const Tensor nothing(DataType::kFloat, TensorShape({0, kLarge, kLarge}));
    const auto refused = [](std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
      const Status status = CallOp(op, attrs, inputs, 1).status();
      CHECK_MESSAGE(status.code() == Code::kInvalidArgument, op, ": ", status.ToString());
    };
    refused("Unpack", {{"num", 0}, {"axis", 0}}, {nothing});
    refused("TensorListFromTensor", {}, {nothing, Int(-1)});
    GraphBuilder b;
    const Output list = b.Add("TensorListReserve", "list", {b.Const("shape", Int(-1)), b.Const("n", Int(2))},
                              {{"element_dtype", DataType::kFloat}, {"shape_type", DataType::kInt32}});
    b.Add("TensorListConcatV2", "y", {list, b.Placeholder("s", DataType::kInt64), b.Const("leading", Longs({3, 3}))},
          {{"element_dtype", DataType::kFloat}, {"shape_type", DataType::kInt64}});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Tensor shape = Longs({-1, 5, 1, std::numeric_limits<std::int64_t>::max()});
    CHECK(session->Run({{"s:0", shape}}, {"y:0"}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("Inner sizes of empty tensors need have no product") {
    constexpr Index kLarge = Index{1} << 40;
    const TensorShape shape({0, kLarge, kLarge}), most({0, std::numeric_limits<Index>::max()});
    const Tensor x(DataType::kFloat, shape), texts(DataType::kString, shape);
    const auto gives = [](const TensorShape& wanted, std::string_view op, const AttrArgs& attrs,
                          const std::vector<Tensor>& inputs) {
      const auto outputs = CallOp(op, attrs, inputs, 1);
      REQUIRE_MESSAGE(outputs.ok(), op, ": ", outputs.status().message());
      CHECK_MESSAGE((*outputs)[0].shape() == wanted, op, ": ", (*outputs)[0].shape().DebugString());
    };
    gives(shape, "Add", {}, {x, Make<float>({1, 1, 1}, {1})});
    gives(shape, "Igamma", {}, {x, Make<float>({1}, {1})});
    gives({0, kLarge, kLarge}, "Transpose", {}, {x, Ints({0, 2, 1})});
    gives({0, 1, kLarge}, "StridedSlice", {}, {x, Ints({0, 0}), Ints({0, 1}), Ints({1, 1})});
    gives({0, kLarge}, "StridedSlice", {{"shrink_axis_mask", 2}}, {x, Ints({0, 0}), Ints({0, 1}), Ints({1, 1})});
    gives({2, 0, std::numeric_limits<Index>::max()}, "Pack", {{"axis", 0}},
          {Tensor(DataType::kFloat, most), Tensor(DataType::kFloat, most)});
    gives({0, kLarge}, "Sum", {}, {x, Ints({1})});
    gives({0}, "Sum", {}, {x, Ints({1, 2})});
    gives({0, kLarge}, "ArgMax", {}, {x, Int(1)});
    gives(shape, "Cumsum", {}, {x, Int(0)});
    gives(shape, "GatherV2", {}, {x, Tensor(DataType::kInt32, {0}), Int(0)});
    gives(shape, "GatherNd", {}, {x, Tensor(DataType::kInt32, {0, 1})});
    gives({0}, "ReduceJoin", {}, {texts, Ints({1, 2})});
    gives({0, 0}, "Reshape", {}, {x, Ints({0, -1})});
    gives(shape, "Select", {}, {Tensor(DataType::kBool, shape), x, x});
    const TensorShape inside({kLarge, 0, kLarge, 3, kLarge});
    gives(inside, "Reverse", {},
          {Tensor(DataType::kFloat, inside), MakeTensor<bool>({5}, {false, false, true, false, true})});
    gives({0, kLarge + 2, kLarge}, "Pad", {}, {x, MakeTensor<std::int32_t>({3, 2}, {0, 0, 1, 1, 0, 0})});
    gives(shape, "Roll", {}, {x, Ints({1}), Ints({1})});
    gives(most, "Roll", {}, {Tensor(DataType::kFloat, most), Ints({2}), Ints({1})});
    gives({0, kLarge, 1}, "SplitV", {{"num_split", 1}}, {Tensor(DataType::kFloat, {0, kLarge, 1}), Longs({1}), Int(2)});
    gives({1}, "BiasAddGrad", {{"data_format", "NCHW"}}, {Tensor(DataType::kFloat, {0, 1, kLarge, kLarge})});
  }
  TEST_CASE("Very many rows, images or matrices of no size take no time") {
    constexpr Index kMany = Index{1} << 40;
    const Tensor images(DataType::kFloat, {2, 4, kMany, 0}), volumes(DataType::kFloat, {1, 4, 4, kMany, 0});
    const AttrArgs square{{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}};
    const AttrArgs cube{{"ksize", List{1, 2, 2, 2, 1}}, {"strides", List{1, 1, 1, 1, 1}}, {"padding", "SAME"}};
    const auto runs = [](std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
      const Status status = CallOp(op, attrs, inputs, 1).status();
      CHECK_MESSAGE(status.ok(), op, ": ", status.ToString());
    };
    runs("MaxPool", square, {images});
    runs("AvgPool", square, {images});
    runs("MaxPoolGrad", square, {images, images, images});
    runs("MaxPool3D", cube, {volumes});
    runs("AvgPool3D", cube, {volumes});
    runs("MaxPool3DGrad", cube, {volumes, volumes, volumes});
    runs(
        "ExtractImagePatches",
        {{"ksizes", List{1, 2, 2, 1}}, {"strides", List{1, 1, 1, 1}}, {"rates", List{1, 1, 1, 1}}, {"padding", "SAME"}},
        {images});
    const Tensor rows(DataType::kFloat, {kMany, 0}), none(DataType::kInt32, {0});
    runs("SparseSegmentMeanGrad", {}, {rows, none, none, Int(2)});
    runs("QuantizeAndDequantizeV2", {{"axis", 0}}, {rows, Make<float>({1}, {0}), Make<float>({1}, {1})});
    const Tensor one = Tensor::Scalar(1.f);
    runs("ParameterizedTruncatedNormal", {{"dtype", DataType::kFloat}},
         {Longs({kMany, 0}), Make<float>({1}, {0}), one, Tensor::Scalar(-1.f), Make<float>({1}, {1})});
    runs("DenseBincount", {}, {Tensor(DataType::kInt32, {kMany, 0}), Int(0), Tensor(DataType::kFloat, {0})});
    runs("RaggedTensorToSparse", {}, {Longs({0, 1, kMany}), rows});
    runs("BiasAddGrad", {{"data_format", "NCHW"}}, {Tensor(DataType::kFloat, {kMany, 1, 0})});
    runs("CombinedNonMaxSuppression", {},
         {Tensor(DataType::kFloat, {1, 0, 1, 4}), Tensor(DataType::kFloat, {1, 0, kMany}), Int(2), Int(2), one, one});
    CHECK(CallOp("TensorListFromTensor", {}, {Tensor(DataType::kFloat, {Index{1} << 22, 0}), Int(-1)}, 1)
              .status()
              .code() == Code::kResourceExhausted);
    // Their splits are what there is no memory for.
    LimitedAllocator memory(CpuAllocator(), std::size_t{64} << 20, "splits");
    const Status status = CallOp("RaggedTensorFromVariant",
                                 {{"input_ragged_rank", 1},
                                  {"output_ragged_rank", 3},
                                  {"Tvalues", DataType::kFloat},
                                  {"Tsplits", DataType::kInt64}},
                                 {Tensor(DataType::kVariant, {kMany, 0})}, 4, {.allocator = &memory})
                              .status();
    CHECK_MESSAGE(status.code() == Code::kResourceExhausted, status.ToString());
  }
  TEST_CASE("Windows whose output would be too large are refused") {
    constexpr Index kMost = Index{1} << 62;
    const Tensor images(DataType::kFloat, {kMost, 1, 1, 0});
    const List ones{1, 1, 1, 1}, paddings{0, 0, 1, 1, 0, 0, 0, 0};
    const AttrArgs attrs{{"strides", ones}, {"padding", "EXPLICIT"}, {"explicit_paddings", paddings}};
    CHECK(CallOp("Conv2D", attrs, {images, Make<float>({1, 1, 1, 1}, {1})}, 1).status().code() ==
          Code::kInvalidArgument);
    AttrArgs pool = attrs;
    pool.emplace_back("ksize", List{1, 2, 1, 1});
    CHECK(CallOp("MaxPool", pool, {images}, 1).status().code() == Code::kInvalidArgument);
    const Tensor wide(DataType::kFloat, {0, 1, std::numeric_limits<Index>::max(), 1});
    CHECK(CallOp("Conv2D", {{"strides", ones}, {"padding", "SAME"}}, {wide, Make<float>({1, 5, 1, 1}, {1})}, 1)
              .status()
              .code() == Code::kInvalidArgument);
  }
  TEST_CASE("LSTM, GRU: sizes that have no sum") {
    const Index most = std::numeric_limits<Index>::max();
    const Tensor x(DataType::kFloat, {0, most}), state(DataType::kFloat, {0, 4}), w(DataType::kFloat, {0, 16});
    const Tensor b(DataType::kFloat, {16}), gate(DataType::kFloat, {4}), w_ru(DataType::kFloat, {0, 8});
    CHECK(CallOp("LSTMBlockCell", {}, {x, state, state, w, gate, gate, gate, b}, 7).status().code() ==
          Code::kInvalidArgument);
    CHECK(CallOp("GRUBlockCell", {}, {x, state, w_ru, Tensor(DataType::kFloat, {0, 4}), b, gate}, 4).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("Conv3DBackprop...: an image without channels for a filter with some") {
    const AttrArgs attrs{{"strides", List{1, 1, 1, 1, 1}}, {"padding", "SAME"}};
    const Tensor gradient = Make<float>({1, 2, 2, 2, 1}, {1}), none(DataType::kFloat, {1, 2, 2, 2, 0});
    CHECK(CallOp("Conv3DBackpropFilterV2", attrs, {none, Ints({3, 3, 3, 1, 1}), gradient}, 1).status().code() ==
          Code::kInvalidArgument);
    CHECK(
        CallOp("Conv3DBackpropInputV2", attrs, {Ints({1, 2, 2, 2, 0}), Make<float>({3, 3, 3, 1, 1}, {1}), gradient}, 1)
            .status()
            .code() == Code::kInvalidArgument);
  }
  TEST_CASE("BatchToSpace: a block that no size can be multiplied by") {
    CHECK(CallOp("BatchToSpaceND", {},
                 {Tensor(DataType::kFloat, {0, 4}), Longs({Index{1} << 61}), MakeTensor<std::int64_t>({1, 2}, {1, 0})},
                 1)
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
