// SPDX-License-Identifier: Apache-2.0
#pragma once
// The benchmark harness: TENON_BENCH defines a case, bench/main.cpp runs the cases and prints them. A case times its
// own loop and, in turns with it, the same work done by others (peers); what it reports of a peer is the ratio of the
// two.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/resource.h>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/status.hpp>

// One thread, but for what the measured work itself starts.
namespace tenon::bench {

inline double NowNs() {
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// Processor time of this process.
inline double NowProcessorNs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// What the command line says.
struct Options {
  int rounds = 41;               // samples of each subject; 5 at least
  double batch_ns = 1e6;         // a sample runs the work as often as fits into this time
  double most_ns = 3e9;          // of all samples of one case together; fewer rounds where the work is slow
  int threads = 1;               // inside one op, for Tenon and for peers
  bool peers = true;
  double (*now)() = &NowNs;      // or NowProcessorNs, or NowCycles: a nanosecond then stands for a cycle
};

// Makes the compiler believe that somebody looks at `value`.
inline const volatile void* volatile kept = nullptr;
template <class T>
void Keep(const T& value) {
  kept = &value;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// How often this thread has had to leave its core to another; 0 where the system does not tell.
inline std::int64_t Preemptions() {
#if defined(RUSAGE_THREAD)
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
#else
  return 0;
#endif
}

inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// One who does the work: Tenon (the loop of the case) or a peer.
struct Subject {
  std::string name;
  Function<void(std::int64_t)> run;  // that many times; empty for the loop
  std::string absent;                // why it did not run; empty if it did
  std::int64_t batch = 1;            // runs per sample
  std::vector<double> ns = {};       // per run, one sample per round
};

// What a case is given.
//
//   TENON_BENCH(matmul_f32, {64, 128}) {
//     const Index n = state.arg();
//     state.SetFlops(2.0 * n * n * n);
//     state.Peer("Eigen", [&] { c.noalias() = a * b; });
//     for (auto _ : state) Multiply(n);
//   }
class State {
 public:
  State(const Options& options, std::string_view name, std::int64_t arg) : options_(options), name_(name), arg_(arg) {
    subjects_.push_back({"Tenon", {}, {}});
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::string_view name() const { return name_; }
  std::int64_t arg() const { return arg_; }
  const Options& options() const { return options_; }

  // The work of one run. Items are what the time is also divided by, such as the nodes of a graph.
  void SetFlops(double n) { flops_ = n; }
  void SetBytes(double n) { bytes_ = n; }
  void SetItems(double n, std::string_view what) {
    items_ = n;
    item_ = what;
  }

  // The same work done by another: once() does it once. It runs in turns with the loop below, in this thread.
  template <class F>
  void Peer(std::string name, F once) {
    PeerBatch(std::move(name), [once = std::move(once)](std::int64_t n) mutable {
      for (; n > 0; --n) once();
    });
  }
  // The same where the peer does the work n times by itself.
  void PeerBatch(std::string name, Function<void(std::int64_t)> run) {
    if (options_.peers) subjects_.push_back({std::move(name), std::move(run), {}});
  }
  // For a peer that has measured the batch it was asked for by itself: how long it took.
  void Took(double ns) { took_ = ns; }
  void Absent(std::string name, std::string why) {
    if (options_.peers) subjects_.push_back({std::move(name), {}, std::move(why)});
  }
  // A time that we want: at most `ratio` of that of the fastest peer whose name begins with `peers`.
  void Goal(double ratio, std::string_view peers) { goals_.push_back({ratio, std::string(peers)}); }

  // The case ends with the batch that runs now.
  void Fail(const Status& status) {
    if (error_.ok()) error_ = status;
  }
  bool Check(const Status& status) {
    if (!status.ok()) [[unlikely]]
      Fail(status);
    return status.ok();
  }

  struct Sentinel {};
  struct Tick {
    ~Tick() {}  // so that the variable of the loop counts as used
  };
  class Iterator {
   public:
    explicit Iterator(State* state) : state_(state) {}
    bool operator!=(Sentinel) {
      if (left_ == 0) [[unlikely]]
        left_ = state_->NextBatch();
      return left_-- > 0;
    }
    void operator++() {}
    Tick operator*() const { return {}; }

   private:
    State* state_;
    std::int64_t left_ = 0;
  };
  Iterator begin() { return Iterator(this); }
  Sentinel end() { return {}; }

  // Lets go of the peers; their times stay.
  void Release() {
    for (Subject& subject : subjects_) subject.run = {};
  }

  // What came out.
  const std::vector<Subject>& subjects() const { return subjects_; }
  const Status& error() const { return error_; }
  double flops() const { return flops_; }
  double bytes() const { return bytes_; }
  double items() const { return items_; }
  const std::string& item() const { return item_; }
  int disturbed() const { return disturbed_; }
  double Time(const Subject& subject) const { return Median(subject.ns); }
  // Tenon's time over that of the peer: the median of the ratios of all rounds.
  double Ratio(const Subject& peer) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(peer.ns.size(), subjects_[0].ns.size()); ++i)
      ratios.push_back(subjects_[0].ns[i] / peer.ns[i]);
    return Median(std::move(ratios));
  }
  struct GoalResult {
    double wanted = 0;
    std::string peers;
    double got = 0;     // 0: no such peer ran
  };
  std::vector<GoalResult> goals() const {
    std::vector<GoalResult> results = goals_;
    for (GoalResult& result : results)
      for (const Subject& s : subjects_)
        if (&s != subjects_.data() && s.name.starts_with(result.peers) && !s.ns.empty())
          result.got = std::max(result.got, Ratio(s));
    return results;
  }

 private:
  enum class Phase { kNew, kWarmUp, kCalibrate, kSettle, kMeasure, kDone };
  // With several threads: those of another subject spin on for a while (ONNX Runtime's for a millisecond), and one's
  // own, once asleep, come only after some, on the processor that the system finds for them.
  static constexpr double kRestNs = 3e6, kSettleNs = 8e6;
  static constexpr std::int64_t kFewRuns = 8;
  static constexpr int kTries = 6;  // of a sample in which the thread was preempted; if all were, the shortest counts

  // Called when a batch of the loop has ended; runs the peers. How often the loop is to run next: 0 ends it.
  TENON_DETAIL_COLD std::int64_t NextBatch() {
    const double elapsed = options_.now() - start_;
    Subject& loop = subjects_.front();
    if (!error_.ok()) phase_ = Phase::kDone;
    switch (phase_) {
      case Phase::kNew: phase_ = Phase::kWarmUp; break;
      case Phase::kWarmUp: phase_ = Phase::kCalibrate; break;
      case Phase::kCalibrate:
        if (Grow(&loop, elapsed)) break;
        CalibratePeers(elapsed);
        Rest();
        break;
      case Phase::kSettle:
        if (NowNs() >= settled_) phase_ = Phase::kMeasure;
        break;
      case Phase::kMeasure:
        best_ = tries_ == 0 ? elapsed : std::min(best_, elapsed);
        if (Preemptions() == preemptions_)
          best_ = elapsed;
        else if (++tries_ < kTries)
          break;
        disturbed_ += tries_ == kTries ? 1 : 0;
        tries_ = 0;
        loop.ns.push_back(best_ / static_cast<double>(loop.batch));
        for (std::size_t i = 1; i < subjects_.size(); ++i)
          if (subjects_[i].run) Sample(&subjects_[i]);
        Rest();
        if (static_cast<int>(loop.ns.size()) >= rounds_) phase_ = Phase::kDone;
        break;
      case Phase::kDone: break;
    }
    if (!error_.ok() || phase_ == Phase::kDone) return 0;
    preemptions_ = Preemptions();
    start_ = options_.now();
    return phase_ == Phase::kSettle && options_.threads == 1 ? 1 : loop.batch;
  }

  // Whether one run goes ahead of a sample on one thread: what the others left in the caches would count.
  bool RunsAhead(const Subject& subject) const { return options_.threads == 1 && subject.batch < kFewRuns; }
  // Before a sample: the loop's comes next, and settles first where it has threads.
  void Rest() {
    phase_ = options_.threads > 1 || RunsAhead(subjects_.front()) ? Phase::kSettle : Phase::kMeasure;
    settled_ = NowNs();
    if (options_.threads == 1) return;
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(kRestNs)));
    settled_ = NowNs() + kSettleNs;
  }
  // The same for a peer.
  void Settle(const Subject& peer) {
    if (RunsAhead(peer)) peer.run(1);
    if (options_.threads < 2) return;
    Rest();
    while (error_.ok() && NowNs() < settled_) peer.run(peer.batch);
  }

  // Makes the batch larger until it takes long enough; false: it does.
  bool Grow(Subject* subject, double elapsed) const {
    if (elapsed >= 0.8 * options_.batch_ns || subject->batch > 1000000000) return false;
    const double factor = std::clamp(options_.batch_ns / std::max(elapsed, 1.0), 1.2, 10.0);
    subject->batch = static_cast<std::int64_t>(static_cast<double>(subject->batch) * factor) + 1;
    return true;
  }
  double Timed(const Subject& subject) {
    took_ = 0;
    const double start = options_.now();
    subject.run(subject.batch);
    return took_ > 0 ? took_ : options_.now() - start;
  }
  void CalibratePeers(double elapsed) {
    const auto ahead = [this](const Subject& s) { return RunsAhead(s) ? 1 + 1 / static_cast<double>(s.batch) : 1; };
    double round_ns = elapsed * ahead(subjects_.front());
    for (std::size_t i = 1; i < subjects_.size(); ++i) {
      Subject& peer = subjects_[i];
      if (!peer.run) continue;
      peer.run(1);
      double ns = Timed(peer);
      while (error_.ok() && Grow(&peer, ns)) ns = Timed(peer);
      round_ns += ns * ahead(peer);
    }
    rounds_ = std::max(5, std::min(options_.rounds, static_cast<int>(options_.most_ns / round_ns)));
  }
  void Sample(Subject* peer) {
    Settle(*peer);
    double best = 0;
    bool preempted = true;
    for (int i = 0; i < kTries && preempted; ++i) {
      const std::int64_t before = Preemptions();
      const double ns = Timed(*peer);
      preempted = Preemptions() != before;
      best = preempted && i > 0 ? std::min(best, ns) : ns;
    }
    disturbed_ += preempted ? 1 : 0;
    peer->ns.push_back(best / static_cast<double>(peer->batch));
  }

  const Options& options_;
  std::string_view name_;  // of the case, which outlives this
  std::int64_t arg_;
  std::vector<Subject> subjects_;  // the first is the loop
  double flops_ = 0, bytes_ = 0, items_ = 0;
  std::string item_;
  std::vector<GoalResult> goals_;
  Status error_;
  Phase phase_ = Phase::kNew;
  int rounds_ = 0;
  int tries_ = 0;
  double best_ = 0;  // of the tries
  int disturbed_ = 0;  // samples that were taken although the thread was preempted
  std::int64_t preemptions_ = 0;
  double start_ = 0;
  double took_ = 0;  // of a peer's batch, where that has measured it
  double settled_ = 0;  // when the loop's threads have had their time to come
};

struct Case {
  const char* name;
  void (*run)(State&);
  std::vector<std::int64_t> args;  // one run each; empty: one run with 0
};
inline std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}
struct Registration {
  Registration(const char* name, void (*run)(State&), std::initializer_list<std::int64_t> args = {}) {
    Cases().push_back({name, run, args});
  }
};

// What adds cases when the program has begun, and knows all of its ops.
inline std::vector<void (*)()>& CaseLists() {
  static std::vector<void (*)()> lists;
  return lists;
}

// Something the reader of the results should know, such as a peer's version. Said once.
inline std::vector<std::string>& Notes() {
  static std::vector<std::string> notes;
  return notes;
}
inline void Note(std::string text) {
  if (std::find(Notes().begin(), Notes().end(), text) == Notes().end()) Notes().push_back(std::move(text));
}

}  // namespace tenon::bench

// TENON_BENCH(name) { ... } or TENON_BENCH(name, {8, 64}) { ... }: a case, run once for each number, with a `state`.
#define TENON_BENCH(name, ...)                                               \
  static void tenon_bench_##name(::tenon::bench::State& state);              \
  static const ::tenon::bench::Registration tenon_bench_registration_##name( \
      #name, &tenon_bench_##name __VA_OPT__(, ) __VA_ARGS__);                \
  static void tenon_bench_##name(::tenon::bench::State& state)
