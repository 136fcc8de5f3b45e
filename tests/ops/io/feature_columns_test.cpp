// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/feature_columns.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"

namespace io_feature_columns_test {
using namespace tenon;
using namespace tenon::testing;
using namespace ops::detail;
using io_examples::Floats;
using io_examples::Longs;
using io_examples::Words;

namespace {

FeatureColumn Dense(const PartialTensorShape& shape, DataType dtype = DataType::kInt64) {
  FeatureColumn column;
  column.key = "a";
  column.kind = ColumnKind::kDense;
  column.dtype = dtype;
  CHECK(SetDenseShape(shape, 0, true, &column).ok());
  return column;
}
// The values of a feature whose bytes the caller keeps.
FoundFeature Found(const std::string& bytes) {
  FoundFeature found;
  CHECK(ReadFeature(bytes, &found.view));
  return found;
}
std::string Counted(const FeatureColumn& column, const Feature& feature) {
  const std::string bytes = io_examples::Serialized(feature);
  FoundFeature found = Found(bytes);
  const Status status = CountFeature(column, &found);
  return status.ok() ? StrCat(found.count) : status.ToString();
}

}  // namespace

TEST_SUITE("feature columns") {
  TEST_CASE("a dense shape has known sizes, but for the first one where that may vary") {
    CHECK(ElementsFrom({2, 3}, 0) == 6);
    CHECK(ElementsFrom({2, 3}, 1) == 3);
    CHECK(ElementsFrom(PartialTensorShape(TensorShape()), 0) == 1);
    CHECK(ElementsFrom({2, -1}, 0) == -1);
    CHECK(Dense({2, 3}).stride == 6);
    CHECK(Dense({-1, 3}).variable);
    CHECK(Dense({-1, 3}).stride == 3);
    CHECK(Dense({0, 3}).stride == 0);
    FeatureColumn unused;
    CHECK(SetDenseShape(PartialTensorShape(TensorShape()), 4, true, &unused).ok());
    CHECK(SetDenseShape(PartialTensorShape(), 4, true, &unused).message() ==
          "dense_shapes[4] has unknown rank or unknown inner dimensions: <unknown>");
    CHECK(SetDenseShape({2, -1}, 4, true, &unused).message() ==
          "dense_shapes[4] has unknown rank or unknown inner dimensions: [2,?]");
    CHECK(SetDenseShape({-1, 2}, 4, false, &unused).message() ==
          "dense_shapes[4] has unknown rank or unknown inner dimensions: [?,2]");
    CHECK(SetDenseShape({-1, 0}, 4, true, &unused).message() == "dense_shapes[4] has rows without elements: [?,0]");
    const Index huge = Index{1} << 32;
    CHECK(SetDenseShape({-1, huge, huge}, 4, true, &unused).message() ==
          "dense_shapes[4] has too many elements: [?,4294967296,4294967296]");
  }
  TEST_CASE("a default has the column's type and shape, or is empty; padding is one element") {
    FeatureColumn fixed = Dense({2}), varying = Dense({-1, 2});
    CHECK(SetDefault(tenon::testing::Longs({1, 2}), 3, &fixed).ok());
    CHECK(fixed.missing != nullptr);
    CHECK(SetDefault(tenon::testing::Longs({}), 3, &fixed).ok());
    CHECK(SetDefault(tenon::testing::Longs({1, 2, 3}), 3, &fixed).message() ==
          "def_value[3].shape() == [3] is not compatible with dense_shapes_[3] == [2]");
    CHECK(SetDefault(Ints({1, 2}), 3, &fixed).message() ==
          "dense_defaults[3].dtype() == int32 != dense_types_[3] == int64");
    CHECK(SetDefault(tenon::testing::Longs({7}), 3, &varying).ok());
    CHECK(SetDefault(tenon::testing::Longs({7, 8}), 3, &varying).message() ==
          "dense_shape[3] is a variable length shape: [?,2], therefore def_value[3] must contain a single element (the "
          "padding element).  But its shape is: [2]");
  }
  TEST_CASE("columns are found by their keys; of columns with one key the first") {
    FeatureColumn columns[2] = {Dense({1}), Dense({1})};
    columns[1].key = "b";
    ColumnIndex index;
    CHECK_FALSE(index.Build(columns));
    CHECK(index.Find("b") == 1);
    CHECK(index.Find("") == -1);
    columns[1].key = "a";
    ColumnIndex twice;
    CHECK(twice.Build(columns));
    CHECK(twice.Find("a") == 0);
  }
  TEST_CASE("of equal keys the last one with a list counts; bytes that are no message are said to be none") {
    const FeatureColumn columns[1] = {Dense({1})};
    ColumnIndex index;
    CHECK_FALSE(index.Build(columns));
    FoundFeatures found;
    found.Reset(1, 3);
    const std::string bytes = io_examples::Serialized(
        io_examples::Named({{"a", Longs({1})}, {"other", Floats({2})}, {"a", Longs({3, 4})}, {"a", Feature()}}));
    CHECK(FindFeatures(bytes, index, 1, &found));
    CHECK(CountValues(found.at(0, 1).view) == 2);
    CHECK(found.at(0, 0).view.dtype == DataType::kInvalid);
    CHECK(found.column(0).size() == 3);
    CHECK_FALSE(FindFeatures(std::string_view(bytes).substr(0, bytes.size() - 1), index, 2, &found));
  }
  TEST_CASE("values are counted, and refused where there are not as many as the shape wants") {
    CHECK(Counted(Dense({2}), Longs({5, 6})) == "2");
    CHECK(Counted(Dense({2}), Longs({5})) ==
          "INVALID_ARGUMENT: Number of int64 values != expected. Values size: 1 but output shape: [2]");
    CHECK(Counted(Dense({-1, 2}), Longs({5, 6, 7, 8})) == "4");
    CHECK(Counted(Dense({-1, 2}), Longs({5, 6, 7})) ==
          "INVALID_ARGUMENT: Number of int64 values is not a multiple of stride length. Saw 3 values but output shape "
          "is: [?,2]");
    CHECK(Counted(Dense({2}), Floats({5})) ==
          "INVALID_ARGUMENT: Data types don't match. Data type: float but expected type: int64");
    FeatureColumn sparse;
    sparse.dtype = DataType::kString;
    CHECK(Counted(sparse, Words({"x", "", "y"})) == "3");
    CHECK(Counted(sparse, Feature()) == "0");
    CHECK(Counted(sparse, Longs({5})) ==
          "INVALID_ARGUMENT: Data types don't match. Expected type: string, Actual type: int64");
    FoundFeature broken{{DataType::kString, "\x0a\x09"}};
    CHECK(CountFeature(sparse, &broken).message() == "Can't parse serialized Example.");
    // A dense feature that is missing needs a default, unless it has no values or its number varies.
    CHECK(Counted(Dense({2}), Feature()).find("NOT_FOUND") == 0);
    CHECK(Counted(Dense({-1, 2}), Feature()) == "0");
    FeatureColumn none = Dense({0});
    const Tensor nothing(DataType::kInt64, {0});
    none.missing = &nothing;
    CHECK(Counted(none, Feature()) == "0");
  }
  TEST_CASE("values are written where they belong, and gaps filled by one value or by as many") {
    Tensor out(DataType::kInt64, {6});
    FillWith(tenon::testing::Longs({9}), &out, 0, 6);
    const std::string bytes = io_examples::Serialized(Longs({1, -1}));
    CHECK(WriteFeature(Found(bytes), &out, 2).ok());
    FillWith(tenon::testing::Longs({7, 8}), &out, 4, 2);
    FillWithZero(&out, 1, 1);
    CHECK(Numbered<std::int64_t>(out) == std::vector<double>{9, 0, 1, -1, 7, 8});
    FillWithZero(&out, 0, 0);
    CHECK(out.data<std::int64_t>()[0] == 9);
  }
  TEST_CASE("splits of 32 bits hold no more than that") {
    Tensor narrow(DataType::kInt32, {1}), wide(DataType::kInt64, {1});
    CHECK(SetSplit(&narrow, 0, 2147483647).ok());
    CHECK(narrow.data<std::int32_t>()[0] == 2147483647);
    CHECK(SetSplit(&narrow, 0, 2147483648).ToString() ==
          "INVALID_ARGUMENT: Ragged row split 2147483648 does not fit int32");
    CHECK(SetSplit(&wide, 0, 2147483648).ok());
    CHECK(wide.data<std::int64_t>()[0] == 2147483648);
  }
  TEST_CASE("places in sparse outputs are numbered behind those of the row") {
    Tensor indices(DataType::kInt64, {4, 3});
    const SparseOutputs out{&indices, nullptr};
    const Index first[] = {4, 5}, second[] = {6, 7};
    out.Place(0, first, 3);
    out.Place(3, second, 1);
    CHECK(Numbered<std::int64_t>(indices) == std::vector<double>{4, 5, 0, 4, 5, 1, 4, 5, 2, 6, 7, 0});
  }
}
}  // namespace io_feature_columns_test
