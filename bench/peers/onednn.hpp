// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all who measure oneDNN share: its engine, its threads, its errors.

#include <dlfcn.h>

#include <dnnl.hpp>

#include <tenon/base/str.hpp>

#include "harness.hpp"

namespace tenon::bench {

using dnnl::memory;
using Tag = memory::format_tag;

inline const dnnl::engine& Engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// It takes its threads from OpenMP.
inline void Prepare(const State& state) {
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads")); set != nullptr)
    set(state.options().threads);
  const dnnl_version_t* const v = dnnl_version();
  Note(StrCat("oneDNN ", v->major, ".", v->minor, ".", v->patch));
}

inline memory::desc F32(const memory::dims& dims, Tag tag) { return memory::desc(dims, memory::data_type::f32, tag); }
inline memory At(const memory::desc& desc, const float* data) {
  return memory(desc, Engine(), const_cast<float*>(data));
}

// The library reports errors by exceptions.
template <class Add>
void Try(State& state, const char* name, const Add& add) {
  if (!state.options().peers) return;
  Prepare(state);
  try {
    add();
  } catch (const dnnl::error& e) {
    state.Absent(name, e.what());
  }
}

}  // namespace tenon::bench
