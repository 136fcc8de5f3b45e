// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cpu.hpp>

#include <stdexcept>
#include <thread>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace cpu_test {
using namespace tenon;

namespace {

// Writes down how a loop was split; runs everything on the caller's thread.
class RecordingPool final : public ThreadPoolInterface {
 public:
  void Schedule(void (*fn)(void*), void* arg) override { fn(arg); }
  int NumThreads() const override { return 2; }
  void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) override {
    ++calls;
    last_grain = grain;
    fn(arg, 0, total / 2);
    fn(arg, total / 2, total);
  }
  bool SplitsShortLoop(double ns) override {
    last_asked_ns = ns;
    return awake;
  }
  bool awake = false;
  double last_asked_ns = 0;
  int calls = 0;
  Index last_grain = 0;
};

struct Square {
  const int* x;
  int* y;
  TENON_HD void operator()(Index i) const { y[i] = x[i] * x[i]; }
};

}  // namespace

TEST_SUITE("Cpu") {
  TEST_CASE("a device without a pool works on the caller's thread, in one part") {
    Cpu device;
    int parts = 0;
    Index sum = 0;
    ParallelFor(device, 1000, 1e6, [&](Index begin, Index end) {
      ++parts;
      sum += end - begin;
    });
    CHECK(parts == 1);
    CHECK(sum == 1000);
  }

  TEST_CASE("work worth less than two threads stays on the caller's") {
    RecordingPool pool;
    Cpu device{.pool = &pool};
    ParallelFor(device, 1000, 29.0, [](Index, Index) {});
    CHECK(pool.calls == 0);
    ParallelFor(device, 1000, 31.0, [](Index, Index) {});
    CHECK(pool.calls == 1);
    CHECK(pool.last_grain >= 480);  // 15 us of work
    ParallelFor(device, 0, 1e9, [](Index, Index) { FAIL("called for nothing"); });
    CHECK(pool.calls == 1);
  }

  TEST_CASE("work worth handing over is split where a thread is awake") {
    RecordingPool pool;
    pool.awake = true;
    Cpu device{.pool = &pool};
    ParallelFor(device, 1000, 14.0, [](Index, Index) {});
    CHECK(pool.calls == 0);
    CHECK(pool.last_asked_ns == 0);
    ParallelFor(device, 1000, 20.0, [](Index, Index) {});
    CHECK(pool.calls == 1);
    CHECK(pool.last_asked_ns == 20000);
    CHECK(pool.last_grain >= 375);  // 7.5 us of work
    CHECK(pool.last_grain <= 400);
    ParallelFor(device, 1, 20000.0, [](Index begin, Index end) { CHECK(end - begin == 1); });
    ParallelFor(device, 1000, 0.0, [](Index begin, Index end) { CHECK(end - begin == 1000); });
    CHECK(pool.calls == 1);
  }

  TEST_CASE("ForEach calls the body for every index") {
    ThreadPool pool(2, "test");
    for (Cpu device : {Cpu{}, Cpu{.pool = &pool}}) {
      const Index n = 200000;
      std::vector<int> x(static_cast<std::size_t>(n)), y(static_cast<std::size_t>(n), -1);
      for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<int>(i % 1000);
      CHECK(ForEach(device, n, Square{x.data(), y.data()}).ok());
      bool right = true;
      for (Index i = 0; i < n; ++i)
        right = right && y[static_cast<std::size_t>(i)] == static_cast<int>((i % 1000) * (i % 1000));
      CHECK(right);
    }
  }

#if defined(__cpp_exceptions)
  TEST_CASE("a body that throws, over a pool whose threads would end the process") {
    struct TwoThreads final : ThreadPoolInterface {
      void Schedule(void (*fn)(void*), void* arg) override { fn(arg); }
      int NumThreads() const override { return 2; }
      void ParallelFor(Index total, Index, void (*fn)(void*, Index, Index), void* arg) override {
        std::thread other([&] { fn(arg, total / 2, total); });
        fn(arg, 0, total / 2);
        other.join();
      }
    } pool;
    struct Throws {
      Index at;
      int* y;
      void operator()(Index i) const {
        if (i == at) throw std::out_of_range("no such element");
        y[i] = 1;
      }
    };
    Cpu device{.pool = &pool}, alone;
    std::vector<int> y(100'000);
    for (Cpu* cpu : {&device, &alone})
      for (const Index at : {Index{0}, Index{99'999}})
        CHECK_THROWS_WITH((void)ForEach(*cpu, 100'000, Throws{at, y.data()}), "no such element");
    CHECK(ForEach(device, 100'000, Throws{-1, y.data()}).ok());
  }
#endif
}
}  // namespace cpu_test
