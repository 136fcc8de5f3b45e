// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/sequence_columns.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"

namespace io_sequence_columns_test {
using namespace tenon;
using namespace tenon::testing;
using io_examples::Floats;
using io_examples::SequenceOf;
using io_examples::Texts;
using ops::detail::ColumnKind;
using ops::detail::FeatureColumn;
using ops::detail::SequenceParse;
using ops::detail::SequenceSizes;

namespace {

FeatureColumn Column(std::string_view key, ColumnKind kind) {
  FeatureColumn column;
  column.key = key;
  column.kind = kind;
  column.dtype = DataType::kFloat;
  return column;
}
// The sparse "c" in the context, and the dense list "l" of pairs.
struct Parse : SequenceParse {
  explicit Parse(Tensor examples, Tensor example_names = Texts({}))
      : own_examples(std::move(examples)), own_names(std::move(example_names)) {
    serialized = &own_examples;
    names = &own_names;
    context_columns.push_back(Column("c", ColumnKind::kSparse));
    list_columns.push_back(Column("l", ColumnKind::kDense));
    CHECK(ops::detail::SetDenseShape({2}, 0, false, &list_columns[0]).ok());
  }
  std::string Error() { return Find().ToString(); }
  Tensor own_examples, own_names;
};

}  // namespace

TEST_SUITE("columns of SequenceExamples") {
  TEST_CASE("rows lie column by column and example by example, and may be none") {
    Parse parse(Texts({SequenceOf({{"c", Floats({1, 2, 3})}}, {{"l", {Floats({1, 2}), Floats({3, 4})}}}),
                       SequenceOf({}, {{"l", {}}}), SequenceOf({}, {{"l", {Floats({5, 6})}}})}));
    REQUIRE(parse.Error() == "OK");
    CHECK(parse.context_found.at(0, 0).count == 3);
    CHECK(parse.context_found.at(0, 1).count == 0);
    CHECK(parse.rows.size() == 3);
    CHECK(parse.begin == SlimVector<Index>{0, 2, 2, 3});
    CHECK(parse.Slot(1, 2) == 5);
    CHECK(parse.ExampleSplits() == TensorShape({4}));
    CHECK(Parse(Tensor::Scalar(std::string_view(""))).ExampleSplits() == TensorShape());
  }
  TEST_CASE("a list that is missing is one without rows only where that is said; an empty one is there") {
    const Tensor without = Texts({SequenceOf({}, {})}), empty = Texts({SequenceOf({}, {{"l", {}}})});
    CHECK(Parse(without).Error() ==
          "INVALID_ARGUMENT: Name: <unknown>, Feature list 'l' is required but could not be found. Did you mean to "
          "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
    CHECK(Parse(empty).Error() == "OK");
    Parse may(without);
    may.list_columns[0].may_be_missing = true;
    CHECK(may.Error() == "OK");
    CHECK(may.rows.empty());
    Parse sparse(without);
    sparse.list_columns[0].kind = ColumnKind::kSparse;
    CHECK(sparse.Error() == "OK");
  }
  TEST_CASE("a mistake is told with the example's name, the key and the row") {
    const Tensor names = Texts({"n"});
    CHECK(
        Parse(Texts({SequenceOf({}, {{"l", {Floats({1, 2}), Floats({3})}}})}), names).Error() ==
        "INVALID_ARGUMENT: Name: n, Feature list: l, Index: 1. Number of float values != expected. Values size: 1 but "
        "output shape: [2]");
    CHECK(Parse(Texts({SequenceOf({}, {{"l", {io_examples::Longs({1, 2})}}})})).Error() ==
          "INVALID_ARGUMENT: Name: <unknown>, Feature list: l, Index: 0. Data types don't match. Expected type: float");
    CHECK(Parse(Texts({SequenceOf({{"c", io_examples::Longs({1})}}, {{"l", {}}})}), names).Error() ==
          "INVALID_ARGUMENT: Name: n, Context feature: c. Data types don't match. Expected type: float, Actual type: "
          "int64");
    CHECK(Parse(Texts({"rubbish"}), names).Error() ==
          "INVALID_ARGUMENT: Invalid protocol message input, example id: n");
    // The list is found, but its feature is no message.
    CHECK(Parse(Texts({std::string_view("\x12\x0b\x0a\x09\x0a\x01l\x12\x04\x0a\x02\x0a\x09", 13)})).Error() ==
          "INVALID_ARGUMENT: Invalid protocol message input, example id: <unknown>");
    Parse required(Texts({SequenceOf({}, {{"l", {}}})}));
    required.context_columns[0].kind = ColumnKind::kDense;
    CHECK(required.Error() ==
          "INVALID_ARGUMENT: Name: <unknown>, Context feature 'c' is required but could not be found.");
  }
  TEST_CASE("a key may be a feature and a list, and several columns of one kind") {
    const Tensor text = Texts({SequenceOf({{"c", Floats({1, 2, 3})}}, {{"l", {Floats({1, 2}), Floats({3, 4})}}})});
    Parse parse(text);
    parse.context_columns.push_back(Column("l", ColumnKind::kRagged));
    parse.context_columns.push_back(Column("c", ColumnKind::kSparse));
    parse.list_columns.push_back(parse.list_columns[0]);
    REQUIRE(parse.Error() == "OK");
    CHECK(parse.context_found.at(1, 0).count == 0);
    CHECK(parse.context_found.at(2, 0).count == 3);
    CHECK(parse.begin == SlimVector<Index>{0, 2, 4});
  }
  TEST_CASE("columns of two kinds have two keys, unless an op says otherwise") {
    const Tensor text = Texts({SequenceOf({{"c", Floats({1, 2, 3})}}, {{"l", {Floats({1, 2}), Floats({3, 4})}}})});
    Parse parse(text);
    parse.list_columns.push_back(Column("l", ColumnKind::kRagged));
    CHECK(parse.Error() == "INVALID_ARGUMENT: Sequence feature l cannot be both ragged and dense");
    Parse any(text);
    any.any_kind = true;
    any.list_columns.push_back(Column("l", ColumnKind::kSparse));
    any.context_columns.push_back(Column("c", ColumnKind::kRagged));
    REQUIRE(any.Error() == "OK");
    CHECK(any.rows.size() == 4);
    Parse context(text);
    context.context_columns.push_back(Column("c", ColumnKind::kRagged));
    CHECK(context.Error() == "INVALID_ARGUMENT: Context feature c cannot be both ragged and sparse");
  }
  TEST_CASE("columns are added in order, and the dense ones among them get their shapes") {
    SlimVector<FeatureColumn> columns;
    const std::string keys[] = {"a", "b"};
    const auto key = [&](std::size_t i) { return std::string_view(keys[i]); };
    const auto type = [](int i) { return i == 0 ? DataType::kFloat : DataType::kString; };
    ops::detail::AddColumns(ColumnKind::kSparse, 1, key, type, &columns);
    ops::detail::AddColumns(ColumnKind::kDense, 2, key, type, &columns);
    REQUIRE(columns.size() == 3);
    CHECK(columns[2].key == "b");
    CHECK(columns[2].dtype == DataType::kString);
    const PartialTensorShape shapes[] = {{3}, {2, 2}}, varying[] = {{-1}};
    CHECK(ops::detail::SetFixedShapes(shapes, 1, &columns).ok());
    CHECK(columns[0].stride == 1);
    CHECK(columns[1].stride == 3);
    CHECK(columns[2].stride == 4);
    CHECK(ops::detail::SetFixedShapes(varying, 1, &columns).message() ==
          "dense_shapes[0] has unknown rank or unknown inner dimensions: [?]");
  }
  TEST_CASE("lists of attrs of which one is longer") {
    CHECK(SequenceSizes::Same("context_dense_types", 2, "context_dense_shapes", 2).ok());
    CHECK(SequenceSizes::Same("context_dense_types", 2, "context_dense_shapes", 1).ToString() ==
          "INVALID_ARGUMENT: len(context_dense_types) != len(context_dense_shapes): 2 and 1");
  }
}
}  // namespace io_sequence_columns_test
