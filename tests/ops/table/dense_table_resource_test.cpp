// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/dense_table_resource.hpp>

#include <map>

#include "ops/support.hpp"
#include "ops/state/table_support.hpp"

namespace state_dense_table_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::DenseTable;
using ops::detail::LookupTable;

namespace {

Tensor Texts(std::initializer_list<std::string_view> texts) {
  Tensor t(DataType::kString, {static_cast<Index>(texts.size())});
  for (std::size_t i = 0; i < texts.size(); ++i) t.data<tstring>()[i].assign(texts.begin()[i]);
  return t;
}
Tensor Long(std::int64_t x) { return Tensor::Scalar(x); }
// int64 -> int64; -1 and -2 are no keys.
DenseTable::Options Options(Index buckets = 4) {
  return {.empty_key = Long(-1), .deleted_key = Long(-2), .buckets = buckets};
}
Ref<LookupTable> New(const DenseTable::Options& options, const TensorShape& value_shape = {}) {
  Ref<LookupTable> table;
  const Status status = DenseTable::Make("t", DataType::kInt64, value_shape, options, &table);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  return table;
}
std::string Refused(const DenseTable::Options& options, const TensorShape& value_shape = {}) {
  Ref<LookupTable> table;
  return DenseTable::Make("t", DataType::kInt64, value_shape, options, &table).ToString();
}

}  // namespace

TEST_SUITE("DenseTable") {
  TEST_CASE("options that make no table are refused with what they are") {
    DenseTable::Options options = Options();
    const std::string where = "INVALID_ARGUMENT: ";
    for (const float factor : {0.0f, 1.0f, -0.5f}) {
      options.max_load_factor = factor;
      CHECK(Refused(options) == StrCat(where, "max_load_factor must be between 0 and 1, got: ", factor));
    }
    options.max_load_factor = std::numeric_limits<float>::quiet_NaN();
    CHECK(Refused(options).find("max_load_factor must be between 0 and 1, got: ") != std::string::npos);
    CHECK(Refused(Options(), {2, 2}) == where + "Empty value must be a scalar or a vector, got shape [2,2]");
    for (const Index buckets : {0, 2, 6, -8})
      CHECK(Refused(Options(buckets)) ==
            StrCat(where, "Number of buckets must be at least 4 and a power of 2, got: ", buckets));
    options = Options();
    options.deleted_key = Longs({-2});
    CHECK(Refused(options) == where + "Empty and deleted keys must have same shape, got shapes: [] and [1]");
    options.deleted_key = options.empty_key;
    CHECK(Refused(options) == where + "Empty and deleted keys cannot be equal");
    options.empty_key = options.deleted_key = Tensor(DataType::kInt64, {1, 1});
    CHECK(Refused(options) == where + "Empty key must be a scalar or a vector, got shape [1,1]");
    CHECK(Refused(Options(Index{1} << 50)).find("RESOURCE_EXHAUSTED: OOM when allocating table t of ") == 0);
  }
  TEST_CASE("buckets hold keys where they are looked for, and grow with them") {
    const Ref<LookupTable> table = New(Options());
    REQUIRE(table->Insert(Longs({6, 2}), Longs({60, 20})).ok());  // both would be in bucket 2
    CHECK(Exported(*table) == "[-1][-1][6][2] | [0][0][60][20]");
    REQUIRE(table->Insert(Longs({5, 7}), Longs({50, 70})).ok());  // 4 of 4 is more than 0.8
    CHECK(Exported(*table) == "[-1][-1][2][-1][-1][5][6][7] | [0][0][20][0][0][50][60][70]");
    CHECK(Found(*table, Longs({7, 2, 10}), Long(0)) == "70 20 0");
  }
  TEST_CASE("a key that is removed leaves its mark, which the next one takes") {
    const Ref<LookupTable> table = New(Options());
    REQUIRE(table->Insert(Longs({2, 6}), Longs({20, 60})).ok());
    REQUIRE(table->Remove(Longs({2, 99})).ok());
    CHECK(table->Size() == 1);
    CHECK(Found(*table, Longs({6}), Long(0)) == "60");  // behind the mark
    CHECK(Exported(*table).find("[-1][-1][-2][6]") == 0);
    REQUIRE(table->Insert(Longs({10}), Longs({100})).ok());
    CHECK(Exported(*table) == "[-1][-1][10][6] | [0][0][100][60]");
  }
  TEST_CASE("the two keys that none may have; what came before them stays") {
    const Ref<LookupTable> table = New(Options());
    CHECK(table->Insert(Longs({1, -1, 3}), Longs({10, 20, 30})).ToString() ==
          "INVALID_ARGUMENT: Using the empty_key as a table key is not allowed: key 1 of table t");
    CHECK(Found(*table, Longs({1, 3}), Long(0)) == "10 0");
    CHECK(Found(*table, Longs({-2}), Long(0)) ==
          "INVALID_ARGUMENT: Using the deleted_key as a table key is not allowed: key 0 of table t");
    CHECK(table->Remove(Longs({1, -2})).code() == Code::kInvalidArgument);
    CHECK(table->Size() == 0);
  }
  TEST_CASE("keys that are vectors of texts, values that are vectors") {
    DenseTable::Options options = Options();
    options.empty_key = Texts({"", ""});
    options.deleted_key = Texts({"", "-"});
    const Ref<LookupTable> table = New(options, {2});
    Tensor keys(DataType::kString, {2, 2});
    for (Index i = 0; i < 4; ++i) keys.data<tstring>()[i].assign(i == 3 ? "d" : "c");
    REQUIRE(table->Insert(keys, MakeTensor<std::int64_t>({2, 2}, {1, 2, 3, 4})).ok());
    Tensor out(DataType::kInt64, {2, 2});
    REQUIRE(table->Find(keys, Longs({8, 9}), &out).ok());
    CHECK(out.SummarizeValue(4) == "[1 2][3 4]");
    CHECK(table->Insert(Texts({"c"}), Longs({1, 2})).ToString() ==
          "INVALID_ARGUMENT: Expected key shape [1,2] got [1]");
    CHECK(table->Find(keys, Longs({8}), &out).ToString() == "INVALID_ARGUMENT: Table 't': the default value is empty");
  }
  TEST_CASE("random insertions and removals, against a map; imported as exported it is the same table") {
    const Ref<LookupTable> table = New(Options());
    std::map<std::int64_t, std::int64_t> want;
    Numbers numbers(23);
    for (std::int64_t step = 0; step < 400; ++step) {
      const std::int64_t key = numbers.Below(60) * 8;
      if (numbers.Below(3) == 0) {
        REQUIRE(table->Remove(Longs({key})).ok());
        want.erase(key);
      } else {
        REQUIRE(table->Insert(Longs({key}), Longs({step})).ok());
        want[key] = step;
      }
    }
    const Ref<LookupTable> other = New(Options());
    Tensor keys, values;
    REQUIRE(table->Export(&keys, &values).ok());
    REQUIRE(other->CheckImport(keys, values).ok());
    REQUIRE(other->Import(keys, values).ok());
    CHECK(Exported(*other) == Exported(*table));
    for (const Ref<LookupTable>& each : {table, other}) {
      CHECK(each->Size() == static_cast<Index>(want.size()));
      for (std::int64_t key = 0; key < 480; key += 8)
        CHECK(Found(*each, Longs({key}), Long(0)) == StrCat(want.count(key) > 0 ? want[key] : 0));
    }
  }
  TEST_CASE("an import whose buckets lie elsewhere is put in order") {
    const Ref<LookupTable> table = New(Options());
    REQUIRE(
        table
            ->Import(MakeTensor<std::int64_t>({4, 1}, {2, -1, -2, 1}), MakeTensor<std::int64_t>({4, 1}, {20, 0, 0, 10}))
            .ok());
    CHECK(Exported(*table) == "[-1][1][2][-1] | [0][10][20][0]");
    CHECK(table->CheckImport(Longs({1}), Longs({1})).ToString() ==
          "INVALID_ARGUMENT: Expected shape [1,1] for keys, got [1]");
    CHECK(table->CheckImport(MakeTensor<std::int64_t>({1, 1}, {1}), Longs({1})).ToString() ==
          "INVALID_ARGUMENT: Expected shape [1,1] for value, got [1]");
  }
}
}  // namespace state_dense_table_resource_test
