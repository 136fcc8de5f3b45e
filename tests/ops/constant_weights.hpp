// SPDX-License-Identifier: Apache-2.0
#pragma once
// One node whose second input is fed, a constant, and what an Identity makes of one: the results have the same bits.

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "op_call.hpp"

namespace tenon::testing {

// "" or what is wrong. `lists`: the arguments behind x and w, each a list of constants. The constant is shared by two
// nodes, and the session runs on several threads at once.
inline std::string DifferenceWithConstantWeights(std::string_view op, const AttrArgs& attrs, const Tensor& x,
                                                 const Tensor& w, const std::vector<std::vector<Tensor>>& lists = {}) {
  GraphBuilder b;
  const Output fed_x = b.Placeholder("x", x.dtype()), fed_w = b.Placeholder("w", w.dtype()), constant = b.Const("c", w);
  std::vector<GraphBuilder::Input> rest;
  for (const std::vector<Tensor>& list : lists) {
    SlimVector<Output> ends;
    for (const Tensor& t : list) ends.push_back(b.Const(StrCat("rest", rest.size(), "_", ends.size()), t));
    rest.emplace_back(ends);
  }
  const auto add = [&](std::string_view name, const Output& weights) {
    std::vector<GraphBuilder::Input> inputs{fed_x, weights};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    b.Add(op, name, inputs, attrs);
  };
  add("fed", fed_w);
  add("constant", constant);
  add("shared", constant);
  add("identity", b.Add("Identity", "same", {constant}));
  const Result<Session> session = Session::FromGraph(b);
  if (!session.ok()) return session.status().ToString();
  const std::vector<NamedTensor> feeds{{"x:0", x}, {"w:0", w}};
  const std::vector<std::string> fetches{"fed:0", "constant:0", "shared:0", "identity:0"};
  std::atomic<int> failed{0}, different{0};
  const auto run = [&] {
    for (int i = 0; i < 3; ++i) {
      const auto out = session->Run(feeds, fetches);
      if (!out.ok()) {
        ++failed;
        continue;
      }
      for (const Tensor& t : *out)
        if (!(t.shape() == (*out)[0].shape()) || std::memcmp(t.raw_data(), (*out)[0].raw_data(), t.TotalBytes()) != 0)
          ++different;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
  if (failed == 0 && different == 0) return "";
  return StrCat(op, ": ", failed.load(), " runs failed, ", different.load(), " results differ");
}

}  // namespace tenon::testing
