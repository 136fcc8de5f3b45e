// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunOp: one node of any registered op, fed and fetched by a session.

#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace kernel_test {

using Attrs = std::vector<tenon::GraphBuilder::Attr>;

inline tenon::Result<std::vector<tenon::Tensor>> RunOp(std::string_view op, const Attrs& attrs,
                                                       const std::vector<tenon::Tensor>& inputs, int outputs = 1,
                                                       bool list = false, tenon::SessionOptions options = {}) {
  tenon::GraphBuilder b;
  std::vector<tenon::Output> endpoints;
  std::vector<tenon::NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = tenon::StrCat("in", i);
    endpoints.push_back(b.Placeholder(name, inputs[i].dtype()));
    feeds.push_back({name, inputs[i]});
  }
  std::vector<tenon::GraphBuilder::Input> arguments;
  if (list)
    arguments.emplace_back(endpoints);
  else
    for (const tenon::Output& e : endpoints) arguments.emplace_back(e);
  b.AddNode(op, "call", arguments, attrs);
  TENON_ASSIGN_OR_RETURN(const tenon::Session session, tenon::Session::FromGraph(b, std::move(options)));
  std::vector<std::string> fetches;
  for (int i = 0; i < outputs; ++i) fetches.push_back(tenon::StrCat("call:", i));
  return session.Run(feeds, fetches);
}

}  // namespace kernel_test
