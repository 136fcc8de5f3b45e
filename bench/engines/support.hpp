// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the cases of the engines share: the device and the ceilings.

#include <cstddef>

#include <tenon/device/cpu.hpp>
#include <tenon/device/thread_pool.hpp>

#include "numbers.hpp"
#include "one_thread.hpp"
#include "peers.hpp"

namespace tenon::bench {

// As many threads as the command line asks for; and one.
struct Machine {
  explicit Machine(const State& state)
      : pool(state.options().threads, "bench"), cpu{.pool = state.options().threads > 1 ? &pool : nullptr} {}

  ThreadPool pool;
  Cpu cpu, one;
};

// Times once(device), which makes or reads so many elements; of several threads also beside one.
template <class Once>
void TimeOn(State& state, Machine& machine, Index elements, const Once& once) {
  AddOneThread(state, elements, [&] { once(machine.one); });
  for (auto _ : state) once(machine.cpu);
}

// The ceiling and its goal, `speed` of it; only for one thread.
inline void AddCopyingGoal(State& state, double bytes, double speed) {
  state.SetBytes(bytes);
  if (state.options().threads != 1) return;
  AddCopying(state, static_cast<std::size_t>(bytes));
  if (speed > 0) state.Goal(1 / speed, "copying");
}
inline void AddReadingGoal(State& state, double bytes, double speed) {
  state.SetBytes(bytes);
  if (state.options().threads != 1) return;
  AddReading(state, static_cast<std::size_t>(bytes));
  state.Goal(1 / speed, "reading");
}

}  // namespace tenon::bench
