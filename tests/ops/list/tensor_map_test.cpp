// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_map.hpp>

#include "ops/outputs.hpp"

namespace list_tensor_map_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Word(const char* text) {
  Tensor tensor(DataType::kString, TensorShape());
  tensor.data<tstring>()[0] = text;
  return tensor;
}
// A map of numbers and their names.
Tensor MapOf(std::initializer_list<std::pair<std::int32_t, const char*>> entries) {
  TensorMap map;
  for (const auto& [number, name] : entries) map.Set(Int(number), Word(name));
  Tensor handle(DataType::kVariant, TensorShape());
  handle.data<Variant>()[0] = Variant(std::move(map));
  return handle;
}
// Without the comparison of inputs before and after, which maps do not have.
template <class Op>
Tensor Changed(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> outputs = Call<Op>(attrs, inputs);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  return (*outputs)[0];
}
const AttrArgs kTexts{{"value_dtype", DataType::kString}};

}  // namespace

TEST_SUITE("TensorMap") {
  TEST_CASE("entries come, change and go") {
    TensorMap map;
    map.Set(Int(3), Int(30));
    map.Set(Int(4), Int(40));
    map.Set(Int(3), Int(31));
    CHECK(map.size() == 2);
    CHECK(map.Find(Int(3)) == 0);
    CHECK(map.entries[0].value.data<std::int32_t>()[0] == 31);
    CHECK(map.Find(Ints({3})) == -1);
    CHECK(map.Find(Tensor::Scalar<std::int64_t>(3)) == -1);
    map.Remove(0);
    CHECK(map.Find(Int(3)) == -1);
    CHECK(map.Find(Int(4)) == 0);
  }
  TEST_CASE("serialised and read again") {
    TensorMap map, read;
    map.Set(Word("a"), Int(1));
    map.Set(Ints({}), Int(2));
    VariantTensorData data;
    map.Encode(&data);
    CHECK(data.tensors.size() == 4);
    CHECK(read.Decode(data));
    CHECK(read.size() == 2);
    CHECK(read.Find(Word("a")) == 0);
    data.tensors.pop_back();
    CHECK_FALSE(read.Decode(data));
  }
  TEST_CASE("the ops") {
    const Tensor map = MapOf({{3, "three"}, {4, "four"}});
    CHECK(OutputsOf<ops::TensorMapSize>({}, {map}) == "2");
    CHECK(OutputsOf<ops::TensorMapHasKey>({}, {map, Int(4)}) == "1");
    CHECK(OutputsOf<ops::TensorMapLookup>(kTexts, {map, Int(4)}) == "four");
    CHECK(OutputsOf<ops::TensorMapStackKeys>({{"key_dtype", DataType::kInt32}}, {map}) == "3 4");
    const Tensor more = Changed<ops::TensorMapInsert>({}, {map, Int(5), Word("five")});
    CHECK(OutputsOf<ops::TensorMapSize>({}, {more}) == "3");
    CHECK(OutputsOf<ops::TensorMapSize>({}, {map}) == "2");  // the input stays
    const Tensor less = Changed<ops::TensorMapErase>(kTexts, {more, Int(3)});
    CHECK(OutputsOf<ops::TensorMapHasKey>({}, {less, Int(3)}) == "0");
    CHECK(OutputsOf<ops::TensorMapLookup>(kTexts, {less, Int(5)}) == "five");
  }
  TEST_CASE("refuses keys that are not there, other types and values that are no maps") {
    const Tensor map = MapOf({{3, "three"}});
    CHECK(ErrorOf<ops::TensorMapLookup>(kTexts, {map, Int(4)}) ==
          "INVALID_ARGUMENT: TensorMapLookup: Trying to lookup non-existent key. Could not find key \"4\".");
    CHECK(ErrorOf<ops::TensorMapErase>(kTexts, {map, Int(4)}) ==
          "INVALID_ARGUMENT: TensorMapErase: Trying to erase non-existent item. Could not find key \"4\".");
    CHECK(ErrorOf<ops::TensorMapLookup>({{"value_dtype", DataType::kInt32}}, {map, Int(3)}) ==
          "INVALID_ARGUMENT: TensorMapLookup: the value is string, not int32");
    CHECK(ErrorOf<ops::TensorMapStackKeys>({{"key_dtype", DataType::kFloat}}, {map}) ==
          "INVALID_ARGUMENT: TensorMapStackKeys: Key does not match requested dtype: int32, not float");
    CHECK(ErrorOf<ops::TensorMapSize>({}, {Tensor(DataType::kVariant, TensorShape())})
              .starts_with("INVALID_ARGUMENT: TensorMapSize: Input handle is not a map."));
    CHECK(ErrorOf<ops::TensorMapSize>({}, {Tensor(DataType::kVariant, {1})}) ==
          "INVALID_ARGUMENT: TensorMapSize: Input map must be a scalar. Saw: [1]");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<ops::EmptyTensorMap>({}) == "[]");
    CHECK(ShapesOf<ops::TensorMapLookup>({{}, {2}}) == "?");
  }
}
}  // namespace list_tensor_map_test
