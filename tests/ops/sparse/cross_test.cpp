// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/cross.hpp>

#include "ops/support.hpp"

namespace sparse_cross_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::CheckCrossInputs;
using ops::detail::CrossColumn;
using ops::detail::CrossInputs;
using ops::detail::CrossRule;
using ops::detail::HashOfCross;
using ops::detail::TextOfCross;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}
Tensor Texts(const TensorShape& shape, std::initializer_list<std::string_view> texts) {
  Tensor t(DataType::kString, shape);
  for (Index i = 0; i < shape.num_elements(); ++i) t.data<tstring>()[i].assign(texts.begin()[i]);
  return t;
}
// "row:features" of every row that has some.
std::string Walked(CrossColumn column, Index batch) {
  std::string text;
  for (Index b = column.NextRow(-1, batch); b < batch; b = column.NextRow(b, batch)) {
    column.MoveTo(b);
    StrAppend(&text, text.empty() ? "" : " ", b, ":", column.At(0), "+", column.count());
  }
  return text;
}
std::string Refused(const CrossInputs& in, bool texts_only = false) {
  return CheckCrossInputs("SparseCross", in, texts_only).ToString();
}

}  // namespace

TEST_SUITE("SparseCross") {
  TEST_CASE("a column of a sparse tensor goes from row to row that has features") {
    const Tensor values = Longs({1, 2, 3, 4});
    CHECK(Walked(CrossColumn(Places({0, 0, 0, 1, 2, 0, 3, 0}), values, 4), 4) == "0:0+2 2:2+1 3:3+1");
    CHECK(Walked(CrossColumn(Places({}), values, 4), 4) == "");
    // From where the rows no longer ascend, or leave the batch, nothing counts.
    CHECK(Walked(CrossColumn(Places({1, 0, 0, 0, 2, 0}), values, 4), 4) == "1:0+1");
    CHECK(Walked(CrossColumn(Places({0, 0, 4, 0, 1, 0}), values, 4), 4) == "0:0+1");
    CHECK(Walked(CrossColumn(Places({-1, 0, 0, 0}), values, 4), 4) == "");
  }
  TEST_CASE("a dense column has as many in each row; one without columns none") {
    CHECK(Walked(CrossColumn(Tensor(DataType::kInt64, {3, 2})), 3) == "0:0+2 1:2+2 2:4+2");
    CHECK(Walked(CrossColumn(Tensor(DataType::kInt64, {3, 0})), 3) == "");
    CHECK(Walked(CrossColumn(Tensor(DataType::kInt64, {0, 2})), 0) == "");
  }
  TEST_CASE("rows are skipped together, and begun again after Rewind") {
    const Tensor values = Longs({7, 8, 9}), places = Places({0, 0, 2, 0, 2, 1});
    CrossColumn column(places, values, 3);
    column.MoveTo(1);
    CHECK(column.count() == 0);
    column.MoveTo(2);
    CHECK(column.count() == 2);
    CHECK(column.At(1) == 2);
    column.Rewind();
    CHECK(column.count() == 0);
    CHECK(column.NextRow(-1, 3) == 0);
  }
  TEST_CASE("a cross is the features' texts, joined, or a hash below the buckets") {
    const Tensor numbers = Longs({-5, 12}), texts = Texts({1, 2}, {"", "b"}), places = Places({0, 0, 0, 1});
    SlimVector<CrossColumn> columns;
    columns.emplace_back(places, numbers, 1);
    columns.emplace_back(texts);
    for (CrossColumn& column : columns) column.MoveTo(0);
    CrossRule rule;
    CHECK(TextOfCross(rule, columns, {0, 1}) == "-5_X_b");
    CHECK(TextOfCross(rule, columns, {1, 0}) == "12_X_");
    rule.separator = "";
    CHECK(TextOfCross(rule, columns, {1, 1}) == "12b");
    for (const CrossRule::Kind kind : {CrossRule::kHash, CrossRule::kKeyedHash}) {
      rule.kind = kind;
      rule.num_buckets = 1;
      CHECK(HashOfCross(rule, columns, {0, 1}) == 0);
      rule.num_buckets = 0;
      const std::int64_t whole = HashOfCross(rule, columns, {0, 1});
      CHECK(whole >= 0);
      rule.num_buckets = 1000;  // the same hash modulo another number: not of the first remainder
      CHECK(HashOfCross(rule, columns, {0, 1}) < 1000);
      CHECK(HashOfCross(rule, columns, {0, 1}) != HashOfCross(rule, columns, {0, 0}));
    }
    rule.num_buckets = 0;
    rule.strong = true;
    const std::int64_t unsalted = HashOfCross(rule, columns, {0, 1});
    rule.salt[1] = 1;
    CHECK(HashOfCross(rule, columns, {0, 1}) != unsalted);
  }
  TEST_CASE("inputs that do not fit are named by their position") {
    const Tensor at = Places({0, 0}), one = Longs({1}), sizes = Longs({2, 1}), dense(DataType::kInt64, {3, 1});
    const Tensor three = Longs({0, 0, 0}), flat = Longs({0});
    const auto refused = [](const Tensor& i, const Tensor& v, const Tensor& s, std::span<const Tensor> d = {}) {
      return Refused({{&i, 1}, {&v, 1}, {&s, 1}, d});
    };
    CHECK(refused(at, one, sizes) == "OK");
    CHECK(Refused({}) == "OK");
    CHECK(refused(flat, one, sizes) ==
          "INVALID_ARGUMENT: SparseCross: Input indices should be a matrix but received shape [1] at position 0");
    CHECK(refused(Tensor(DataType::kInt64, {1, 3}), one, sizes) ==
          "INVALID_ARGUMENT: SparseCross: Expected D2 of index to be 2 got 3 at position 0");
    CHECK(refused(at, three, sizes) ==
          "INVALID_ARGUMENT: SparseCross: Expected size of values to be 1 got 3 at position 0");
    CHECK(refused(at, one, three) ==
          "INVALID_ARGUMENT: SparseCross: shape should imply a 2D tensor, but got [3] at position 0");
    CHECK(refused(at, one, Longs({-2, 1})) == "INVALID_ARGUMENT: SparseCross: batch size must not be negative, got -2");
    CHECK(refused(at, one, sizes, {&dense, 1}) ==
          "INVALID_ARGUMENT: SparseCross: Expected batch size 2 got 3 at dense tensor 0");
    CHECK(Refused({{&at, 1}, {}, {}, {}}) == "INVALID_ARGUMENT: SparseCross: Expected 1 input values, got 0");
    CHECK(Refused({{}, {}, {}, {&dense, 1}}, true) ==
          "INVALID_ARGUMENT: SparseCross: Dense inputs should be of internal type string but received int64 at "
          "position 0");
  }
}
}  // namespace sparse_cross_test
