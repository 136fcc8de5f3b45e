// SPDX-License-Identifier: Apache-2.0
#pragma once
// testing::Call and CallOp: run one registered op on tensors, through a graph of one node.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/runtime/api/session.hpp>

namespace tenon::testing {

using AttrArgs = std::vector<std::pair<std::string, AttrValue>>;

// The outputs (all `num_outputs` tensors) of the op of this name for these inputs. Type attrs follow from the inputs;
// other attrs are given or have their defaults.
inline Result<std::vector<Tensor>> CallOp(std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs,
                                          int num_outputs, SessionOptions options = {}) {
  GraphBuilder b;
  std::vector<Output> endpoints;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = StrCat("in", i);
    endpoints.push_back(b.Placeholder(name, inputs[i].dtype(), PartialTensorShape()));
    feeds.push_back({name + ":0", inputs[i]});
  }
  b.Add(op, "call", endpoints, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b, std::move(options)));
  std::vector<std::string> fetches;
  for (int i = 0; i < num_outputs; ++i) fetches.push_back(StrCat("call:", i));
  std::vector<std::string> targets;
  if (num_outputs == 0) targets.push_back("call");
  return session.Run(feeds, fetches, targets);
}

// The same; of an output that is a list of tensors only as many as the op has outputs.
template <class Op>
Result<std::vector<Tensor>> Call(const AttrArgs& attrs, const std::vector<Tensor>& inputs,
                                 SessionOptions options = {}) {
  return CallOp(Op::signature.name, attrs, inputs, Op::signature.kOutputs, std::move(options));
}

}  // namespace tenon::testing
