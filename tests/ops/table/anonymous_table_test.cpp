// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/anonymous_table.hpp>

#include "ops/outputs.hpp"

namespace state_anonymous_table_test {
using namespace tenon;
using namespace tenon::testing;
using ops::AnonymousMutableHashTable;
using ops::AnonymousMutableHashTableOfTensors;
using ops::detail::LookupTable;

namespace {

AttrArgs Types(DataType key, DataType value) { return {{"key_dtype", key}, {"value_dtype", value}}; }
// The table that a handle keeps.
LookupTable* TableOf(const Tensor& handle) {
  return static_cast<LookupTable*>(handle.data<ResourceHandle>()->object.get());
}

}  // namespace

TEST_SUITE("tables that only their handles name") {
  TEST_CASE("each run makes one, which lives as long as a handle of it") {
    const AttrArgs types = Types(DataType::kInt64, DataType::kFloat);
    Tensor first = Run<AnonymousMutableHashTable>(types, {});
    const Tensor second = Run<AnonymousMutableHashTable>(types, {});  // after the first one's session is gone
    REQUIRE(first.data<ResourceHandle>()->IsRefCounting());
    CHECK(TableOf(first) != TableOf(second));
    REQUIRE(TableOf(first)->Insert(Longs({1, 2}), Make<float>({2}, {5, 6})).ok());
    CHECK(TableOf(first)->Size() == 2);
    CHECK(TableOf(second)->Size() == 0);
    const Tensor kept = first;
    first = Tensor();
    CHECK(TableOf(kept)->Size() == 2);
  }
  TEST_CASE("values of the shape that is asked for") {
    AttrArgs attrs = Types(DataType::kString, DataType::kInt64);
    attrs.push_back({"value_shape", PartialTensorShape({3})});
    const Tensor handle = Run<AnonymousMutableHashTableOfTensors>(attrs, {});
    CHECK(TableOf(handle)->value_shape() == TensorShape({3}));
    CHECK(TableOf(handle)->key_shape() == TensorShape());
    CHECK(TableOf(handle)->key_dtype() == DataType::kString);
    CHECK(!TableOf(handle)->once());
    CHECK(TableOf(Run<AnonymousMutableHashTable>(Types(DataType::kInt64, DataType::kVariant), {}))->value_shape() ==
          TensorShape());
  }
  TEST_CASE("types that no table holds, and values that are no vectors") {
    CHECK(ErrorOf<AnonymousMutableHashTable>(Types(DataType::kFloat, DataType::kInt64), {}) ==
          "INVALID_ARGUMENT: no kernel for op 'AnonymousMutableHashTable' on CPU with key type float and value type "
          "int64");
    AttrArgs variants = Types(DataType::kInt64, DataType::kVariant);
    variants.push_back({"value_shape", PartialTensorShape({2})});
    CHECK(ErrorOf<AnonymousMutableHashTableOfTensors>(variants, {}) ==
          "INVALID_ARGUMENT: no kernel for op 'AnonymousMutableHashTableOfTensors' on CPU with key type int64 and "
          "value type variant");
    for (const PartialTensorShape& shape :
         {PartialTensorShape({2, 2}), PartialTensorShape({-1}), PartialTensorShape()}) {
      AttrArgs attrs = Types(DataType::kInt64, DataType::kFloat);
      attrs.push_back({"value_shape", shape});
      CHECK(ErrorOf<AnonymousMutableHashTableOfTensors>(attrs, {}) ==
            StrCat("INVALID_ARGUMENT: Default value must be a vector, got shape ", shape));
    }
  }
  TEST_CASE("the shape function says what the handle stands for") {
    constexpr OpView kOp = AnonymousMutableHashTableOfTensors::signature.view();
    NodeDef node;
    node.attr.Set("key_dtype", DataType::kString);
    node.attr.Set("value_dtype", DataType::kFloat);
    node.attr.Set("value_shape", PartialTensorShape({4}));
    InferenceContext c(kGraphDefVersion, &node, &kOp, {});
    REQUIRE(RunShapeFn(&c, AnonymousMutableHashTableOfTensors::signature.shape_fn).ok());
    CHECK(c.DebugString(c.output(0)) == "[]");
    const SlimVector<ShapeAndType>* const held = c.output_handle_shapes_and_types(0);
    REQUIRE(held != nullptr);
    REQUIRE(held->size() == 2);
    CHECK((*held)[0].dtype == DataType::kString);
    CHECK(c.DebugString((*held)[0].shape) == "[]");
    CHECK((*held)[1].dtype == DataType::kFloat);
    CHECK(c.DebugString((*held)[1].shape) == "[4]");
  }
}
}  // namespace state_anonymous_table_test
