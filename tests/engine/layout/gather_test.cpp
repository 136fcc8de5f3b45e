// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/gather.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/guarded.hpp"
#include "engine/support.hpp"

namespace gather_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class Int>
Tensor Indices(const GatherPlan& plan, Numbers& numbers) {
  Tensor indices(dtype_of_v<Int>, {plan.batch, plan.count});
  for (Index i = 0; i < indices.NumElements(); ++i)
    indices.data<Int>()[i] = static_cast<Int>(numbers.Below(plan.limit));
  return indices;
}

// Compares bit by bit with one index after the other.
template <class Int>
bool GatherIsRight(Cpu device, Index bytes, const GatherPlan& plan) {
  Numbers numbers(static_cast<std::uint64_t>(bytes + plan.run));
  const Tensor indices = Indices<Int>(plan, numbers);
  Guarded in(plan.batch * plan.outer * plan.limit * plan.run, bytes, 1),
      out(plan.batch * plan.outer * plan.count * plan.run, bytes, 3);
  for (Index i = 0; i < plan.batch * plan.outer * plan.limit * plan.run * bytes; ++i)
    in.as<unsigned char>()[i] = static_cast<unsigned char>(numbers.Next());
  if (Gather(device, ElementMover{bytes}, plan, in.data(), indices, out.data()) != -1) return false;
  const std::size_t size = static_cast<std::size_t>(plan.run * bytes);
  for (Index b = 0; b < plan.batch; ++b)
    for (Index o = 0; o < plan.outer; ++o)
      for (Index i = 0; i < plan.count; ++i) {
        const Index block = b * plan.outer + o, from = static_cast<Index>(indices.data<Int>()[b * plan.count + i]);
        if (std::memcmp(out.as<char>() + (block * plan.count + i) * plan.run * bytes,
                        in.as<char>() + (block * plan.limit + from) * plan.run * bytes, size) != 0)
          return false;
      }
  return in.IsIntact() && out.IsIntact();
}

}  // namespace

TEST_SUITE("Gather") {
  TEST_CASE("any rows of any tensor, for elements of every size and indices of every type") {
    for (const Index bytes : {1, 2, 4, 8, 16}) {
      for (Index run = 0; run <= 140; run += 1 + run / 6) {
        CHECK_UNARY(GatherIsRight<std::int32_t>({}, bytes, {1, 1, 5, 9, run}));
        CHECK_UNARY(GatherIsRight<std::int16_t>({}, bytes, {2, 3, 4, 2, run}));
        CHECK_UNARY(GatherIsRight<std::int64_t>({}, bytes, {3, 1, 1, 7, run}));
        CHECK_UNARY(GatherIsRight<std::int64_t>({}, bytes, {2, 2, 3, 0, run}));
      }
    }
  }
  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    CHECK_UNARY(GatherIsRight<std::int32_t>({.pool = &pool}, 4, {1, 1, 1000, 300000, 1}));
    CHECK_UNARY(GatherIsRight<std::int64_t>({.pool = &pool}, 2, {7, 3, 11, 501, 13}));
  }
  TEST_CASE("texts are assigned") {
    std::vector<tstring> in(4), out(3);
    for (std::size_t i = 0; i < 4; ++i) in[i] = StrCat("text ", i, " is too long to be stored inline");
    Cpu device;
    CHECK(Gather(device, MoverOf(DataType::kString), {1, 1, 4, 3, 1}, in.data(),
                 MakeTensor<std::int32_t>({3}, {3, 0, 3}), out.data()) == -1);
    CHECK(out == std::vector<tstring>{in[3], in[0], in[3]});
  }
  TEST_CASE("the first index outside is returned and nothing written") {
    const float in[3] = {1, 2, 3};
    Guarded out(4, 4, 1);
    Cpu device;
    const auto bad = [&](const Tensor& indices, Index limit, Index run = 1) {
      return Gather(device, ElementMover{4}, {1, 1, limit, indices.NumElements(), run}, in, indices, out.data());
    };
    CHECK(bad(MakeTensor<std::int32_t>({4}, {0, 2, 3, -1}), 3) == 2);
    CHECK(bad(MakeTensor<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), 0}), 3) == 0);
    CHECK(bad(MakeTensor<std::int64_t>({2}, {1, std::numeric_limits<std::int64_t>::max()}), 3) == 1);
    CHECK(bad(MakeTensor<std::int16_t>({1}, {0}), 0) == 0);
    CHECK(bad(MakeTensor<std::int32_t>({2}, {2, 3}), 3, 0) == 1);  // rows without elements are numbered too
    CHECK(bad(Tensor(DataType::kInt32, {0}), 0) == -1);
    CHECK(out.IsUntouched());
  }
  TEST_CASE_TEMPLATE("an index outside is found wherever it stands", Int, std::int16_t, std::int32_t, std::int64_t) {
    constexpr Int kMost = std::numeric_limits<Int>::max(), kLeast = std::numeric_limits<Int>::min();
    std::vector<Int> indices(70);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<Int>(i % 7);
    CHECK(detail::FirstOutside(indices.data(), 70, 7) == -1);
    CHECK(detail::FirstOutside(indices.data(), 70, 6) == 6);
    CHECK(detail::FirstOutside(indices.data(), 70, 0) == 0);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      CAPTURE(i);
      const Int before = indices[i];
      for (const Int bad : {Int{7}, kMost, Int{-1}, kLeast}) {
        indices[i] = bad;
        CHECK(detail::FirstOutside(indices.data(), 70, 7) == static_cast<Index>(i));
      }
      indices[i] = kMost;  // as large as its type can say
      CHECK(detail::FirstOutside(indices.data(), 70, static_cast<Index>(kMost)) == static_cast<Index>(i));
      if constexpr (sizeof(Int) < sizeof(Index))
        CHECK(detail::FirstOutside(indices.data(), 70, static_cast<Index>(kMost) + 1) == -1);
      indices[i] = before;
    }
  }
}
}  // namespace gather_test
