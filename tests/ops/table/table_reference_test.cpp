// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/table_reference.hpp>

#include <cstdio>

#include "ops/outputs.hpp"
#include "ops/state/state_test.hpp"
#include "temp_folder.hpp"

namespace state_table_reference_test {
using namespace state_test;
using tenon::testing::ShapesOf;

namespace {

Tensor Texts(std::initializer_list<std::string_view> texts) {
  Tensor t(DataType::kString, {static_cast<Index>(texts.size())});
  for (std::size_t i = 0; i < texts.size(); ++i) t.data<tstring>()[i].assign(texts.begin()[i]);
  return t;
}
Tensor Float(std::initializer_list<float> numbers) {
  return MakeTensor<float>({static_cast<Index>(numbers.size())}, numbers);
}
// A table of texts by reference: nodes fed keys "k", values "v" and a default "d".
struct Table : Machine {
  explicit Table(const char* op, DataType value = DataType::kFloat) {
    table = b.Add(op, "table", {}, {{"key_dtype", DataType::kString}, {"value_dtype", value}, {"shared_name", "t"}});
    const Output k = b.Placeholder("k", DataType::kString), v = b.Placeholder("v", value),
                 d = b.Placeholder("d", value);
    b.Add("LookupTableFind", "find", {table, k, d});
    b.Add("LookupTableInsert", "insert", {table, k, v});
    b.Add("LookupTableImport", "import", {table, k, v});
    b.Add("LookupTableExport", "export", {table}, {{"Tkeys", DataType::kString}, {"Tvalues", value}});
    b.Add("LookupTableSize", "size", {table});
    b.Add("InitializeTable", "init", {table, k, v});
  }
  std::int64_t Size() const { return *Get({"size"})[0].data<std::int64_t>(); }
  Status Set(const char* node, const Tensor& k, const Tensor& v) const { return Do(node, {{"k", k}, {"v", v}}); }
  Output table;
};

}  // namespace

TEST_SUITE("tables by reference") {
  TEST_CASE("a mutable one changes from run to run") {
    Table m("MutableHashTable");
    m.Start();
    REQUIRE(m.Set("insert", Texts({"a", "b"}), Float({1, 2})).ok());
    CHECK(m.Floats("find", {{"k", Texts({"b", "x"})}, {"d", Tensor::Scalar(-1.0f)}}) == Floats{2, -1});
    REQUIRE(m.Set("import", Texts({"c"}), Float({3})).ok());
    CHECK(m.Size() == 1);
    CHECK(m.Get({"export:0"})[0].data<tstring>()->view() == "c");
    CHECK(m.Set("insert", Texts({"a", "b"}), Float({1})).message() ==
          "Expected shape [2] for value, got [1] [node 'insert', CPU:0]");
    CHECK(m.Set("init", Texts({"a"}), Float({1})).message() == "Table t is not initializable [node 'init', CPU:0]");
    CHECK(m.Size() == 1);
  }
  TEST_CASE("one that is filled once, by a handle of the newer ops as well") {
    Table m("HashTable");
    const Output handle =
        m.b.Add("HashTableV2", "handle", {},
                {{"key_dtype", DataType::kString}, {"value_dtype", DataType::kFloat}, {"shared_name", "t"}});
    m.b.Add("LookupTableSizeV2", "size_by_handle", {handle});
    m.Start();
    CHECK(m.Try({"find"}, {{"k", Texts({"a"})}, {"d", Tensor::Scalar(0.0f)}}).message() ==
          "Table not initialized. It is 't' [node 'find', CPU:0]");
    REQUIRE(m.Set("init", Texts({"a", "b"}), Float({1, 2})).ok());
    CHECK(*m.Get({"size_by_handle"})[0].data<std::int64_t>() == 2);
    CHECK(m.Set("insert", Texts({"z"}), Float({1})).code() == Code::kUnimplemented);
  }
  TEST_CASE("from a file") {
    const TempFolder folder;
    const std::string path = folder / "words";
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    REQUIRE(file != nullptr);
    std::fputs("x\ny\n", file);
    std::fclose(file);
    Table m("HashTable", DataType::kInt64);
    m.b.Add("InitializeTableFromTextFile", "read", {m.table, m.b.Const("path", Tensor::Scalar(tstring(path)))},
            {{"key_index", -2}, {"value_index", -1}, {"offset", 5}});
    m.Start();
    REQUIRE(m.Do("read").ok());
    const std::vector<NamedTensor> feeds{{"k", Texts({"y"})}, {"d", Tensor::Scalar<std::int64_t>(-1)}};
    CHECK(*m.Get({"find"}, feeds)[0].data<std::int64_t>() == 6);
  }
  TEST_CASE("of other types, and something else in place of the reference") {
    Table m("MutableHashTable");
    m.b.Add("LookupTableInsert", "wrong", {m.table, m.b.Const("wk", Texts({"a"})), m.b.Const("wv", Tensor::Scalar(1))});
    m.Start();
    CHECK(m.Do("wrong").message() ==
          "Signature mismatch, have: resource, string, int32-> expected: resource, string, float-> [node 'wrong', "
          "CPU:0]");
    CHECK(m.Try({"size"}, {{"table", Texts({"localhost", "t"})}}).message() ==
          "Input 0 of node size was passed string incompatible with expected string_ref. [node 'size', CPU:0]");
  }
  TEST_CASE("shapes: a reference has two elements") {
    CHECK(ShapesOf<ops::LookupTableFind>({{2}, {3}, {}}, {{"Tin", DataType::kInt64}, {"Tout", DataType::kFloat}}) ==
          "?");
    CHECK(ShapesOf<ops::LookupTableFind>({{2}, {3}, {1, 1}}) ==
          "INVALID_ARGUMENT: Shape must be at most rank 1 but is rank 2");
    CHECK(ShapesOf<ops::LookupTableExport>({{2}}) == "[?] ?");
    CHECK(ShapesOf<ops::LookupTableSize>({{2}}) == "[]");
    CHECK(ShapesOf<ops::InitializeTable>({{2}, {3}, {4}}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ShapesOf<ops::InitializeTableFromTextFile>({{3}, {}}) == "INVALID_ARGUMENT: Dimension must be 2 but is 3");
  }
}
}  // namespace state_table_reference_test
