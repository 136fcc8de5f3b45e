// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/set.hpp>

#include <set>

#include "ops/outputs.hpp"

namespace sparse_set_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::ParseSetOperation;
using ops::detail::SetElement;
using ops::detail::SetGroups;
using ops::detail::SetOperation;

namespace {

Tensor Places(Index rank, std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / rank, rank}, numbers);
}
// "[group]begin-end" of every set.
std::string Walked(SetGroups groups) {
  std::string text;
  for (; !groups.done(); groups.Next())
    StrAppend(&text, ops::detail::SizesText(groups.index(), groups.rank() - 1), groups.begin(), "-", groups.end(), " ");
  return text;
}
AttrArgs Operation(const char* name) { return {{"set_operation", std::string(name)}}; }

}  // namespace

TEST_SUITE("sets") {
  TEST_CASE("the names of operations, in any case") {
    SetOperation operation{};
    CHECK(ParseSetOperation("A-b", &operation).ok());
    CHECK(operation == SetOperation::kAMinusB);
    CHECK(ParseSetOperation("UNION", &operation).ok());
    CHECK(operation == SetOperation::kUnion);
    CHECK(ParseSetOperation("", &operation).ToString() ==
          "INVALID_ARGUMENT: Invalid set_operation ; it must be a-b, b-a, intersection or union.");
    CHECK(ParseSetOperation("a-B ", &operation).message().find("Invalid set_operation a-B ;") == 0);
  }
  TEST_CASE("the groups of a dense tensor and of a sparse one") {
    CHECK(Walked(SetGroups(Tensor(DataType::kInt32, {2, 2, 3}))) == "[0,0]0-3 [0,1]3-6 [1,0]6-9 [1,1]9-12 ");
    CHECK(Walked(SetGroups(Tensor(DataType::kInt32, {2, 0}))) == "[0]0-0 [1]0-0 ");
    CHECK(Walked(SetGroups(Tensor(DataType::kInt32, {0, 2}))) == "");
    CHECK(Walked(SetGroups(Tensor(DataType::kInt32, {2, 0, 2}))) == "");
    const Tensor places = Places(2, {0, 0, 0, 1, 3, 0}), values = Ints({1, 2, 3}), shape = Longs({4, 2});
    CHECK(Walked(SetGroups(ops::detail::SparseInput{&places, &values, &shape})) == "[0]0-2 [3]2-3 ");
    const Tensor nothing = Places(2, {}), none = Ints({});
    CHECK(Walked(SetGroups(ops::detail::SparseInput{&nothing, &none, &shape})) == "");
  }
  TEST_CASE("all operations on random sets, against std::set") {
    Numbers numbers(3);
    for (int k = 0; k < 20; ++k) {
      Tensor a(DataType::kInt32, {6}), b(DataType::kInt32, {5});
      std::set<std::int64_t> in_a, in_b;
      for (Index i = 0; i < 6; ++i)
        in_a.insert(a.data<std::int32_t>()[i] = static_cast<std::int32_t>(numbers.Below(9)) - 4);
      for (Index i = 0; i < 5; ++i)
        in_b.insert(b.data<std::int32_t>()[i] = static_cast<std::int32_t>(numbers.Below(9)) - 4);
      SlimVector<SetElement<std::int64_t>> set_a, set_b;
      ops::detail::MakeSet(a, 0, 6, &set_a);
      ops::detail::MakeSet(b, 0, 5, &set_b);
      for (int o = 0; o < 4; ++o) {
        std::string want, got;
        for (std::int64_t x = -4; x <= 4; ++x) {
          const bool one = in_a.count(x) > 0, other = in_b.count(x) > 0;
          if (o == 0 ? one && !other : o == 1 ? other && !one : o == 2 ? one && other : one || other)
            StrAppend(&want, x, " ");
        }
        SlimVector<SetElement<std::int64_t>> result;
        ops::detail::Combine(static_cast<SetOperation>(o), set_a, set_b, &result);
        for (const auto& element : result) StrAppend(&got, element.key, " ");
        CHECK(got == want);
      }
    }
  }
  TEST_CASE("sizes of sets of every type, against std::set") {
    ops::detail::DistinctCounter counter;
    for (const Index n : {0, 1, 8, 9, 300, 5000}) {
      Tensor wide(DataType::kInt64, {n}), small(DataType::kInt8, {n}), bytes(DataType::kUint8, {n});
      std::set<std::int64_t> of_wide, of_small;
      std::set<int> of_bytes;
      for (Index i = 0; i < n; ++i) {
        wide.data<std::int64_t>()[i] = (i * i * 7919 % 1009 - 500) << 40;
        small.data<std::int8_t>()[i] = static_cast<std::int8_t>(i * 37 % 251);
        bytes.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 37 % 251);
        of_wide.insert(wide.data<std::int64_t>()[i]);
        of_small.insert(small.data<std::int8_t>()[i]);
        of_bytes.insert(bytes.data<std::uint8_t>()[i]);
      }
      CHECK(counter.Count(wide, 0, n) == static_cast<Index>(of_wide.size()));
      CHECK(counter.Count(small, 0, n) == static_cast<Index>(of_small.size()));
      CHECK(counter.Count(bytes, 0, n) == static_cast<Index>(of_bytes.size()));
    }
  }
  TEST_CASE("what only b has counts, unless a is dense and b is not") {
    const Tensor one = Places(2, {0, 0}), third = Places(2, {2, 0}), shape = Longs({3, 1});
    CHECK(OutputsOf<ops::SparseToSparseSetOperation>(
              Operation("union"), {one, Ints({5}), shape, third, Ints({7}), shape}) == "[0 0][2 0] | 5 7 | 3 1");
    CHECK(OutputsOf<ops::DenseToSparseSetOperation>(Operation("b-a"), {MakeTensor<std::int32_t>({3, 1}, {7, 8, 9}),
                                                                       third, Ints({7}), shape}) == "[2 0] | 7 | 3 1");
    CHECK(OutputsOf<ops::DenseToDenseSetOperation>(
              Operation("intersection"), {Tensor(DataType::kInt32, {2, 0}), Tensor(DataType::kInt32, {2, 3})}) ==
          " |  | 2 0");
    CHECK(OutputsOf<ops::SetSize>({}, {Places(2, {0, 0, 0, 1, 2, 0}), Ints({5, 5, 6}), Longs({3, 2})}) == "1 0 1");
  }
  TEST_CASE("indices are looked at where they are to be") {
    const auto size = [](const Tensor& places, bool validate) {
      return OutputsOf<ops::SetSize>({{"validate_indices", validate}}, {places, Ints({5, 6}), Longs({3, 2})});
    };
    const std::string where = "INVALID_ARGUMENT: SetSize: ";
    CHECK(size(Places(2, {1, 0, 0, 0}), true) ==
          where + "indices[1] = [0,0] is out of order. Many sparse ops require sorted indices.");
    CHECK(size(Places(2, {1, 0, 1, 0}), true) == where + "indices[1] = [1,0] is repeated");
    CHECK(size(Places(2, {1, 0, 1, 2}), true) ==
          where + "indices[1] = [1,2] is out of bounds: need 0 <= index < [3,2]");
    CHECK(size(Places(2, {1, 0, 1, 2}), false) == "INTERNAL: SetSize: indices[1, 1] expected < 2, got 2");
    CHECK(size(Places(2, {1, 0, 1, -2}), false) == "0 2 0");
    CHECK(size(Places(2, {1, 0, 3, 0}), false) == "INTERNAL: SetSize: the set at [3] is outside of the groups [3]");
  }
  TEST_CASE("operands that do not fit each other") {
    const std::string where = "INVALID_ARGUMENT: DenseToDenseSetOperation: ";
    const auto refused = [](const TensorShape& a, const TensorShape& b) {
      return ErrorOf<ops::DenseToDenseSetOperation>(Operation("a-b"),
                                                    {Tensor(DataType::kInt32, a), Tensor(DataType::kInt32, b)});
    };
    CHECK(refused({3}, {3}) == where + "Invalid input, expected rank >= 2, got shape [3]");
    CHECK(refused({3, 1}, {3, 1, 1}) == where + "Ranks do not match: set1 has 2, set2 3");
    CHECK(refused({3, 1}, {2, 1}) == where + "Mismatched group shapes [3] and [2]");
  }
}
}  // namespace sparse_set_test
