// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/cancellation.hpp>

#include <doctest/doctest.h>

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
  CHECK(manager.Register(manager.NewToken(), [&] { seen = manager.IsCancelled(); }));
  manager.StartCancel();
  CHECK(seen);
}
