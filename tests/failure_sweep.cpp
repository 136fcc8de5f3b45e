// SPDX-License-Identifier: Apache-2.0
// tenon_test_<floor> --failure-sweep: every test case again and again, each time in a process of its own in which the
// k-th request to the host's allocator fails (k up to 500, or until the case makes no more requests). A case whose runs
// together take more than three seconds takes part with every n-th k only, other ones for each TENON_TEST_TURN. A test
// may fail then, if somebody has made a message on it with the size, the allocator's name and its statistics, or if
// what is printed says that memory is missing; so may an asserting accessor end the process, and Needed() of a test
// that got a null pointer, which is all that an allocator says. A crash, a leak, and a failure for any other reason are
// errors.
#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>

#include "temp_folder.hpp"

using namespace tenon;

namespace {

constexpr std::int64_t kMostRequests = 500;
constexpr double kStressSeconds = 0.5;  // a case that takes longer is a stress test, and left out
constexpr double kCaseSeconds = 3;  // for all runs of a case

class FailsOnce final : public AllocationObserver {
 public:
  explicit FailsOnce(std::int64_t k) : k_(k) {}
  bool MayAllocate(std::size_t, std::size_t) override { return ++requests != k_; }
  void Allocated(void*, std::size_t, std::size_t) override { ++out; }
  void Deallocated(void*, std::size_t, std::size_t) override { --out; }
  // Only a message that has all three counts.
  void MissingMemory(std::string_view message) override {
    const auto has = [message](const char* part) { return message.find(part) != std::string_view::npos; };
    if (has("allocator ") && has(", which was asked for ") && has(" bytes; ") &&
        (has("in use: ") || has("it keeps no statistics")))
      told = true;
  }
  std::atomic<std::int64_t> requests{0}, out{0};
  std::atomic<bool> told{false};

 private:
  const std::int64_t k_;
};

// The names of all test cases, in the order in which they run.
class Names final : public doctest::IReporter {
 public:
  static std::vector<std::string>& list() {
    static std::vector<std::string> names;
    return names;
  }
  explicit Names(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData& query) override {
    for (unsigned i = 0; i < query.num_data; ++i)
      list().push_back(std::string(query.data[i]->m_test_suite) + ": " + query.data[i]->m_name);
  }
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

// What one run of a test case in a child process came to.
struct Outcome {
  std::int64_t requests = 0;  // before the first failure to the end
  std::int64_t leaked = 0;
  bool failed = false;  // an assertion of the test did
  bool told = false;  // a message was made that memory is missing
};
enum class End { kRan, kAborted, kCrashed, kHung };

// All that was written to the file.
std::string ReadAll(int file) {
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t n = 0; (n = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  return text;
}
// Does what a test printed say why it failed? (What does not return a Status: an assertion of an accessor's, Needed()
// of tests/memory/needed.hpp, and the exception that std::pmr wants.)
bool SpeaksOfMemory(const std::string& text) {
  for (const char* part : {"OOM when allocating", "no memory", "without memory", "uninitialized Tensor of",
                           "not initialised", "memory that it needs was refused", "bad_alloc", "ran out of memory"}) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

// Runs test case `n` (from 1) with its k-th request refused; 0: none. *text: what it printed.
End RunCase(unsigned n, std::int64_t k, Outcome* outcome, std::string* text) {
  int fds[2];
  const TempFolder folder;  // what a child that is ended by an assertion leaves goes with it
  const int output = memfd_create("output", 0);
  if (output < 0 || pipe(fds) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("TMPDIR", folder.path().c_str(), 1);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    alarm(20);
    FailsOnce observer(k);
    doctest::Context context;
    context.setOption("first", static_cast<int>(n));
    context.setOption("last", static_cast<int>(n));
    context.setOption("no-breaks", true);
    CpuAllocator()->SetObserver(&observer);
    const bool failed = context.run() != 0;
    CpuAllocator()->SetObserver(nullptr);
    const Outcome mine{observer.requests, observer.out, failed, observer.told};
    if (write(fds[1], &mine, sizeof mine) != static_cast<ssize_t>(sizeof mine)) std::abort();
    std::_Exit(0);
  }
  close(fds[1]);
  const bool ended = read(fds[0], outcome, sizeof *outcome) == static_cast<ssize_t>(sizeof *outcome);
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  *text = ReadAll(output);
  close(output);
  if (ended) return End::kRan;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) return End::kAborted;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return End::kHung;
  return End::kCrashed;
}

// What is wrong with such an end; null: nothing.
const char* Fault(End end, const Outcome& outcome, const Outcome& usual, const std::string& text) {
  if (end == End::kHung) return "hangs";
  if (end == End::kCrashed) return "crashes";
  if (end == End::kAborted) return SpeaksOfMemory(text) ? nullptr : "is ended by an assertion that is not on memory";
  if (outcome.leaked > usual.leaked) return "leaks";
  if (outcome.failed && !outcome.told && !SpeaksOfMemory(text)) return "fails, and nobody says that memory is missing,";
  return nullptr;
}

}  // namespace

REGISTER_LISTENER("names", 1, Names);

int FailureSweep() {
  {
    const char* const arguments[] = {"tests", "--list-test-cases"};
    std::ostringstream unread;
    doctest::Context context(2, arguments);
    context.setCout(&unread);
    context.run();
  }
  const std::vector<std::string> names = Names::list();
  const char* const turn_text = std::getenv("TENON_TEST_TURN");
  const std::int64_t turn = turn_text == nullptr ? 0 : std::atoll(turn_text);
  int bad = 0, stress = 0, thinned = 0;
  std::int64_t runs = 0, aborted = 0;
  for (unsigned n = 1; n <= names.size(); ++n) {
    const std::string& name = names[n - 1];
    if (name.starts_with("failure sweep")) continue;
    Outcome usual;
    std::string text;
    const auto start = std::chrono::steady_clock::now();
    if (RunCase(n, 0, &usual, &text) != End::kRan) continue;  // ends the process on purpose
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (seconds > kStressSeconds) {
      ++stress;
      continue;
    }
    const std::int64_t most = std::min(kMostRequests, usual.requests);
    const std::int64_t step = 1 + static_cast<std::int64_t>(seconds * static_cast<double>(most) / kCaseSeconds);
    if (step > 1) ++thinned;
    for (std::int64_t k = 1 + turn % step; k <= most; k += step) {
      Outcome outcome;
      const End end = RunCase(n, k, &outcome, &text);
      ++runs;
      if (end == End::kAborted) ++aborted;
      const char* const fault = Fault(end, outcome, usual, text);
      if (fault == nullptr) continue;
      std::printf("%s: %s when request %lld fails (%lld leaked)\n%s\n", name.c_str(), fault, static_cast<long long>(k),
                  static_cast<long long>(outcome.leaked), text.c_str());
      ++bad;
      break;
    }
  }
  std::printf(
      "%zu test cases, %lld runs with a failing request, %lld ended by an assertion, %d cases with some of their requests, "
      "%d stress tests left out, %d faults\n",
      names.size(), static_cast<long long>(runs), static_cast<long long>(aborted), thinned, stress, bad);
  return bad == 0 ? 0 : 1;
}
