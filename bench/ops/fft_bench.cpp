// SPDX-License-Identifier: Apache-2.0
// Fourier transforms. The number is the length of a line, or the side of the matrix.
#include <tenon/types/complex.hpp>

#include "cases.hpp"

namespace tenon::bench {
namespace {

Tensor Complexes(const TensorShape& shape) {
  Tensor numbers(DataType::kComplex64, shape);
  const Tensor parts = Numbers({2 * shape.num_elements()});
  for (Index i = 0; i < shape.num_elements(); ++i)
    numbers.flat<complex64>()[i] = {parts.data<float>()[2 * i], parts.data<float>()[2 * i + 1]};
  return numbers;
}
void TimeFft(State& state, std::string_view op, const TensorShape& shape) {
  TimeOp(state, {.op = op, .fed = {Complexes(shape)}, .ceiling = Ceiling::kNone, .relative_error = 1e-3});
}
void TimeRealFft(State& state, std::string_view op, const TensorShape& shape) {
  Tensor length(DataType::kInt32, {shape.dims()});
  for (int d = 0; d < shape.dims(); ++d) length.flat<std::int32_t>()[d] = static_cast<std::int32_t>(shape.dim_size(d));
  TimeOp(state,
         {.op = op, .fed = {Numbers(shape)}, .constants = {length}, .ceiling = Ceiling::kNone, .relative_error = 1e-3});
}

}  // namespace

TENON_BENCH(fft, {256, 1000, 1009, 1024, 4096, 44100, 65536}) { TimeFft(state, "FFT", {state.arg()}); }
TENON_BENCH(fft_64xN, {512}) { TimeFft(state, "FFT", {64, state.arg()}); }
TENON_BENCH(rfft, {512, 4096}) { TimeRealFft(state, "RFFT", {state.arg()}); }
TENON_BENCH(fft_2d, {64, 512}) { TimeFft(state, "FFT2D", {state.arg(), state.arg()}); }
TENON_BENCH(rfft_2d, {64, 512}) { TimeRealFft(state, "RFFT2D", {state.arg(), state.arg()}); }

}  // namespace tenon::bench
