// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/table_dataset.hpp>

#include <string>
#include <vector>

#include "ops/data/pipeline.hpp"
#include "ops/support.hpp"

namespace table_dataset_test {
using namespace tenon;
using namespace tenon::testing;
using data_test::AnyShapes;
using data_test::TypesOf;

TEST_SUITE("InitializeTableFromDataset") {
  // Keys 0, 1, ... of as many values; "fill", and "find" for the keys 1 and 9.
  struct Filled : data_test::Pipeline {
    explicit Filled(std::vector<std::int64_t> values, bool pairs = true, const char* kind = "HashTableV2") {
      const auto n = static_cast<Index>(values.size());
      Tensor numbers(DataType::kInt64, TensorShape({n}));
      std::copy(values.begin(), values.end(), numbers.data<std::int64_t>());
      Tensor keys = numbers;
      if (pairs) {
        keys = Tensor(DataType::kInt64, TensorShape({n}));
        for (Index i = 0; i < n; ++i) keys.data<std::int64_t>()[i] = i / 2;  // each key twice
      }
      SlimVector<Output> components{b.Const("keys", keys)};
      SlimVector<DataType> types{DataType::kInt64};
      if (pairs) {
        components.push_back(b.Const("values", numbers));
        types.push_back(DataType::kInt64);
      }
      SlimVector<GraphBuilder::Input> in;
      in.push_back(components);
      const GraphBuilder::Attr attrs[] = {{"Toutput_types", types}, {"output_shapes", AnyShapes(types.size())}};
      const Output dataset = b.AddNode("TensorSliceDataset", "dataset", in, attrs);
      const Output table =
          b.Add(kind, "table", {}, {{"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kInt64}});
      b.Add("InitializeTableFromDataset", "fill", {table, dataset});
      b.Add("LookupTableFindV2", "find", {table, b.Const("wanted", Longs({1, 9})), Number("none", -1)});
      Result<Session> made = Session::FromGraph(b);
      REQUIRE_MESSAGE(made.ok(), made.status().message());
      session = *std::move(made);
    }
    std::string Fill() const {
      return session.Run({}, std::vector<std::string>(), std::vector<std::string>{"fill"}).status().ToString();
    }
  };
  TEST_CASE("elements become entries, equal ones once; again does nothing where the number of elements is the same") {
    const Filled table({5, 5, 7, 7}), one({5});
    CHECK(table.Fill() == "OK");
    CHECK(table.Fill().find("FAILED_PRECONDITION: Table was already initialized with different data.") == 0);
    CHECK(one.Fill() == "OK");
    CHECK(one.Fill() == "OK");
    const Result<std::vector<Tensor>> found = table.session.Run({}, {"find"});
    REQUIRE(found.ok());
    CHECK(Numbered<std::int64_t>((*found)[0]) == std::vector<double>{7, -1});
  }
  TEST_CASE("refuses two values of a key, no elements, single components and tables that change") {
    CHECK(Filled({5, 6}).Fill().find("FAILED_PRECONDITION: HashTable has different value") == 0);
    CHECK(Filled({}).Fill().find("OUT_OF_RANGE: end of iterator") == 0);
    CHECK(Filled({5}, false).Fill().find("INVALID_ARGUMENT: InitializeTableFromDataset: an element must be") == 0);
    CHECK(Filled({5}, true, "MutableHashTableV2").Fill().find("is not initializable") != std::string::npos);
  }
}
}  // namespace table_dataset_test
