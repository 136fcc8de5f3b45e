// SPDX-License-Identifier: Apache-2.0
// tenon bench --tune: measures the algorithms of each node that has a choice, and writes down the faster ones.

#include <algorithm>

#include <tenon/base/clock.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/optimizer.hpp>

#include "output.hpp"
#include "prepare.hpp"

namespace command {

namespace {

// The nodes that have a choice.
class Finder final : public tenon::OptimizationSink {
 public:
  void Optimized(const tenon::OptimizationReport& report) override {
    const tenon::MutexLock lock(mutex_);
    for (const tenon::PassReport& pass : report.passes)
      for (const tenon::NodeChoice& choice : pass.choices) {
        if (std::find(nodes.begin(), nodes.end(), choice.node) == nodes.end()) nodes.push_back(choice.node);
      }
  }
  std::vector<std::string> nodes;

 private:
  tenon::Mutex mutex_;
};

struct Timed {
  Prepared prepared;
  std::vector<std::int64_t> times = {};

  Status Run() {
    std::vector<tenon::Tensor> outputs(prepared.outputs.size());
    const std::int64_t begin = tenon::SteadyNanoseconds();
    TENON_RETURN_IF_ERROR(prepared.callable.Run({prepared.feeds.tensors.data(), prepared.feeds.tensors.size()},
                                                {outputs.data(), outputs.size()}));
    times.push_back(tenon::SteadyNanoseconds() - begin);
    return tenon::OkStatus();
  }
  double Median() {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return static_cast<double>(*middle);
  }
};

Result<Timed> WithChoice(const Args& args, const std::string& node, std::string_view algorithm) {
  tenon::OptimizerOptions options{.level = tenon::OptimizerLevel::kFast};
  options.choices.push_back({node, std::string(algorithm)});
  Timed made;
  TENON_ASSIGN_OR_RETURN(made.prepared, Prepare(args, args.arguments()[0], true, 1, &options));
  TENON_RETURN_IF_ERROR(made.Run());  // transforms the weights
  made.times.clear();
  return made;
}

constexpr double kGain = 0.98;  // a smaller one may be noise

}  // namespace

Result<int> RunTune(const Args& args) {
  if (args.Get("--optimize") != "fast") return args.Usage("--tune needs --optimize fast");
  TENON_ASSIGN_OR_RETURN(const double seconds, args.GetDouble("--seconds", 1));
  Finder finder;
  const tenon::OptimizerOptions options{.level = tenon::OptimizerLevel::kFast, .sink = &finder};
  TENON_RETURN_IF_ERROR(Prepare(args, args.arguments()[0], true, 1, &options).status());
  Table table("lrrl", {"node", "direct", "winograd", "choice"});
  std::vector<tenon::NodeChoice> choices;
  Progress progress("measuring");
  for (const std::string& node : finder.nodes) {
    progress.Show(static_cast<double>(choices.size()) / static_cast<double>(finder.nodes.size()));
    TENON_ASSIGN_OR_RETURN(Timed direct, WithChoice(args, node, "direct"));
    TENON_ASSIGN_OR_RETURN(Timed winograd, WithChoice(args, node, "winograd"));
    const std::int64_t end = tenon::SteadyNanoseconds() + static_cast<std::int64_t>(seconds * 1e9);
    while (direct.times.size() < 5 || tenon::SteadyNanoseconds() < end) {
      TENON_RETURN_IF_ERROR(direct.Run());
      TENON_RETURN_IF_ERROR(winograd.Run());
    }
    const bool gains = winograd.Median() < kGain * direct.Median();
    choices.push_back({node, gains ? "winograd" : "direct"});
    table.Row({node, Duration(direct.Median()), Duration(winograd.Median()), choices.back().algorithm});
  }
  const std::string file = args.Get("--tune"), text = ToText(choices);
  TENON_RETURN_IF_ERROR(tenon::WriteFile(file, text));
  if (args.json()) {
    Json json;
    json.Begin('{').Member("model", args.arguments()[0]).Member("file", file).Key("choices").Begin('{');
    for (const tenon::NodeChoice& choice : choices) json.Member(choice.node, choice.algorithm);
    Print(json.End().End().text());
    return kFine;
  }
  if (choices.empty()) Print(StrCat(args.arguments()[0], ": no node has a choice; ", file, " is empty\n"));
  if (!choices.empty()) Print(StrCat("time of a run of the whole model\n\n", table.Text(), "\nwrote ", file, "\n"));
  return kFine;
}

}  // namespace command
