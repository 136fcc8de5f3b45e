// SPDX-License-Identifier: Apache-2.0
// Abseil's names by the standard library.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/absl.hpp>
#include <tenon/compat/tensorflow/base/absl_extras.hpp>
#include <tenon/compat/tensorflow/base/absl_notes.hpp>
#include <tenon/compat/tensorflow/base/absl_strings.hpp>
#include <tenon/compat/tensorflow/base/absl_sync.hpp>
#include <tenon/compat/tensorflow/base/absl_time.hpp>

namespace compat_absl_test {

TEST_SUITE("Abseil's names") {
  TEST_CASE("splitting") {
    using Texts = std::vector<std::string>;
    CHECK(Texts(absl::StrSplit("a,b,,c", ',')) == Texts{"a", "b", "", "c"});
    CHECK(Texts(absl::StrSplit("a,b,,c", ",", absl::SkipEmpty())) == Texts{"a", "b", "c"});
    CHECK(Texts(absl::StrSplit("", ',')) == Texts{""});
    CHECK(Texts(absl::StrSplit("a--b-c", "--")) == Texts{"a", "b-c"});
    CHECK(Texts(absl::StrSplit("a b\tc", absl::ByAnyChar(" \t"))) == Texts{"a", "b", "c"});
    const std::pair<std::string, std::string> pair = absl::StrSplit("key=a=b", absl::MaxSplits('=', 1));
    CHECK(pair.first == "key");
    CHECK(pair.second == "a=b");
    const std::map<std::string, std::string> map = absl::StrSplit("a,1,b,2", ',');
    CHECK(map.at("b") == "2");
  }
  TEST_CASE("formats and changes") {
    CHECK(absl::StrFormat("%d of %s: %.2f %v%%", 5L, std::string("x"), 2.5, 7) == "5 of x: 2.50 7%");
    CHECK(absl::Substitute("$1-$0 $$", 1, "x") == "x-1 $");
    CHECK(absl::StrReplaceAll("abc", {{"a", "x"}, {"ab", "y"}}) == "yc");
    CHECK(absl::HexStringToBytes(absl::BytesToHexString("\x01\xfe")) == "\x01\xfe");
    CHECK(absl::StripSuffix("name.txt", ".txt") == "name");
    CHECK(absl::EqualsIgnoreCase("AbC", "aBc"));
    CHECK(absl::StrJoin(std::vector<int>{1, 2}, "+") == "1+2");
    int number = 0;
    CHECK(absl::SimpleAtoi("42", &number));
    CHECK(number == 42);
    bool flag = false;
    CHECK(absl::SimpleAtob("Yes", &flag));
    CHECK(flag);
    absl::Cord cord("ab");
    cord.Append("cd");
    CHECK(cord == absl::Cord("abcd"));
  }
  TEST_CASE("time") {
    CHECK(absl::Seconds(1.5) == absl::Milliseconds(1500));
    CHECK(absl::ToInt64Seconds(absl::Minutes(2)) == 120);
    CHECK(absl::ToUnixSeconds(absl::UnixEpoch() + absl::Hours(24)) == 86400);
  }
  TEST_CASE("locks and conditions") {
    absl::Mutex mutex;
    bool ready = false;
    std::thread other([&] {
      absl::MutexLock lock(&mutex);
      ready = true;
    });
    {
      absl::MutexLock lock(&mutex, absl::Condition(&ready));
      CHECK(ready);
    }
    other.join();
    absl::Notification done;
    CHECK_FALSE(done.WaitForNotificationWithTimeout(absl::Microseconds(10)));
    done.Notify();
    CHECK(done.WaitForNotificationWithTimeout(absl::Seconds(1)));
    absl::BlockingCounter counter(2);
    CHECK_FALSE(counter.DecrementCount());
    CHECK(counter.DecrementCount());
    counter.Wait();
  }
  TEST_CASE("a counter goes as soon as a wait returned") {
    alignas(absl::BlockingCounter) unsigned char place[sizeof(absl::BlockingCounter)];
    std::atomic<absl::BlockingCounter*> shared = nullptr;
    constexpr int kRounds = 5000;
    std::thread other([&] {
      for (int i = 0; i < kRounds; ++i) {
        absl::BlockingCounter* counter = nullptr;
        while ((counter = shared.exchange(nullptr)) == nullptr) std::this_thread::yield();
        counter->DecrementCount();
      }
    });
    for (int i = 0; i < kRounds; ++i) {
      auto* counter = new (place) absl::BlockingCounter(1);
      shared = counter;
      counter->Wait();
      counter->~BlockingCounter();
      std::memset(place, 0xff, sizeof(place));  // a late unlock would see a lock of an unknown kind
    }
    other.join();
    CHECK(shared == nullptr);
  }
  TEST_CASE("rarer names") {
    const std::map<std::string, int> map = {{"a", 1}, {"b", 2}};
    CHECK(absl::StrJoin(map, ", ", absl::PairFormatter("=")) == "a=1, b=2");
    CHECK(absl::StrJoin(std::vector<int>{1, 2}, "-", absl::AlphaNumFormatter()) == "1-2");
    int number = 0;
    CHECK(absl::SimpleHexAtoi("0xff", &number));
    CHECK(number == 255);
    CHECK_FALSE(absl::SimpleHexAtoi("80000000", &number));
    CHECK_FALSE(absl::SimpleHexAtoi("g", &number));
    CHECK(absl::HashOf(1, std::string("x")) == absl::HashOf(1, std::string("x")));
    CHECK(absl::HashOf(1, 2) != absl::HashOf(2, 1));
    static const absl::NoDestructor<std::string> held("text");
    CHECK(held->size() == 4);
    CHECK(*held == "text");
    absl::Mutex mutex;
    bool ready = false;
    {
      const absl::MutexLockMaybe lock(&mutex), none(nullptr);
      CHECK_FALSE(mutex.AwaitWithTimeout(absl::Condition(&ready), absl::Milliseconds(1)));
      absl::CondVar changed;
      CHECK(changed.WaitWithTimeout(&mutex, absl::Milliseconds(1)));
      ready = true;
      CHECK(mutex.AwaitWithTimeout(absl::Condition(&ready), absl::Milliseconds(1)));
    }
    CHECK(mutex.LockWhenWithTimeout(absl::Condition(&ready), absl::Seconds(1)));
    mutex.Unlock();
    mutex.ReaderLockWhen(absl::Condition(&ready));
    mutex.ReaderUnlock();
  }
  TEST_CASE("functions and containers") {
    const int numbers[] = {1, 2, 3};
    const auto span = absl::Span(numbers + 1, 2);
    CHECK(span.size() == 2);
    CHECK(span.subspan(1)[0] == 3);
    absl::AnyInvocable<int(int)> twice = [](int x) { return 2 * x; };
    absl::AnyInvocable<int(int)> moved = std::move(twice);
    CHECK(moved(4) == 8);
    int calls = 0;
    {
      const auto cleanup = absl::MakeCleanup([&calls] { ++calls; });
    }
    CHECK(calls == 1);
    std::vector<int> items = {3, 1, 2};
    absl::c_sort(items);
    CHECK(items == std::vector<int>{1, 2, 3});
    CHECK(absl::c_linear_search(items, 2));
    absl::flat_hash_map<std::string, int> map{{"a", 1}};
    CHECK(absl::contains(map, "a"));
    CHECK(absl::MakeConstSpan(items).subspan(1).size() == 2);
  }
}
}  // namespace compat_absl_test
