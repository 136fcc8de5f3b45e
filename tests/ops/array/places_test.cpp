// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/places.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/tensor/tensor.hpp>

#include <doctest/doctest.h>

namespace array_places_test {
using namespace tenon;

namespace {

struct Found {
  Index first_bad;
  std::vector<Index> places;
};
// `indices`: [..., leading.size()]
Found Find(const Tensor& indices, const std::vector<Index>& leading, std::size_t count) {
  SlimVector<Index> places(count, 77);
  const Index bad = ops::detail::FindPlaces(HostIndices(indices.any_view(), indices.dtype()), leading, &places);
  return {bad, {places.begin(), places.end()}};
}

}  // namespace

TEST_SUITE("places") {
  TEST_CASE("are numbered in row-major order") {
    const Found found = Find(MakeTensor<std::int32_t>({2, 2, 2}, {0, 0, 0, 4, 2, 1, 1, 0}), {3, 5}, 4);
    CHECK(found.first_bad == -1);
    CHECK(found.places == std::vector<Index>{0, 4, 11, 5});
    CHECK(Find(MakeTensor<std::int16_t>({3}, {2, 0, 1}), {3}, 3).places == std::vector<Index>{2, 0, 1});
  }
  TEST_CASE("an index vector of no length names the whole") {
    CHECK(Find(Tensor(DataType::kInt32, {2, 0}), {}, 2).places == std::vector<Index>{0, 0});
  }
  TEST_CASE("outside is -1, whichever number it is, and the first one is returned") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                           kMost = std::numeric_limits<std::int64_t>::max();
    const Tensor indices = MakeTensor<std::int64_t>({5, 2}, {2, 4, 3, 0, kMost, kMost, 0, kLeast, -1, 4});
    const Found found = Find(indices, {3, 5}, 5);
    CHECK(found.first_bad == 1);
    CHECK(found.places == std::vector<Index>{14, -1, -1, -1, -1});
    CHECK(Find(MakeTensor<std::int32_t>({1, 2}, {0, 0}), {3, 0}, 1).first_bad == 0);
  }
}
}  // namespace array_places_test
