// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/dense_table.hpp>

#include <tenon/memory/tracking_allocator.hpp>

#include "ops/state/state_test.hpp"

namespace state_dense_table_test {
using namespace state_test;

namespace {

Tensor Long(std::int64_t x) { return Tensor::Scalar(x); }

// A table "name" from int64 to float, with nodes that are fed "k" and "v".
struct Table : Machine {
  Output Add(const std::string& name, std::vector<GraphBuilder::Attr> attrs, Tensor empty = Long(-1)) {
    attrs.push_back({"key_dtype", empty.dtype()});
    attrs.push_back({"value_dtype", DataType::kFloat});
    const Output deleted =
        b.Const(name + "/deleted", empty.dtype() == DataType::kInt64 ? Long(-2) : Tensor::Scalar(-2));
    const Output table =
        b.AddNode("MutableDenseHashTableV2", name,
                  std::vector<GraphBuilder::Input>{b.Const(name + "/empty", std::move(empty)), deleted}, attrs);
    b.Add("LookupTableSizeV2", name + "/size", {table});
    return table;
  }
  std::int64_t Size(const std::string& name) const { return *Get({name + "/size"})[0].data<std::int64_t>(); }
};

}  // namespace

TEST_SUITE("MutableDenseHashTable") {
  TEST_CASE("nodes with one shared_name share the table of the first that runs, whatever their options") {
    Table m;
    const Output first = m.Add("first", {{"shared_name", "t"}, {"initial_num_buckets", 8}});
    m.Add("second", {{"shared_name", "t"}, {"initial_num_buckets", 5}});  // no table by itself
    m.Add("third", {{"shared_name", "other"}, {"initial_num_buckets", 5}});
    m.b.Add("LookupTableInsertV2", "insert",
            {first, m.b.Placeholder("k", DataType::kInt64), m.b.Placeholder("v", DataType::kFloat)});
    m.Start();
    REQUIRE(m.Do("insert", {{"k", MakeTensor<std::int64_t>({2}, {1, 2})}, {"v", MakeTensor<float>({2}, {5, 6})}}).ok());
    CHECK(m.Size("second") == 2);
    CHECK(m.Try({"third/size"}).message() ==
          "Number of buckets must be at least 4 and a power of 2, got: 5 [node 'third', CPU:0]");
  }
  TEST_CASE("a table of other types under the name is refused") {
    Table m;
    m.Add("first", {{"shared_name", "t"}, {"initial_num_buckets", 8}});
    m.Add("second", {{"shared_name", "t"}, {"initial_num_buckets", 8}}, Tensor::Scalar(-1));
    m.Start();
    CHECK(m.Size("first") == 0);
    CHECK(m.Try({"second/size"}).message() ==
          "Conflicting key/value dtypes int32->float with int64-float for table t [node 'second', CPU:0]");
  }
  TEST_CASE("what could not be made is tried again in the next run") {
    TrackingAllocator memory(CpuAllocator());
    Table m;
    m.Add("t", {{"initial_num_buckets", 1 << 16}});
    m.Start({.intra_op_threads = 1, .allocator = &memory});
    memory.FailAllocations(1, TrackingAllocator::kAll);
    CHECK(m.Try({"t/size"}).code() == Code::kResourceExhausted);
    memory.FailAllocations(0);
    CHECK(m.Size("t") == 0);
    CHECK(memory.GetStats()->bytes_in_use >= (1 << 16) * 12);  // the buckets lie in the session's memory
  }
  TEST_CASE("types that it does not hold") {
    Machine m;
    const Output empty = m.b.Const("e", Tensor::Scalar(1.0f)), deleted = m.b.Const("d", Tensor::Scalar(2.0f));
    const Output table = m.b.Add("MutableDenseHashTableV2", "t", {empty, deleted}, {{"value_dtype", DataType::kInt64}});
    m.b.Add("LookupTableSizeV2", "size", {table});
    const Result<Session> session = Session::FromGraph(m.b);
    const Status status = session.ok() ? session->Run({}, {"size"}).status() : session.status();
    CHECK(status.message().find("no kernel for op 'MutableDenseHashTableV2' on CPU with key type float and value type "
                                "int64") == 0);
  }
  TEST_CASE("the shape function hands on the key's shape and the value's") {
    constexpr OpView kOp = ops::MutableDenseHashTableV2::signature.view();
    NodeDef node;
    node.attr.Set("key_dtype", DataType::kString);
    node.attr.Set("value_dtype", DataType::kBool);
    node.attr.Set("value_shape", PartialTensorShape({7}));
    const PartialTensorShape key({3}), matrix({3, 3});
    const PartialTensorShape good[] = {key, key}, bad[] = {matrix, matrix};
    InferenceContext c(kGraphDefVersion, &node, &kOp, good);
    REQUIRE(RunShapeFn(&c, kOp.shape_fn).ok());
    const SlimVector<ShapeAndType>& held = *c.output_handle_shapes_and_types(0);
    CHECK(c.DebugString(held[0].shape) == "[3]");
    CHECK(held[0].dtype == DataType::kString);
    CHECK(c.DebugString(held[1].shape) == "[7]");
    InferenceContext of_matrix(kGraphDefVersion, &node, &kOp, bad);
    CHECK(RunShapeFn(&of_matrix, kOp.shape_fn).message().find("Shape must be at most rank 1 but is rank 2") == 0);
  }
}
}  // namespace state_dense_table_test
