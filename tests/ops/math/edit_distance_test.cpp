// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/edit_distance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_edit_distance_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers, Index rank = 2) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / rank, rank}, numbers);
}
Tensor Symbols(std::initializer_list<std::int32_t> numbers) { return Ints(numbers); }

// Levenshtein's distance by its definition, from the ends.
std::size_t Edits(const std::vector<int>& a, const std::vector<int>& b, std::size_t n, std::size_t m) {
  if (n == 0 || m == 0) return n + m;
  const std::size_t replaced = Edits(a, b, n - 1, m - 1) + (a[n - 1] == b[m - 1] ? 0 : 1);
  return std::min({replaced, Edits(a, b, n - 1, m) + 1, Edits(a, b, n, m - 1) + 1});
}
// The distances of rows [0, rows) of which each has one sequence of the hypothesis and one of the truth.
std::vector<double> Distances(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  return Numbered<float>(Run<ops::EditDistance>(attrs, inputs));
}
std::string Error(const std::vector<Tensor>& inputs) { return ErrorOf<ops::EditDistance>({}, inputs); }

}  // namespace

TEST_SUITE("EditDistance") {
  TEST_CASE("is Levenshtein's for sequences of every length up to 5") {
    tenon::testing::Numbers numbers(3);
    for (std::size_t n = 0; n <= 5; ++n)
      for (std::size_t m = 0; m <= 5; ++m) {
        std::vector<int> a, b;
        Tensor x(DataType::kInt32, {static_cast<Index>(n)}), y(DataType::kInt32, {static_cast<Index>(m)});
        for (std::size_t i = 0; i < n; ++i)
          x.data<std::int32_t>()[i] = a.emplace_back(static_cast<int>(numbers.Below(3)));
        for (std::size_t i = 0; i < m; ++i)
          y.data<std::int32_t>()[i] = b.emplace_back(static_cast<int>(numbers.Below(3)));
        SlimVector<Index> row;
        const ops::detail::SymbolKeys x_keys(x), y_keys(y);
        CHECK(ops::detail::EditsBetween(x_keys, 0, static_cast<Index>(n), y_keys, 0, static_cast<Index>(m), &row) ==
              static_cast<Index>(Edits(a, b, n, m)));
      }
  }
  TEST_CASE("64 rows at a time are what rows one by one are, for lengths around words") {
    tenon::testing::Numbers numbers(5);
    Cpu device;
    for (const Index n : {1, 2, 63, 64, 65, 127, 128, 129, 300})
      for (const Index m : {1, 2, 63, 64, 65, 130, 301})
        for (const Index symbols : {2, 4, 1000}) {
          Tensor x(DataType::kInt64, {n}), y(DataType::kInt64, {m});
          for (Index i = 0; i < n; ++i) x.data<std::int64_t>()[i] = numbers.Below(symbols);
          for (Index i = 0; i < m; ++i)  // near to x, and other symbols
            y.data<std::int64_t>()[i] =
                i < n && numbers.Below(3) > 0 ? x.data<std::int64_t>()[i] : numbers.Below(symbols + 1);
          const ops::detail::ElementKeys keys(x);
          const ops::detail::SymbolNumbers both(device, keys, y);
          ops::detail::BitParallelEdits bits(both.count());
          SlimVector<Index> row;
          const Index wanted =
              ops::detail::EditsBetween(ops::detail::SymbolKeys(x), 0, n, ops::detail::SymbolKeys(y), 0, m, &row);
          CHECK(bits.Between(both.truth(), n, both.hypothesis(), m) == wanted);
          CHECK(bits.Between(both.truth(), n, both.hypothesis(), m) == wanted);  // nothing is left behind
          CHECK(bits.Between(both.truth(), n, both.truth(), n) == 0);
          CHECK(bits.Between(both.truth(), n, both.hypothesis(), 0) == n);
        }
  }
  TEST_CASE("symbols of many words and kinds: numbered, or compared one by one") {
    Cpu device;
    const Tensor long_text = Random<std::int32_t>({40000}, 1);  // all places of all symbols would be too many
    const ops::detail::ElementKeys keys(long_text);
    const ops::detail::SymbolNumbers numbers(device, keys, long_text);
    ops::detail::BitParallelEdits bits(numbers.count());
    const Index edits = bits.Between(numbers.truth(), 40000, numbers.hypothesis(), 1);
    CHECK((numbers.count() > 6710 ? edits == -1 : edits == 39999));
    CHECK(bits.Between(numbers.truth(), 100, numbers.hypothesis(), 99) == 1);
    const auto distance = [&](const Tensor& a, const Tensor& b) {
      Tensor a_places(DataType::kInt64, {a.NumElements(), 2}), b_places(DataType::kInt64, {b.NumElements(), 2});
      for (const Tensor* places : {&a_places, &b_places})
        for (Index i = 0; i < places->NumElements(); ++i)
          const_cast<Tensor*>(places)->data<std::int64_t>()[i] = i % 2 == 0 ? 0 : i / 2;
      return Distances({{"normalize", false}},
                       {a_places, a, Longs({1, a.NumElements()}), b_places, b, Longs({1, b.NumElements()})})[0];
    };
    CHECK(distance(Make<float>({3}, {0, 1, kNaN}), Make<float>({3}, {-0.0, 1, kNaN})) == 1);
    CHECK(distance(Make<complex64>({2}, {0, 2}), Make<complex64>({3}, {-0.0, 3, 4})) == 2);
    CHECK(distance(AnyBits(DataType::kString, {4}), AnyBits(DataType::kString, {5})) == 1);
  }
  TEST_CASE("texts, zeros of two signs and complex numbers are equal by value, NaN to nothing") {
    const auto distance = [](const Tensor& a, const Tensor& b) {
      SlimVector<Index> row;
      return ops::detail::EditsBetween(ops::detail::SymbolKeys(a), 0, a.NumElements(), ops::detail::SymbolKeys(b), 0,
                                       b.NumElements(), &row);
    };
    CHECK(distance(Make<float>({2}, {0, 1}), Make<float>({2}, {-0.0, 1})) == 0);
    CHECK(distance(Make<float>({1}, {kNaN}), Make<float>({1}, {kNaN})) == 1);
    CHECK(distance(Make<complex64>({2}, {0, 2}), Make<complex64>({2}, {-0.0, 3})) == 1);
    CHECK(distance(Make<complex128>({1}, {kNaN}), Make<complex128>({1}, {kNaN})) == 1);
    CHECK(distance(AnyBits(DataType::kString, {4}), AnyBits(DataType::kString, {4})) == 0);
  }
  TEST_CASE("sequences are runs of elements whose indices but the last are the same") {
    // The first group comes again at the end: that is a run of its own.
    const Tensor places = Places({0, 1, 0, 0, 1, 5, 1, 0, 2, 0, 1, 9}, 3);
    ops::detail::SequenceReader reader(In<std::int64_t>(places.any_view()), 3);
    std::string runs;
    for (; !reader.done(); reader.Next())
      StrAppend(&runs, reader.begin(), "+", reader.size(), " of ", reader.group()[0], ",", reader.group()[1], "; ");
    CHECK(runs == "0+2 of 0,1; 2+1 of 1,0; 3+1 of 0,1; ");
    const Tensor none(DataType::kInt64, {0, 3});
    CHECK(ops::detail::SequenceReader(In<std::int64_t>(none.any_view()), 3).done());
  }
  TEST_CASE("a sequence that only one side has is all inserted or all deleted") {
    // Rows: 0 only in the hypothesis, 1 in both, 2 only in the truth, 3 in neither.
    const std::vector<Tensor> inputs{Places({0, 0, 0, 1, 1, 0}), Symbols({1, 2, 3}), Longs({3, 2}),
                                     Places({1, 0, 1, 1, 2, 0}), Symbols({3, 4, 5}), Longs({4, 2})};
    CHECK(Distances({{"normalize", false}}, inputs) == std::vector<double>{2, 1, 1, 0});
    CHECK(Distances({}, inputs) == std::vector<double>{kInfinity, .5, 1, 0});
  }
  TEST_CASE("no sequences at all") {
    const Tensor none(DataType::kInt64, {0, 2});
    CHECK(Distances({}, {none, Symbols({}), Longs({2, 0}), none, Symbols({}), Longs({3, 1})}) ==
          std::vector<double>{0, 0, 0});
  }
  TEST_CASE("a group outside of the shapes is refused and named") {
    const auto error = [](const Tensor& places, const Tensor& shape) {
      return Error({places, Symbols({1}), shape, Places({0, 0}), Symbols({1}), Longs({1, 1})});
    };
    CHECK(error(Places({7, 0}), Longs({2, 1})) ==
          "INTERNAL: EditDistance: a group of indices would require writing to outside of the buffer for the output "
          "tensor: index 7 in dimension 0 of [2]");
    CHECK(error(Places({-1, 0}), Longs({2, 1})) ==
          "INTERNAL: EditDistance: a group of indices would require writing to outside of the buffer for the output "
          "tensor: index -1 in dimension 0 of [2]");
    // An output without elements has no place for any group, however large its other sizes are.
    const std::int64_t huge = std::int64_t{1} << 40;
    const Tensor far = MakeTensor<std::int64_t>({1, 3}, {huge - 1, 0, 0}), no_rows = Longs({huge, 0, 1});
    CHECK(Error({far, Symbols({1}), no_rows, far, Symbols({1}), no_rows}) ==
          "INTERNAL: EditDistance: a group of indices would require writing to outside of the buffer for the output "
          "tensor: index 0 in dimension 1 of [1099511627776,0]");
  }
  TEST_CASE("says which shapes do not fit") {
    const Tensor places = Places({0, 0}), values = Symbols({1}), shape = Longs({1, 1});
    const std::string start = "INVALID_ARGUMENT: EditDistance: ";
    CHECK(Error({Longs({0}), values, shape, places, values, shape}) ==
          start + "hypothesis_indices should be a matrix, but got shape: [1]");
    CHECK(Error({places, Int(1), shape, places, values, shape}) ==
          start + "hypothesis_values should be a vector, but got shape: []");
    CHECK(Error({places, values, shape, places, Symbols({1, 2}), shape}) ==
          start + "Expected truth_values.NumElements == #rows(truth_indices), their shapes are: [2] and [1,2]");
    CHECK(Error({places, values, shape, places, values, Longs({1, 1, 1})}) ==
          start + "Expected truth_shape.NumElements == #cols(truth_indices), their shapes are: [3] and [1,2]");
    CHECK(Error({Places({0}, 1), values, Longs({1}), Places({0}, 1), values, Longs({1})}) ==
          start + "Input SparseTensors must have rank at least 2, but hypothesis_shape rank is: 1");
    CHECK(Error({places, values, shape, Places({0, 0, 0}, 3), values, Longs({1, 1, 1})}) ==
          start + "Expected truth and hypothesis to have matching ranks, but their shapes are: [3] and [2]");
    CHECK(InferredShape<ops::EditDistance>(
              {{3, 3}, {3}, StaticInput::Vector({2, 5, 9}), {4, 3}, {4}, StaticInput::Vector({4, 1, 8})}) == "[4,5]");
    CHECK(InferredShape<ops::EditDistance>({{3, 3}, {2}, {3}, {4, 3}, {4}, {3}}) ==
          "Number of elements in index (3) and values (2) do not match.");
  }
}
}  // namespace math_edit_distance_test
