// SPDX-License-Identifier: Apache-2.0
// Any registered op with any inputs and attrs, and TensorFlow's recorded cases with something changed: every call gives
// a Status or outputs. It may not crash, run for long, take more memory than its allocator has, keep some of it, or
// give outputs that depend on what was in memory before.
//
// With libFuzzer the input's bytes are what the call is made from. Without it (-DTENON_FUZZ_STANDALONE):
//   ops_fuzz [RUNS [FIRST]]      runs number FIRST to RUNS - 1, each made from its number; the last line counts
//   ops_fuzz --show NUMBER       prints the call before it runs
//   ops_fuzz --op NAME,... ...   these ops alone, and the recorded cases that have one of them

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>

#include <tenon/base/config.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/runtime/api/session.hpp>

#include "ops_calls.hpp"
#include "ops_choices.hpp"

namespace {

using namespace ops_fuzz;
using tenon::Status;

constexpr std::size_t kMemory = std::size_t{64} << 20;  // of one call
constexpr unsigned kSeconds = 20;  // of one call, before it counts as a hang
constexpr unsigned kBusySeconds = 10;  // of all its threads, under sanitizers: about a second without them

// Fills every block, so that what a kernel does not write shows.
class FillingAllocator final : public tenon::Allocator {
 public:
  explicit FillingAllocator(tenon::Allocator* base) : base_(base) {}
  std::string_view Name() const override { return "fuzz"; }
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const tenon::AllocationAttributes& attributes) override {
    void* const block = base_->AllocateRaw(alignment, bytes, attributes);
    if (block != nullptr) std::memset(block, fill_, bytes);
    return block;
  }
  void DeallocateRaw(void* block, std::size_t alignment, std::size_t bytes) override {
    base_->DeallocateRaw(block, alignment, bytes);
  }
  void set_fill(unsigned char fill) { fill_ = fill; }

 private:
  tenon::Allocator* base_;
  unsigned char fill_ = 0;
};

tenon::LimitedAllocator& Memory() {
  static tenon::LimitedAllocator memory(tenon::CpuAllocator(), kMemory, "fuzz");
  return memory;
}
FillingAllocator& Allocator() {
  static FillingAllocator allocator(&Memory());
  return allocator;
}

std::vector<std::string> only;  // the ops to call; empty: all

const std::vector<golden::Case>& Cases() {
  static const std::vector<golden::Case> cases = [] {
    golden::CaseFile all;
    const std::string folder = TENON_TEST_DATA "/ops/";
    std::vector<std::string> names;
    if (DIR* const entries = opendir(folder.c_str())) {
      while (const dirent* entry = readdir(entries)) names.emplace_back(entry->d_name);
      closedir(entries);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (!name.ends_with(".pb")) continue;
      std::string bytes;
      if (std::FILE* const file = std::fopen((folder + name).c_str(), "rb")) {
        char block[4096];
        for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.append(block, n);
        std::fclose(file);
      }
      golden::CaseFile one;
      if (tenon::wire::Parse(tenon::wire::AsBytes(bytes), &one).ok())
        for (golden::Case& c : one.cases)
          if (c.import_code == 0 && c.note != "files" && HasOneOf(only, c)) all.cases.push_back(std::move(c));
    }
    return all.cases;
  }();
  return cases;
}

[[noreturn]] void Finding(const char* what) {
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

char current[256];  // the call under way, for reports
bool show = false;
std::map<std::string, long>* counts = nullptr;  // how the calls ended

void Show(const Call& call) {
  for (const NodeDef& node : call.graph.node) std::fprintf(stderr, "%s\n", tenon::SummarizeNodeDef(node).c_str());
  for (const tenon::NamedTensor& feed : call.feeds)
    std::fprintf(stderr, "feed %s: %s\n", feed.name.c_str(), feed.tensor.DebugString(40).c_str());
}

// One run in a session of its own; the outputs, with nothing left in its memory but them.
tenon::Result<std::vector<Tensor>> Run(const Call& call, unsigned char fill, int threads) {
  static tenon::ThreadPool pool(3, "fuzz");
  Allocator().set_fill(fill);
  tenon::SessionOptions options{.intra_op_threads = 1, .allocator = &Allocator()};
  if (threads > 1) options.intra_op_pool = &pool;
  options.constant_folding = threads > 1;
  TENON_ASSIGN_OR_RETURN(const tenon::Session session, tenon::Session::FromGraphDef(call.graph, options));
  return session.Run(call.feeds, call.fetches, call.targets);
}

bool SameBits(const Tensor& a, const Tensor& b) {
  return a.dtype() == DataType::kVariant || a.dtype() == DataType::kResource || tenon::SameTensor(a, b);
}

void RunCall(const Call& call, int threads) {
  const std::int64_t before = Memory().bytes_in_use();
  Status status;
  {
    const tenon::Result<std::vector<Tensor>> first = Run(call, 0xa5, threads);
    status = first.status();
    if (first.ok() && call.repeats) {
      const tenon::Result<std::vector<Tensor>> second = Run(call, 0x4b, threads);
      // The outputs of both may be too much memory.
      if (!second.ok() && second.status().code() != tenon::Code::kResourceExhausted) Finding("the second run failed");
      for (std::size_t i = 0; second.ok() && i < first->size(); ++i)
        if (!SameBits((*first)[i], (*second)[i])) {
          std::fprintf(stderr, "%s\n%s\n", (*first)[i].DebugString(50).c_str(), (*second)[i].DebugString(50).c_str());
          Finding("outputs depend on what was in memory");
        }
    }
  }
  if (Memory().bytes_in_use() != before) Finding("memory was not given back");
  if (show) std::fprintf(stderr, "-> %s\n", status.ToString().c_str());
  if (counts != nullptr) ++(*counts)[StrCat(call.name, " ", status.ok() ? "runs" : "fails")];
}

void Limit(unsigned seconds, unsigned busy_seconds) {
  alarm(seconds);
  itimerval busy{};
  busy.it_value.tv_sec = static_cast<time_t>(busy_seconds);
  setitimer(ITIMER_PROF, &busy, nullptr);
}

void RunOne(Choices& choices) {
  Call call;
  const bool recorded = choices.OneIn(2) && !Cases().empty();
  if (recorded ? !MakeFromCase(choices.Of(Cases()), choices, &call) : !AnyCall(choices).Make(only, &call)) return;
  std::snprintf(current, sizeof current, "%s", call.name.c_str());
  if (show) Show(call);
  Limit(kSeconds, kBusySeconds);
  RunCall(call, choices.OneIn(4) ? 3 : 1);
  Limit(0, 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  RunOne(choices);
  return 0;
}

#if defined(TENON_FUZZ_STANDALONE)

#include "temp_folder.hpp"

namespace {

long number = 0;
void Report(int signal) {
  char text[400];
  const char* const what = signal == SIGALRM ? "hang" : signal == SIGPROF ? "too long a time" : "crash";
  const int size = std::snprintf(text, sizeof text, "\n%s in run %ld: %s\n", what, number, current);
  if (write(2, text, static_cast<std::size_t>(size)) < 0) _exit(98);
  _exit(99);
}

}  // namespace

int main(int argc, char** argv) {
  const InTempFolder files;  // some calls write some, by whatever name
  if (argc > 2 && std::strcmp(argv[1], "--op") == 0) {
    for (std::string_view rest = argv[2]; !rest.empty();) {
      only.emplace_back(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), only.back().size() + 1));
      if (tenon::Registry::Global().FindOp(only.back()) == nullptr)
        return std::fprintf(stderr, "no op %s\n", only.back().c_str()), 1;
    }
    argc -= 2;
    argv += 2;
  }
  show = argc > 2 && std::strcmp(argv[1], "--show") == 0;
  const long first = argc > 2 ? std::atol(argv[2]) : 0;
  const long last = show ? first + 1 : argc > 1 ? std::atol(argv[1]) : 20000;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGALRM, SIGPROF}) std::signal(signal, Report);
  std::map<std::string, long> ended;
  if (argc > 3) counts = &ended;
  for (number = first; number < last; ++number) {
    const std::uint64_t mixed = (static_cast<std::uint64_t>(number) + 1) * 0x9e3779b97f4a7c15u;
    std::uint8_t bytes[sizeof mixed];
    for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(mixed >> (56 - 8 * i));
    Choices choices(bytes, sizeof bytes);
    RunOne(choices);
  }
  for (const auto& [name, count] : ended) std::printf("%8ld %s\n", count, name.c_str());
  std::printf("%ld runs, 0 crashes\n", last - first);
  return 0;
}

#endif
