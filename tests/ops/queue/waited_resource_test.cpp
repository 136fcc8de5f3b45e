// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/waited_resource.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace state_waited_resource_test {
using namespace tenon;
using ops::detail::WaitedResource;

namespace {

// Tokens, which attempts take away.
class Tokens final : public WaitedResource {
 public:
  std::string DebugString() const override { return "tokens"; }
  void Add(int n) {
    Change([&] { count_ += n; });
  }
  int count() const {
    const MutexLock lock(mutex);
    return count_;
  }

  static constexpr int kNoMemory = -7;  // that many tokens

  struct Take final : Attempt {
    Take(OpKernelContext* c, Done d, Ref<Tokens> t, int n, bool in_order)
        : Attempt(c, std::move(d)), tokens(std::move(t)), wanted(n) {
      line = in_order ? 1 : 0;
    }
    bool Try(Status* status) override {
#if defined(__cpp_exceptions)
      if (wanted == kNoMemory) throw std::bad_alloc();
#endif
      if (wanted < 0) *status = errors::InvalidArgument("wanted < 0");
      if (wanted >= 0 && tokens->count_ < wanted) return false;
      if (wanted >= 0) tokens->count_ -= wanted;
      return true;
    }
    Status Cancelled() const override { return errors::Cancelled("nobody waits any more"); }
    Ref<Tokens> tokens;
    int wanted;
  };

 private:
  int count_ = 0;
};

// What an attempt needs of a run: its cancellation. Counts how attempts end.
struct Run {
  Run() {
    services.cancellation = &cancellation;
    environment.services = &services;
    frame.env = &environment;
    context.Enter(&frame);
  }
  void Take(const Ref<Tokens>& tokens, int wanted, bool in_order = false) {
    tokens->Start(
        Owned<WaitedResource::Attempt>(new Tokens::Take(&context, Done(&Count, this), tokens, wanted, in_order)));
  }
  static void Count(void* state, Status status) {
    Run* const run = static_cast<Run*>(state);
    ++(status.ok() ? run->served : status.code() == Code::kCancelled ? run->cancelled : run->failed);
  }

  std::atomic<int> served{0}, cancelled{0}, failed{0};
  CancellationManager cancellation;
  RunServices services;
  StepEnvironment environment;
  OpKernelContext::NodeFrame frame{};
  OpKernelContext context;
};

Ref<Tokens> MakeTokens() { return Ref<Tokens>::Adopt(new Tokens()); }

}  // namespace

TEST_SUITE("WaitedResource") {
  TEST_CASE("an attempt waits for the change that makes it possible") {
    const Ref<Tokens> tokens = MakeTokens();
    Run run;
    run.Take(tokens, 3);
    run.Take(tokens, 1);
    CHECK(run.served == 0);
    tokens->Add(1);
    CHECK(run.served == 1);  // the one that needs less
    tokens->Add(3);
    CHECK(run.served == 2);
    run.Take(tokens, -1);
    CHECK(run.failed == 1);
    CHECK(tokens->count() == 0);
  }
  TEST_CASE("in a line nobody is served before those who came first; one that gives up lets the next go on") {
    const Ref<Tokens> tokens = MakeTokens();
    Run first, second;
    first.Take(tokens, 3, true);
    second.Take(tokens, 1, true);
    tokens->Add(2);
    CHECK(second.served == 0);
    first.cancellation.StartCancel();
    CHECK(first.cancelled == 1);
    CHECK(second.served == 1);
  }
  TEST_CASE("a run that is cancelled already does not wait, but takes what is there") {
    const Ref<Tokens> tokens = MakeTokens();
    Run run;
    run.cancellation.StartCancel();
    run.Take(tokens, 1);
    CHECK(run.cancelled == 1);
    tokens->Add(1);
    run.Take(tokens, 1);
    CHECK(run.served == 1);
  }
#if defined(__cpp_exceptions)
  TEST_CASE("an attempt that throws ends with an error, not the call that served it") {
    const Ref<Tokens> tokens = MakeTokens();
    Run first, second;
    second.Take(tokens, Tokens::kNoMemory);
    CHECK(second.failed == 1);
    first.Take(tokens, 3, true);
    second.Take(tokens, Tokens::kNoMemory, true);  // behind the first, not tried yet
    first.Take(tokens, 1, true);
    CHECK(second.failed == 1);
    CHECK_NOTHROW(tokens->Add(4));
    CHECK(second.failed == 2);
    CHECK(first.served == 2);
    CHECK(tokens->count() == 0);
  }
#endif
  TEST_CASE("every attempt ends once while others take, add and cancel") {
    constexpr int kRuns = 4, kEach = 200;
    const Ref<Tokens> tokens = MakeTokens();
    std::vector<Run> runs(kRuns);
    std::vector<std::thread> threads;
    for (int r = 0; r < kRuns; ++r)
      threads.emplace_back([&, r] {
        for (int i = 0; i < kEach; ++i) runs[static_cast<std::size_t>(r)].Take(tokens, 1, r % 2 == 0);
        if (r >= 2) runs[static_cast<std::size_t>(r)].cancellation.StartCancel();
      });
    threads.emplace_back([&] {
      for (int i = 0; i < kRuns * kEach / 2; ++i) tokens->Add(1);
    });
    for (std::thread& thread : threads) thread.join();
    tokens->Add(kRuns * kEach / 2);
    int served = 0;
    for (const Run& run : runs) {
      CHECK(run.served + run.cancelled == kEach);
      CHECK(run.failed == 0);
      served += run.served;
    }
    CHECK(tokens->count() == kRuns * kEach - served);
  }
}
}  // namespace state_waited_resource_test
