// SPDX-License-Identifier: Apache-2.0
// tenon_soak: runs recorded cases and models again and again on several threads, with random engines, devices,
// deadlines and cancellations, and watches what the process holds. tools/soak.sh runs it for an hour.
//
//   tenon_soak SECONDS FILE.pb|MODEL_FOLDER ...
//
// Exit status 1: a run gave another status than TensorFlow, or memory, threads or descriptors grew.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <tenon/devices.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/tenon.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/runtime/session/run_with_options.hpp>

#include "conformance/golden/case_file.hpp"
#include "conformance/golden/outcome.hpp"

namespace {

using tenon::Code;
using tenon::Status;
using tenon::Tensor;

struct Step {
  std::vector<tenon::NamedTensor> feeds;
  std::vector<std::string> fetches, targets;
  int code = 0;
};
struct Job {
  std::string name;
  tenon::GraphDef graph;
  std::vector<Step> steps;
  bool has_state = false;
};

bool HasState(const tenon::GraphDef& graph) {
  if (!graph.library.function.empty()) return true;  // bodies may have
  return std::any_of(graph.node.begin(), graph.node.end(), [](const tenon::NodeDef& node) {
    const tenon::OpView* const op = tenon::Registry::Global().ops().Find(node.op);
    return op == nullptr || op->flags.is_stateful;
  });
}

// Cases that cannot be read or imported are left out.
void AddJobs(const std::string& path, std::vector<Job>* jobs) {
  const bool model = std::filesystem::is_directory(path);
  const auto file = tenon::MappedFile::Open(model ? path + "/io.pb" : path);
  golden::CaseFile cases;
  if (!file.ok() || !tenon::wire::Parse(file->bytes(), &cases).ok()) {
    std::fprintf(stderr, "tenon_soak: cannot read '%s'\n", path.c_str());
    return;
  }
  for (const golden::Case& c : cases.cases) {
    if (c.import_code != 0) continue;
    auto graph = model ? tenon::ReadGraphFile(path + "/graph.pb") : tenon::ParseGraphDef(golden::Bytes(c.graph));
    if (!graph.ok()) continue;
    Job job{c.name, *std::move(graph), {}, false};
    job.has_state = HasState(job.graph);
    bool whole = true;
    for (const golden::Step& from : c.step) {
      Step& step = job.steps.emplace_back();
      for (const golden::NamedBytes& feed : from.feed) {
        auto tensor = tenon::TensorFromProto(golden::Bytes(feed.bytes), nullptr);
        whole = whole && tensor.ok();
        if (tensor.ok()) step.feeds.push_back({feed.name, *tensor});
      }
      for (const golden::NamedBytes& fetch : from.fetch)  // a fetch is a tensor, also where a feed has the name
        step.fetches.push_back(c.note == "by-name" || fetch.name.find(':') != std::string::npos ? fetch.name
                                                                                                : fetch.name + ":0");
      step.targets = from.target;
      step.code = from.code;
    }
    if (whole && tenon::Session::FromGraphDef(job.graph).ok()) jobs->push_back(std::move(job));
  }
}

// Bytes, threads and descriptors of the process.
struct Held {
  double rss_mb = 0;
  int threads = 0, descriptors = 0;
};
Held Look() {
  Held held;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r"); file != nullptr) {
    long all = 0, resident = 0;
    if (std::fscanf(file, "%ld %ld", &all, &resident) == 2)
      held.rss_mb = static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
    std::fclose(file);
  }
  const auto count = [](const char* folder) {
    int items = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) ++items;
    return items;
  };
  held.threads = count("/proc/self/task");
  held.descriptors = count("/proc/self/fd");
  return held;
}

// A session that several workers may share.
struct Kept {
  std::size_t job = 0;
  bool plain = false;  // one device, no optimizer: TensorFlow's status is expected
  tenon::Session session;
};

class Soak {
 public:
  explicit Soak(std::vector<Job> jobs) : jobs_(std::move(jobs)) {}

  void Work(unsigned seed) {
    std::minstd_rand random(seed);
    while (!stop_.load(std::memory_order_relaxed)) {
      const std::shared_ptr<Kept> kept = Pick(random);
      if (kept == nullptr) continue;
      const Job& job = jobs_[kept->job];
      for (const Step& step : job.steps) RunStep(*kept, job, step, random);
    }
  }
  void Stop() { stop_.store(true); }
  void DropSessions() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& kept : kept_) kept.reset();
  }
  std::int64_t runs() const { return runs_; }
  std::int64_t ended_early() const { return ended_early_; }
  std::int64_t errors() const { return errors_; }
  std::int64_t wrong() const { return wrong_; }

 private:
  static constexpr std::size_t kKept = 12;

  std::shared_ptr<Kept> Pick(std::minstd_rand& random) {
    const std::size_t place = random() % kKept;
    if (random() % 8 != 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (kept_[place] != nullptr) return kept_[place];
    }
    auto made = std::make_shared<Kept>();
    made->job = random() % jobs_.size();
    tenon::SessionOptions options{.intra_op_threads = 1 + static_cast<int>(random() % 2)};
    options.plan_after_runs = static_cast<int>(random() % 3);
    if (random() % 3 == 0) options.executor = tenon::ExecutorKind::kDataflow;
    if (random() % 3 == 0) options.inter_op_threads = 2;
    made->plain = true;
    if (random() % 4 == 0) {
      options.devices = {"CPU:0", "CPU:1"};
      options.allow_soft_placement = true;
      made->plain = false;
    } else if (random() % 3 == 0) {
      options.optimizer.level = tenon::OptimizerLevel::kFast;
      made->plain = false;
    }
    auto session = tenon::Session::FromGraphDef(jobs_[made->job].graph, options);
    if (!session.ok()) return nullptr;
    made->session = *std::move(session);
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_[place] = made;
    return made;
  }

  static std::future<Status> Start(const Kept& kept, const Step& step, const tenon::RunOptions& options) {
    auto promise = std::make_shared<std::promise<Status>>();
    std::future<Status> future = promise->get_future();
    kept.session.RunAsync(
        step.feeds, step.fetches, step.targets, options,
        [promise](tenon::Result<std::vector<Tensor>> fetches) { promise->set_value(fetches.status()); });
    return future;
  }
  void RunStep(const Kept& kept, const Job& job, const Step& step, std::minstd_rand& random) {
    tenon::CancellationManager cancellation;
    tenon::RunOptions options;
    // A dequeue waits for ever after another worker's enqueue was cancelled.
    options.timeout_in_ms = job.has_state ? 50 : 10000;
    const auto disturb = random() % 8;
    if (disturb == 0) options.timeout_in_ms = 1 + static_cast<int>(random() % 3);
    if (disturb == 1) options.cancellation = &cancellation;
    Status status;
    if (disturb == 1) {
      std::future<Status> run = Start(kept, step, options);
      for (auto spin = random() % 1000; spin > 0; --spin) std::this_thread::yield();
      cancellation.StartCancel();
      status = run.get();
    } else if (disturb == 2) {
      status = Start(kept, step, options).get();
    } else {
      status = kept.session.Run(step.feeds, step.fetches, step.targets, options).status();
    }
    ++runs_;
    if (!status.ok()) ++errors_;
    const bool ended_early = status.code() == Code::kCancelled || status.code() == Code::kDeadlineExceeded;
    if (ended_early) ++ended_early_;
    if (disturb > 1 && ended_early && !job.has_state && wrong_++ < 20)
      std::fprintf(stderr, "%s: ended early: %s\n", job.name.c_str(), status.ToString().c_str());
    if (ended_early || !kept.plain || job.has_state || static_cast<int>(status.code()) == step.code) return;
    if (status.code() == Code::kUnimplemented) return;
    if (wrong_++ < 20)
      std::fprintf(stderr, "%s: %s; TensorFlow's code is %d\n", job.name.c_str(), status.ToString().c_str(), step.code);
  }

  const std::vector<Job> jobs_;
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> runs_{0}, errors_{0}, ended_early_{0}, wrong_{0};
  std::mutex mutex_;
  std::shared_ptr<Kept> kept_[kKept];
};

// Growth of the fitted line over the time of the samples.
double Growth(const std::vector<Held>& samples) {
  const double n = static_cast<double>(samples.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double x = static_cast<double>(i), y = samples[i].rss_mb;
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double d = n * sxx - sx * sx;
  return d == 0 ? 0 : (n * sxy - sx * sy) / d * (n - 1);
}

}  // namespace

int main(int argc, char** argv) {
  int seconds = 0;
  if (argc < 3 || !tenon::ParseInt(std::string_view(argv[1]), &seconds) || seconds < 1)
    return std::fprintf(stderr, "usage: tenon_soak SECONDS FILE.pb|MODEL_FOLDER ...\n"), 2;
  std::vector<Job> jobs;
  for (int i = 2; i < argc; ++i) AddJobs(argv[i], &jobs);
  if (jobs.empty()) return std::fprintf(stderr, "tenon_soak: no case can run\n"), 2;
  std::printf("%zu cases\n", jobs.size());

  Soak soak(std::move(jobs));
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < 4; ++i) workers.emplace_back([&soak, i] { soak.Work(i + 1); });
  // The first third fills caches and arenas. The rest is measured.
  constexpr int kSamples = 90;
  std::vector<Held> samples;
  for (int i = 0; i < kSamples; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(seconds * 1000 / kSamples));
    samples.push_back(Look());
  }
  soak.Stop();
  for (std::thread& worker : workers) worker.join();
  soak.DropSessions();
  const Held end = Look();

  const std::vector<Held> first(samples.begin(), samples.begin() + kSamples / 3);
  const std::vector<Held> rest(samples.begin() + kSamples / 3, samples.end());
  const auto most = [](const std::vector<Held>& list, int Held::* member) {
    int found = 0;
    for (const Held& held : list) found = std::max(found, held.*member);
    return found;
  };
  // Arenas reach their size after half a minute, or later on a busy machine: a short run cannot measure less.
  constexpr int kSettled = 600;
  const double growth = Growth(rest), room = (seconds < kSettled ? 16 : 4) + 0.02 * rest.front().rss_mb;
  std::printf("%d s: %lld runs, %lld errors, %lld of them cancelled or late, %lld unlike TensorFlow's\n", seconds,
              static_cast<long long>(soak.runs()), static_cast<long long>(soak.errors()),
              static_cast<long long>(soak.ended_early()), static_cast<long long>(soak.wrong()));
  std::printf("memory: %.1f MB, grows by %.2f MB (%.1f allowed) in the measured two thirds\n", rest.back().rss_mb,
              growth, room);
  std::printf("threads: at most %d, then %d; %d without sessions\n", most(first, &Held::threads),
              most(rest, &Held::threads), end.threads);
  std::printf("descriptors: at most %d, then %d; %d without sessions\n", most(first, &Held::descriptors),
              most(rest, &Held::descriptors), end.descriptors);
  const bool steady = growth <= room && most(rest, &Held::threads) <= most(first, &Held::threads) + 8 &&
                      most(rest, &Held::descriptors) <= most(first, &Held::descriptors) + 2;
  std::printf("%s\n", steady && soak.wrong() == 0 ? "passed" : "failed");
  return steady && soak.wrong() == 0 ? 0 : 1;
}
