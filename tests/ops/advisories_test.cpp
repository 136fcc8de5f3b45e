// SPDX-License-Identifier: Apache-2.0
// TensorFlow's security advisories about ops that Tenon has, each as a small call: refused with TensorFlow's code, or
// answered where it answers. Where TensorFlow (2.21) itself reads past a tensor's end or ends the process the call is
// refused. golden/ops/advisories.pb has more of them.

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace advisories_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

Result<std::vector<Tensor>> Try(std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs,
                                int outputs = 1) {
  static LimitedAllocator memory(CpuAllocator(), std::size_t{256} << 20, "advisories");
  return CallOp(op, attrs, inputs, outputs, {.intra_op_threads = 1, .allocator = &memory});
}
// Refused with the code that TensorFlow refuses it with.
template <Code kCode = Code::kInvalidArgument>
void Refused(std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs, int outputs = 1) {
  std::string shown;
  for (const Tensor& input : inputs) StrAppend(&shown, " ", input.DebugString(4));
  CAPTURE(shown);
  const Status status = Try(op, attrs, inputs, outputs).status();
  CHECK_MESSAGE(status.code() == kCode, op, ": ", status.ToString());
  for (const char* mistake : {"no kernel for op", "NodeDef missing attr", " arguments ("})  // of the test
    CHECK_MESSAGE(status.message().find(mistake) == std::string_view::npos, op, ": ", status.ToString());
}
// Answered, as by TensorFlow.
void Runs(std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs, int outputs = 1) {
  const Status status = Try(op, attrs, inputs, outputs).status();
  CHECK_MESSAGE(status.ok(), op, ": ", status.ToString());
}
Tensor Floats(const TensorShape& shape, std::initializer_list<double> values = {1}) {
  return Make<float>(shape, values);
}
Tensor Float(float value) { return Tensor::Scalar<float>(value); }
Tensor Long(std::int64_t value) { return Tensor::Scalar<std::int64_t>(value); }
Tensor LongMatrix(Index rows, Index columns, std::initializer_list<std::int64_t> values) {
  return MakeTensor<std::int64_t>({rows, columns}, values);
}
Tensor Texts(std::initializer_list<std::string_view> values) {
  Tensor tensor(DataType::kString, {static_cast<Index>(values.size())});
  Index i = 0;
  for (const std::string_view value : values) tensor.data<tstring>()[i++] = tstring(value);
  return tensor;
}
Tensor Empty(DataType dtype, const TensorShape& shape) { return Tensor(dtype, shape); }
using List = SlimVector<std::int64_t>;

}  // namespace

TEST_SUITE("Advisories: sparse tensors") {
  TEST_CASE("CVE-2020-15194, CVE-2020-15195, CVE-2022-41898: SparseFillEmptyRowsGrad") {
    Refused("SparseFillEmptyRowsGrad", {}, {LongMatrix(1, 1, {0}), Floats({1})}, 2);
    Refused("SparseFillEmptyRowsGrad", {}, {Longs({5}), Floats({1})}, 2);
    Refused("SparseFillEmptyRowsGrad", {}, {Longs({-1}), Floats({1})}, 2);
    Runs("SparseFillEmptyRowsGrad", {}, {Longs({0, 0, 0}), Floats({2})}, 2);
    Runs("SparseFillEmptyRowsGrad", {}, {Longs({}), Empty(DataType::kFloat, {0})}, 2);
  }
  TEST_CASE("CVE-2021-29565, CVE-2021-37676, CVE-2021-41224: SparseFillEmptyRows") {
    Refused("SparseFillEmptyRows", {},
            {Empty(DataType::kInt64, {0, 2}), Empty(DataType::kFloat, {0}), Longs({0}), Float(0)}, 4);
    Refused("SparseFillEmptyRows", {}, {LongMatrix(1, 2, {0, 0}), Floats({2}), Longs({2, 2}), Float(0)}, 4);
    Refused("SparseFillEmptyRows", {}, {LongMatrix(1, 2, {7, 0}), Floats({1}), Longs({2, 2}), Float(0)}, 4);
    Refused("SparseFillEmptyRows", {}, {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({}), Float(0)}, 4);
    Refused("SparseFillEmptyRows", {}, {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({2, 2}), Floats({2})}, 4);
    Refused<Code::kResourceExhausted>("SparseFillEmptyRows", {},
                                      {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({kHuge, 2}), Float(0)}, 4);
  }
  TEST_CASE("CVE-2021-29558: SparseSplit, indices outside of the shape") {
    Refused("SparseSplit", {{"num_split", 2}}, {Long(1), LongMatrix(1, 2, {0, 9}), Floats({1}), Longs({2, 2})}, 6);
    Refused("SparseSplit", {{"num_split", 1}}, {Long(0), LongMatrix(1, 2, {-1, 0}), Floats({1}), Longs({2, 2})}, 3);
  }
  TEST_CASE("CVE-2021-29567, CVE-2021-37636, CVE-2022-23567: SparseDenseCwise...") {
    Refused("SparseDenseCwiseMul", {}, {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({}), Floats({2, 2})});
    Refused("SparseDenseCwiseMul", {}, {LongMatrix(1, 2, {5, 5}), Floats({1}), Longs({2, 2}), Floats({2, 2})});
    Refused("SparseDenseCwiseDiv", {}, {LongMatrix(1, 1, {0}), Ints({1}), Longs({1}), Ints({0})});
    Refused("SparseDenseCwiseAdd", {},
            {LongMatrix(1, 3, {0, 0, 0}), Floats({1}), Longs({kHuge, kHuge, kHuge}), Floats({1})});
  }
  TEST_CASE("CVE-2021-29607, CVE-2021-29609: SparseAdd") {
    Refused("SparseAdd", {},
            {LongMatrix(2, 2, {0, 0, 0, 1}), Floats({1}), Longs({2, 2}), LongMatrix(1, 2, {0, 0}), Floats({1}),
             Longs({2, 2}), Float(0)},
            3);
    Refused("SparseAdd", {},
            {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({2, 2}), LongMatrix(1, 1, {0}), Floats({1}), Longs({2}),
             Float(0)},
            3);
    Refused("SparseAdd", {},
            {Empty(DataType::kInt64, {0, 0}), Empty(DataType::kFloat, {0}), Longs({2}), LongMatrix(1, 2, {0, 0}),
             Floats({1}), Longs({2, 2}), Float(0)},
            3);
  }
  TEST_CASE("CVE-2021-29611, CVE-2021-37640: SparseReshape") {
    Refused("SparseReshape", {}, {Empty(DataType::kInt64, {0, 1}), Longs({0}), Longs({-1, 0})}, 2);
    Refused("SparseReshape", {}, {LongMatrix(1, 2, {0, 0}), Longs({}), Longs({1})}, 2);
    Refused("SparseReshape", {}, {LongMatrix(1, 1, {0}), Longs({7}), Longs({-1, 3})}, 2);
    Refused("SparseReshape", {}, {LongMatrix(1, 2, {0, 0}), Longs({kHuge, kHuge}), Longs({-1})}, 2);
  }
  TEST_CASE("CVE-2021-37635: SparseReduceSum, indices outside of the shape") {
    Runs("SparseReduceSum", {}, {LongMatrix(2, 1, {0, 55}), Floats({2}), Longs({3}), Ints({0})});
    Refused("SparseReduceSum", {}, {LongMatrix(1, 1, {0}), Floats({1}), Longs({3}), Ints({5})});
  }
  TEST_CASE("CVE-2022-29206: SparseTensorDenseAdd") {
    Refused("SparseTensorDenseAdd", {}, {Longs({0}), Floats({1}), Longs({2}), Floats({2})});
    Refused("SparseTensorDenseAdd", {}, {LongMatrix(1, 1, {9}), Floats({1}), Longs({2}), Floats({2})});
    Refused("SparseTensorDenseAdd", {}, {LongMatrix(1, 1, {0}), Floats({3}), Longs({2}), Floats({2})});
  }
  TEST_CASE("SparseTensorDenseMatMul: indices outside of the matrices") {
    Refused("SparseTensorDenseMatMul", {}, {LongMatrix(1, 2, {0, 9}), Floats({1}), Longs({2, 2}), Floats({2, 2})});
    Refused("SparseTensorDenseMatMul", {}, {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({-1, 2}), Floats({2, 2})});
  }
  TEST_CASE("CVE-2022-35993: sets of shapes that do not fit") {
    Refused("SetSize", {}, {LongMatrix(1, 2, {0, 0}), Ints({1}), Longs({1})});
    Refused("SetSize", {}, {LongMatrix(1, 2, {9, 9}), Ints({1}), Longs({2, 2})});
  }
  TEST_CASE("SparseToDense, SparseSlice: places and sizes that make no sense") {
    Refused("SparseToDense", {}, {LongMatrix(1, 1, {9}), Longs({3}), Floats({1}), Float(0)});
    Refused("SparseToDense", {}, {LongMatrix(1, 2, {0, 0}), Longs({kHuge, kHuge}), Floats({1}), Float(0)});
    Refused("SparseSlice", {}, {LongMatrix(1, 2, {0, 0}), Floats({1}), Longs({2, 2}), Longs({0}), Longs({1})}, 3);
  }
}

TEST_SUITE("Advisories: ragged tensors, texts") {
  TEST_CASE("CVE-2020-15205, CVE-2021-29541, CVE-2021-29542, CVE-2021-37646, CVE-2022-21733: StringNGrams") {
    const auto grams = [](std::int64_t width, std::int64_t pad, const Tensor& data, const Tensor& splits) {
      Refused("StringNGrams",
              {{"separator", " "},
               {"ngram_widths", List{width}},
               {"left_pad", ""},
               {"right_pad", ""},
               {"pad_width", pad},
               {"preserve_short_sequences", false}},
              {data, splits}, 2);
    };
    grams(1, 0, Texts({"a", "b"}), Longs({0, 10}));
    grams(1, 0, Texts({"a", "b"}), Longs({1, 2}));
    grams(1, 0, Texts({"a", "b"}), Longs({0, 2, 1}));
    grams(-5, 0, Texts({"a"}), Longs({0, 1}));
    const AttrArgs wide{{"separator", " "},
                        {"ngram_widths", List{7}},
                        {"left_pad", ""},
                        {"right_pad", ""},
                        {"preserve_short_sequences", false}};
    for (const std::int64_t pad : {std::int64_t{-5}, std::int64_t{2147483647}}) {
      AttrArgs attrs = wide;
      attrs.emplace_back("pad_width", pad);
      Runs("StringNGrams", attrs, {Texts({"a"}), Longs({0, 1})}, 2);
      Runs("StringNGrams", attrs, {Texts({"a"}), Longs({})}, 2);
    }
  }
  TEST_CASE("CVE-2020-15203: AsString, a fill that is no flag") {
    Refused("AsString", {{"fill", "%n"}}, {Ints({1})});
    Refused("AsString", {{"fill", "s"}}, {Ints({1})});
  }
  TEST_CASE("CVE-2021-29560, CVE-2021-29608, CVE-2021-37638: RaggedTensorToTensor") {
    const auto to_tensor = [](const Tensor& shape, const Tensor& values, const Tensor& fill, const Tensor& part,
                              const char* type) {
      Refused("RaggedTensorToTensor", {{"row_partition_types", SlimVector<std::string>{type}}},
              {shape, values, fill, part});
    };
    to_tensor(Longs({-1, -1}), Floats({3}), Float(0), Longs({}), "ROW_SPLITS");
    to_tensor(Longs({-1, -1}), Floats({3}), Float(0), Longs({0, 9}), "ROW_SPLITS");
    to_tensor(Longs({-1, -1}), Floats({3}), Float(0), Longs({0, 2, 1}), "ROW_SPLITS");
    to_tensor(Longs({kHuge, kHuge}), Floats({3}), Float(0), Longs({0, 3}), "ROW_SPLITS");
    to_tensor(Longs({-1, -1}), Floats({3}), Float(0), Longs({0, 3}), "NONSENSE");
  }
  TEST_CASE("CVE-2021-29516, CVE-2021-37666, CVE-2022-36018: RaggedTensorToVariant") {
    Refused("RaggedTensorToVariant", {{"batched_input", true}}, {Long(0), Floats({2})});
    Refused("RaggedTensorToVariant", {{"batched_input", true}}, {LongMatrix(1, 2, {0, 2}), Floats({2})});
    Refused("RaggedTensorToVariant", {{"batched_input", true}}, {Longs({}), Floats({2})});
    Refused("RaggedTensorToVariant", {{"batched_input", true}}, {Longs({0, 9}), Floats({2})});
    Refused("RaggedTensorToVariant", {{"batched_input", true}}, {Longs({0, 2, 1}), Floats({2})});
  }
  TEST_CASE("CVE-2021-37656: RaggedTensorToSparse") {
    Refused("RaggedTensorToSparse", {}, {Longs({}), Floats({3})}, 3);
    Refused("RaggedTensorToSparse", {}, {Longs({0, 38, 0}), Floats({3})}, 3);
  }
  TEST_CASE("CVE-2021-37641: RaggedGather") {
    Refused("RaggedGather", {{"OUTPUT_RAGGED_RANK", 1}}, {Longs({0, 0}), Floats({}), Longs({1})}, 2);
    Refused("RaggedGather", {{"OUTPUT_RAGGED_RANK", 1}}, {Longs({0, 1}), Floats({1}), Longs({5})}, 2);
    Refused("RaggedGather", {{"OUTPUT_RAGGED_RANK", 1}}, {Longs({0, 9}), Floats({1}), Longs({0})}, 2);
  }
  TEST_CASE("CVE-2022-35940: RaggedRange, sizes that overflow") {
    Refused("RaggedRange", {},
            {Long(std::numeric_limits<std::int64_t>::min()), Long(std::numeric_limits<std::int64_t>::max()), Long(1)},
            2);
    Refused("RaggedRange", {}, {Float(0), Float(1e30f), Float(1)}, 2);
    Refused("RaggedRange", {}, {Ints({0}), Ints({3}), Ints({0})}, 2);
  }
  TEST_CASE("CVE-2021-37667: UnicodeEncode, splits that do not fit") {
    Refused("UnicodeEncode", {{"output_encoding", "UTF-8"}}, {Ints({97, 98}), Longs({})});
    Refused("UnicodeEncode", {{"output_encoding", "UTF-8"}}, {Ints({97, 98}), Longs({0, 9})});
    Refused("UnicodeEncode", {{"output_encoding", "UTF-8"}}, {Ints({97, 98}), Longs({0, 2, 1})});
  }
  TEST_CASE("CVE-2021-29552, CVE-2022-29197, CVE-2022-29204: UnsortedSegmentJoin") {
    Refused("UnsortedSegmentJoin", {}, {Texts({"a"}), Ints({0}), Ints({})});
    Refused("UnsortedSegmentJoin", {}, {Texts({"a"}), Ints({0}), Int(-1)});
    Refused("UnsortedSegmentJoin", {}, {Texts({"a"}), Ints({7}), Int(1)});
  }
  TEST_CASE("CVE-2021-29617: Substr, the smallest position") {
    Refused("Substr", {}, {Texts({"abc"}), Ints({std::numeric_limits<std::int32_t>::min()}), Ints({1})});
    Refused("Substr", {}, {Texts({"abc"}), Ints({4}), Ints({1})});
  }
  TEST_CASE("CVE-2021-29614: DecodePaddedRaw, lengths that do not fit") {
    Refused("DecodePaddedRaw", {{"out_type", DataType::kHalf}}, {Texts({"aa"}), Int(3)});
    Refused("DecodePaddedRaw", {{"out_type", DataType::kFloat}}, {Texts({"aa"}), Int(-4)});
  }
  TEST_CASE("CVE-2021-29564, CVE-2022-29208, CVE-2023-25662: EditDistance") {
    const auto distance = []<Code kCode = Code::kInvalidArgument>(const Tensor& ai, const Tensor& as, const Tensor& bi,
                                                                  const Tensor& bs) {
      Refused<kCode>("EditDistance", {}, {ai, Longs({1}), as, bi, Longs({1}), bs});
    };
    distance.operator()<Code::kInternal>(LongMatrix(1, 2, {-2, 0}), Longs({2, 2}), LongMatrix(1, 2, {0, 0}),
                                         Longs({2, 2}));
    distance(LongMatrix(1, 2, {0, 0}), Longs({kHuge, 2}), LongMatrix(1, 2, {0, 0}), Longs({kHuge, 2}));
    distance(LongMatrix(1, 3, {0, 0, 0}), Longs({kHuge, kHuge, 2}), LongMatrix(1, 3, {0, 0, 0}),
             Longs({kHuge, kHuge, 2}));
    distance(Empty(DataType::kInt64, {0, 2}), Longs({}), LongMatrix(1, 2, {0, 0}), Longs({2, 2}));
  }
}

TEST_SUITE("Advisories: convolutions, pools, norms") {
  TEST_CASE("CVE-2021-29517, CVE-2021-29526, CVE-2022-35996: convolutions without channels") {
    const AttrArgs two{{"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}};
    Refused("Conv2D", two, {Empty(DataType::kFloat, {1, 2, 2, 0}), Empty(DataType::kFloat, {1, 1, 0, 1})});
    Runs("Conv2D", two, {Floats({1, 2, 2, 1}), Empty(DataType::kFloat, {1, 1, 1, 0})});
    Refused("Conv2D", two, {Floats({1, 2, 2, 1}), Empty(DataType::kFloat, {1, 1, 0, 1})});
    Refused("Conv3D", {{"strides", List{1, 1, 1, 1, 1}}, {"padding", "VALID"}},
            {Floats({1, 2, 2, 2, 1}), Empty(DataType::kFloat, {1, 1, 1, 0, 0})});
  }
  TEST_CASE("CVE-2021-29524, CVE-2021-29538, CVE-2021-29540, CVE-2021-41209: Conv2DBackpropFilter") {
    const AttrArgs attrs{{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}};
    Refused("Conv2DBackpropFilter", attrs,
            {Floats({1, 1, 1, 1}), Ints({0, 0, 0, 0}), Empty(DataType::kFloat, {1, 1, 1, 0})});
    Refused("Conv2DBackpropFilter", attrs, {Floats({1, 1, 1, 1}), Ints({1, 1, 3, 1}), Floats({1, 1, 1, 1})});
    Refused("Conv2DBackpropFilter", attrs, {Floats({1, 1, 1, 1}), Ints({-1, 1, 1, 1}), Floats({1, 1, 1, 1})});
    Refused("Conv2DBackpropFilter", attrs, {Floats({1, 1, 1, 1}), Ints({1, 1}), Floats({1, 1, 1, 1})});
  }
  TEST_CASE("CVE-2021-29525, CVE-2022-35969, CVE-2022-35999: Conv2DBackpropInput") {
    const AttrArgs attrs{{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}};
    Refused("Conv2DBackpropInput", attrs,
            {Ints({1, 1, 1, 0}), Empty(DataType::kFloat, {1, 1, 0, 1}), Floats({1, 1, 1, 1})});
    Runs("Conv2DBackpropInput", attrs, {Ints({1, 1}), Floats({1, 1, 1, 1}), Floats({1, 1, 1, 1})});
    Refused("Conv2DBackpropInput", attrs, {Ints({1, 5, 5, 1}), Floats({1, 1, 1, 1}), Floats({1, 1, 1, 1})});
    Refused("Conv2DBackpropInput", attrs, {Ints({1, -5, 5, 1}), Floats({1, 1, 1, 1}), Floats({1, 1, 1, 1})});
  }
  TEST_CASE("CVE-2021-29520, CVE-2021-29522, CVE-2022-29196: Conv3DBackprop...") {
    const AttrArgs attrs{{"strides", List{1, 1, 1, 1, 1}}, {"padding", "SAME"}};
    const Tensor one = Floats({1, 1, 1, 1, 1});
    Refused("Conv3DBackpropFilterV2", attrs, {one, Int(1), one});
    Refused("Conv3DBackpropFilterV2", attrs, {one, Ints({1, 1, 1, 2, 1}), one});
    Refused("Conv3DBackpropInputV2", attrs, {Ints({1, 7, 7, 7, 1}), one, one});
    Runs("Conv3DBackpropFilterV2", attrs,
         {Empty(DataType::kFloat, {1, 0, 1, 1, 1}), Ints({1, 1, 1, 1, 1}), Empty(DataType::kFloat, {1, 0, 1, 1, 1})});
  }
  TEST_CASE("CVE-2021-29566: Dilation2DBackprop...: a gradient of another size") {
    const AttrArgs attrs{{"strides", List{1, 1, 1, 1}}, {"rates", List{1, 1, 1, 1}}, {"padding", "VALID"}};
    Runs("Dilation2D", attrs, {Floats({1, 2, 2, 1}), Floats({3, 3, 1})});
    Runs("Dilation2D", {{"strides", List{1, 1, 1, 1}}, {"rates", List{1, 0, 1, 1}}, {"padding", "VALID"}},
         {Floats({1, 2, 2, 1}), Floats({1, 1, 1})});
  }
  TEST_CASE("CVE-2021-29569, CVE-2021-29570, CVE-2021-29573: MaxPoolGradWithArgmax") {
    const AttrArgs attrs{{"ksize", List{1, 1, 1, 1}}, {"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}};
    Refused("MaxPoolGradWithArgmax", attrs,
            {Floats({1, 1, 1, 1}), Floats({1, 1, 1, 1}), Empty(DataType::kInt64, {0, 0, 0, 0})});
    Refused("MaxPoolGradWithArgmax", attrs,
            {Floats({1, 1, 1, 1}), Floats({1, 1, 1, 1}), MakeTensor<std::int64_t>({1, 1, 1, 1}, {99})});
    Refused("MaxPoolGradWithArgmax", attrs,
            {Floats({1, 1, 1, 1}), Floats({1, 1, 1, 1}), MakeTensor<std::int64_t>({1, 1, 1, 1}, {-1})});
    Runs("MaxPoolGradWithArgmax", attrs,
         {Empty(DataType::kFloat, {0, 1, 1, 1}), Empty(DataType::kFloat, {0, 1, 1, 1}),
          Empty(DataType::kInt64, {0, 1, 1, 1})});
  }
  TEST_CASE("CVE-2021-29579, CVE-2021-37674: MaxPoolGrad") {
    const AttrArgs attrs{{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}};
    Refused("MaxPoolGrad", attrs, {Floats({1, 3, 3, 1}), Floats({1, 1, 1, 1}), Floats({1, 2, 2, 1})});
    Refused("MaxPoolGrad", attrs, {Floats({1, 3, 3, 1}), Floats({1, 2, 2, 1}), Empty(DataType::kFloat, {0, 0, 0, 0})});
  }
  TEST_CASE("CVE-2022-35941, CVE-2022-35968, CVE-2023-25664, CVE-2023-25669: AvgPool and AvgPoolGrad") {
    Refused("AvgPool", {{"ksize", List{1, -1, 2, 1}}, {"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}},
            {Floats({1, 3, 3, 1})});
    Refused("AvgPool", {{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 0, 1, 1}}, {"padding", "VALID"}},
            {Floats({1, 3, 3, 1})});
    const AttrArgs attrs{{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}};
    Refused("AvgPoolGrad", attrs, {Ints({-1, 3, 3, 1}), Floats({1, 2, 2, 1})});
    Runs("AvgPoolGrad", attrs, {Ints({1, 9, 9, 1}), Floats({1, 2, 2, 1})});
    Refused("AvgPoolGrad", attrs, {Ints({1, 9, 9, 1}), Floats({2, 2, 2, 1})});
    Refused("AvgPoolGrad", attrs, {Ints({1, 9, 9, 1}), Floats({1, 2, 2, 3})});
    Refused("AvgPoolGrad", attrs, {Ints({1, 2, 2, 1}), Floats({1, 4, 4, 1})});
    Refused("AvgPoolGrad", attrs, {Ints({1, 3}), Floats({1, 2, 2, 1})});
    Refused("AvgPoolGrad", {{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 0, 1, 1}}, {"padding", "VALID"}},
            {Ints({1, 3, 3, 1}), Floats({1, 2, 2, 1})});
  }
  TEST_CASE("CVE-2021-41196, CVE-2022-35989: MaxPool3D, windows of no size") {
    Refused("MaxPool3D", {{"ksize", List{1, 0, 1, 1, 1}}, {"strides", List{1, 1, 1, 1, 1}}, {"padding", "VALID"}},
            {Floats({1, 2, 2, 2, 1})});
    Refused("MaxPool3D", {{"ksize", List{1, -1, 1, 1, 1}}, {"strides", List{1, 1, 1, 1, 1}}, {"padding", "VALID"}},
            {Floats({1, 2, 2, 2, 1})});
    Refused("MaxPool3D", {{"ksize", List{1, 1, 1, 1, 1}}, {"strides", List{1, 0, 1, 1, 1}}, {"padding", "VALID"}},
            {Floats({1, 2, 2, 2, 1})});
  }
  TEST_CASE("CVE-2021-29555, CVE-2021-29583, CVE-2021-41206, CVE-2021-41223: FusedBatchNorm") {
    const Tensor three = Floats({3}), two = Floats({2});
    Refused("FusedBatchNorm", {{"is_training", false}}, {Floats({1, 1, 1, 3}), two, three, three, three}, 5);
    Refused("FusedBatchNormV3", {{"is_training", false}}, {Floats({1, 1, 1, 3}), three, three, two, three}, 6);
    Refused("FusedBatchNormV3", {{"is_training", false}}, {Floats({1, 1, 1, 3}), three, three, Floats({}), three}, 6);
    Refused("FusedBatchNorm", {{"is_training", false}}, {Floats({3}), three, three, three, three}, 5);
    Runs("FusedBatchNorm", {},
         {Empty(DataType::kFloat, {0, 1, 1, 0}), Empty(DataType::kFloat, {0}), Empty(DataType::kFloat, {0}),
          Empty(DataType::kFloat, {0}), Empty(DataType::kFloat, {0})},
         5);
  }
  TEST_CASE("CVE-2022-35985: LRNGrad, inputs of other shapes") {
    Refused("LRNGrad", {}, {Floats({1, 1, 1, 2}), Floats({1, 1, 1, 1}), Floats({1, 1, 1, 2})});
    Refused("LRNGrad", {}, {Floats({2}), Floats({2}), Floats({2})});
  }
  TEST_CASE("CVE-2022-29200: LSTMBlockCell, inputs that are no matrices") {
    const Tensor one = Floats({1, 1}), four = Floats({1}), w = Floats({2, 4});
    Refused("LSTMBlockCell", {}, {Float(1), one, one, w, four, four, four, Floats({4})}, 7);
    Refused("LSTMBlockCell", {}, {one, one, one, Floats({3, 4}), four, four, four, Floats({4})}, 7);
    Refused("LSTMBlockCell", {}, {one, one, one, w, four, four, four, Floats({2, 2})}, 7);
  }
}

TEST_SUITE("Advisories: pictures") {
  TEST_CASE("CVE-2021-29531: EncodePng, a picture without pixels") {
    Refused<Code::kInternal>("EncodePng", {}, {Empty(DataType::kUint8, {0, 0, 3})});
    Refused("EncodePng", {}, {Empty(DataType::kUint8, {5, 5, 0})});
  }
  TEST_CASE("CVE-2021-29533, CVE-2022-36001: DrawBoundingBoxes") {
    Runs("DrawBoundingBoxes", {}, {Empty(DataType::kFloat, {1, 0, 0, 3}), Floats({1, 1, 4})});
    Refused("DrawBoundingBoxes", {}, {Floats({2, 2, 2, 3}), Floats({1, 1, 4})});
    Refused("DrawBoundingBoxes", {}, {Floats({1, 2, 2, 3}), Floats({1, 1, 3})});
    Runs("DrawBoundingBoxes", {}, {Floats({1, 2, 2, 3}), Floats({1, 1, 4}, {kNaN, -1e30, 1e30, kInfinity})});
  }
  TEST_CASE("CVE-2020-15266: CropAndResize, boxes far outside") {
    Refused("CropAndResize", {},
            {Floats({1, 3, 3, 1}), Floats({1, 4}, {-1e30, kNaN, 1e30, 3.4e38}), Ints({0}), Ints({2, 2})});
    Refused<Code::kOutOfRange>("CropAndResize", {}, {Floats({1, 3, 3, 1}), Floats({1, 4}), Ints({5}), Ints({2, 2})});
    Refused("CropAndResize", {}, {Floats({1, 3, 3, 1}), Floats({1, 4}), Ints({0}), Ints({0, 2})});
    Refused<Code::kResourceExhausted>(
        "CropAndResize", {}, {Floats({1, 3, 3, 1}), Floats({1, 4}), Ints({0}), Ints({2147483647, 2147483647})});
  }
  TEST_CASE("CVE-2021-41199: Resize..., sizes that overflow") {
    for (const char* op : {"ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"}) {
      Refused<Code::kResourceExhausted>(op, {}, {Floats({1, 1, 1, 1}), Ints({2147483647, 2147483647})});
      Refused(op, {}, {Floats({1, 1, 1, 1}), Ints({0, 1})});
      Refused(op, {}, {Floats({1, 1, 1, 1}), Ints({-1, 1})});
    }
  }
  TEST_CASE("CVE-2022-41907: ResizeNearestNeighborGrad, a size that overflows") {
    Refused<Code::kResourceExhausted>("ResizeNearestNeighborGrad", {},
                                      {Floats({1, 1, 1, 1}), Ints({2147483647, 2147483647})});
    Refused("ResizeNearestNeighborGrad", {}, {Floats({1, 1, 1, 1}), Ints({-1, 1})});
  }
  TEST_CASE("CVE-2021-37669: NonMaxSuppression..., a negative number of boxes") {
    Refused("NonMaxSuppressionV5", {}, {Floats({1, 4}), Floats({1}), Int(-1), Float(0), Float(0), Float(0)}, 3);
    Refused("NonMaxSuppression", {}, {Floats({1, 4}), Floats({1}), Int(-1)});
    Refused("NonMaxSuppressionV3", {}, {Floats({1, 4}), Floats({1}), Ints({1, 1}), Float(0), Float(0)});
    Refused("CombinedNonMaxSuppression", {},
            {Floats({1, 1, 1, 4}), Floats({1, 1, 1}), Int(-1), Int(1), Float(0), Float(0)}, 4);
  }
  TEST_CASE("CVE-2022-23585, CVE-2022-21739: pictures that are cut off") {
    for (const char* op : {"DecodePng", "DecodeJpeg", "DecodeBmp"}) {
      for (const char* bytes : {"", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "BM", "BM\x46"})
        Refused(op, {}, {Tensor::Scalar(std::string_view(bytes))});
    }
  }
}

TEST_SUITE("Advisories: arrays") {
  TEST_CASE(
      "CVE-2020-15265, CVE-2021-29553, CVE-2021-29610, CVE-2021-41205, CVE-2022-41910: QuantizeAndDequantize...") {
    Refused("QuantizeAndDequantizeV2", {{"axis", 10}}, {Floats({2}), Float(0), Float(1)});
    Refused("QuantizeAndDequantizeV2", {{"axis", -5}}, {Floats({2}), Float(0), Float(1)});
    Refused("QuantizeAndDequantizeV2", {{"axis", 0}, {"range_given", true}}, {Floats({2}), Floats({0}), Floats({0})});
    Refused("QuantizeAndDequantizeV3", {{"axis", 10}}, {Floats({2}), Float(0), Float(1), Int(8)});
    Refused("QuantizeAndDequantizeV3", {}, {Floats({2}), Float(0), Float(1), Int(-8)});
    Refused("QuantizeAndDequantizeV4", {{"axis", 10}}, {Floats({2}), Float(0), Float(1)});
  }
  TEST_CASE("CVE-2020-26267: DataFormat..., formats that are none") {
    Refused("DataFormatVecPermute", {{"src_format", "1234"}, {"dst_format", "1234"}}, {Ints({1, 2, 3})});
    Refused("DataFormatVecPermute", {{"src_format", "HHHH"}, {"dst_format", "WWWW"}}, {Ints({1, 2, 3, 4})});
    Refused("DataFormatDimMap", {{"src_format", "1234"}, {"dst_format", "8765"}}, {Ints({100})});
  }
  TEST_CASE("CVE-2020-26268, CVE-2021-29539, CVE-2021-41227: ImmutableConst, types that are no memory") {
    const auto refused = []<Code kCode = Code::kInvalidArgument>(DataType dtype) {
      Refused<kCode>("ImmutableConst", {{"dtype", dtype}, {"shape", TensorShape({1})}, {"memory_region_name", "/none"}},
                     {});
    };
    refused.operator()<Code::kNotFound>(DataType::kString);  // with the file it is Unimplemented
    refused(DataType::kResource);
    refused(DataType::kVariant);
  }
  TEST_CASE("CVE-2021-29515, CVE-2021-37643, CVE-2021-37657, CVE-2021-37658: MatrixDiag...") {
    Refused("MatrixDiagV3", {}, {Floats({2, 2}), Ints({}), Int(0), Int(0), Float(0)});
    Refused("MatrixDiagV3", {}, {Floats({2, 2}), Int(0), Int(0), Int(0), Floats({0})});
    Refused("MatrixDiagPartV3", {}, {Floats({2, 2}), Ints({}), Float(0)});
    Refused("MatrixDiagPartV3", {}, {Floats({2, 2}), Int(0), Floats({0})});
    Refused("MatrixDiagPartV3", {}, {Floats({2, 2}), Int(9), Float(0)});
    Refused("MatrixSetDiagV3", {}, {Floats({2, 2}), Floats({2}), Ints({})});
    Refused("MatrixDiagV3", {}, {Floats({1}), Int(0), Int(2147483647), Int(2147483647), Float(0)});
  }
  TEST_CASE("CVE-2021-29551, CVE-2021-29612: triangular systems of other sizes") {
    Refused("MatrixTriangularSolve", {}, {Floats({2, 2}), Floats({3, 1})});
    Refused("MatrixTriangularSolve", {}, {Empty(DataType::kFloat, {0, 2, 2}), Floats({3, 2, 1})});
    Refused("BandedTriangularSolve", {}, {Empty(DataType::kFloat, {0, 2}), Floats({2, 1})});
    Runs("BandedTriangularSolve", {}, {Floats({5, 2}), Floats({2, 1})});
  }
  TEST_CASE("CVE-2021-29556: Reverse, a tensor without elements") {
    Refused("Reverse", {}, {Empty(DataType::kFloat, {0, 1}), MakeTensor<bool>({2}, {true, true})});
    Refused("Reverse", {}, {Floats({2, 2}), MakeTensor<bool>({1}, {true})});
  }
  TEST_CASE("CVE-2021-29562, CVE-2021-29563, CVE-2022-29213: transforms without length") {
    Refused("RFFT", {}, {Floats({1}), Ints({-1})});
    Refused("IRFFT", {}, {Make<complex64>({1}, {1}), Ints({-1})});
    Runs("RFFT", {}, {Empty(DataType::kFloat, {0}), Ints({0})});
    Runs("IRFFT", {}, {Empty(DataType::kComplex64, {0}), Ints({0})});
    Refused("RFFT", {}, {Floats({1}), Ints({2147483647, 1})});
  }
  TEST_CASE("CVE-2021-29575, CVE-2022-21728: ReverseSequence, dimensions that are none") {
    Refused("ReverseSequence", {{"seq_dim", -2}, {"batch_dim", 0}}, {Floats({2, 2}), Longs({1, 1})});
    Refused("ReverseSequence", {{"seq_dim", 0}, {"batch_dim", -7}}, {Floats({2, 2}), Longs({1, 1})});
    Refused("ReverseSequence", {{"seq_dim", 1}, {"batch_dim", 0}}, {Floats({2, 2}), Longs({1, 9})});
  }
  TEST_CASE("CVE-2021-41197, CVE-2021-41198, CVE-2022-35934: shapes whose products overflow") {
    Refused("Tile", {}, {Floats({2, 2}), Longs({kHuge, kHuge})});
    Refused("BroadcastTo", {}, {Float(1), Longs({kHuge, kHuge})});
    Refused("Reshape", {}, {Floats({1}), Longs({kHuge, kHuge})});
    Refused("Reshape", {}, {Floats({1}), Longs({-1, 0, kHuge})});
    Refused("Fill", {}, {Longs({kHuge, kHuge}), Float(1)});
    Refused<Code::kResourceExhausted>("Fill", {}, {Ints({2147483647, 2147483647}), Float(1)});
    Refused<Code::kResourceExhausted>("Empty", {{"dtype", DataType::kFloat}}, {Ints({2147483647, 2147483647, 2})});
    Refused("ScatterNd", {}, {LongMatrix(1, 1, {0}), Floats({1}), Longs({kHuge, kHuge})});
    Refused("Pad", {}, {Floats({1}), LongMatrix(1, 2, {kHuge, kHuge})});
  }
  TEST_CASE("CVE-2021-41202: Range, too many numbers") {
    Refused("Range", {}, {Float(-1e38f), Float(1), Float(1)});
    Refused("Range", {},
            {Long(std::numeric_limits<std::int64_t>::min()), Long(std::numeric_limits<std::int64_t>::max()), Long(1)});
    Refused("Range", {}, {Int(0), Int(1), Int(0)});
    Refused("Range", {}, {Float(0), Float(static_cast<float>(kNaN)), Float(1)});
  }
  TEST_CASE("CVE-2021-41216, CVE-2021-29618: Transpose, orders that are none") {
    Refused("Transpose", {}, {Floats({1, 0 + 1}), Ints({-10, 0})});
    Refused("Transpose", {}, {Floats({2, 2}), Ints({0, 0})});
    Refused("ConjugateTranspose", {}, {Make<complex64>({1}, {1}), Ints({5})});
  }
  TEST_CASE("CVE-2021-41222: SplitV, negative sizes") {
    Refused("SplitV", {{"num_split", 2}}, {Floats({3}), Longs({-1, -1}), Int(0)}, 2);
    Refused("SplitV", {{"num_split", 2}}, {Floats({3}), Longs({-5, 8}), Int(0)}, 2);
    Refused("SplitV", {{"num_split", 1}}, {Floats({3}), Longs({3}), Int(9)}, 1);
  }
  TEST_CASE("CVE-2022-21731: ConcatV2, axes that are none") {
    Refused("ConcatV2", {}, {Floats({1}), Floats({1}), Int(7)});
    Refused("ConcatV2", {}, {Floats({1}), Floats({1}), Ints({0, 0})});
    Refused("Concat", {}, {Int(-9), Floats({1}), Floats({1})});
  }
  TEST_CASE("CVE-2021-37670, CVE-2022-35965, CVE-2023-33976: LowerBound, UpperBound") {
    for (const char* op : {"LowerBound", "UpperBound"}) {
      Refused(op, {}, {Floats({1}), Floats({1, 1})});
      Refused(op, {}, {Floats({2, 1}), Floats({1, 1})});
      Runs(op, {}, {Empty(DataType::kFloat, {0, 0}), Empty(DataType::kFloat, {0, 10})});
      Runs(op, {}, {Empty(DataType::kFloat, {1, 0}), Floats({1, 3})});
    }
  }
  TEST_CASE("CVE-2021-37660: Inplace..., rows that are none") {
    for (const char* op : {"InplaceUpdate", "InplaceAdd", "InplaceSub"}) {
      Runs(op, {}, {Floats({2, 2}), Ints({9}), Floats({1, 2})});  // counts around, as in TensorFlow
      Refused(op, {}, {Float(1), Ints({0}), Floats({1})});
      Refused(op, {}, {Floats({2, 2}), Ints({0}), Floats({1, 3})});
      Runs(op, {}, {Empty(DataType::kFloat, {2, 0}), Ints({0}), Empty(DataType::kFloat, {1, 0})});
    }
  }
  TEST_CASE("CVE-2022-29203: SpaceToBatchND, blocks and pads that overflow") {
    Refused("SpaceToBatchND", {}, {Floats({1, 2, 2}), Longs({kHuge, kHuge}), LongMatrix(2, 2, {0, 0, 0, 0})});
    Refused("SpaceToBatchND", {},
            {Floats({1, 2}), Longs({2}), LongMatrix(1, 2, {std::numeric_limits<std::int64_t>::max(), 1})});
    Refused("SpaceToBatchND", {}, {Floats({1, 2}), Longs({0}), LongMatrix(1, 2, {0, 0})});
    Refused("BatchToSpaceND", {}, {Floats({4, 1}), Longs({4}), LongMatrix(1, 2, {kHuge, kHuge})});
  }
  TEST_CASE("CVE-2022-41895: MirrorPadGrad, pads larger than the tensor") {
    Refused("MirrorPadGrad", {{"mode", "REFLECT"}}, {Floats({3}), MakeTensor<std::int32_t>({1, 2}, {0x77, 0x77})});
    Refused("MirrorPadGrad", {{"mode", "SYMMETRIC"}}, {Floats({3}), MakeTensor<std::int32_t>({1, 2}, {-1, 0})});
  }
  TEST_CASE("CVE-2023-25659: DynamicStitch, indices of another shape") {
    Refused("DynamicStitch", {}, {Ints({0, 405, 519}), Floats({2, 2})});
    Refused("DynamicStitch", {}, {Ints({-1}), Floats({1})});
    Refused("DynamicStitch", {}, {Ints({2147483647}), Floats({1, 4})});
  }
  TEST_CASE("CVE-2022-29207, GatherNd, Gather: indices outside") {
    Refused("GatherNd", {}, {Floats({2}), MakeTensor<std::int32_t>({1, 1}, {7})});
    Refused("GatherV2", {}, {Floats({2}), Ints({7}), Int(0)});
    Refused("GatherV2", {}, {Floats({2}), Ints({0}), Int(7)});
    Refused("GatherV2", {{"batch_dims", 5}}, {Floats({2}), Ints({0}), Int(0)});
    Refused("TensorScatterUpdate", {}, {Floats({2}), MakeTensor<std::int32_t>({1, 1}, {7}), Floats({1})});
  }
  TEST_CASE("CVE-2021-41201: Einsum, equations that are none") {
    for (const char* equation : {"", "->", "i", "ij,jk->ik->", "i...j,...", "ij->iij", "a,b,c->abc"})
      Refused("Einsum", {{"equation", equation}}, {Floats({2, 2}), Floats({2, 2})});
  }
}

TEST_SUITE("Advisories: numbers, chance, state") {
  TEST_CASE("CVE-2021-41195, CVE-2021-29552: segments without number") {
    Refused("UnsortedSegmentSum", {}, {Floats({1}), Ints({0}), Int(-1)});
    Refused("UnsortedSegmentSum", {}, {Floats({1}), Ints({0}), Ints({})});
    Refused<Code::kResourceExhausted>("UnsortedSegmentProd", {}, {Floats({1, 4}), Ints({0}), Int(2147483647)});
    Refused<Code::kResourceExhausted>("SegmentSum", {}, {Floats({1}), Ints({2147483647})});
    Refused("SegmentSum", {}, {Floats({2}), Ints({1, 0})});
    Refused("SparseSegmentSum", {}, {Floats({2}), Ints({9}), Ints({0})});
  }
  TEST_CASE("CVE-2022-21737, CVE-2022-35987, CVE-2023-25675: Bincount and DenseBincount") {
    Refused("Bincount", {}, {Ints({1}), Int(-1), Floats({1})});
    Refused("Bincount", {}, {Ints({-1}), Int(3), Floats({1})});
    Refused("Bincount", {}, {Ints({1, 1}), Int(3), Floats({5})});
    Refused("DenseBincount", {}, {Ints({1}), Int(-1), Floats({1})});
    Refused("DenseBincount", {}, {Ints({1, 2}), Int(3), Floats({3})});
    Refused("DenseBincount", {}, {Make<std::int32_t>({1, 1, 1}, {1}), Int(3), Empty(DataType::kFloat, {0})});
  }
  TEST_CASE("CVE-2022-29211: HistogramFixedWidth, NaN") {
    Refused("HistogramFixedWidth", {}, {Floats({2}, {kNaN, kInfinity}), Floats({2}, {0, 1}), Int(3)});
    Refused("HistogramFixedWidth", {}, {Floats({2}), Floats({2}, {1, 0}), Int(3)});
    Refused("HistogramFixedWidth", {}, {Floats({2}), Floats({2}, {0, 1}), Int(-3)});
  }
  TEST_CASE("CVE-2021-29568, CVE-2022-35984: ParameterizedTruncatedNormal") {
    const auto normal = [](const Tensor& shape, const Tensor& mean) {
      Refused("ParameterizedTruncatedNormal", {}, {shape, mean, Float(1), Float(-1), Float(1)});
    };
    normal(Ints({1, 1}), Floats({0}));
    normal(Ints({-1}), Float(0));
    normal(Ints({2147483647, 2147483647, 2147483647}), Float(0));
    normal(Ints({}), Float(0));
  }
  TEST_CASE("CVE-2022-36003, CVE-2022-36004: RandomPoissonV2 and RandomGamma, shapes that overflow") {
    Refused("RandomPoissonV2", {}, {Longs({kHuge, kHuge}), Float(1)});
    Refused("RandomGamma", {}, {Longs({kHuge, kHuge}), Float(1)});
    Refused("RandomGamma", {}, {Ints({-1}), Float(1)});
    Runs("RandomGamma", {}, {Ints({2}), Floats({3}, {kNaN, -1, kInfinity})});
    Refused("RandomPoissonV2", {}, {Ints({2}), Floats({3}, {kNaN, -1, kInfinity})});
  }
  TEST_CASE("CVE-2022-35971, CVE-2022-36005: FakeQuantWithMinMaxVars, bounds that are no scalars") {
    Refused("FakeQuantWithMinMaxVars", {}, {Floats({2}), Floats({0}), Floats({0})});
    Refused("FakeQuantWithMinMaxVarsPerChannel", {}, {Floats({2}), Floats({0}), Floats({0})});
  }
  TEST_CASE("CVE-2021-29544, CVE-2022-36026, CVE-2022-41910: QuantizeAndDequantize...") {
    Refused("QuantizeAndDequantizeV4Grad", {}, {Floats({3}), Floats({3}), Empty(DataType::kFloat, {0}), Float(1)}, 3);
    Refused("QuantizeAndDequantizeV4Grad", {{"axis", 0}}, {Floats({3}), Floats({3}), Floats({1}), Floats({3})}, 3);
    Refused("QuantizeAndDequantizeV3", {}, {Floats({3}), Float(0), Float(1), Ints({8})});
    Refused("QuantizeAndDequantizeV3", {}, {Floats({3}), Float(0), Float(1), Empty(DataType::kInt32, {0})});
    Refused("QuantizeAndDequantizeV2", {{"range_given", true}, {"axis", -9223372036854775807}},
            {Floats({2, 2}), Float(0), Float(1)});
    Refused("QuantizeAndDequantizeV2", {{"range_given", true}, {"axis", 5}},
            {Floats({2, 2}), Floats({2}), Floats({2})});
  }
  TEST_CASE("Multinomial, TopKV2, InTopK: what leads outside") {
    Refused("Multinomial", {}, {Floats({1, 1}), Int(-1)});
    Refused("Multinomial", {}, {Empty(DataType::kFloat, {1, 0}), Int(1)});
    Refused("TopKV2", {}, {Floats({2}), Int(3)}, 2);
    Refused("TopKV2", {}, {Floats({2}), Int(-1)}, 2);
  }
  TEST_CASE("CVE-2021-37644, CVE-2022-35960, CVE-2022-35998: EmptyTensorList and TensorListReserve") {
    Refused("TensorListReserve", {{"element_dtype", DataType::kFloat}}, {Ints({4}), Int(-1)});
    Refused("TensorListReserve", {{"element_dtype", DataType::kFloat}}, {Ints({4}), Ints({1, 2})});
    Refused("EmptyTensorList", {{"element_dtype", DataType::kFloat}}, {Ints({4}), Ints({1, 2})});
  }
  TEST_CASE("CVE-2022-35991, CVE-2022-35992, CVE-2022-41893, CVE-2023-25673: tensor lists from tensors") {
    Refused("TensorListScatter", {}, {Floats({1}), Ints({-1}), Ints({})});
    Refused("TensorListScatter", {}, {Floats({2, 2}), Ints({0, 1}), Ints({5})});
    Refused("TensorListFromTensor", {}, {Floats({2, 2}), MakeTensor<std::int32_t>({1, 1}, {1})});
    Refused("TensorListSplit", {}, {Floats({2, 2}), Ints({2}), Longs({0, 5})});
    Refused("TensorListSplit", {}, {Float(1), Ints({}), Longs({1})});
    GraphBuilder b;
    const Output list = b.Add("TensorListFromTensor", "list", {b.Const("t", Floats({2})), b.Const("s", Ints({}))});
    b.Add("TensorListResize", "y", {list, b.Placeholder("n", DataType::kInt32)});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE(session.ok());
    CHECK(session->Run({{"n:0", Ints({1, 2})}}, {"y:0"}).status().code() == Code::kInvalidArgument);
    CHECK(session->Run({{"n:0", Int(-1)}}, {"y:0"}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("CVE-2021-37642, CVE-2021-37653, CVE-2021-37654, CVE-2021-37655: variables") {
    const auto run = [](std::string_view op, const Tensor& indices, const Tensor* updates, const AttrArgs& given,
                        const Tensor& value) {
      GraphBuilder b;
      const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}});
      const Output is = b.Add("AssignVariableOp", "is", {v, b.Const("value", value)});
      const Output i = b.Placeholder("i", DataType::kInt32);
      SlimVector<GraphBuilder::Input> inputs{v, i};
      if (updates != nullptr) inputs.push_back(b.Const("u", *updates));
      std::vector<GraphBuilder::Attr> attrs;
      for (const auto& [name, attr] : given) attrs.emplace_back(name, attr);
      attrs.emplace_back("dtype", value.dtype());
      const Output y = b.AddNode(op, "y", inputs, attrs);
      b.AddControlInput(y, is);
      const Result<Session> session = Session::FromGraph(b);
      if (!session.ok()) return session.status();
      return session->Run({{"i:0", indices}}, {}, {"y"}).status();
    };
    const Tensor update = Ints({0}), floats = Floats({1});
    CHECK(run("ResourceScatterDiv", Ints({0}), &update, {}, Ints({1, 2})).code() == Code::kInvalidArgument);
    CHECK(run("ResourceScatterUpdate", Ints({7}), &floats, {}, Floats({2})).code() == Code::kInvalidArgument);
    CHECK(run("ResourceScatterUpdate", Ints({0, 1, 1}), &floats, {}, Floats({2, 2})).code() == Code::kInvalidArgument);
    CHECK(run("ResourceGather", Ints({7}), nullptr, {}, Floats({2})).code() == Code::kInvalidArgument);
    CHECK(run("ResourceGather", Ints({0}), nullptr, {{"batch_dims", 10}}, Floats({2})).code() ==
          Code::kInvalidArgument);
    CHECK_FALSE(run("ResourceGather", Ints({0}), nullptr, {}, Float(2)).ok());
    (void)run("ResourceGather", Ints({}), nullptr, {}, Empty(DataType::kFloat, {0, 2}));
  }
  TEST_CASE("CVE-2023-25672: LookupTableImportV2, keys and values that do not fit") {
    GraphBuilder b;
    const Output table =
        b.Add("HashTableV2", "t", {}, {{"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kInt64}});
    b.Add("LookupTableImportV2", "y", {table, b.Const("k", Long(1)), b.Placeholder("v", DataType::kInt64)});
    const Result<Session> session = Session::FromGraph(b);
    if (session.ok()) {
      CHECK_FALSE(session->Run({{"v:0", Longs({1, 2})}}, {}, {"y"}).ok());
    }
  }
  TEST_CASE("MutableDenseHashTableV2: more buckets than there is memory for are refused untouched") {
    // So many int64 keys alone are the machine's memory, or no size at all.
    const auto memory = static_cast<std::uint64_t>(tenon::detail::SystemMemory());
    const auto all = static_cast<std::int64_t>(std::bit_ceil(memory == 0 ? std::uint64_t{1} << 40 : memory / 8));
    for (const std::int64_t buckets : {all, std::int64_t{1} << 58, kHuge})
      Refused<Code::kResourceExhausted>("MutableDenseHashTableV2",
                                        {{"value_dtype", DataType::kInt64}, {"initial_num_buckets", buckets}},
                                        {Long(-1), Long(-2)});
    // The session's limit counts as well.
    const Status limited =
        Try("MutableDenseHashTableV2",
            {{"value_dtype", DataType::kInt64}, {"initial_num_buckets", std::int64_t{1} << 25}}, {Long(-1), Long(-2)})
            .status();
    CHECK_MESSAGE(limited.code() == Code::kResourceExhausted, limited.ToString());
  }
  TEST_CASE("CVE-2021-41217: Exit without Enter") {
    GraphBuilder b;
    b.Add("Exit", "y", {b.Placeholder("x", DataType::kFloat)});
    const Result<Session> session = Session::FromGraph(b);
    if (session.ok()) CHECK_FALSE(session->Run({{"x:0", Float(1)}}, {"y:0"}).ok());
  }
  TEST_CASE("CVE-2020-15190: Switch, a predicate that is no scalar") {
    Refused("Switch", {}, {Float(1), MakeTensor<bool>({2}, {true, false})}, 1);
  }
  TEST_CASE("ParseTensor: bytes that are no tensor, or one with a false shape") {
    const auto parse = []<Code kCode = Code::kInvalidArgument>(std::string_view bytes) {
      Refused<kCode>("ParseTensor", {{"out_type", DataType::kFloat}}, {Tensor::Scalar(bytes)});
    };
    for (const char* bytes : {"", "garbage", "\x08\x63"}) parse(bytes);
    parse.operator()<Code::kResourceExhausted>("\x08\x01\x12\x08\x12\x06\x08\xff\xff\xff\xff\x0f");  // [2^32 - 1]
  }
}
}  // namespace advisories_test
