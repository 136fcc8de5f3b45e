// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/transpose.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace transpose_test {
using namespace tenon;

namespace {

// The copy element by element.
std::vector<std::uint8_t> Wanted(const NdCopy& copy, const std::vector<NdCopy::Dim>& dims, Index bytes,
                                 const std::vector<std::uint8_t>& in, std::vector<std::uint8_t> out) {
  Index elements = 1;
  for (const NdCopy::Dim& d : dims) elements *= d.size;
  for (Index i = 0; i < elements; ++i) {
    Index from = copy.in_first, to = copy.out_first, left = i;
    for (std::size_t d = dims.size(); d-- > 0; left /= dims[d].size) {
      from += left % dims[d].size * dims[d].in;
      to += left % dims[d].size * dims[d].out;
    }
    for (Index b = 0; b < bytes; ++b)
      out[static_cast<std::size_t>(to * bytes + b)] = in[static_cast<std::size_t>(from * bytes + b)];
  }
  return out;
}

void Check(DataType type, const std::vector<NdCopy::Dim>& dims, Index in_first, Index out_first, Index in_size,
           Index out_size) {
  const ElementMover mover = MoverOf(type);
  std::vector<std::uint8_t> in(static_cast<std::size_t>(in_size * mover.bytes)),
      out(static_cast<std::size_t>(out_size * mover.bytes), 0xee);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 31 + i / 256);
  NdCopy copy;
  copy.in_first = in_first;
  copy.out_first = out_first;
  for (const NdCopy::Dim& d : dims) copy.Add(d.size, d.in, d.out);
  const std::vector<std::uint8_t> want = Wanted(copy, dims, mover.bytes, in, out);
  Cpu device;
  CopyNd(device, mover, copy, in.data(), out.data());
  CHECK(out == want);
}

}  // namespace

TEST_SUITE("CopyNd") {
  TEST_CASE("transposes matrices of every element size, with sides that no block divides") {
    for (const DataType type :
         {DataType::kInt8, DataType::kHalf, DataType::kFloat, DataType::kDouble, DataType::kComplex128}) {
      for (const Index rows : {1, 2, 3, 4, 5, 6, 7, 8, 65, 130})
        for (const Index columns : {1, 7, 64, 71})
          Check(type, {{rows, 1, columns}, {columns, rows, 1}}, 0, 0, rows * columns, rows * columns);
      Check(type, {{3, 1, 9}, {9, -3, 1}}, 24, 0, 27, 27);
      Check(type, {{600, 1, 70}, {70, 600, 1}}, 0, 0, 42000, 42000);  // columns far apart
      Check(type, {{3, 35, 1 * 35}, {5, 1, 7}, {7, 5, 1}}, 0, 0, 105, 105);
      Check(type, {{5, 1, 21}, {3, 35, 7}, {7, 5, 1}}, 0, 0, 105, 105);
    }
  }
  TEST_CASE("turns short dimensions together with their neighbours, of every element size") {
    for (const DataType type :
         {DataType::kInt8, DataType::kHalf, DataType::kFloat, DataType::kDouble, DataType::kComplex128}) {
      // All four dimensions of [a, b, c, d] turned round: rows d and c, columns a and b.
      for (const auto [a, b, c, d] : {std::array<Index, 4>{4, 32, 16, 2},
                                      {4, 8, 40, 2},
                                      {3, 17, 5, 7},
                                      {15, 9, 21, 15},
                                      {2, 200, 70, 3},
                                      {20, 5, 6, 4},
                                      {4, 5, 6, 20}})
        Check(type, {{d, 1, c * b * a}, {c, d, b * a}, {b, d * c, a}, {a, d * c * b, 1}}, 0, 0, a * b * c * d,
              a * b * c * d);
      // [5, 4, 30, 2]: the last two dimensions before the others, only one side grows; with gaps, too.
      Check(type, {{5, 240, 240}, {2, 1, 120}, {30, 2, 4}, {4, 60, 1}}, 0, 0, 1200, 1200);
      Check(type, {{2, 1, 400}, {30, 2, 13}, {3, 60, 4}, {4, 180, 1}}, 3, 5, 730, 805);
    }
  }
  TEST_CASE("reverses, repeats, cuts out and puts into a frame") {
    Check(DataType::kFloat, {{4, -5, 5}, {5, -1, 1}}, 19, 0, 20, 20);
    Check(DataType::kFloat, {{3, 0, 8}, {4, 1, 2}, {2, 0, 1}}, 0, 0, 4, 24);
    Check(DataType::kInt32, {{2, 6, 9}, {3, 1, 1}}, 2, 10, 12, 30);
    Check(DataType::kHalf, {{9, 0, 1}}, 3, 2, 4, 12);
  }
  TEST_CASE("long blocks, along either side, and long rows reversed") {
    Check(DataType::kFloat, {{9000, 1, 71}, {71, 9000, 1}}, 0, 0, 639000, 639000);
    Check(DataType::kFloat, {{71, 1, 9000}, {9000, 71, 1}}, 0, 0, 639000, 639000);
    Check(DataType::kHalf, {{9000, 1, 71}, {71, 9000, 1}}, 0, 0, 639000, 639000);
    for (const DataType type : {DataType::kUint8, DataType::kHalf, DataType::kFloat, DataType::kDouble})
      Check(type, {{3, -70, 70}, {70, -1, 1}}, 209, 0, 210, 210);
  }
  TEST_CASE("copies nothing when there is nothing, and one element when there are no dimensions") {
    Check(DataType::kFloat, {{0, 4, 4}, {4, 1, 1}}, 0, 0, 4, 4);
    Check(DataType::kFloat, {}, 1, 2, 4, 4);
  }
  TEST_CASE("joins dimensions that both sides leave together") {
    NdCopy copy;
    copy.Add(2, 12, 12);
    copy.Add(1, 99, 7);
    copy.Add(3, 4, 4);
    copy.Add(4, 1, 1);
    REQUIRE(copy.dims.size() == 1);
    CHECK(copy.dims[0].size == 24);
    CHECK(copy.elements == 24);
  }
  TEST_CASE("gives the same with threads") {
    ThreadPool pool(2, "test");
    Cpu device{&pool, nullptr};
    for (const Index n : {70, 130, 256, 512, 700}) {
      std::vector<float> in(static_cast<std::size_t>(n * n)), out(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
      NdCopy copy;
      copy.Add(n, 1, n);
      copy.Add(n, n, 1);
      CopyNd(device, MoverOf(DataType::kFloat), copy, in.data(), out.data());
      bool same = true;
      for (Index r = 0; r < n; ++r)
        for (Index c = 0; c < n; ++c)
          same = same && out[static_cast<std::size_t>(r * n + c)] == in[static_cast<std::size_t>(c * n + r)];
      CHECK(same);
    }
  }
  TEST_CASE("sizes whose products are no int64 are those of nothing") {
    constexpr Index kMost = std::numeric_limits<Index>::max();
    NdCopy copy;  // [0, 2, 4, kMost] becomes [2, 4, kMost, 0]
    copy.Add(2, 0, 0);
    copy.Add(4, kMost, 0);
    copy.Add(kMost, 1, 0);
    copy.Add(0, 0, 1);
    CHECK(copy.elements == 0);
  }
}
}  // namespace transpose_test
