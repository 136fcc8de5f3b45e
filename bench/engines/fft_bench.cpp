// SPDX-License-Identifier: Apache-2.0
// Fourier transforms. The number is the length of a line, or the side of the matrix.
#include <tenon/engine/fft/fft.hpp>

#include "support.hpp"

namespace tenon::bench {
namespace {

template <class T>
void TimeFft(State& state, FftKind kind, int dims, Index blocks = 1) {
  const Index n = state.arg(), half = n / 2 + 1;
  Machine machine(state);
  FftSizes sizes;
  sizes.dims = dims;
  sizes.blocks = blocks;
  for (int d = 0; d < dims; ++d) sizes.in[d] = sizes.full[d] = sizes.out[d] = n;
  if (kind == FftKind::kRealForward) sizes.out[dims - 1] = half;
  const Index points = blocks * (dims == 2 ? n * n : n);
  const Index results = points / n * sizes.out[dims - 1];
  const Tensor x = Numbers<T>({kind == FftKind::kRealForward ? points : 2 * points}, -1, 1);
  Tensor y(dtype_of_v<T>, {2 * results});
  const auto once = [&](Cpu& device) { state.Check(Fft<T>(device, kind, sizes, x.raw_data(), y.raw_data(), "FFT")); };
  once(machine.cpu);
  AddFftw(state, FourierTransform<T>{kind == FftKind::kRealForward, dims, n, blocks, x.template data<T>(),
                                     y.template data<T>(), results});
  state.SetItems(static_cast<double>(points), "element");
  state.Goal(1.5, "FFTW");
  TimeOn(state, machine, points, once);
}

}  // namespace

TENON_BENCH(fft, {16, 64, 256, 1000, 1009, 1024, 4096, 44100, 65536}) { TimeFft<float>(state, FftKind::kForward, 1); }
TENON_BENCH(fft_f64, {1024, 4096}) { TimeFft<double>(state, FftKind::kForward, 1); }
TENON_BENCH(fft_64xN, {512}) { TimeFft<float>(state, FftKind::kForward, 1, 64); }
TENON_BENCH(fft_4096xN, {16}) { TimeFft<float>(state, FftKind::kForward, 1, 4096); }
TENON_BENCH(fft_real, {512, 4096}) { TimeFft<float>(state, FftKind::kRealForward, 1); }
TENON_BENCH(fft_2d, {64, 512}) { TimeFft<float>(state, FftKind::kForward, 2); }
TENON_BENCH(fft_real_2d, {64, 512}) { TimeFft<float>(state, FftKind::kRealForward, 2); }

}  // namespace tenon::bench
