// SPDX-License-Identifier: Apache-2.0
#pragma once
// BENCHMARK as a name: benchmarks are compiled and not run.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/base/strings.hpp>

namespace benchmark {
// The loop of a benchmark: `for (auto s : state)`, which runs once.
class State {
 public:
  struct [[maybe_unused]] Value {};
  struct Iterator {
    bool at_end;
    Value operator*() const { return {}; }
    Iterator& operator++() { return at_end = true, *this; }
    bool operator!=(const Iterator& other) const { return at_end != other.at_end; }
  };
  Iterator begin() const { return {false}; }
  Iterator end() const { return {true}; }
  bool KeepRunning() { return left_-- > 0; }
  bool KeepRunningBatch(std::int64_t) { return KeepRunning(); }
  std::int64_t range(int = 0) const { return 1; }
  std::int64_t iterations() const { return 1; }
  std::int64_t max_iterations = 1;
  void SetItemsProcessed(std::int64_t) {}
  void SetBytesProcessed(std::int64_t) {}
  void SetLabel(const std::string&) {}
  void SkipWithError(const std::string&) {}
  void PauseTiming() {}
  void ResumeTiming() {}

 private:
  int left_ = 1;
};
// The result of BENCHMARK(f): every setting is accepted.
class Benchmark {
 public:
  template <class... T>
  Benchmark* Arg(T&&...) {
    return this;
  }
  template <class... T>
  Benchmark* Args(T&&...) {
    return this;
  }
  Benchmark* Args(std::initializer_list<std::int64_t>) { return this; }
  template <class... T>
  Benchmark* ArgPair(T&&...) {
    return this;
  }
  template <class... T>
  Benchmark* ArgNames(T&&...) {
    return this;
  }
  template <class... T>
  Benchmark* Range(T&&...) {
    return this;
  }
  template <class... T>
  Benchmark* RangePair(T&&...) {
    return this;
  }
  template <class... T>
  Benchmark* RangeMultiplier(T&&...) {
    return this;
  }
  template <class... T>
  Benchmark* Apply(T&&...) {
    return this;
  }
  Benchmark* UseRealTime() { return this; }
  Benchmark* MeasureProcessCPUTime() { return this; }
  Benchmark* Threads(int) { return this; }
  Benchmark* ThreadRange(int, int) { return this; }
};
template <class... T>
Benchmark* Accept(void (*)(T...)) {
  static Benchmark all;
  return &all;
}
template <class T>
void DoNotOptimize(const T& value) {
  static_cast<void>(value);
}
template <class... T>
void Initialize(T&&...) {}
inline void RunSpecifiedBenchmarks() {}
}  // namespace benchmark
namespace testing {
namespace benchmark = ::benchmark;
}  // namespace testing

namespace tensorflow {
namespace testing {
using benchmark::Benchmark;
using benchmark::DoNotOptimize;
inline void RunBenchmarks() {}
inline void InitializeBenchmarks(int*, char**) {}
inline void StartTiming() {}
inline void StopTiming() {}
inline void UseRealTime() {}
inline void BytesProcessed(std::int64_t) {}
inline void ItemsProcessed(std::int64_t) {}
inline void SetLabel(const std::string&) {}
}  // namespace testing
}  // namespace tensorflow

#define BENCHMARK(NAME)                                                                                        \
  [[maybe_unused]] static ::benchmark::Benchmark* TENON_COMPAT_BENCHMARK_NAME(tenon_benchmark_, __COUNTER__) = \
      ::benchmark::Accept(NAME)
#define TENON_COMPAT_BENCHMARK_JOIN(A, B) A##B
#define TENON_COMPAT_BENCHMARK_NAME(A, B) TENON_COMPAT_BENCHMARK_JOIN(A, B)
