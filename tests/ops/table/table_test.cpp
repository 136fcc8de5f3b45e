// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/table.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "ops/state/state_test.hpp"

namespace state_table_test {
using namespace state_test;

namespace {

using Longs = std::vector<std::int64_t>;

Tensor Long(const Longs& values) {
  Tensor t(DataType::kInt64, {static_cast<Index>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) t.data<std::int64_t>()[i] = values[i];
  return t;
}
Tensor Texts(const std::vector<std::string_view>& values) {
  Tensor t(DataType::kString, {static_cast<Index>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) t.data<tstring>()[i].assign(values[i]);
  return t;
}
Tensor Float(const Floats& values) {
  Tensor t(DataType::kFloat, {static_cast<Index>(values.size())});
  for (std::size_t i = 0; i < values.size(); ++i) t.data<float>()[i] = values[i];
  return t;
}

// A table "table" of any op with nodes that are fed keys "k", values "v" and a default "d".
struct TableMachine : Machine {
  TableMachine(std::string_view op, DataType key, DataType value, const std::vector<GraphBuilder::Attr>& more = {}) {
    std::vector<GraphBuilder::Attr> attrs = {{"key_dtype", key}, {"value_dtype", value}, {"shared_name", "t"}};
    attrs.insert(attrs.end(), more.begin(), more.end());
    const Output table = b.AddNode(op, "table", {}, attrs);
    const Output k = b.Placeholder("k", key), v = b.Placeholder("v", value), d = b.Placeholder("d", value);
    b.Add("LookupTableFindV2", "find", {table, k, d});
    b.Add("LookupTableSizeV2", "size", {table});
    b.Add("LookupTableInsertV2", "insert", {table, k, v});
    b.Add("LookupTableImportV2", "import", {table, k, v});
    b.Add("LookupTableRemoveV2", "remove", {table, k});
    b.Add("InitializeTableV2", "init", {table, k, v});
    b.Add("LookupTableExportV2", "export", {table}, {{"Tkeys", key}, {"Tvalues", value}});
    Start();
  }
  Status Set(const char* node, const Tensor& k, const Tensor& v) const { return Do(node, {{"k", k}, {"v", v}}); }
  std::int64_t Size() const { return *Get({"size"})[0].data<std::int64_t>(); }
};
bool Refuses(const Status& status, Code code, std::string_view phrase) {
  return status.code() == code && std::string_view(status.message()).find(phrase) != std::string_view::npos;
}

}  // namespace

TEST_SUITE("tables, with TensorFlow's answers") {
  TEST_CASE("a mutable one") {
    const TableMachine m("MutableHashTableV2", DataType::kString, DataType::kInt64);
    REQUIRE(m.Do("remove", {{"k", Texts({"a"})}}).ok());  // of nothing
    REQUIRE(m.Set("insert", Texts({"a", "b", "a"}), Long({1, 2, 3})).ok());
    CHECK(m.Size() == 2);
    const auto find = [&](const Tensor& k, const Tensor& d) {
      const Tensor got = m.Get({"find"}, {{"k", k}, {"d", d}})[0];
      return Longs(got.data<std::int64_t>(), got.data<std::int64_t>() + got.NumElements());
    };
    CHECK(find(Texts({"a", "x"}), Tensor::Scalar<std::int64_t>(-1)) == Longs{3, -1});
    CHECK(find(Texts({"a", "x"}), Long({8, 9})) == Longs{3, 9});
    CHECK(Refuses(m.Try({"find"}, {{"k", Texts({"a", "x"})}, {"d", Long({8})}}), Code::kInvalidArgument,
                  "Expected shape [] or [2] for default value, got [1]"));
    CHECK(Refuses(m.Set("insert", Texts({"a"}), Long({1, 2})), Code::kInvalidArgument,
                  "Expected shape [1] for value, got [2]"));
    REQUIRE(m.Do("remove", {{"k", Texts({"a", "zz"})}}).ok());
    CHECK(m.Size() == 1);
    REQUIRE(m.Set("import", Texts({"q", "r", "s"}), Long({5, 6, 7})).ok());
    CHECK(m.Size() == 3);  // what it held before is gone
    CHECK(find(Texts({"b", "r"}), Tensor::Scalar<std::int64_t>(0)) == Longs{0, 6});
    CHECK(Refuses(m.Set("init", Texts({"a"}), Long({1})), Code::kInvalidArgument, "is not initializable"));
  }
  TEST_CASE("one that is filled once") {
    const TableMachine m("HashTableV2", DataType::kInt64, DataType::kFloat);
    const std::vector<NamedTensor> keys = {{"k", Long({2, 7})}, {"d", Tensor::Scalar(-1.0f)}};
    CHECK(Refuses(m.Try({"find"}, keys), Code::kFailedPrecondition, "Table not initialized."));
    CHECK(m.Size() == 0);
    REQUIRE(m.Set("init", Long({1, 1, 2}), Float({1, 1, 5})).ok());  // the same pair twice
    CHECK(m.Size() == 2);
    CHECK(m.Floats("find", keys) == Floats{5, -1});
    CHECK(m.Set("init", Long({1, 3}), Float({1, 9})).ok());  // does nothing
    CHECK(Refuses(m.Set("init", Long({1, 3, 4}), Float({1, 9, 8})), Code::kFailedPrecondition,
                  "Table was already initialized with different data."));
    CHECK(m.Size() == 2);
    CHECK(Refuses(m.Set("insert", Long({1}), Float({1})), Code::kUnimplemented, "Insert not supported by"));
    CHECK(Refuses(m.Do("remove", {{"k", Long({1})}}), Code::kUnimplemented, "Remove not supported by"));
    const std::vector<Tensor> all = m.Get({"export:0", "export:1"});
    float sum = 0;
    for (Index i = 0; i < all[0].NumElements(); ++i)
      sum += all[1].data<float>()[i] * static_cast<float>(all[0].data<std::int64_t>()[i]);
    CHECK(sum == 1 * 1 + 2 * 5);

    const TableMachine other("HashTableV2", DataType::kInt64, DataType::kFloat);
    CHECK(Refuses(other.Set("init", Long({1, 1}), Float({1, 2})), Code::kFailedPrecondition,
                  "HashTable has different value for same key. Key 1 has 1 and trying to add value 2"));
    CHECK(Refuses(other.Set("init", Long({1, 2}), Float({1})), Code::kInvalidArgument,
                  "Keys and values must have the same size 2 vs 1"));
  }
  TEST_CASE("one of vectors") {
    const TableMachine m("MutableHashTableOfTensorsV2", DataType::kInt64, DataType::kFloat,
                         {{"value_shape", PartialTensorShape(TensorShape({2}))}});
    REQUIRE(m.Set("insert", Long({1, 2}), MakeTensor<float>({2, 2}, {1, 2, 3, 4})).ok());
    CHECK(m.Floats("find", {{"k", Long({2, 9})}, {"d", Float({-1, -2})}}) == Floats{3, 4, -1, -2});
    CHECK(Refuses(m.Try({"find"}, {{"k", Long({2, 9})}, {"d", Tensor::Scalar(-1.0f)}}), Code::kInvalidArgument,
                  "Expected shape [2] or [2,2] for default value, got []"));
    CHECK(Refuses(m.Set("insert", Long({1, 2}), Float({1, 2})), Code::kInvalidArgument,
                  "Expected shape [2,2] for value, got [2]"));
  }
  TEST_CASE("of many keys, half of them taken out again") {
    const TableMachine m("MutableHashTableV2", DataType::kInt64, DataType::kInt64);
    Longs keys, squares, odd;
    for (std::int64_t i = 0; i < 1000; ++i) {
      keys.push_back(i * 4096);
      squares.push_back(i * i);
      if (i % 2 != 0) odd.push_back(i * 4096);
    }
    REQUIRE(m.Set("insert", Long(keys), Long(squares)).ok());
    REQUIRE(m.Do("remove", {{"k", Long(odd)}}).ok());
    CHECK(m.Size() == 500);
    const Tensor found = m.Get({"find"}, {{"k", Long(keys)}, {"d", Tensor::Scalar<std::int64_t>(-1)}})[0];
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 1000; ++i) wrong += found.data<std::int64_t>()[i] != (i % 2 != 0 ? -1 : i * i);
    CHECK(wrong == 0);
  }
  TEST_CASE("one without a name is new in every run and goes with its handle") {
    for (const char* op : {"AnonymousMutableHashTable", "AnonymousMutableDenseHashTable"}) {
      CAPTURE(op);
      const bool dense = op[16] == 'D';
      GraphBuilder b;
      const Output empty = b.Const("empty", Tensor::Scalar(std::int64_t{-1})),
                   deleted = b.Const("deleted", Tensor::Scalar(std::int64_t{-2}));
      const DataType key = DataType::kInt64, value = DataType::kFloat;
      const std::vector<GraphBuilder::Attr> attrs{{"key_dtype", key}, {"value_dtype", value}};
      std::vector<GraphBuilder::Input> keys;
      if (dense) keys = {empty, deleted};
      const Output table = b.AddNode(op, "table", keys, attrs);
      const Output t = b.Placeholder("t", DataType::kResource), k = b.Placeholder("k", key),
                   v = b.Placeholder("v", value);
      b.Add("LookupTableInsertV2", "insert", {t, k, v});
      b.Add("LookupTableSizeV2", "size", {t});
      b.Add("LookupTableSizeV2", "size_now", {table});
      b.Add("DestroyResourceOp", "destroy", {t});
      REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
      ResourceMgr resources;
      TrackingAllocator memory(CpuAllocator());
      const auto session = Session::FromGraph(b, {.allocator = &memory, .resources = &resources});
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      const auto size = [&](const Tensor& handle) {
        const auto out = session->Run({{"t", handle}}, {"size"});
        REQUIRE_MESSAGE(out.ok(), out.status().ToString());
        return *(*out)[0].data<std::int64_t>();
      };
      std::int64_t bytes = 0;
      for (int run = 0; run < 20; ++run) {
        CHECK(*(*session->Run({}, {"size_now"}))[0].data<std::int64_t>() == 0);
        const Tensor one = (*session->Run({}, {"table"}))[0], other = (*session->Run({}, {"table"}))[0];
        CHECK(session->Run({{"t", one}, {"k", Long({3, 4})}, {"v", Float({1, 2})}}, {}, {"insert"}).ok());
        CHECK(size(one) == 2);
        CHECK(size(other) == 0);
        CHECK(session->Run({{"t", one}}, {}, {"destroy"}).ok());  // has no effect, as in TensorFlow
        CHECK(size(one) == 2);
        if (run == 9) bytes = memory.GetStats()->bytes_in_use;
      }
      CHECK(memory.GetStats()->bytes_in_use == bytes);
      CHECK(resources.DebugString().empty());
    }
  }
  TEST_CASE("of the wrong types") {
    Machine m;
    const auto table = [&](const char* name, DataType value) {
      return m.b.Add("HashTableV2", name, {},
                     {{"key_dtype", DataType::kInt64}, {"value_dtype", value}, {"shared_name", "h"}});
    };
    const Output first = table("first", DataType::kFloat), second = table("second", DataType::kInt64);
    m.b.Add("LookupTableSizeV2", "size", {first});
    m.b.Add("LookupTableSizeV2", "other", {second});
    m.b.Add("LookupTableFindV2", "find",
            {first, m.b.Const("k", Long({1})), m.b.Const("d", Tensor::Scalar<std::int64_t>(0))});
    m.Start();
    REQUIRE(m.Try({"size"}).ok());
    CHECK(Refuses(m.Try({"other"}), Code::kInvalidArgument,
                  "Conflicting key/value dtypes int64->int64 with int64-float for table h"));
    CHECK(Refuses(m.Try({"find"}), Code::kInvalidArgument,
                  "Signature mismatch, have: resource, int64, int64-> expected: resource, int64, float->"));
  }
}
}  // namespace state_table_test
