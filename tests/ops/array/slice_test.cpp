// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/slice.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/types/complex.hpp>

#include <doctest/doctest.h>

#include "op_call.hpp"

namespace array_slice_test {
using namespace tenon;

namespace {

Tensor Indices(std::initializer_list<std::int32_t> values) {
  return MakeTensor<std::int32_t>({static_cast<Index>(values.size())}, values);
}

Tensor Counted(const TensorShape& shape) {
  Tensor tensor(DataType::kFloat, shape);
  for (Index i = 0; i < tensor.NumElements(); ++i) tensor.data<float>()[i] = static_cast<float>(i);
  return tensor;
}

Result<std::vector<Tensor>> Slice(const Tensor& input, std::initializer_list<std::int32_t> begin,
                                  std::initializer_list<std::int32_t> end, std::initializer_list<std::int32_t> strides,
                                  const testing::AttrArgs& attrs = {}) {
  return testing::Call<ops::StridedSlice>(attrs, {input, Indices(begin), Indices(end), Indices(strides)});
}
// Shape and values as text, or the error.
std::string Show(const Result<std::vector<Tensor>>& outputs) {
  if (!outputs.ok()) return outputs.status().ToString();
  return StrCat((*outputs)[0].shape(), " ", (*outputs)[0].SummarizeValue(20));
}
bool StartsWith(const std::string& text, std::string_view start) { return text.compare(0, start.size(), start) == 0; }

}  // namespace

TEST_SUITE("StridedSlice") {
  TEST_CASE("takes rows, columns and single elements") {
    const Tensor x = Counted({4, 5});
    CHECK(Show(Slice(x, {1, 1}, {3, 4}, {1, 1})) == "[2,3] [6 7 8][11 12 13]");
    CHECK(Show(Slice(x, {0, 4}, {4, 0}, {2, -2})) == "[2,2] [4 2][14 12]");
    CHECK(Show(Slice(x, {-1}, {100}, {1})) == "[1,5] [15 16 17 18 19]");
    CHECK(Show(Slice(x, {2, 0}, {0, 0}, {1, 1}, {{"shrink_axis_mask", 1}, {"begin_mask", 2}, {"end_mask", 2}})) ==
          "[5] 10 11 12 13 14");
    CHECK(Show(Slice(x, {-1, -1}, {0, 0}, {1, 1}, {{"shrink_axis_mask", 3}})) == "[] 19");
    CHECK(Show(Slice(x, {3}, {1}, {1})) == "[0,5] ");
    CHECK(Show(Slice(x, {}, {}, {})) == Show(std::vector<Tensor>{x}));
  }

  TEST_CASE("masks, new axes and the ellipsis") {
    const Tensor x = Counted({2, 3, 4});
    CHECK(Show(Slice(x, {0, 0, 1}, {0, 0, 2}, {1, 1, 1}, {{"ellipsis_mask", 1}, {"begin_mask", 2}, {"end_mask", 2}})) ==
          "[2,3,1] [[1][5][9]][[13][17][21]]");
    CHECK(Show(Slice(x, {0, 0, 3}, {0, 0, 4}, {1, 1, 1},
                     {{"ellipsis_mask", 1}, {"new_axis_mask", 2}, {"shrink_axis_mask", 4}})) ==
          "[2,3,1] [[3][7][11]][[15][19][23]]");
    CHECK(Show(Slice(MakeTensor<float>({}, {7}), {0}, {0}, {1}, {{"new_axis_mask", 1}})) == "[1] 7");
    CHECK(Show(Slice(Counted({5}), {9}, {9}, {-1}, {{"begin_mask", 1}, {"end_mask", 1}})) == "[5] 4 3 2 1 0");
  }

  TEST_CASE_TEMPLATE("copies elements of every size", T, std::int8_t, half, std::int32_t, double, complex128) {
    Tensor x(dtype_of_v<T>, {3, 3});
    for (Index i = 0; i < 9; ++i) x.data<T>()[i] = T(static_cast<float>(i));
    const auto y = Slice(x, {2, 1}, {-9, 3}, {-1, 1});
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK((*y)[0].shape() == TensorShape{3, 2});
    for (Index i = 0; i < 6; ++i)
      CHECK_UNARY((*y)[0].data<T>()[i] == T(static_cast<float>((2 - i / 2) * 3 + 1 + i % 2)));
  }

  TEST_CASE("copies strings, and takes indices of 16 and 64 bits") {
    const Tensor x = MakeTensor<tstring>(
        {4}, {tstring("a"), tstring("a text that is not stored inline, ever"), tstring("c"), tstring("d")});
    CHECK(Show(Slice(x, {1}, {4}, {2})) == "[2] a text that is not stored inline, ever d");
    const auto wide =
        testing::Call<ops::StridedSlice>({}, {x, MakeTensor<std::int64_t>({1}, {2}), MakeTensor<std::int64_t>({1}, {3}),
                                              MakeTensor<std::int64_t>({1}, {1})});
    CHECK(Show(wide) == "[1] c");
    const auto narrow =
        testing::Call<ops::StridedSlice>({}, {x, MakeTensor<std::int16_t>({1}, {3}), MakeTensor<std::int16_t>({1}, {4}),
                                              MakeTensor<std::int16_t>({1}, {1})});
    CHECK(Show(narrow) == "[1] d");
  }

  TEST_CASE("shares the buffer of what is taken whole, and of large parts of the first dimension") {
    const Tensor x = Counted({64, 1024});
    const auto whole = Slice(x, {0}, {64}, {1});
    REQUIRE(whole.ok());
    CHECK((*whole)[0].raw_data() == x.raw_data());
    const auto rows = Slice(x, {3}, {60}, {1});
    REQUIRE(rows.ok());
    CHECK((*rows)[0].raw_data() == x.data<float>() + 3 * 1024);
    CHECK((*rows)[0].shape() == TensorShape{57, 1024});
    const auto row = Slice(x, {5}, {6}, {1}, {{"shrink_axis_mask", 1}});
    REQUIRE(row.ok());
    CHECK_FALSE((*row)[0].SharesBufferWith(x));
    CHECK((*row)[0].shape() == TensorShape{1024});
    CHECK((*row)[0].data<float>()[1023] == 6143);
  }

  TEST_CASE("a session may change shapes and indices from run to run") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape());
    const Output begin = b.Placeholder("begin", DataType::kInt32, PartialTensorShape());
    const Output end = b.Placeholder("end", DataType::kInt32, PartialTensorShape());
    b.Add("StridedSlice", "y", {x, begin, end, b.Const("strides", Indices({1}))}, {});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto run = [&](Index size, std::int32_t from, std::int32_t to) {
      return Show(
          session->Run({{"x:0", Counted({size})}, {"begin:0", Indices({from})}, {"end:0", Indices({to})}}, {"y:0"}));
    };
    for (int i = 0; i < 2; ++i) {
      CHECK(run(4, 1, 3) == "[2] 1 2");
      CHECK(run(4, 1, 4) == "[3] 1 2 3");
      CHECK(run(6, 1, 9) == "[5] 1 2 3 4 5");
      CHECK(run(6, 0, 2) == "[2] 0 1");
    }
  }

  TEST_CASE("says what is wrong with the indices") {
    const Tensor x = Counted({4, 5});
    const auto fails = [&](const Result<std::vector<Tensor>>& got, std::string_view text) {
      CAPTURE(Show(got));
      CHECK_UNARY(StartsWith(Show(got), StrCat("INVALID_ARGUMENT: StridedSlice: ", text)));
    };
    fails(Slice(x, {0}, {2}, {0}), "strides[0] must be non-zero");
    fails(Slice(x, {4}, {5}, {1}, {{"shrink_axis_mask", 1}}), "slice index 4 of dimension 0 out of bounds.");
    fails(Slice(x, {0}, {5}, {-1}, {{"shrink_axis_mask", 1}}), "only stride 1 allowed on non-range indexing.");
    fails(Slice(x, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}), "Index out of range using input dim 2; input has only 2 dims");
    fails(Slice(x, {0, 0}, {1, 1}, {1, 1}, {{"ellipsis_mask", 3}}), "Multiple ellipses in slice spec not allowed");
    fails(testing::Call<ops::StridedSlice>({}, {x, Indices({1, 2}), Indices({1}), Indices({1})}),
          "Expected begin, end, and strides to be 1D equal size tensors, but got shapes [2], [1], and [1] instead.");
    const auto refused = testing::Call<ops::StridedSlice>(
        {}, {Tensor(DataType::kQint16, {4}), Indices({1}), Indices({2}), Indices({1})});
    CHECK(refused.status().code() == Code::kInvalidArgument);
    CHECK(Show(refused).find("no kernel for op 'StridedSlice' on CPU with types {qint16}") != std::string::npos);
  }
}
}  // namespace array_slice_test
