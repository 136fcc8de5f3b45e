// SPDX-License-Identifier: Apache-2.0
#pragma once
// ThreadPool: a queue of tasks and loops that are split over threads. Idle threads spin for some 20 us and then leave
// their processor to others, if there are any, for some 100 us before they sleep: waking a sleeping thread takes 10 to
// 30 us, and between the large ops of a graph are small ones. They sleep away from the processor on which loops begin:
// woken there, they would wait for the caller, who is at work on the same loop, until the system's next tick.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_pause.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/waited_threads.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

// thread-safe. Tasks start in the order of Schedule but run at the same time; none may block for another that is
// queued, unless it says so (Waiting). Loops (ParallelFor) may nest, in tasks and in each other: whoever waits for a
// loop waits only for parts that run.
// In the child of a fork() the pool starts new threads when it is first used there. Tasks and loops that the parent had
// are the parent's: the child runs none of them.
//
//   ThreadPool pool(4, "intra");                                  // the caller and three threads
//   Cpu device{.pool = &pool};
//   ParallelFor(device, rows, ns_per_row, [&](Index begin, Index end) { Work(begin, end); });
class ThreadPool final : public ThreadPoolInterface, private detail::WaitedThreads {
 public:
  // `threads` counts the caller of ParallelFor: one less are started (fewer where the system has no more). With one
  // thread everything runs on the thread that asks for it. `name` is what a debugger shows (its first 11 characters).
  ThreadPool(int threads, std::string_view name) : name_(name.substr(0, 11)), caller_processor_(Thread::Processor()) {
    if (threads > 1) {
      threads_.reserve(static_cast<std::size_t>(threads) - 1);
      extra_threads_.reserve(static_cast<std::size_t>(threads) - 1);  // one for each that waits, without memory
      Grow();  // a first task needs no memory
    }
    for (int i = 1; i < threads; ++i) {
      if (!StartIn(&threads_)) break;
    }
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Runs what is queued, also what that queues, and joins the threads. One of its own tasks may destroy the pool: that
  // thread ends after the task.
  ~ThreadPool() override {
    if (!fork_.IsRepaired()) fork_.Repair([this] { ForgetThreads(); });
    stopping_.store(true);
    published_.fetch_add(1);
    published_.notify_all();
    for (Thread& thread : threads_)
      if (thread.joinable()) thread.JoinUnlessThis();
    for (Thread thread = TakeExtra(); thread.joinable(); thread = TakeExtra()) thread.JoinUnlessThis();
    if (WaitedThreads::current != this) [[likely]]
      return;
    WaitedThreads::current = nullptr;  // tells Main
    for (Task task{}; TakeTask(&task);) RunTask(task);
  }

  void Schedule(void (*fn)(void*), void* arg) override {
    NoticeFork();
    if (threads_.empty()) return RunHere({fn, arg});
    {
      MutexLock lock(mutex_);
      Push({fn, arg});
    }
    Publish(1);
  }

  void ParallelFor(Index total, Index grain, void (*fn)(void*, Index, Index), void* arg) override {
    if (total <= 0) return;
    NoticeFork();
    const Index most = total / (grain > 0 ? grain : 1);
    if (threads_.empty() || most < 2) return fn(arg, 0, total);
    detail::CatchingLoop body(fn, arg);
    Loop loop(&detail::CatchingLoop::Run, &body, total, PartsOf(most), NumThreads());
    const int wanted = loop.places;
    {
      MutexLock lock(mutex_);
      NoteCaller();
      loop.next_loop = loops_;
      loops_ = &loop;
    }
    Publish(wanted);
    loop.RunParts(0);
    Close(&loop);
    body.Rethrow();
  }

  bool WorksAfterFork() const override { return true; }
  int NumThreads() const override { return static_cast<int>(threads_.size()) + 1; }

  // A thread is woken for short loops once many have come one after the other: if it then meets another, that paid; if
  // it falls asleep before, the next time takes twice as many.
  bool SplitsShortLoop(double ns) override {
    if (spinning_.load(std::memory_order_relaxed) > 0) {
      if (patience_ns_.load(std::memory_order_relaxed) != kFirstPatienceNs)
        patience_ns_.store(kFirstPatienceNs, std::memory_order_relaxed);
      return true;
    }
    if (threads_.empty()) return false;
    // Threads may overwrite what others add: these are no more than guesses.
    const std::int64_t alone = alone_ns_.load(std::memory_order_relaxed) + static_cast<std::int64_t>(ns);
    const std::int64_t patience = patience_ns_.load(std::memory_order_relaxed);
    alone_ns_.store(alone < patience ? alone : 0, std::memory_order_relaxed);
    if (alone < patience) return false;
    if (patience < kLastPatienceNs) patience_ns_.store(2 * patience, std::memory_order_relaxed);
    return true;
  }
  // How often a thread of the pool has slept and was woken.
  std::int64_t num_wakeups() const { return wakeups_.load(std::memory_order_relaxed); }

  // For the time in which a task waits for another that may be queued behind it: while all threads of the pool wait,
  // one more runs. It stays, so that a pool has at most one thread more than ever waited at once. Does nothing on
  // threads that belong to no pool.
  class Waiting {
   public:
    Waiting() noexcept : threads_(detail::WaitedThreads::current) {
      if (threads_ != nullptr) is_replaced_ = threads_->BeginWait();
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
      if (threads_ != nullptr) threads_->EndWait();
    }
    // Returns whether a thread runs what is queued. Tries again to start one where there was no memory for it, or the
    // system had none: until then, what this thread waits for may never come.
    bool IsReplaced() noexcept {
      if (!is_replaced_) is_replaced_ = threads_->Replace();
      return is_replaced_;
    }

   private:
    detail::WaitedThreads* threads_;
    bool is_replaced_ = true;
  };

 private:
  static constexpr int kPartsPerThread = 4;  // so that a thread that comes late takes less
  static constexpr int kSpins = 1000;  // about 20 us
  static constexpr std::int64_t kYieldNs = 100'000, kFirstPatienceNs = 200'000, kLastPatienceNs = 100'000'000;
  static constexpr int kMaxDepth = 32;  // greatest depth of tasks that schedule tasks in a pool without threads

  struct Task {
    void (*fn)(void*);
    void* arg;
  };

  static Index Least(Index a, Index b) { return a < b ? a : b; }

  // A ParallelFor in progress; lives on its caller's stack, in one cache line. Its parts are in ranges: threads begin
  // each at another one, the same in every loop, so that they meet what they had in their caches. Who is through with
  // one range helps with the next.
  struct alignas(64) Loop {
    static constexpr int kMostRanges = 8;  // a byte of `taken` each
    static constexpr int kMostRunners = 128;  // so that no byte overflows

    void (*fn)(void*, Index, Index);
    void* arg;
    Index total;
    Index part;  // length of one part
    Loop* next_loop = nullptr;  // under mutex_
    std::atomic<std::uint64_t> taken{0};  // how many parts of each range
    std::atomic<int> helpers{0};  // threads at work on it besides the caller; raised under mutex_
    std::int16_t parts;
    std::uint8_t places;  // helpers that may still join; under mutex_
    std::uint8_t ranges : 7, flush_denormals : 1;  // the caller's mode, for the threads that help

    Loop(void (*fn_in)(void*, Index, Index), void* arg_in, Index total_in, Index most_parts, int threads)
        : fn(fn_in), arg(arg_in), total(total_in), part((total + most_parts - 1) / most_parts) {
      if (part >= 1024) part = (part + 63) & ~Index{63};  // elements: parts begin at whole cache lines
      const Index count = (total + part - 1) / part;
      const Index runners = Least(count, Least(threads, kMostRunners));
      parts = static_cast<std::int16_t>(count);
      places = static_cast<std::uint8_t>(runners - 1);
      ranges = static_cast<std::uint8_t>(Least(runners, kMostRanges)) & 127;
      flush_denormals = FlushesDenormals();
    }

    int FirstPart(int r) const { return parts * r / ranges; }
    bool IsLeft(int r) const {
      const int from_range = static_cast<int>(taken.load(std::memory_order_relaxed) >> (8 * r) & 255);
      return FirstPart(r) + from_range < FirstPart(r + 1);
    }
    // Runs the parts that are left, on a thread with this number.
    void RunParts(int thread) {
      for (int i = 0; i < ranges; ++i) {
        const int r = (thread + i) % ranges;
        if (i == 0 || IsLeft(r)) RunRange(r);
      }
    }
    void RunRange(int r) {
      for (const int end = FirstPart(r + 1);;) {
        const std::uint64_t before = taken.fetch_add(std::uint64_t{1} << (8 * r), std::memory_order_relaxed);
        const int number = FirstPart(r) + static_cast<int>(before >> (8 * r) & 255);
        if (number >= end) return;
        const Index begin = number * part;
        fn(arg, begin, Least(begin + part, total));
      }
    }
    bool Joinable() const {
      for (int r = 0; r < ranges && places > 0; ++r) {
        if (IsLeft(r)) return true;
      }
      return false;
    }
  };

  // Into how many parts to split what can be split into `most`: where there are more than threads, as many for each.
  Index PartsOf(Index most) const {
    const Index threads = Least(NumThreads(), Loop::kMostRunners);
    return most <= threads                    ? most
           : most < kPartsPerThread * threads ? most / threads * threads
                                              : kPartsPerThread * threads;
  }

  void NoticeFork() {
    if (!fork_.IsRepaired()) fork_.Repair([this] { StartAgain(); });
  }
  TENON_DETAIL_COLD void StartAgain() {
    ForgetThreads();
    for (Thread& thread : threads_)
      if (!thread.Start<&ThreadPool::Main>(this)) break;
    while (!threads_.empty() && !threads_.back().joinable()) threads_.pop_back();
  }
  // In the child of a fork(). A thread of the parent may have held the lock, so that nothing is known of what it
  // guards. What tasks and loops refer to is the parent's, and is not freed.
  TENON_DETAIL_COLD void ForgetThreads() {
    new (&mutex_) Mutex();
    new (&extra_threads_) SlimVector<Thread>();
    new (&ring_) SlimVector<Task>();
    first_ = count_ = joined_ = waiting_ = 0;
    loops_ = nullptr;
    places_ = nullptr;
    waiting_callers_.store(0);
    spinning_.store(0);
    sleeping_.store(0);
    started_.store(0);
    for (Thread& thread : threads_) thread = Thread();
  }

  // False: the system has no thread, or there is no memory for its place in the list. The list grows before the thread
  // runs: nothing may fail once it does.
  bool StartIn(SlimVector<Thread>* threads) noexcept {
    Thread thread;
    const bool has_room = detail::Succeeds([threads] { threads->reserve(threads->size() + 1); });
    if (!has_room || !thread.Start<&ThreadPool::Main>(this)) return false;
    threads->push_back(std::move(thread));
    return true;
  }

  Thread TakeExtra() {
    MutexLock lock(mutex_);
    if (extra_threads_.empty()) return {};
    Thread thread = std::move(extra_threads_.back());
    extra_threads_.pop_back();
    ++joined_;
    return thread;
  }
  TENON_DETAIL_COLD bool BeginWait() noexcept override {
    NoticeFork();
    MutexLock lock(mutex_);
    ++waiting_;
    return ReplaceLocked();
  }
  TENON_DETAIL_COLD bool Replace() noexcept override {
    MutexLock lock(mutex_);
    return ReplaceLocked();
  }
  bool ReplaceLocked() noexcept {
    return waiting_ < threads_.size() + extra_threads_.size() + joined_ || StartIn(&extra_threads_);
  }
  TENON_DETAIL_COLD void EndWait() noexcept override {
    NoticeFork();
    MutexLock lock(mutex_);
    if (waiting_ > 0) --waiting_;  // 0: its begin was before a fork
  }

  // The pool's record of one of its threads; under mutex_ but for `asleep`.
  struct Place {
    AvoidedProcessor avoided;
    std::atomic<bool> asleep{false};
    Place* next = nullptr;
  };
  // A loop begins on this thread: those that sleep are to wake elsewhere. Under mutex_. A thread of the pool may begin
  // one too; the others then sleep where they do.
  void NoteCaller() {
    const int processor = WaitedThreads::current == this ? caller_processor_ : Thread::Processor();
    if (processor == caller_processor_) return;
    caller_processor_ = processor;
    for (Place* place = places_; place != nullptr; place = place->next) {
      if (place->asleep.load(std::memory_order_relaxed)) place->avoided.Set(processor);
    }
  }

  // A thread's life.
  void Main() {
    const OfThisThread mine(this);
    Place place;
    {
      MutexLock lock(mutex_);
      place.next = std::exchange(places_, &place);
    }
    const int number = started_.fetch_add(1) + 1;
    (void)detail::Succeeds([&] { Thread::NameThis(StrCat(name_, "-", number).c_str()); });
    for (;;) {
      const std::uint32_t seen = published_.load();
      if (RunSomething(number, &place)) {
        if (WaitedThreads::current != this) [[unlikely]]
          return;  // the task has destroyed the pool
        continue;
      }
      if (stopping_.load()) break;
      WaitForChange(seen, &place);
    }
    MutexLock lock(mutex_);
    Place** link = &places_;
    while (*link != nullptr && *link != &place) link = &(*link)->next;
    if (*link != nullptr) *link = place.next;  // null: this thread called fork()
  }

  // Spins, then sleeps, until published_ is no longer `seen`. A busy machine takes milliseconds for a single yield.
  void WaitForChange(std::uint32_t seen, Place* place) {
    spinning_.fetch_add(1);
    for (int i = 0; i < kSpins && published_.load(std::memory_order_acquire) == seen; ++i) detail::SpinPause();
    const std::int64_t end = SteadyNanoseconds() + kYieldNs;
    while (published_.load(std::memory_order_acquire) == seen && SteadyNanoseconds() < end) Thread::YieldNow();
    spinning_.fetch_sub(1);
    if (published_.load() != seen) return;
    {
      MutexLock lock(mutex_);
      place->avoided.Set(caller_processor_);
      place->asleep.store(true, std::memory_order_relaxed);
    }
    sleeping_.fetch_add(1);
    published_.wait(seen);
    place->asleep.store(false, std::memory_order_relaxed);
    sleeping_.fetch_sub(1);
    wakeups_.fetch_add(1, std::memory_order_relaxed);
  }

  // One task, or the open parts of one loop. Loops first: somebody is waiting for them.
  bool RunSomething(int number, Place* place) {
    MutexLock lock(mutex_);
    Loop* loop = loops_;
    while (loop != nullptr && !loop->Joinable()) loop = loop->next_loop;
    if (loop != nullptr) {
      --loop->places;
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      const bool more = WorkIsLeft();
      lock.unlock();
      if (more) Wake(1);
      Help(loop, number);
      return true;
    }
    if (count_ == 0) return false;
    const Task task = Pop();
    const bool more = WorkIsLeft();
    caller_processor_ = -1;  // who scheduled it may sleep by now
    place->avoided.Set(-1);
    lock.unlock();
    if (more) Wake(1);
    RunTask(task);
    return true;
  }
  static void RunTask(Task task) {
    detail::CallAndLog("a task of a thread pool", [task] { task.fn(task.arg); });
  }

  bool WorkIsLeft() const { return count_ > 0 || (loops_ != nullptr && loops_->Joinable()); }

  void Help(Loop* loop, int number) {
    {
      ScopedFlushDenormals mode(loop->flush_denormals);
      loop->RunParts(number);
    }
    if (loop->helpers.fetch_sub(1) != 1) return;  // from here on the loop may be gone
    if (waiting_callers_.load() == 0) return;
    finished_.fetch_add(1);
    finished_.notify_all();
  }

  // No further helpers; waits for those that are at work.
  void Close(Loop* loop) {
    NoticeFork();
    {
      MutexLock lock(mutex_);
      Loop** link = &loops_;
      while (*link != nullptr && *link != loop) link = &(*link)->next_loop;
      if (*link == nullptr) return;  // fork() was called in the loop: its helpers are the parent's
      *link = loop->next_loop;
    }
    for (int i = 0; loop->helpers.load(std::memory_order_acquire) != 0; ++i) {
      if (i < kSpins) {
        detail::SpinPause();
        continue;
      }
      waiting_callers_.fetch_add(1);  // before `helpers` is read: the last helper then sees it, or is seen
      const std::uint32_t seen = finished_.load();
      if (loop->helpers.load() != 0) finished_.wait(seen);
      waiting_callers_.fetch_sub(1);
    }
  }

  // There is work for `wanted` more threads.
  void Publish(int wanted) {
    published_.fetch_add(1);
    Wake(wanted);
  }
  // Spinning threads see the work by themselves, and a thread that takes some wakes another if there is more.
  void Wake(int wanted) {
    wanted -= spinning_.load();
    const int sleeping = sleeping_.load();
    if (wanted <= 0 || sleeping <= 0) return;
    if (wanted >= sleeping) return published_.notify_all();
    for (int i = 0; i < wanted; ++i) published_.notify_one();
  }

  // A pool without threads: the task runs now; deep inside other tasks it waits until the outermost has returned.
  void RunHere(Task task) {
    static thread_local int depth = 0;
    if (depth >= kMaxDepth) {
      MutexLock lock(mutex_);
      return Push(task);
    }
    ++depth;
    RunTask(task);
    while (depth == 1 && TakeTask(&task)) RunTask(task);
    --depth;
  }
  bool TakeTask(Task* task) {
    MutexLock lock(mutex_);
    if (count_ == 0) return false;
    *task = Pop();
    return true;
  }

  // The ring of tasks; under mutex_. Its size is a power of two and only grows.
  void Push(Task task) {
    if (count_ == ring_.size()) Grow();
    ring_[(first_ + count_++) & (ring_.size() - 1)] = task;
  }
  Task Pop() {
    const Task task = ring_[first_];
    first_ = (first_ + 1) & (ring_.size() - 1);
    --count_;
    return task;
  }
  void Grow() {
    SlimVector<Task> larger(ring_.empty() ? 64 : 2 * ring_.size());
    for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_.swap(larger);
    first_ = 0;
  }

  std::string name_;
  ForkGuard fork_;
  Mutex mutex_;
  SlimVector<Thread> extra_threads_;  // under mutex_
  std::size_t joined_ = 0;  // extra threads that the destructor waits for; under mutex_
  std::size_t waiting_ = 0;  // threads in Waiting; under mutex_
  SlimVector<Task> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  Loop* loops_ = nullptr;  // the newest first: the innermost of nested loops
  int caller_processor_;  // where a loop was begun last; -1: tasks came since; under mutex_
  Place* places_ = nullptr;  // records of the threads that live; under mutex_
  std::atomic<std::uint32_t> published_{0};  // counts Schedule and ParallelFor; sleeping threads wait for it to change
  std::atomic<std::uint32_t> finished_{0};  // counts loops that ended while a caller slept
  std::atomic<int> waiting_callers_{0};
  std::atomic<int> spinning_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<int> started_{0};  // threads that have their name
  std::atomic<std::int64_t> wakeups_{0};
  std::atomic<std::int64_t> alone_ns_{0};  // time of short loops since a thread was last woken for one
  std::atomic<std::int64_t> patience_ns_{kFirstPatienceNs};  // so long
  std::atomic<bool> stopping_{false};
  SlimVector<Thread> threads_;  // last: the threads use everything above
};

TENON_DETAIL_STEP_NAMESPACE_END
