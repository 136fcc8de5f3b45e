// SPDX-License-Identifier: Apache-2.0
// Latency of RunAsync at a given load: a model of about 10 us, whose runs arrive at equal distances or at random
// (Poisson). The load is a share of the most runs a second that RunAsync ends while 64 are under way. Wanted at 80 %:
// the 99th percentile is at most 3 times the median. "control" is a thread that polls a queue and reads the clock for
// the time of a run, with the same arrivals: it has no lock, no memory and no system call, and shows what the machine
// adds. Both take turns of a millisecond, which begin when the server is awake. A turn in which the system took the
// processor of a thread counts for "all" and not for "undisturbed". "ideal" is the same queue without a machine: as
// many servers as make that rate with the model's time.
//
//   tenon_bench_async [seconds a row] [threads]
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/runtime.hpp>
#include <tenon/base/clock.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/add.hpp>

TENON_REGISTER(tenon::Types<float>, tenon::ops::Placeholder, tenon::ops::AddV2);

namespace tenon::bench {
namespace {

std::int64_t Now() { return SteadyNanoseconds(); }

// A chain of sums.
Result<Callable> Chain(int nodes, int threads) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, TensorShape{});
  Output value = x;
  for (int i = 0; i < nodes; ++i) value = b.Add("AddV2", "", {value, x});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b, {.inter_op_threads = threads,
                                                                       .intra_op_threads = 1,
                                                                       .executor = ExecutorKind::kSequential}));
  return session.MakeCallable({.feeds = {"x"}, .fetches = {b.Name(value)}});
}
// Median nanoseconds of a run that its caller waits for.
double TimeOfRun(const Callable& callable) {
  const Tensor x = Tensor::Scalar(1.0f);
  Tensor fetch;
  std::vector<std::int64_t> times(2001);
  for (std::int64_t& time : times) {
    const std::int64_t begin = Now();
    if (!callable.Run({&x, 1}, {&fetch, 1}).ok()) std::abort();
    time = Now() - begin;
  }
  std::nth_element(times.begin(), times.begin() + 1000, times.end());
  return static_cast<double>(times[1000]);
}
// Runs a second while 64 are under way. The caller keeps its processor, as it does in OfRuns.
double MostRate(const Callable& callable, double seconds) {
  const Tensor x = Tensor::Scalar(1.0f);
  std::atomic<std::int64_t> under_way{0}, ended{0};
  const std::int64_t begin = Now(), end = begin + static_cast<std::int64_t>(seconds * 1e9);
  while (Now() < end) {
    if (under_way.load() >= 64) continue;
    under_way.fetch_add(1);
    callable.RunAsync({&x, 1}, {}, [&](Result<std::vector<Tensor>>) {
      ended.fetch_add(1);
      under_way.fetch_sub(1);
    });
  }
  const double rate = static_cast<double>(ended.load()) / (static_cast<double>(Now() - begin) / 1e9);
  while (under_way.load() != 0) std::this_thread::yield();
  return rate;
}

struct Latency {
  double median = 0, p99 = 0, most = 0;  // us
  double ratio() const { return p99 / median; }
};
Latency Summary(std::vector<double> ns) {
  std::sort(ns.begin(), ns.end());
  const auto at = [&](double share) {
    return ns[static_cast<std::size_t>(share * static_cast<double>(ns.size() - 1))] / 1e3;
  };
  return {at(0.5), at(0.99), at(1)};
}
// When runs arrive, in ns from the first.
std::vector<double> Arrivals(double rate, double seconds, bool random) {
  std::vector<double> when;
  std::uint64_t state = 88172645463325252u;
  for (double t = 0; t < seconds * 1e9;) {
    when.push_back(t);
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const double uniform = (static_cast<double>(state >> 11) + 1) / 9007199254740993.0;
    t += 1e9 / rate * (random ? -std::log(uniform) : 1.0);
  }
  return when;
}
// How often the system took the processor of this thread.
long Losses() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}
struct Times {
  std::vector<double> all, undisturbed;  // ns
  int turns = 0, undisturbed_turns = 0;
};
// One turn: calls start(number, due) when each run is due. When that has ended the server calls End(number, due). Runs
// before the turn, one after the other, wake the server; they do not count.
class Turn {
 public:
  static constexpr std::size_t kWakes = 5;  // runs before the turn
  explicit Turn(const std::vector<double>& when) : when_(when), ns_(kWakes + when.size()) {}
  std::size_t num_runs() const { return ns_.size(); }
  template <class Start>
  void Offer(const Start& start) {
    for (std::size_t i = 0; i < kWakes; ++i) {
      start(i, Now());
      while (ended_.load() <= i) {
      }
    }
    const std::int64_t begin = Now() + 5'000;
    const long before = Losses();
    for (std::size_t i = 0; i < when_.size(); ++i) {
      const std::int64_t due = begin + static_cast<std::int64_t>(when_[i]);
      while (Now() < due) {
      }
      start(kWakes + i, due);
    }
    losses_ += Losses() - before;
    while (ended_.load() != ns_.size()) std::this_thread::yield();
  }
  // The last call before the turn and the last of all are of one thread where there is one server.
  void End(std::size_t i, std::int64_t due) {
    ns_[i] = static_cast<double>(Now() - due);
    if (i + 1 == kWakes) before_ = Losses();
    if (i + 1 == ns_.size()) losses_ += Losses() - before_;
    ended_.fetch_add(1);
  }
  void AddTo(Times* times) const {
    ++times->turns;
    times->all.insert(times->all.end(), ns_.begin() + kWakes, ns_.end());
    if (losses_.load() != 0) return;
    ++times->undisturbed_turns;
    times->undisturbed.insert(times->undisturbed.end(), ns_.begin() + kWakes, ns_.end());
  }

 private:
  const std::vector<double>& when_;
  std::vector<double> ns_;
  std::atomic<std::size_t> ended_{0};
  long before_ = 0;
  std::atomic<long> losses_{0};
};
// From the moment in which a run is to arrive to its callback.
void AddRuns(const Callable& callable, const std::vector<double>& when, Times* times) {
  const Tensor x = Tensor::Scalar(1.0f);
  Turn turn(when);
  turn.Offer([&](std::size_t i, std::int64_t due) {
    callable.RunAsync({&x, 1}, {}, [&turn, i, due](Result<std::vector<Tensor>>) { turn.End(i, due); });
  });
  turn.AddTo(times);
}
// Does so for a thread that polls a queue and takes `time` ns a run.
void AddControl(std::int64_t time, const std::vector<double>& when, Times* times) {
  Turn turn(when);
  std::vector<std::int64_t> queue(turn.num_runs());
  std::atomic<std::size_t> queued{0};
  std::thread server([&] {
    for (std::size_t i = 0; i < queue.size(); ++i) {
      while (queued.load(std::memory_order_acquire) <= i) {
      }
      for (const std::int64_t end = Now() + time; Now() < end;) {
      }
      turn.End(i, queue[i]);
    }
  });
  turn.Offer([&](std::size_t i, std::int64_t due) {
    queue[i] = due;
    queued.store(i + 1, std::memory_order_release);
  });
  server.join();
  turn.AddTo(times);
}
void Print(const char* arrivals, double load, const char* turns, const Latency& runs, const Latency& control,
           const Latency& ideal) {
  std::printf("| %s | %.0f %% | %s | %.1f | %.1f | %.2f | %.0f | %.1f | %.1f | %.2f | %.0f | %.2f |\n", arrivals,
              load * 100, turns, runs.median, runs.p99, runs.ratio(), runs.most, control.median, control.p99,
              control.ratio(), control.most, ideal.ratio());
}
// The same of `servers` that take `time` ns a run and cost nothing else; the first one free takes the next run.
Latency OfIdeal(const std::vector<double>& when, double time, std::size_t servers) {
  std::vector<double> free(servers), ns;
  for (const double t : when) {
    double& first = *std::min_element(free.begin(), free.end());
    first = std::max(first, t) + time;
    ns.push_back(first - t);
  }
  return Summary(std::move(ns));
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  using namespace tenon::bench;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  int nodes = 200;
  auto callable = Chain(nodes, threads);
  for (int i = 0; i < 4 && callable.ok(); ++i) {
    nodes = std::clamp(static_cast<int>(nodes * 10e3 / TimeOfRun(*callable)), 1, 100'000);
    callable = Chain(nodes, threads);
  }
  if (!callable.ok()) {
    std::fprintf(stderr, "%s\n", std::string(callable.status().message()).c_str());
    return 1;
  }
  const double time = TimeOfRun(*callable);
  (void)MostRate(*callable, seconds / 4);
  const double most = MostRate(*callable, seconds);
  std::printf("%d sums take %.2f us; %.0f runs a second with 64 under way on %d threads\n\n", nodes, time / 1e3, most,
              threads);
  std::printf(
      "| arrivals | load | turns | median [us] | p99 [us] | ratio | most [us] | control median | control p99 | control "
      "ratio | control most | ideal ratio |\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  const auto servers = static_cast<std::size_t>(std::max(1.0, std::round(most * time / 1e9)));
  constexpr double kSecondsATurn = 0.001;
  for (const bool random : {false, true}) {
    for (const double load : {0.5, 0.8}) {
      const std::vector<double> when = Arrivals(load * most, kSecondsATurn, random);
      Times runs, control;
      for (const std::int64_t end = Now() + static_cast<std::int64_t>(seconds * 1e9); Now() < end;) {
        AddRuns(*callable, when, &runs);
        AddControl(static_cast<std::int64_t>(1e9 / most), when, &control);
      }
      const Latency ideal = OfIdeal(when, static_cast<double>(servers) * 1e9 / most, servers);
      const char* const name = random ? "random" : "even";
      Print(name, load, "all", Summary(std::move(runs.all)), Summary(std::move(control.all)), ideal);
      if (!runs.undisturbed.empty() && !control.undisturbed.empty())
        Print(name, load, "undisturbed", Summary(std::move(runs.undisturbed)), Summary(std::move(control.undisturbed)),
              ideal);
      std::printf("%d of %d turns undisturbed, %d of %d of the control\n", runs.undisturbed_turns, runs.turns,
                  control.undisturbed_turns, control.turns);
      std::fflush(stdout);
    }
  }
}
