// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/strided_slice.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace strided_slice_test {
using namespace tenon;

namespace {

struct Part {
  std::vector<Index> input, begin, stride, count;

  StridedCopy Make() const {
    StridedCopy copy;
    copy.Make(input, begin, stride, count);
    return copy;
  }
};

template <class T>
T Number(Index i) {
  if constexpr (std::is_same_v<T, tstring>)
    return tstring(StrCat("element number ", i, i % 2 == 0 ? " is a long string" : ""));
  else if constexpr (testing::kIsComplex<T>)
    return T(static_cast<double>(i), -1);
  else
    return static_cast<T>(i);
}

// Compares with one index after the other.
template <class T>
bool PartIsRight(Cpu device, const Part& part) {
  const StridedCopy copy = part.Make();
  Index n = 1, elements = 1;
  for (const Index size : part.input) n *= size;
  for (const Index size : part.count) elements *= size;
  if (copy.elements != elements) return false;
  std::vector<T> in(static_cast<std::size_t>(n)), out(static_cast<std::size_t>(elements));
  for (Index i = 0; i < n; ++i) in[static_cast<std::size_t>(i)] = Number<T>(i);
  CopyStrided(device, MoverOf(dtype_of_v<T>), copy, in.data(), out.data());
  for (Index i = 0; i < elements; ++i) {
    Index rest = i, at = 0, step = 1;
    for (std::size_t d = part.input.size(); d-- > 0;) {
      at += step * (part.begin[d] + rest % part.count[d] * part.stride[d]);
      rest /= part.count[d];
      step *= part.input[d];
    }
    if (!(out[static_cast<std::size_t>(i)] == in[static_cast<std::size_t>(at)])) return false;
  }
  return true;
}

Part RandomPart(testing::Numbers& numbers) {
  Part part;
  for (Index rank = numbers.Below(6); rank > 0; --rank) {
    const Index size = 1 + numbers.Below(7), first = numbers.Below(size);
    const bool whole = numbers.Below(3) == 0, back = !whole && numbers.Below(3) == 0;
    const Index stride = whole ? 1 : 1 + numbers.Below(3);
    const Index most = whole ? size : (back ? first : size - 1 - first) / stride + 1;
    part.input.push_back(size);
    part.begin.push_back(whole ? 0 : first);
    part.stride.push_back(back ? -stride : stride);
    part.count.push_back(whole ? size : numbers.Below(20) == 0 ? 0 : 1 + numbers.Below(most));
  }
  return part;
}

}  // namespace

TEST_SUITE("strided_slice") {
  TEST_CASE_TEMPLATE("any part of any tensor, for every size of element", T, std::uint8_t, std::uint16_t, float,
                     std::int64_t, complex128, tstring) {
    testing::Numbers numbers(sizeof(T));
    for (int i = 0; i < 500; ++i) CHECK_UNARY(PartIsRight<T>({}, RandomPart(numbers)));
  }

  TEST_CASE("what stays together is copied together") {
    // Rows 2 to 4 of [9, 5, 7]: one run.
    CHECK(Part{{9, 5, 7}, {2, 0, 0}, {1, 1, 1}, {3, 5, 7}}.Make().dims.size() == 1);
    CHECK(Part{{9, 5, 7}, {2, 0, 0}, {1, 1, 1}, {3, 5, 7}}.Make().first == 70);
    // Columns: runs of two dimensions; every other row: the same.
    CHECK(Part{{9, 5, 7}, {0, 1, 0}, {1, 1, 1}, {9, 2, 7}}.Make().dims.size() == 2);
    CHECK(Part{{9, 5, 7}, {0, 0, 0}, {2, 1, 1}, {5, 5, 7}}.Make().dims.size() == 2);
    // All of it backwards: one dimension with step -1.
    const StridedCopy reversed = Part{{9, 5, 7}, {8, 4, 6}, {-1, -1, -1}, {9, 5, 7}}.Make();
    REQUIRE(reversed.dims.size() == 1);
    CHECK(reversed.dims[0].step == -1);
    CHECK(reversed.first == 314);
    // Single elements leave no dimension.
    CHECK(Part{{9, 5, 7}, {3, 2, 1}, {1, 1, 1}, {1, 1, 1}}.Make().dims.empty());
    CHECK(Part{{}, {}, {}, {}}.Make().elements == 1);
  }

  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    const Cpu device{.pool = &pool};
    CHECK(PartIsRight<float>(device, {{300000}, {5}, {1}, {299990}}));
    CHECK(PartIsRight<float>(device, {{300000}, {299999}, {-1}, {300000}}));
    CHECK(PartIsRight<std::uint8_t>(device, {{3, 400000}, {0, 17}, {1, 1}, {3, 399001}}));
    CHECK(PartIsRight<std::int64_t>(device, {{3001, 5, 40}, {0, 1, 2}, {1, 2, 1}, {3001, 2, 37}}));
    CHECK(PartIsRight<float>(device, {{50001, 8}, {1, 3}, {2, 1}, {25000, 2}}));
    CHECK(PartIsRight<tstring>(device, {{400, 30}, {0, 29}, {1, -2}, {400, 15}}));
  }
}
}  // namespace strided_slice_test
