// SPDX-License-Identifier: Apache-2.0
// FFTW (Debian's package libfftw3-dev), its plans chosen by measuring.
#include "peers.hpp"

#if defined(TENON_BENCH_FFTW)

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <fftw3.h>

namespace tenon::bench {
namespace {

using Plan = std::shared_ptr<std::remove_pointer_t<fftw_plan>>;
using FloatPlan = std::shared_ptr<std::remove_pointer_t<fftwf_plan>>;

template <class T>
auto MakePlan(const FourierTransform<T>& f, T* in, T* out) {
  const int n[] = {static_cast<int>(f.n), static_cast<int>(f.n)}, blocks = static_cast<int>(f.blocks);
  const int line = static_cast<int>(f.n);
  if constexpr (std::is_same_v<T, float>) {
    auto* const to = reinterpret_cast<fftwf_complex*>(out);
    return FloatPlan(f.is_real ? fftwf_plan_dft_r2c(f.dims, n, in, to, FFTW_MEASURE)
                               : fftwf_plan_many_dft(f.dims, n, blocks, reinterpret_cast<fftwf_complex*>(in), nullptr,
                                                     1, line, to, nullptr, 1, line, FFTW_FORWARD, FFTW_MEASURE),
                     &fftwf_destroy_plan);
  } else {
    auto* const to = reinterpret_cast<fftw_complex*>(out);
    return Plan(f.is_real ? fftw_plan_dft_r2c(f.dims, n, in, to, FFTW_MEASURE)
                          : fftw_plan_many_dft(f.dims, n, blocks, reinterpret_cast<fftw_complex*>(in), nullptr, 1, line,
                                               to, nullptr, 1, line, FFTW_FORWARD, FFTW_MEASURE),
                &fftw_destroy_plan);
  }
}

}  // namespace

template <class T>
void AddFftw(State& state, const FourierTransform<T>& f) {
  if (!state.options().peers) return;
  const Index points = f.blocks * (f.dims == 2 ? f.n * f.n : f.n);
  std::vector<T> in(static_cast<std::size_t>(f.is_real ? points : 2 * points));
  std::vector<T> out(static_cast<std::size_t>(2 * f.results));
  auto plan = MakePlan(f, in.data(), out.data());  // measuring writes into both
  const auto run = [](const auto& planned) {
    if constexpr (std::is_same_v<T, float>)
      fftwf_execute(planned.get());
    else
      fftw_execute(planned.get());
  };
  in.assign(f.x, f.x + in.size());
  run(plan);
  if (!Agree(state, "FFTW", f.answer, out.data(), 2 * f.results, sizeof(T) == 4 ? 1e-5 : 1e-13)) return;
  state.Peer("FFTW", [run, plan, in = std::move(in), out = std::move(out)] { run(plan); });
}

}  // namespace tenon::bench

#else

namespace tenon::bench {

template <class T>
void AddFftw(State& state, const FourierTransform<T>&) {
  if (state.options().peers) state.Absent("FFTW", "not found when this was built");
}

}  // namespace tenon::bench

#endif

namespace tenon::bench {
template void AddFftw(State&, const FourierTransform<float>&);
template void AddFftw(State&, const FourierTransform<double>&);
}  // namespace tenon::bench
