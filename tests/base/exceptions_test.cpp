// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/exceptions.hpp>

#include <doctest/doctest.h>

#include <new>
#include <stdexcept>
#include <string>

namespace exceptions_test {
using namespace tenon;

namespace {
struct Lines : LogSink {
  Lines() { SetLogSink(this); }
  ~Lines() override { SetLogSink(nullptr); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  std::string text;
};
template <class Thrown>
std::string StatusOf(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return detail::StatusOfException("here").ToString();
  }
}
}  // namespace

TEST_SUITE("exceptions") {
  TEST_CASE("become a status") {
    CHECK(StatusOf(std::runtime_error("out of luck")) == "INTERNAL: here: out of luck");
    CHECK(StatusOf(std::bad_alloc()) == "RESOURCE_EXHAUSTED: here: std::bad_alloc: no memory");
    CHECK(StatusOf(7) == "INTERNAL: here: something that is no std::exception");
  }
  TEST_CASE("end at the boundary") {
    const auto refuse = [](int what) -> Result<int> {
      if (what == 1) throw std::bad_alloc();
      if (what == 2) throw std::runtime_error("out of luck");
      return what;
    };
    CHECK(detail::CatchAll("Run", [&] { return refuse(0); }).value() == 0);
    CHECK(detail::CatchAll("Run", [&] { return refuse(1); }).status().ToString() ==
          "RESOURCE_EXHAUSTED: Run: std::bad_alloc: no memory");
    CHECK(detail::CatchAll("Run", [&] { return refuse(2); }).status().ToString() == "INTERNAL: Run: out of luck");
    CHECK(detail::Succeeds([] {}));
    CHECK(!detail::Succeeds([] { throw std::bad_alloc(); }));
  }
  TEST_CASE("of a callback are logged") {
    Lines lines;
    bool ran = false;
    detail::CallAndLog("a callback", [&] { ran = true; });
    CHECK(ran);
    CHECK(lines.text.empty());
    detail::CallAndLog("a callback", [] { throw std::runtime_error("out of luck"); });
    CHECK(lines.text == "a callback threw: out of luck");
  }
}
}  // namespace exceptions_test
