// SPDX-License-Identifier: Apache-2.0
// The engine of 8-bit products beside oneDNN, uint8 by int8, neither copied in advance. The number is the side of the
// matrices where there is only one; an operation is a product or a sum.
#include <cstdint>
#include <vector>

#include <tenon/base/span.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm/int8.hpp>

#include "one_thread.hpp"
#include "peers.hpp"

namespace tenon::bench {
namespace {

void TimeInt8(State& state, Int8Product p) {
  // As tensors, because vectors do not begin with a line of the cache.
  Tensor of_a(CpuAllocator(), DataType::kUint8, {p.m, p.k}), of_b(CpuAllocator(), DataType::kInt8, {p.k, p.n}),
      of_c(CpuAllocator(), DataType::kInt32, {p.m, p.n});
  const Span<std::uint8_t> a(static_cast<std::uint8_t*>(of_a.raw_data()), static_cast<std::size_t>(p.m * p.k));
  const Span<std::int8_t> b(static_cast<std::int8_t*>(of_b.raw_data()), static_cast<std::size_t>(p.k * p.n));
  const Span<std::int32_t> c(static_cast<std::int32_t*>(of_c.raw_data()), static_cast<std::size_t>(p.m * p.n));
  std::uint32_t seed = 1;
  const auto next = [&] { return static_cast<std::uint8_t>((seed = seed * 1664525u + 1013904223u) >> 24); };
  for (std::uint8_t& x : a) x = next();
  for (std::int8_t& x : b) x = static_cast<std::int8_t>(next());
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr}, one;
  const auto multiply = [&](Cpu& on) {
    state.Check(GemmInt8(on, p.m, p.n, p.k, {a.data(), false, p.k, 1}, {b.data(), true, p.n, 1}, c.data(), p.n));
  };
  multiply(device);
  const std::vector<std::int32_t> answer(c.begin(), c.end());
  p.a = a.data();
  p.b = b.data();
  p.c = answer.data();
  AddOneDnn(state, p);
  state.SetFlops(2.0 * static_cast<double>(p.m * p.n * p.k));
  AddOneThread(state, p.m * p.n, [&] { multiply(one); });
  for (auto _ : state) multiply(device);
}

}  // namespace

TENON_BENCH(gemm_int8, {64, 128, 256, 512, 1024, 2048, 4096}) {
  TimeInt8(state, {state.arg(), state.arg(), state.arg()});
}
TENON_BENCH(gemm_int8_thin_768x3072, {8, 32, 128}) { TimeInt8(state, {state.arg(), 3072, 768}); }

}  // namespace tenon::bench
