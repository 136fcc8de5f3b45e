// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/cancellation.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tenon/base/log.hpp>
#include <tenon/base/refcount.hpp>

namespace cancellation_test {
TEST_CASE("CancellationManager: callbacks run once, or never") {
  tenon::CancellationManager manager;
  int a = 0, b = 0;
  const auto first = manager.NewToken(), second = manager.NewToken();
  CHECK(first != second);
  CHECK(manager.Register(first, [&] { ++a; }));
  CHECK(manager.Register(second, [&] { ++b; }));
  CHECK(manager.Deregister(first));
  CHECK_FALSE(manager.IsCancelled());
  manager.StartCancel();
  manager.StartCancel();
  CHECK(manager.IsCancelled());
  CHECK(a == 0);
  CHECK(b == 1);
  CHECK_FALSE(manager.Deregister(second));
  CHECK_FALSE(manager.TryDeregister(second));
  CHECK_FALSE(manager.Register(manager.NewToken(), [&] { ++a; }));
  CHECK(a == 0);
}

TEST_CASE("CancellationManager: a callback sees that cancelling has begun") {
  tenon::CancellationManager manager;
  bool seen = false;
  bool cancelling = false;
  CHECK(manager.Register(manager.NewToken(), [&] { seen = manager.IsCancelled(); }));
  CHECK(manager.Register(manager.NewToken(), [&] { cancelling = manager.IsCancelling(); }));
  CHECK_FALSE(manager.IsCancelling());
  manager.StartCancel();
  CHECK(seen);
  CHECK(cancelling);
  CHECK_FALSE(manager.IsCancelling());
}

namespace {
struct Listed final : tenon::CancellationManager::Waiter {
  Listed(int n, std::vector<int>* to, int* gone) : number(n), calls(to), left(gone) { ++*left; }
  ~Listed() override { --*left; }
  void OnCancel() override { calls->push_back(number); }
  void OnRemove() override { calls->push_back(-number); }
  const int number;
  std::vector<int>* const calls;
  int* const left;
};
}  // namespace

TEST_CASE("CancellationManager: waiters are called in their order, held until then, and called no more afterwards") {
  std::vector<int> calls;
  int left = 0;
  const auto waiter = [&](int number) { return tenon::Ref<Listed>::Adopt(new Listed(number, &calls, &left)); };
  {
    tenon::CancellationManager parent, manager(&parent);
    tenon::Ref<Listed> first = waiter(1);
    const tenon::Ref<Listed> second = waiter(2), third = waiter(3);
    CHECK(manager.AddWaiter(first.get()));
    CHECK(manager.AddWaiter(second.get()));
    CHECK(manager.AddWaiter(third.get()));
    CHECK(manager.Register(manager.NewToken(), [&] { calls.push_back(0); }));
    CHECK(manager.TryRemoveWaiter(second.get()));
    CHECK(manager.TryRemoveWaiter(second.get()));  // it is not registered any more
    CHECK(second->RefCountIsOne());
    first = {};
    CHECK(left == 3);
    CHECK(manager.IsInUse());
    parent.StartCancel();
    CHECK(calls == std::vector<int>{-2, 0, 1, 3, -1, -3});
    CHECK(left == 2);
    CHECK_FALSE(manager.TryRemoveWaiter(third.get()));
    CHECK_FALSE(manager.AddWaiter(second.get()));
    CHECK(second->RefCountIsOne());
  }
  CHECK(left == 0);
  {
    tenon::CancellationManager never;
    CHECK(never.AddWaiter(waiter(4).get()));
    CHECK(never.IsInUse());
    CHECK(left == 1);
  }
  CHECK(left == 0);
  CHECK(calls.size() == 7);
  CHECK(calls.back() == -4);
}

TEST_CASE("CancellationManager: a child is cancelled with its parent, not the other way round") {
  tenon::CancellationManager parent;
  int called = 0;
  {
    tenon::CancellationManager first(&parent), second(&parent), idle(&parent);
    CHECK(first.Register(first.NewToken(), [&] { ++called; }));
    CHECK(second.Register(second.NewToken(), [&] { ++called; }));
    first.StartCancel();
    CHECK(called == 1);
    CHECK_FALSE(parent.IsCancelled());
    CHECK_FALSE(second.IsCancelled());
    parent.StartCancel();
    CHECK(called == 2);
    CHECK(second.IsCancelled());
    CHECK(idle.IsCancelled());
    CHECK_FALSE(idle.Register(idle.NewToken(), [&] { ++called; }));
  }
  tenon::CancellationManager late(&parent);
  CHECK(late.IsCancelled());
  CHECK_FALSE(late.Register(late.NewToken(), [&] { ++called; }));
  CHECK(called == 2);
}

TEST_CASE("CancellationManager: children may come and go while the parent is cancelled") {
  for (int round = 0; round < 50; ++round) {
    tenon::CancellationManager parent;
    std::atomic<int> registered{0}, called{0}, taken_back{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          tenon::CancellationManager child(&parent);
          const auto token = child.NewToken();
          if (!child.Register(token, [&] { ++called; })) continue;
          ++registered;
          if (child.Deregister(token)) ++taken_back;
        }
      });
    parent.StartCancel();
    for (std::thread& thread : threads) thread.join();
    CHECK(called + taken_back == registered);
  }
}

TEST_CASE("CancellationManager: a callback that throws is logged, and keeps nobody from being told") {
  struct Lines : tenon::LogSink {
    Lines() { tenon::SetLogSink(this); }
    ~Lines() override { tenon::SetLogSink(nullptr); }
    void Send(const tenon::LogEntry& entry) override { text += entry.text; }
    std::string text;
  } lines;
  int called = 0;
  {
    tenon::CancellationManager manager;
    REQUIRE(manager.Register(manager.NewToken(), [] { throw std::runtime_error("out of luck"); }));
    REQUIRE(manager.Register(manager.NewToken(), [&called] { ++called; }));
    manager.StartCancel();
    CHECK(manager.IsCancelled());
    CHECK_FALSE(manager.Deregister(0));
  }
  CHECK(called == 1);
  CHECK(lines.text == "a cancellation callback threw: out of luck");
}
}  // namespace cancellation_test
