// SPDX-License-Identifier: Apache-2.0
#pragma once
// testing::Call: runs one registered op on tensors, through a graph of one node.

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/session.hpp>

namespace tenon::testing {

using AttrArgs = std::vector<std::pair<std::string, AttrValue>>;

// The outputs of `op` for these inputs. Type attrs follow from the inputs; other attrs are given or have their
// defaults.
template <class Op>
Result<std::vector<Tensor>> Call(const AttrArgs& attrs, const std::vector<Tensor>& inputs,
                                 SessionOptions options = {}) {
  GraphBuilder b;
  std::vector<Output> endpoints;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = StrCat("in", i);
    endpoints.push_back(b.Placeholder(name, inputs[i].dtype(), PartialTensorShape()));
    feeds.push_back({name + ":0", inputs[i]});
  }
  b.Add(Op::signature.name, "call", endpoints, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b, std::move(options)));
  std::vector<std::string> fetches;
  for (int i = 0; i < Op::signature.kOutputs; ++i) fetches.push_back(StrCat("call:", i));
  return session.Run(feeds, fetches);
}

}  // namespace tenon::testing
