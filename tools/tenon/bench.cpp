// SPDX-License-Identifier: Apache-2.0
// tenon bench: latency, throughput, memory, and time by op.

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <sys/resource.h>

#include <tenon/base/clock.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime/session/counters.hpp>

#include "output.hpp"
#include "prepare.hpp"

namespace command {

namespace {

struct Measured {
  std::int64_t batch = 0;  // 0: as the inputs have it
  std::vector<std::int64_t> times;  // nanoseconds, ascending
  double total_ns = 0;
  std::int64_t items = 1;  // in one run
  std::uint64_t arena_bytes = 0, lower_bound_bytes = 0;
  bool planned = false;

  double Percentile(double percent) const {
    const double at = percent / 100 * static_cast<double>(times.size() - 1);
    return static_cast<double>(times[static_cast<std::size_t>(std::lround(at))]);
  }
  double Mean() const { return total_ns / static_cast<double>(times.size()); }
  double Deviation() const {
    double sum = 0;
    for (const std::int64_t time : times)
      sum += (static_cast<double>(time) - Mean()) * (static_cast<double>(time) - Mean());
    return std::sqrt(sum / static_cast<double>(times.size()));
  }
  double PerSecond() const { return static_cast<double>(items) * 1e9 / Mean(); }
};

struct OpTime {
  std::int64_t count = 0;
  double ns = 0;
};

std::uint64_t PeakMemory() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

struct Runs {
  std::int64_t warmup, runs;
  double seconds;
};

Result<Measured> Measure(const Prepared& prepared, const Feeds& feeds, const Runs& wanted, std::int64_t batch) {
  Measured measured;
  measured.batch = batch;
  std::vector<tenon::Tensor> outputs(prepared.outputs.size());
  const tenon::Span<const tenon::Tensor> inputs(feeds.tensors.data(), feeds.tensors.size());
  const tenon::Span<tenon::Tensor> fetches(outputs.data(), outputs.size());
  Progress progress(batch > 0 ? StrCat("batch ", batch) : "running");
  for (std::int64_t i = 0; i < wanted.warmup; ++i) TENON_RETURN_IF_ERROR(prepared.callable.Run(inputs, fetches));
  const std::int64_t begin = tenon::SteadyNanoseconds();
  const double limit_ns = wanted.seconds * 1e9;
  double next_shown = 0;
  while (true) {
    const std::int64_t start = tenon::SteadyNanoseconds();
    TENON_RETURN_IF_ERROR(prepared.callable.Run(inputs, fetches));
    const std::int64_t end = tenon::SteadyNanoseconds();
    measured.times.push_back(end - start);
    measured.total_ns += static_cast<double>(end - start);
    const double elapsed = static_cast<double>(end - begin);
    const double part = wanted.runs > 0 ? static_cast<double>(measured.times.size()) / static_cast<double>(wanted.runs)
                                        : elapsed / limit_ns;
    if (part >= 1) break;
    if (elapsed >= next_shown) {
      progress.Show(part);
      next_shown = elapsed + 50e6;
    }
  }
  std::sort(measured.times.begin(), measured.times.end());
  measured.items = batch > 0 ? batch : 1;
  if (batch == 0)
    for (std::size_t i = 0; i < feeds.tensors.size(); ++i)
      if (feeds.tensors[i].dims() > 0 && !feeds.ends[i].shape.unknown_rank() && feeds.ends[i].shape.dim_size(0) < 0)
        measured.items = std::max<std::int64_t>(measured.items, feeds.tensors[i].dim_size(0));
  tenon::PlanReport plan;
  measured.planned = prepared.callable.GetPlanReport(&plan);
  measured.arena_bytes = plan.arena_bytes;
  measured.lower_bound_bytes = plan.lower_bound_bytes;
  return measured;
}

// Adds the own time of each execution: without waiting, and without what runs within it on its thread. So a call of a
// function leaves its time to the nodes of the function. Executions of a thread come in the order of their ends.
void AddOwnTimes(const tenon::RunTrace& trace, std::map<std::string, OpTime>* by_op) {
  std::vector<std::int64_t> own(trace.nodes.size());
  std::unordered_map<int, std::vector<std::size_t>> open;  // by thread: executions that no other one surrounds yet
  for (std::size_t i = 0; i < own.size(); ++i) {
    const tenon::NodeTiming& node = trace.nodes[i];
    own[i] = node.end_ns - node.start_ns - node.wait_ns;
    if (node.wait_ns * 2 > node.end_ns - node.start_ns) continue;
    std::vector<std::size_t>& stack = open[node.thread];
    while (!stack.empty() && trace.nodes[stack.back()].start_ns >= node.start_ns && node.end_ns > node.start_ns) {
      const tenon::NodeTiming& inner = trace.nodes[stack.back()];
      own[i] -= inner.end_ns - inner.start_ns;
      stack.pop_back();
    }
    stack.push_back(i);
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    OpTime& time = (*by_op)[std::string(trace.nodes[i].op)];
    ++time.count;
    time.ns += static_cast<double>(std::max<std::int64_t>(own[i], 0));
  }
}

Result<std::map<std::string, OpTime>> TimeByOp(const Prepared& prepared, const Feeds& feeds, std::int64_t runs) {
  std::map<std::string, OpTime> by_op;
  std::vector<tenon::Tensor> outputs(prepared.outputs.size());
  for (std::int64_t i = 0; i < runs; ++i) {
    tenon::RunTrace trace;
    TENON_RETURN_IF_ERROR(prepared.callable.RunTraced({feeds.tensors.data(), feeds.tensors.size()},
                                                      {outputs.data(), outputs.size()}, &trace));
    AddOwnTimes(trace, &by_op);
    for (const tenon::NodeTotal& node : trace.folded) {
      OpTime& time = by_op[std::string(node.op)];
      time.count += node.count;
      time.ns += static_cast<double>(node.total_ns - node.wait_ns);
    }
  }
  for (auto& [op, time] : by_op) {
    time.ns /= static_cast<double>(runs);
    time.count /= runs;
  }
  return by_op;
}

}  // namespace

Result<int> RunBench(const Args& args) {
  if (args.Has("--tune")) return RunTune(args);
  Runs wanted{};
  TENON_ASSIGN_OR_RETURN(wanted.warmup, args.GetInt("--warmup", 10));
  TENON_ASSIGN_OR_RETURN(wanted.runs, args.GetInt("--runs", 0, 1));
  TENON_ASSIGN_OR_RETURN(wanted.seconds, args.GetDouble("--seconds", 1));
  TENON_ASSIGN_OR_RETURN(std::vector<std::int64_t> batches, args.GetInts("--batch"));
  tenon::EnableCpuAllocatorStats();
  const std::int64_t start = tenon::SteadyNanoseconds();
  TENON_ASSIGN_OR_RETURN(const Prepared prepared,
                         Prepare(args, args.arguments()[0], true, batches.empty() ? 1 : batches[0]));
  const std::int64_t load_ns = tenon::SteadyNanoseconds() - start;
  const std::int64_t first_start = tenon::SteadyNanoseconds();
  TENON_RETURN_IF_ERROR(RunOnce(prepared).status());
  const std::int64_t first_ns = tenon::SteadyNanoseconds() - first_start;

  std::vector<Measured> rows;
  const bool has_batches = !batches.empty();
  if (!has_batches) batches.push_back(0);
  Feeds feeds = prepared.feeds;
  for (const std::int64_t batch : batches) {
    if (has_batches) {
      TENON_ASSIGN_OR_RETURN(feeds, WithBatch(args, prepared, batch));
    }
    TENON_ASSIGN_OR_RETURN(Measured row, Measure(prepared, feeds, wanted, batch));
    rows.push_back(std::move(row));
  }
  std::map<std::string, OpTime> by_op;
  if (args.Has("--ops")) {
    TENON_ASSIGN_OR_RETURN(
        by_op, TimeByOp(prepared, feeds,
                        std::clamp<std::int64_t>(static_cast<std::int64_t>(2e8 / rows.back().Mean()), 3, 100)));
  }
  std::vector<std::pair<std::string, OpTime>> ops(by_op.begin(), by_op.end());
  std::sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) {
    return a.second.ns != b.second.ns ? a.second.ns > b.second.ns : a.first < b.first;
  });
  double ops_ns = 0;
  for (const auto& [op, time] : ops) ops_ns += time.ns;

  tenon::SessionCounters counters;
  std::int64_t peak_tensors = 0;
  if (prepared.session.GetCounters(&counters))
    for (const tenon::AllocatorCounters& allocator : counters.allocators)
      peak_tensors = std::max(peak_tensors, allocator.peak_bytes_in_use);
  TENON_ASSIGN_OR_RETURN(const std::int64_t threads, args.GetInt("--threads", 0));

  if (args.json()) {
    Json json;
    json.Begin('{').Member("model", args.arguments()[0]).Member("signature", prepared.signature.name);
    json.Member("threads", threads).Member("load_ns", load_ns).Member("first_run_ns", first_ns);
    json.Key("measured").Begin('[');
    for (const Measured& row : rows) {
      json.Begin('{').Member("batch", row.batch > 0 ? row.batch : row.items);
      json.Member("runs", static_cast<std::int64_t>(row.times.size())).Key("latency_ns").Begin('{');
      json.Member("min", row.Percentile(0)).Member("p50", row.Percentile(50)).Member("p90", row.Percentile(90));
      json.Member("p95", row.Percentile(95)).Member("p99", row.Percentile(99)).Member("max", row.Percentile(100));
      json.Member("mean", row.Mean()).Member("deviation", row.Deviation()).End();
      json.Member("items_per_second", row.PerSecond()).Member("arena_bytes", row.arena_bytes).End();
    }
    json.End().Member("peak_tensor_bytes", peak_tensors).Member("peak_process_bytes", PeakMemory());
    if (args.Has("--ops")) {
      json.Key("ops").Begin('[');
      for (const auto& [op, time] : ops)
        json.Begin('{').Member("op", op).Member("count", time.count).Member("ns", time.ns).End();
      json.End();
    }
    Print(json.End().text());
    return kFine;
  }

  std::string text =
      StrCat(Styled(Style::kBold, args.arguments()[0]), "  signature ", prepared.signature.name, ", ",
             threads == 0 ? std::string("a thread per CPU") : StrCat(threads, threads == 1 ? " thread" : " threads"),
             "\n  loaded in ", Duration(static_cast<double>(load_ns)), ", first run ",
             Duration(static_cast<double>(first_ns)), "\n\n");
  for (std::size_t i = 0; i < feeds.ends.size() && !has_batches; ++i)
    StrAppend(&text, "  input ", feeds.ends[i].key, "  ", feeds.tensors[i].dtype(), " ", feeds.tensors[i].shape(),
              "\n");
  Table table("rrrrrrrrrr", {"batch", "runs", "p50", "p90", "p95", "p99", "min", "max", "mean", "items/s"});
  for (const Measured& row : rows)
    table.Row({StrCat(row.batch > 0 ? row.batch : row.items), Count(static_cast<std::int64_t>(row.times.size())),
               Styled(Style::kBold, Duration(row.Percentile(50))), Duration(row.Percentile(90)),
               Duration(row.Percentile(95)), Duration(row.Percentile(99)), Duration(row.Percentile(0)),
               Duration(row.Percentile(100)), Duration(row.Mean()),
               row.PerSecond() < 100 ? Fixed(row.PerSecond(), 2) : Count(std::llround(row.PerSecond()))});
  StrAppend(&text, table.Text(), "\n  memory: tensors at most ", Bytes(static_cast<std::uint64_t>(peak_tensors)));
  if (rows.back().planned)
    StrAppend(&text, ", planned arena ", Bytes(rows.back().arena_bytes), " (at least ",
              Bytes(rows.back().lower_bound_bytes), ")");
  StrAppend(&text, ", process at most ", Bytes(PeakMemory()), "\n");
  if (!ops.empty()) {
    StrAppend(&text, "\n  time by op of a traced run", has_batches ? StrCat(", batch ", batches.back()) : std::string(),
              "\n");
    Table by("lrrr", {"op", "nodes", "time", "share"});
    for (const auto& [op, time] : ops)
      by.Row({op, Count(time.count), Duration(time.ns), StrCat(Fixed(100 * time.ns / ops_ns, 1), " %")});
    text += by.Text();
  }
  Print(text);
  return kFine;
}

}  // namespace command
