// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/for_each_row.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tenon/types/numeric.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace rows_test {
using namespace tenon;

namespace {

// Every element becomes twice itself plus the row's first.
struct AddFirst {
  template <class R>
  void operator()(const R* x, R* out, Index n) const {
    const R first = x[0];
    for (Index i = 0; i < n; ++i) out[i] = 2 * x[i] + first;
  }
};

template <class T>
bool RowsAreRight(Cpu device, Index rows, Index columns, bool in_place) {
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = testing::FromDouble<T>(static_cast<double>(i % 50));
  std::vector<T> y = in_place ? x : std::vector<T>(x.size());
  if (!detail::ForEachRow<T>(device, AddFirst{}, "AddFirst", in_place ? y.data() : x.data(), y.data(), rows, columns)
           .ok())
    return false;
  for (Index i = 0; i < rows * columns; ++i) {
    const auto at = [&](Index j) { return testing::ToDouble(x[static_cast<std::size_t>(j)]); };
    if (testing::ToDouble(y[static_cast<std::size_t>(i)]) != 2 * at(i) + at(i / columns * columns)) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("ForEachRow") {
  TEST_CASE_TEMPLATE("calls for every row once, small floats as float", T, float, double, half, bfloat16) {
    CHECK(std::is_same_v<detail::RowType<T>, std::conditional_t<std::is_same_v<T, double>, double, float>>);
    for (const bool in_place : {false, true}) {
      CHECK(RowsAreRight<T>({}, 1, 1, in_place));
      CHECK(RowsAreRight<T>({}, 7, 33, in_place));
      ThreadPool pool(3, "test");
      CHECK(RowsAreRight<T>({.pool = &pool}, 2000, 100, in_place));
    }
    Cpu device;
    CHECK(detail::ForEachRow<T>(device, AddFirst{}, "AddFirst", nullptr, static_cast<T*>(nullptr), 0, 3).ok());
    CHECK(detail::ForEachRow<T>(device, AddFirst{}, "AddFirst", nullptr, static_cast<T*>(nullptr), 3, 0).ok());
  }

  TEST_CASE("names who lacks scratch memory") {
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    std::vector<half> x(10);
    allocator.FailAllocations(1);
    const Status status = detail::ForEachRow<half>(device, AddFirst{}, "AddFirst", x.data(), x.data(), 2, 5);
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().find("AddFirst") != std::string_view::npos);
  }
}
}  // namespace rows_test
