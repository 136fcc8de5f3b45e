// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/int8_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/int8_kernels.hpp"
#include "engine/support.hpp"

namespace gemm_int8_layer_test {
using namespace tenon;

namespace {

struct Layer {
  Index m, n, k;
  std::int32_t zero = 0;
  std::vector<unsigned char> x;
  std::vector<std::int8_t> w;
  std::vector<float> factor, offset;

  Layer(Index rows, Index columns, Index depth, std::int32_t x_zero) : m(rows), n(columns), k(depth), zero(x_zero) {
    testing::Numbers numbers(static_cast<std::uint64_t>(m * 1000 + n * 10 + k));
    x.resize(static_cast<std::size_t>(m * k));
    w.resize(static_cast<std::size_t>(k * n));
    for (unsigned char& byte : x) byte = static_cast<unsigned char>(numbers.Below(256));
    for (std::int8_t& weight : w) weight = static_cast<std::int8_t>(numbers.Below(256) - 128);
    const double scale = 1 / (100 * std::sqrt(static_cast<double>(k) + 1));
    for (Index j = 0; j < n; ++j) {
      factor.push_back(static_cast<float>(numbers.Real(0.1, 1) * scale));
      offset.push_back(static_cast<float>(numbers.Real(-20, 20)));
    }
  }
  // Before the limits.
  double Wanted(Index i, Index j) const {
    std::int64_t sum = 0;
    for (Index p = 0; p < k; ++p)
      sum += (x[static_cast<std::size_t>(i * k + p)] - zero) * w[static_cast<std::size_t>(p * n + j)];
    return static_cast<double>(sum) * static_cast<double>(factor[static_cast<std::size_t>(j)]) +
           static_cast<double>(offset[static_cast<std::size_t>(j)]);
  }
  Int8Steps Floats(float low, float high) const { return {factor.data(), offset.data(), low, high}; }
  Int8Steps ToBytes(float low, float high, float origin, float per_unit) const {
    return {factor.data(), offset.data(), low, high, true, origin, per_unit};
  }
};

// Every number is what the sum in 64 bits gives, within the rounding of floats; every byte too, but halves.
bool LayerIsRight(Cpu device, const detail::Int8Kernels& kernels, const Layer& layer, bool read,
                  PackedWeights* packed = nullptr) {
  struct Reader {
    static void Read(const void* what, Index row, unsigned char* to) {
      const auto& from = *static_cast<const Layer*>(what);
      if (from.k > 0) std::memcpy(to, from.x.data() + row * from.k, static_cast<std::size_t>(from.k));
    }
  };
  Int8Rows rows{layer.x.data(), layer.zero};
  if (read) rows = {nullptr, layer.zero, &Reader::Read, &layer};
  constexpr float kLow = -30, kHigh = 25, kOrigin = -40, kPerUnit = 3.5f;
  const std::size_t count = static_cast<std::size_t>(layer.m * layer.n);
  std::vector<float> numbers(count + 1, 77);
  std::vector<unsigned char> bytes(count + 1, 77);
  if (!detail::RunInt8Layer(device, kernels, layer.m, layer.n, layer.k, rows, layer.w.data(), layer.Floats(kLow, kHigh),
                            numbers.data(), packed)
           .ok() ||
      !detail::RunInt8Layer(device, kernels, layer.m, layer.n, layer.k, rows, layer.w.data(),
                            layer.ToBytes(kLow, kHigh, kOrigin, kPerUnit), bytes.data(), packed)
           .ok())
    return false;
  for (Index i = 0; i < layer.m; ++i) {
    for (Index j = 0; j < layer.n; ++j) {
      const auto at = static_cast<std::size_t>(i * layer.n + j);
      const double wanted = std::clamp(layer.Wanted(i, j), double{kLow}, double{kHigh});
      if (std::fabs(static_cast<double>(numbers[at]) - wanted) > 1e-4) return false;
      if (std::fabs(bytes[at] - (wanted - double{kOrigin}) * double{kPerUnit}) > 0.5 + 1e-3) return false;
    }
  }
  return numbers[count] == 77 && bytes[count] == 77;
}

}  // namespace

TEST_SUITE("MultiplyInt8Layer") {
  TEST_CASE("all remainders of rows, columns and depth, of rows that lie there and rows that are read") {
    for (const detail::Int8Kernels* kernels : testing::AllInt8Kernels()) {
      CAPTURE(kernels->columns);
      for (Index i = 0; i <= 70; ++i) {
        CAPTURE(i);
        CHECK(LayerIsRight({}, *kernels, Layer(i, 1 + i * 7 % 70, 1 + i * 5 % 13, 3), i % 2 == 0));
        CHECK(LayerIsRight({}, *kernels, Layer(1 + i % 14, i, 9, 128), i % 2 == 1));
        CHECK(LayerIsRight({}, *kernels, Layer(7, 5, i, 255), i % 2 == 0));
      }
      CHECK(LayerIsRight({}, *kernels, Layer(200, 130, 64, 7), false));
      CHECK(LayerIsRight({}, *kernels, Layer(61, 129, 1100, 7), true));
    }
  }

  TEST_CASE("several threads give the same, with weights that are packed once") {
    ThreadPool pool(3, "test");
    for (const detail::Int8Kernels* kernels : testing::AllInt8Kernels()) {
      Layer few(33, 900, 300, 9), many(1200, 70, 300, 9);
      for (Layer* layer : {&few, &many}) {
        Tensor w(DataType::kInt8, TensorShape{layer->k, layer->n});
        std::copy(layer->w.begin(), layer->w.end(), w.data<std::int8_t>());
        PackedWeights packed;
        packed.Offer(w, DefaultAllocator());
        CHECK(LayerIsRight({.pool = &pool}, *kernels, *layer, false));
        Int8Steps steps = layer->Floats(-10, 10);
        std::vector<float> own(static_cast<std::size_t>(layer->m * layer->n)), shared(own.size());
        Cpu one, three{.pool = &pool};
        REQUIRE(detail::RunInt8Layer(one, *kernels, layer->m, layer->n, layer->k, {layer->x.data(), 9},
                                     w.data<std::int8_t>(), steps, own.data(), nullptr)
                    .ok());
        CHECK(packed.bytes() == 0);
        REQUIRE(detail::RunInt8Layer(three, *kernels, layer->m, layer->n, layer->k, {layer->x.data(), 9},
                                     w.data<std::int8_t>(), steps, shared.data(), &packed)
                    .ok());
        CHECK(packed.bytes() > 0);
        CHECK(own == shared);
      }
    }
  }

  TEST_CASE("the best kernels are taken; says so when there is no memory") {
    const Layer layer(2, 2, 4, 1);
    std::vector<float> y(4);
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    const Int8Rows rows{layer.x.data(), 1};
    REQUIRE(
        MultiplyInt8Layer(device, 2, 2, 4, rows, layer.w.data(), layer.Floats(-1e3f, 1e3f), y.data(), nullptr).ok());
    CHECK(std::fabs(static_cast<double>(y[3]) - layer.Wanted(1, 1)) < 1e-4);
    CHECK(allocator.bytes_in_use() == 0);
    for (const int k : {1, 2}) {
      allocator.FailAllocations(k == 1 ? 1 : 2);
      CHECK(MultiplyInt8Layer(device, 2, 2, 4, rows, layer.w.data(), layer.Floats(0, 1), y.data(), nullptr).code() ==
            Code::kResourceExhausted);
      CHECK(allocator.bytes_in_use() == 0);
    }
  }
}
}  // namespace gemm_int8_layer_test
