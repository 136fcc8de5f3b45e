// SPDX-License-Identifier: Apache-2.0
// Ops over sizes 2^4, 2^6, ..., 2^24 beside TensorFlow on one thread, and NumPy where it does the same. The lists are
// in the other files of this folder. A size is left out when the sizes before it say that a run would take longer than
// half a second. bench/sweeps/table.py makes the page of the results, with growth exponents.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/runtime.hpp>

#include "graph_case.hpp"
#include "sweeps/sweep.hpp"

namespace tenon::bench {
namespace {

constexpr int kFirst = 4, kStep = 2;  // log2 of the sizes
constexpr double kLongestRun = 5e8;   // ns

// How long the last two sizes of a sweep took: the slowest of all who took part.
struct Times {
  double before = 0, last = 0;
  double Next() const { return before > 0 ? last * std::max(1.0, last / before) : last * (1 << kStep); }
};
std::map<std::string_view, Times>& TimesOf() {
  static std::map<std::string_view, Times> times;
  return times;
}
std::map<std::string_view, const Sweep*>& ByName() {
  static std::map<std::string_view, const Sweep*> sweeps;
  return sweeps;
}

// TensorFlow's executor without a queue costs least for one node; ops that it refuses take the usual one.
Result<std::unique_ptr<PeerSession>> MakeBestTensorFlow(const PeerGraph& graph, int threads) {
  using Executor = TensorFlowOptions::Executor;
  TensorFlowOptions options{.executor = Executor::kSingleThreaded, .intra_op_threads = threads, .optimize = false};
  Result<std::unique_ptr<PeerSession>> session = MakeTensorFlow(graph, options);
  if (session.ok() && (*session)->Run(1).ok()) return session;
  options.executor = Executor::kInCaller;
  return MakeTensorFlow(graph, options);
}

Status TimeSweep(State& state, const Sweep& sweep) {
  Times& times = TimesOf()[sweep.name];
  if (times.Next() > kLongestRun) return OkStatus();
  Call call;
  sweep.fill(state.arg(), call);
  GraphBuilder b;
  std::vector<NamedTensor> feeds;
  std::vector<GraphBuilder::Input> inputs;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    SlimVector<Output> list;
    for (const Tensor& tensor : call.inputs[i]) {
      const std::string name = StrCat("in", feeds.size());
      list.push_back(
          b.Placeholder(name, tensor.dtype(), call.shapes ? PartialTensorShape(tensor.shape()) : PartialTensorShape()));
      feeds.push_back({name + ":0", tensor});
    }
    inputs.push_back(call.is_list[i] ? GraphBuilder::Input(list) : GraphBuilder::Input(list[0]));
  }
  const Output op = b.Add(sweep.op, "op", inputs, call.attrs);
  TENON_RETURN_IF_ERROR(b.status());
  std::vector<std::string> fetches;
  while (b.dtype(op[static_cast<int>(fetches.size())]) != DataType::kInvalid)
    fetches.push_back(StrCat("op:", fetches.size()));

  GraphCase c{.graph = Describe(b, feeds, fetches), .tensorflow = false};
  c.relative_error = call.relative_error;
  c.compared = call.compared;
  const int threads = state.options().threads;
  c.others = {{"TensorFlow", [&] { return MakeBestTensorFlow(c.graph, threads); }}};
  if (call.numpy != nullptr)  // its answers are not compared: the expression has the first input only
    AddPeer(state, "NumPy", [&] { return MakePythonPeer("numpy", call.numpy, call.inputs[0][0], threads); }, {}, 0);
  state.SetItems(static_cast<double>(state.arg()), sweep.counts);
  TENON_RETURN_IF_ERROR(TimeGraphOrFail(state, c));
  times.before = times.last;
  times.last = 0;
  for (const Subject& subject : state.subjects()) times.last = std::max(times.last, state.Time(subject));
  return OkStatus();
}

// An op of an optional component that is not linked is left out.
void Time(State& state) {
  const Sweep& sweep = *ByName().find(state.name())->second;
  const Status status = TimeSweep(state, sweep);
  if (status.code() == Code::kUnimplemented)
    Note(StrCat(sweep.op, " is left out: this program lacks its component"));
  else
    state.Check(status);
}

void AddAll() {
  for (const std::span<const Sweep> list : Sweeps()) {
    for (const Sweep& sweep : list) {
      ByName()[sweep.name] = &sweep;
      Case c{sweep.name, &Time, {}};
      for (int power = kFirst; power <= sweep.largest; power += kStep) c.args.push_back(std::int64_t{1} << power);
      Cases().push_back(c);
    }
  }
}
[[maybe_unused]] const bool added = (CaseLists().push_back(&AddAll), true);

}  // namespace
}  // namespace tenon::bench
