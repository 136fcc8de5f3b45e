// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/packed_weights.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/memory/allocator.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm/batched.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/gemm/gemm.hpp>

#include "engine/gemm_support.hpp"
#include "engine/support.hpp"

namespace packed_weights_test {
using namespace tenon;
using tenon::testing::AllGemmKernels;
using tenon::testing::RandomVector;

namespace {

class NoMemory final : public Allocator {
 public:
  std::string_view Name() const override { return "none"; }
  void* AllocateRaw(std::size_t, std::size_t, const AllocationAttributes& = {}) override { return nullptr; }
  void DeallocateRaw(void*, std::size_t, std::size_t) override {}
};

template <class T>
Tensor RandomTensor(const TensorShape& shape, std::uint64_t seed) {
  return MakeTensor<T>(shape, std::span<const T>(RandomVector<T>(shape.num_elements(), seed)));
}
template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// One product with weights and without, twice.
template <class T>
bool SameProduct(const detail::GemmKernels& kernels, Index m, Index n, Index k, bool transpose, ThreadPool* pool) {
  const std::vector<T> a = RandomVector<T>(m * k, 1);
  const Tensor b = RandomTensor<T>({k, n}, 2);
  std::vector<T> plain(static_cast<std::size_t>(m * n), T(7)), packed = plain, again = plain;
  PackedWeights weights;
  weights.Offer(b, DefaultAllocator());
  Cpu device{.pool = pool};
  const auto run = [&](std::vector<T>& c, PackedWeights* w) {
    return detail::RunGemmBlocks(
               device, kernels,
               {m, n, k, a.data(), k, 1, b.raw_data(), transpose ? 1 : n, transpose ? k : 1, c.data(), n}, 1e9, w)
        .ok();
  };
  if (!run(plain, nullptr) || !run(packed, &weights) || !run(again, &weights)) return false;
  const bool used = (weights.bytes() > 0) == (m <= PackedWeights::kMostRows);
  return used && SameBits(plain, packed) && SameBits(plain, again);
}

struct ConvCase {
  Index batch, rows, columns, depth, out_depth, window, stride, groups = 1;
};
template <class T>
bool SameConvolution(const ConvCase& c, ThreadPool* pool) {
  Conv2DGeometry g{c.batch, {}, {}, c.depth, c.out_depth, c.groups};
  g.rows.input = c.rows;
  g.columns.input = c.columns;
  g.rows.size = g.columns.size = c.window;
  g.rows.stride = g.columns.stride = c.stride;
  if (!PlaceWindow(Padding::kSame, &g.rows).ok() || !PlaceWindow(Padding::kSame, &g.columns).ok()) return false;
  const std::vector<T> x = RandomVector<T>(c.batch * c.rows * c.columns * c.depth, 1);
  const Tensor filter = RandomTensor<T>({c.window, c.window, c.depth / c.groups, c.out_depth}, 2);
  const auto elements = static_cast<std::size_t>(g.output_shape().num_elements());
  std::vector<T> plain(elements), packed(elements), again(elements);
  PackedWeights weights;
  weights.Offer(filter, DefaultAllocator());
  Cpu device{.pool = pool};
  const auto run = [&](std::vector<T>& y, PackedWeights* w) {
    return Conv2D<T>(device, g, x.data(), filter.data<T>(), y.data(), w).ok();
  };
  if (!run(plain, nullptr) || !run(packed, &weights) || !run(again, &weights)) return false;
  const bool used = (weights.bytes() > 0) == (c.batch * g.rows.output * g.columns.output <= PackedWeights::kMostRows);
  return used && SameBits(plain, packed) && SameBits(plain, again);
}

}  // namespace

TEST_SUITE("PackedWeights") {
  TEST_CASE("packs what was offered, once, and nothing else") {
    PackedWeights weights;
    const Tensor value = RandomTensor<float>({64}, 1), other = RandomTensor<float>({64}, 1);
    int calls = 0;
    const auto find = [&](const Tensor& t, PackedWeights::Layout layout = PackedWeights::Layout::kProduct) {
      return weights.Find(t.raw_data(), layout, t.TotalBytes(), [&](char* to) {
        ++calls;
        std::memcpy(to, t.raw_data(), t.TotalBytes());
      });
    };
    CHECK(find(value) == nullptr);
    weights.Offer(value, DefaultAllocator());
    CHECK(weights.bytes() == 0);
    CHECK(find(other) == nullptr);
    CHECK(weights.Find(nullptr, PackedWeights::Layout::kProduct, 8, [&](char*) { ++calls; }) == nullptr);
    CHECK(calls == 0);
    const char* const packed = find(value);
    REQUIRE(packed != nullptr);
    CHECK(std::memcmp(packed, value.raw_data(), value.TotalBytes()) == 0);
    CHECK(find(value) == packed);
    CHECK(find(value, PackedWeights::Layout::kConvolution) == nullptr);
    CHECK(calls == 1);
    CHECK(weights.bytes() == value.TotalBytes());
    weights.Offer(other, DefaultAllocator());  // somebody has the first one still
    CHECK(find(other) == nullptr);
    CHECK(find(value) == packed);
    weights.Offer(Tensor(DataType::kFloat, {0}), DefaultAllocator());
    CHECK(find(value) == packed);
  }
  TEST_CASE("a value that nobody else has any more gives way") {
    PackedWeights weights;
    {
      const Tensor old = RandomTensor<float>({64}, 1);
      weights.Offer(old, DefaultAllocator());
      CHECK(weights.Find(old.raw_data(), PackedWeights::Layout::kProduct, 100, [](char* to) { *to = 1; }) != nullptr);
    }
    const Tensor value = RandomTensor<float>({64}, 2);
    weights.Offer(value, DefaultAllocator());
    CHECK(weights.bytes() == 0);
    const char* const packed =
        weights.Find(value.raw_data(), PackedWeights::Layout::kConvolution, 200, [](char* to) { *to = 2; });
    REQUIRE(packed != nullptr);
    CHECK(*packed == 2);
    CHECK(weights.bytes() == 200);
  }
  TEST_CASE("copies that are larger than their weights have three times the budget to themselves") {
    PackingBudget budget(300), most(std::numeric_limits<std::int64_t>::max()), none(0);
    CHECK(most.left(true) == std::numeric_limits<std::int64_t>::max());
    CHECK(none.left(true) == 0);
    const auto fill = [](char*) {};
    const Tensor value = RandomTensor<float>({10}, 1);
    PackedWeights first, second;
    first.Offer(value, DefaultAllocator(), &budget);
    second.Offer(value, DefaultAllocator(), &budget);
    using Layout = PackedWeights::Layout;
    CHECK(first.Find(value.raw_data(), Layout::kWinograd, 600, fill) != nullptr);
    CHECK(budget.left() == 300);
    CHECK(budget.left(true) == 300);
    // Another layout may still fit.
    CHECK(second.Find(value.raw_data(), Layout::kWinograd, 600, fill) == nullptr);
    CHECK(second.Find(value.raw_data(), Layout::kConvolution, 200, fill) != nullptr);
    CHECK(second.Find(value.raw_data(), Layout::kWinograd, 300, fill) == nullptr);
    CHECK(budget.left() == 100);
    budget.GiveBack(600, true);
    CHECK(budget.left(true) == 900);
    CHECK(budget.left() == 100);
  }

  TEST_CASE("what the budget does not have room for is not packed") {
    const Tensor value = RandomTensor<float>({64}, 1), next = RandomTensor<float>({64}, 1);
    PackingBudget budget(300);
    int calls = 0;
    const auto find = [&calls](PackedWeights& weights, const Tensor& t, std::size_t bytes) {
      return weights.Find(t.raw_data(), PackedWeights::Layout::kProduct, bytes, [&calls](char* to) {
        *to = 1;
        ++calls;
      });
    };
    PackedWeights first, second;
    first.Offer(value, DefaultAllocator(), &budget);
    second.Offer(value, DefaultAllocator(), &budget);
    CHECK(find(first, value, 200) != nullptr);
    CHECK(find(second, value, 200) == nullptr);
    CHECK(find(second, value, 100) == nullptr);  // it has given up
    CHECK(budget.left() == 100);
    second.Offer(next, DefaultAllocator(), &budget);
    CHECK(find(second, next, 100) != nullptr);
    CHECK(budget.left() == 0);
    CHECK(calls == 2);
  }
  TEST_CASE("a value that gives way gives its bytes back") {
    PackingBudget budget(300);
    PackedWeights weights;
    for (int i = 0; i < 3; ++i) {
      const Tensor value = RandomTensor<float>({64}, 1);
      weights.Offer(value, DefaultAllocator(), &budget);
      CHECK(weights.Find(value.raw_data(), PackedWeights::Layout::kProduct, 250, [](char* to) { *to = 1; }) != nullptr);
      CHECK(budget.left() == 50);
    }
  }
  TEST_CASE("without memory there is nothing packed, and the product is the same") {
    const std::vector<float> a = RandomVector<float>(20 * 200, 1);
    const Tensor b = RandomTensor<float>({200, 30}, 2);
    PackedWeights weights;
    NoMemory none;
    weights.Offer(b, &none);
    std::vector<float> plain(600), packed(600);
    const Index a_dims[] = {20, 200}, b_dims[] = {200, 30}, c_dims[] = {20, 30};
    Cpu device;
    const In<float, 2> left(a.data(), a_dims), right(b.data<float>(), b_dims);
    REQUIRE(Gemm<float>(device, left, false, right, false, Out<float, 2>(plain.data(), c_dims)).ok());
    REQUIRE(Gemm<float>(device, left, false, right, false, Out<float, 2>(packed.data(), c_dims), &weights).ok());
    CHECK(SameBits(plain, packed));
    CHECK(weights.bytes() == 0);
  }
  TEST_CASE_TEMPLATE("products have the same bits with it and without", T, float, double) {
    ThreadPool pool(3, "test");
    struct Sizes {
      Index m, n, k;
    };
    for (const auto& [name, kernels] : AllGemmKernels<T>())
      for (const Sizes& s : {Sizes{4, 1, 3},
                             {5, 17, 40},
                             {13, 67, 1543},
                             {31, 130, 700},
                             {130, 70, 1031},
                             {256, 24, 144},
                             {257, 24, 144},
                             {7, 300, 800},
                             {64, 513, 96}})
        for (const bool transpose : {false, true}) {
          CAPTURE(name);
          CAPTURE(s.n);
          CAPTURE(transpose);
          CHECK(SameProduct<T>(*kernels, s.m, s.n, s.k, transpose, nullptr));
          CHECK(SameProduct<T>(*kernels, s.m, s.n, s.k, transpose, &pool));
        }
  }
  TEST_CASE_TEMPLATE("convolutions have the same bits with it and without", T, float, double, half, std::int32_t) {
    ThreadPool pool(3, "test");
    for (const ConvCase& c : {ConvCase{1, 7, 7, 24, 40, 3, 1},   // few pixels
                              {1, 7, 7, 512, 48, 3, 1},          // whose panels go by in pieces
                              {1, 5, 5, 128, 37, 1, 1},          // a matrix product, for float and double
                              {2, 9, 7, 16, 50, 3, 2},
                              {1, 14, 14, 12, 33, 3, 1},
                              {1, 17, 17, 6, 10, 3, 1},          // too many pixels
                              {1, 6, 6, 12, 18, 3, 1, 3}})       // groups
      for (ThreadPool* const threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        CAPTURE(c.depth);
        CAPTURE(c.out_depth);
        CHECK(SameConvolution<T>(c, threads));
      }
  }
  TEST_CASE("one filter for images of two sizes, a matrix product and not") {
    const Tensor filter = RandomTensor<float>({1, 1, 128, 40}, 2);
    PackedWeights weights;
    weights.Offer(filter, DefaultAllocator());
    Cpu device;
    for (const Index stride : {1, 2, 1}) {
      Conv2DGeometry g{1, {}, {}, 128, 40, 1};
      g.rows.input = g.columns.input = 9;
      g.rows.size = g.columns.size = 1;
      g.rows.stride = g.columns.stride = stride;
      REQUIRE(PlaceWindow(Padding::kValid, &g.rows).ok());
      REQUIRE(PlaceWindow(Padding::kValid, &g.columns).ok());
      const std::vector<float> x = RandomVector<float>(81 * 128, 1);
      const auto elements = static_cast<std::size_t>(g.output_shape().num_elements());
      std::vector<float> plain(elements), packed(elements);
      REQUIRE(Conv2D<float>(device, g, x.data(), filter.data<float>(), plain.data()).ok());
      REQUIRE(Conv2D<float>(device, g, x.data(), filter.data<float>(), packed.data(), &weights).ok());
      CHECK(SameBits(plain, packed));
    }
    CHECK(weights.bytes() > 0);
  }
  TEST_CASE("many threads find one packed copy") {
    const Tensor value = RandomTensor<float>({4096}, 1);
    PackedWeights weights;
    weights.Offer(value, DefaultAllocator());
    std::atomic<int> calls{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) {
          const char* const packed =
              weights.Find(value.raw_data(), PackedWeights::Layout::kProduct, value.TotalBytes(), [&](char* to) {
                ++calls;
                std::memcpy(to, value.raw_data(), value.TotalBytes());
              });
          if (packed == nullptr || std::memcmp(packed, value.raw_data(), value.TotalBytes()) != 0) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(calls == 1);
    CHECK(wrong == 0);
  }
}
}  // namespace packed_weights_test
