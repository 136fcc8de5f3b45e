// SPDX-License-Identifier: Apache-2.0
#pragma once
// Thread: std::thread for the inside of Tenon; says so where the system has no more threads, and needs nothing of
// <thread>, which brings stop tokens, semaphores and unique pointers. AvoidedProcessor keeps one off a processor.

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/platform.hpp>

#if !TENON_DETAIL_PTHREADS
#include <new>
#include <thread>
#include <utility>
#endif

TENON_DETAIL_NAMESPACE_BEGIN

// externally synchronised. Joined before it is destroyed. In the child of a fork() the parent's threads do not exist:
// they are not joinable there.
//
//   if (!thread_.Start<&Worker::Main>(this)) return errors::ResourceExhausted(...);
//   thread_.Join();
class Thread {
 public:
  Thread() = default;
  Thread(Thread&& other) noexcept { *this = static_cast<Thread&&>(other); }
  // Only onto one that is not joinable.
  Thread& operator=(Thread&& other) noexcept {
#if TENON_DETAIL_PTHREADS
    thread_ = other.thread_;
    joinable_ = other.joinable_;
    other.joinable_ = false;
#else
    Forget();
    thread_ = std::move(other.thread_);
#endif
    forks_ = other.forks_;
    return *this;
  }
#if !TENON_DETAIL_PTHREADS
  ~Thread() { Forget(); }
#endif

  // Runs object->*kMain() in a thread of its own. False where the system has none. An exception that leaves it ends the
  // process.
  template <auto kMain, class T>
  bool Start(T* object) {
    detail::WatchForks();
#if !TENON_DETAIL_PTHREADS
    Forget();
#endif
    forks_ = ForkCount();
#if TENON_DETAIL_PTHREADS
    joinable_ = pthread_create(&thread_, nullptr, &Run<kMain, T>, object) == 0;
    return joinable_;
#elif defined(__cpp_exceptions)
    try {
      thread_ = std::thread(&Run<kMain, T>, object);
      return true;
    } catch (...) {
      return false;
    }
#else
    thread_ = std::thread(&Run<kMain, T>, object);
    return true;
#endif
  }
#if TENON_DETAIL_PTHREADS
  bool joinable() const { return joinable_ && forks_ == ForkCount(); }
  // Waits for its end.
  void Join() {
    pthread_join(thread_, nullptr);
    joinable_ = false;
  }
  // It goes on by itself.
  void Detach() {
    pthread_detach(thread_);
    joinable_ = false;
  }
#else
  bool joinable() const { return thread_.joinable() && forks_ == ForkCount(); }
  void Join() { thread_.join(); }
  void Detach() { thread_.detach(); }
#endif

  // Joins; the calling thread, which cannot join itself, is detached.
  void JoinUnlessThis() {
#if TENON_DETAIL_PTHREADS
    const bool is_this = pthread_equal(thread_, pthread_self()) != 0;
#else
    const bool is_this = thread_.get_id() == std::this_thread::get_id();
#endif
    if (is_this)
      Detach();
    else
      Join();
  }

  // Lets others run.
  static void YieldNow() { detail::YieldThread(); }
  // Processors that the system has, at least 1.
  static int HardwareThreads() {
#if TENON_DETAIL_PTHREADS
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
#else
    const long count = static_cast<long>(std::thread::hardware_concurrency());
#endif
    return count > 0 ? static_cast<int>(count) : 1;
  }
  // The one that the calling thread runs on, from 0; -1 where the system does not say.
  static int Processor() {
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
  }
  // Names the calling thread for debuggers: the first 15 characters. Does nothing where the system has no names.
  static void NameThis([[maybe_unused]] const char* name) {
#if defined(__linux__)
    char text[16] = {};
    for (int i = 0; i < 15 && name[i] != '\0'; ++i) text[i] = name[i];
    pthread_setname_np(pthread_self(), text);
#endif
  }
  // Reads the name of the calling thread, ended by a zero; empty where the system has no names.
  static void GetNameOfThis(char (&name)[16]) {
    name[0] = '\0';
#if defined(__linux__)
    if (pthread_getname_np(pthread_self(), name, sizeof name) != 0) name[0] = '\0';
#endif
  }

 private:
  template <auto kMain, class T>
  static void* Run(void* object) noexcept {
    (static_cast<T*>(object)->*kMain)();
    return nullptr;
  }

#if TENON_DETAIL_PTHREADS
  pthread_t thread_{};
  bool joinable_ = false;
#else
  // A std::thread of the parent process, which does not exist here, must not see its destructor.
  void Forget() {
    if (thread_.joinable() && !joinable()) ::new (&thread_) std::thread();
  }

  std::thread thread_;
#endif
  std::uint32_t forks_ = 0;  // ForkCount() of its process
};

// A processor that a thread is not to run on. Systems like to wake a thread where the one that wakes it runs, though
// other processors are idle (in a virtual machine those that sleep count as taken), and move it only with a later tick,
// after some milliseconds. Processors that others have taken from the thread (taskset, a cpuset) stay so, and one that
// has no other keeps its own. Does nothing where systems other than Linux run.
//
// externally synchronised. Made by the thread it is for; others may set it while that lives.
class AvoidedProcessor {
 public:
  // -1: none.
  void Set([[maybe_unused]] int processor) {
#if defined(__linux__)
    if (processor == processor_) return;
    cpu_set_t now;
    // Fails where there are more processors than the set holds.
    if (processor >= CPU_SETSIZE || sched_getaffinity(thread_, sizeof now, &now) != 0) return;
    if (processor_ >= 0) {
      cpu_set_t ours = all_;
      CPU_CLR(processor_, &ours);
      if (CPU_EQUAL(&now, &ours)) now = all_;
    }
    all_ = now;
    if (processor >= 0) CPU_CLR(processor, &now);
    processor_ = processor;
    if (CPU_COUNT(&now) > 0) (void)sched_setaffinity(thread_, sizeof now, &now);
#endif
  }

#if defined(__linux__)
 private:
  pid_t thread_ = detail::ThreadId();
  int processor_ = -1;
  cpu_set_t all_{};  // what the thread had without us
#endif
};

TENON_DETAIL_NAMESPACE_END
