// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/table_resource.hpp>

#include <map>
#include <thread>

#include "ops/support.hpp"
#include "ops/state/table_support.hpp"

namespace state_table_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::IndexedTable;
using ops::detail::KeyIndex;
using ops::detail::LookupTable;

namespace {

Tensor Texts(std::initializer_list<std::string_view> texts) {
  Tensor t(DataType::kString, {static_cast<Index>(texts.size())});
  for (std::size_t i = 0; i < texts.size(); ++i) t.data<tstring>()[i].assign(texts.begin()[i]);
  return t;
}
// int64 -> float
Ref<IndexedTable> New(bool once, const TensorShape& value_shape = {}) {
  return Ref<IndexedTable>::Adopt(new IndexedTable("t", DataType::kInt64, DataType::kFloat, value_shape, once));
}
Tensor Floats(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}

}  // namespace

TEST_SUITE("lookup tables as resources") {
  TEST_CASE("KeyIndex numbers keys as they come; the last one takes the place of one that goes") {
    for (const DataType dtype : {DataType::kInt32, DataType::kInt64, DataType::kString}) {
      KeyIndex index(dtype);
      const Tensor keys = dtype == DataType::kInt32   ? Ints({7, -7, 0, 7})
                          : dtype == DataType::kInt64 ? Longs({7, -7, 0, 7})
                                                      : Texts({"7", "a text too long to be stored inline", "", "7"});
      CHECK(index.Find(keys, 0) == -1);
      for (Index i = 0; i < 3; ++i) CHECK(index.FindOrAdd(keys, i) == i);
      CHECK(index.FindOrAdd(keys, 3) == 0);
      CHECK(index.size() == 3);
      CHECK(index.Remove(keys, 0) == 0);
      CHECK(index.Remove(keys, 0) == -1);
      CHECK(index.Find(keys, 2) == 0);  // it was the last
      CHECK(index.Find(keys, 1) == 1);
      CHECK(index.Remove(keys, 1) == 1);  // itself the last
      Tensor left(dtype, {1});
      index.CopyTo(&left);
      CHECK(left.SummarizeValue(1) == keys.Slice(2, 3).SummarizeValue(1));
      index.Clear();
      CHECK(index.size() == 0);
      CHECK(index.Find(keys, 2) == -1);
    }
  }
  TEST_CASE("KeyIndex through many additions and removals, against a map") {
    KeyIndex index(DataType::kInt64);
    std::map<std::int64_t, Index> numbers_of;
    std::vector<std::int64_t> keys;  // by number
    Numbers numbers(31);
    for (int step = 0; step < 3000; ++step) {
      const std::int64_t key = (numbers.Below(200) - 100) * (std::int64_t{1} << 40);
      const Tensor one = Longs({key});
      const auto at = numbers_of.find(key);
      if (numbers.Below(2) == 0) {
        REQUIRE(index.Remove(one, 0) == (at == numbers_of.end() ? -1 : at->second));
        if (at == numbers_of.end()) continue;
        keys[static_cast<std::size_t>(at->second)] = keys.back();
        numbers_of[keys.back()] = at->second;
        keys.pop_back();
        numbers_of.erase(key);
      } else {
        const Index want = at == numbers_of.end() ? static_cast<Index>(keys.size()) : at->second;
        REQUIRE(index.FindOrAdd(one, 0) == want);
        if (at == numbers_of.end()) keys.push_back(key);
        numbers_of[key] = want;
      }
    }
    CHECK(index.size() == static_cast<Index>(keys.size()));
  }
  TEST_CASE("a default for all keys or for each, and none") {
    const Ref<IndexedTable> table = New(false);
    REQUIRE(table->Insert(Longs({1, 2, 1}), Floats({10, 20, 11})).ok());
    CHECK(Found(*table, Longs({2, 5, 1}), Tensor::Scalar(-1.0f)) == "20 -1 11");
    CHECK(Found(*table, Longs({2, 5, 6}), Floats({7, 8, 9})) == "20 8 9");
    CHECK(Found(*table, Longs({2}), Floats({})) == "INVALID_ARGUMENT: Table 't': the default value is empty");
    CHECK(Found(*table, Longs({}), Floats({})) == "");
    const Ref<IndexedTable> vectors = New(false, {2});
    REQUIRE(vectors->Insert(Longs({1}), Make<float>({1, 2}, {1, 2})).ok());
    CHECK(Found(*vectors, Longs({9, 1}), Floats({-1, -2})) == "[-1 -2][1 2]");
    CHECK(Found(*vectors, Longs({9, 8}), Make<float>({2, 2}, {3, 4, 5, 6})) == "[3 4][5 6]");
  }
  TEST_CASE("removing moves the last value along; importing forgets the rest") {
    const Ref<IndexedTable> table = New(false);
    REQUIRE(table->Insert(Longs({1, 2, 3}), Floats({10, 20, 30})).ok());
    REQUIRE(table->Remove(Longs({1, 99})).ok());
    CHECK(Exported(*table) == "3 2 | 30 20");
    REQUIRE(table->Remove(Longs({2, 3})).ok());
    CHECK(Exported(*table) == " | ");
    REQUIRE(table->Import(Longs({8}), Floats({80})).ok());
    CHECK(Exported(*table) == "8 | 80");
    CHECK(table->Initialize(Longs({1}), Floats({1})).ToString() == "INVALID_ARGUMENT: Table t is not initializable");
    CHECK(table->CheckImport(Longs({1, 2}), Floats({1})).ToString() ==
          "INVALID_ARGUMENT: Expected shape [2] for value, got [1]");
  }
  TEST_CASE("one that is filled once: before, meanwhile and afterwards") {
    const Ref<IndexedTable> table = New(true);
    const Tensor none = Tensor::Scalar(0.0f);
    CHECK(Found(*table, Longs({1}), none) == "FAILED_PRECONDITION: Table not initialized. It is 't'");
    CHECK(Exported(*table) == "ABORTED: HashTable is not initialized. It is 't'");
    CHECK(table->Initialize(Longs({1, 2, 1}), Floats({10, 20, 11})).ToString() ==
          "FAILED_PRECONDITION: HashTable has different value for same key. Key 1 has 10 and trying to add value 11");
    CHECK(table->Size() == 0);
    CHECK(Found(*table, Longs({1}), none).find("Table not initialized.") != std::string::npos);
    REQUIRE(table->Initialize(Longs({1, 2, 1}), Floats({10, 20, 10})).ok());
    CHECK(Exported(*table) == "1 2 | 10 20");
    CHECK(table->Initialize(Longs({7, 8}), Floats({70, 80})).ok());  // as many: not looked at
    CHECK(Found(*table, Longs({7}), none) == "0");
    CHECK(table->Initialize(Longs({7}), Floats({70})).ToString() ==
          "FAILED_PRECONDITION: Table was already initialized with different data.");
    CHECK(table->Insert(Longs({1}), Floats({1})).ToString() ==
          "UNIMPLEMENTED: Insert not supported by InitializableLookupTable implementations");
    CHECK(table->Remove(Longs({1})).ToString() ==
          "UNIMPLEMENTED: Remove not supported by InitializableLookupTable implementations");
  }
  TEST_CASE("an empty initialization is one") {
    const Ref<IndexedTable> table = New(true);
    REQUIRE(table->Initialize(Longs({}), Floats({})).ok());
    CHECK(Found(*table, Longs({1}), Tensor::Scalar(5.0f)) == "5");
    CHECK(Exported(*table) == " | ");
  }
  TEST_CASE("readers beside a writer see a value that was there") {
    const Ref<IndexedTable> table = New(false);
    REQUIRE(table->Insert(Longs({1}), Floats({1})).ok());
    std::thread writer([&] {
      for (int i = 2; i <= 300; ++i) {
        const Tensor both = Make<float>({2}, {static_cast<double>(i)});
        if (!table->Insert(Longs({1, 1000 + i}), both).ok()) return;
      }
    });
    float last = 0;
    int wrong = 0;
    for (int i = 0; i < 300; ++i) {
      Tensor out(DataType::kFloat, {1});
      if (!table->Find(Longs({1}), Tensor::Scalar(-1.0f), &out).ok()) ++wrong;
      wrong += *out.data<float>() < last ? 1 : 0;
      last = *out.data<float>();
    }
    writer.join();
    CHECK(wrong == 0);
    CHECK(Found(*table, Longs({1}), Tensor::Scalar(-1.0f)) == "300");
  }
}
}  // namespace state_table_resource_test
