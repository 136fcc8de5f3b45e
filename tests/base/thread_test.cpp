// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/thread.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "sanitizers.hpp"

namespace thread_test {
using tenon::AvoidedProcessor;
using tenon::Thread;

namespace {

struct Counter {
  std::atomic<int> count{0};
  std::thread::id id;
  void Add() {
    id = std::this_thread::get_id();
    count.fetch_add(1);
  }
};

}  // namespace

TEST_CASE("a thread runs a member function of an object, beside the one that started it") {
  Counter counter;
  Thread thread;
  CHECK_FALSE(thread.joinable());
  REQUIRE(thread.Start<&Counter::Add>(&counter));
  CHECK(thread.joinable());
  thread.Join();
  CHECK_FALSE(thread.joinable());
  CHECK(counter.count.load() == 1);
  CHECK(counter.id != std::this_thread::get_id());
  REQUIRE(thread.Start<&Counter::Add>(&counter));  // and again
  thread.Join();
  CHECK(counter.count.load() == 2);
}

TEST_CASE("a thread moves") {
  Counter counter;
  Thread first;
  REQUIRE(first.Start<&Counter::Add>(&counter));
  Thread second(std::move(first));
  CHECK_FALSE(first.joinable());
  CHECK(second.joinable());
  first = std::move(second);
  CHECK_FALSE(second.joinable());
  first.Join();
  CHECK(counter.count.load() == 1);
}

TEST_CASE("a thread may go on by itself") {
  Counter counter;
  Thread thread;
  REQUIRE(thread.Start<&Counter::Add>(&counter));
  thread.Detach();
  CHECK_FALSE(thread.joinable());
  while (counter.count.load() == 0) Thread::YieldNow();
}

TEST_CASE("the system's processors are counted as by std") {
  CHECK(Thread::HardwareThreads() >= 1);
  if (std::thread::hardware_concurrency() > 0)
    CHECK(Thread::HardwareThreads() == static_cast<int>(std::thread::hardware_concurrency()));
}

#if defined(__linux__)
TEST_CASE("a thread's name is cut to what the system keeps") {
  struct Named {
    std::string name;
    bool same = false;
    void Main() {
      Thread::NameThis("a-name-of-20-letters");
      char text[16] = {};
      if (pthread_getname_np(pthread_self(), text, sizeof text) == 0) name = text;
      Thread::GetNameOfThis(text);
      same = name == text;
    }
  } named;
  Thread thread;
  REQUIRE(thread.Start<&Named::Main>(&named));
  thread.Join();
  CHECK(named.name == "a-name-of-20-le");
  CHECK(named.same);
}

#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
// In a process of its own that may take no more memory, not even for a stack.
TEST_CASE("where the system has no thread, Start says so") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static Counter counter;
    const rlimit limit{1, 1};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    for (int i = 0; i < 100; ++i) {  // the stacks of threads that have ended are kept for some
      Thread thread;
      if (!thread.Start<&Counter::Add>(&counter)) _exit(thread.joinable() ? 1 : 0);
      thread.Detach();
    }
    _exit(3);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif
#endif

#if defined(__linux__)
TEST_CASE("a thread avoids a processor among those it may run on, until it is told another") {
  cpu_set_t all{}, now{};
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  const int here = Thread::Processor();
  REQUIRE(here >= 0);
  CHECK(CPU_ISSET(here, &all));
  AvoidedProcessor avoided;
  avoided.Set(here);
  REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
  if (CPU_COUNT(&all) > 1) {
    CHECK_FALSE(CPU_ISSET(here, &now));
    CHECK(CPU_COUNT(&now) == CPU_COUNT(&all) - 1);
    const int there = Thread::Processor();
    CHECK(there != here);
    avoided.Set(there);  // one at a time
    REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
    CHECK(CPU_ISSET(here, &now));
    CHECK_FALSE(CPU_ISSET(there, &now));
    // What another has set meanwhile is kept.
    cpu_set_t only{};
    CPU_SET(there, &only);
    REQUIRE(sched_setaffinity(0, sizeof only, &only) == 0);
    avoided.Set(there);
    avoided.Set(here);
    REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
    CHECK(CPU_EQUAL(&now, &only));
    // The only one is never taken.
    avoided.Set(there);
    REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
    CHECK(CPU_EQUAL(&now, &only));
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    avoided.Set(-1);
  } else {
    CHECK(CPU_EQUAL(&now, &all));
  }
  avoided.Set(CPU_SETSIZE);  // no processor's number
  REQUIRE(sched_getaffinity(0, sizeof now, &now) == 0);
  CHECK(CPU_EQUAL(&now, &all));
}
#endif
}  // namespace thread_test
