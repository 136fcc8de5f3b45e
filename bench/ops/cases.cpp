// SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace tenon::bench {
namespace {

Status TimeOpOrFail(State& state, const OpCase& c) {
  GraphBuilder b;
  std::vector<Output> inputs;
  std::vector<NamedTensor> feeds;
  std::size_t bytes = 0;
  for (const Tensor& tensor : c.fed) {
    const std::string name = StrCat("in", inputs.size());
    inputs.push_back(b.Placeholder(name, tensor.dtype(), PartialTensorShape()));
    feeds.push_back({name + ":0", tensor});
    bytes += tensor.TotalBytes();
  }
  for (const Tensor& tensor : c.constants) inputs.push_back(b.Const(StrCat("constant", inputs.size()), tensor));
  b.Add(c.op, "op", inputs, c.attrs);
  const GraphCase graph{.graph = Describe(b, feeds, {"op:0"}), .relative_error = c.relative_error};
  {
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
    TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, session.Run(feeds, std::vector<std::string>{"op:0"}));
    bytes += outputs[0].TotalBytes();
  }
  state.SetBytes(static_cast<double>(bytes));
  if (state.options().threads == 1) {
    if (c.ceiling == Ceiling::kCopying) AddCopying(state, bytes);
    if (c.ceiling == Ceiling::kReading) AddReading(state, bytes);
    if (c.goal != 0) state.Goal(c.goal, c.ceiling == Ceiling::kReading ? "reading" : "copying");
  }
  state.Goal(1, "TensorFlow");
  return TimeGraphOrFail(state, graph);
}

}  // namespace

void TimeOp(State& state, const OpCase& c) { state.Check(TimeOpOrFail(state, c)); }

}  // namespace tenon::bench
