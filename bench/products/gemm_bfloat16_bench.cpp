// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 beside oneDNN's, and beside ours of the same numbers as float. The number is the side of the
// matrices.
#include <vector>

#include <tenon/base/span.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm/gemm.hpp>

#include "one_thread.hpp"
#include "peers.hpp"

namespace tenon::bench {
namespace {

void TimeBfloat16(State& state) {
  const Index n = state.arg(), sizes[] = {n, n};
  // As tensors, because vectors do not begin with a line of the cache.
  Tensor tensors[3];
  for (Tensor& tensor : tensors) tensor = Tensor(CpuAllocator(), DataType::kBfloat16, {n, n});
  const auto numbers = [&](int i) {
    return Span<bfloat16>(static_cast<bfloat16*>(tensors[i].raw_data()), static_cast<std::size_t>(n * n));
  };
  const Span<bfloat16> a = numbers(0), b = numbers(1), c = numbers(2);
  std::uint32_t seed = 1;
  const auto next = [&] {
    return bfloat16(static_cast<float>(static_cast<std::int32_t>(seed = seed * 1664525u + 1013904223u)) * 0x1p-31f);
  };
  for (bfloat16& x : a) x = next();
  for (bfloat16& x : b) x = next();
  const std::vector<float> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
  std::vector<float> wide_c(a.size());
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr}, one;
  const auto multiply = [&](Cpu& on) {
    state.Check(Gemm<bfloat16>(on, In<bfloat16, 2>(a.data(), sizes), false, In<bfloat16, 2>(b.data(), sizes), false,
                               Out<bfloat16, 2>(c.data(), sizes)));
  };
  multiply(device);
  const std::vector<float> answer(c.begin(), c.end());
  AddOneDnn(state, Bfloat16Product{n, n, n, a.data(), b.data(), answer.data()});
  state.Peer("as float", [&] {
    state.Check(Gemm<float>(device, In<float, 2>(wide_a.data(), sizes), false, In<float, 2>(wide_b.data(), sizes),
                            false, Out<float, 2>(wide_c.data(), sizes)));
  });
  state.SetFlops(2.0 * static_cast<double>(n * n * n));
  AddOneThread(state, n * n, [&] { multiply(one); });
  for (auto _ : state) multiply(device);
}

}  // namespace

TENON_BENCH(gemm_bfloat16, {64, 128, 256, 512, 1024, 2048, 4096}) { TimeBfloat16(state); }

}  // namespace tenon::bench
