// SPDX-License-Identifier: Apache-2.0
// Defines an op, registers it, builds a graph of it and runs the graph: a program of one source file.

#include <cstdio>

#include <tenon/tenon.hpp>
#include <tenon/ops/io/placeholder.hpp>

#include "zero_out.hpp"

TENON_REGISTER(ZeroOut, tenon::ops::Placeholder);

namespace {

tenon::Status Run() {
  tenon::GraphBuilder b;
  const auto x = b.Placeholder("x", tenon::DataType::kInt32, {});
  b.Add("ZeroOut", "y", {x}, {{"preserve_index", 2}});
  TENON_ASSIGN_OR_RETURN(const auto session, tenon::Session::FromGraph(b));

  TENON_ASSIGN_OR_RETURN(const auto outputs,
                         session.Run({{"x:0", tenon::MakeTensor<std::int32_t>({5}, {5, 4, 3, 2, 1})}}, {"y:0"}));
  std::printf("ZeroOut of [5 4 3 2 1] is [%s]\n", outputs[0].SummarizeValue(-1).c_str());

  const auto refused = session.Run({{"x:0", tenon::MakeTensor<std::int32_t>({1}, {7})}}, {"y:0"});
  std::printf("ZeroOut of [7]: %s\n", refused.status().ToString().c_str());
  return tenon::OkStatus();
}

}  // namespace

int main() {
  const tenon::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
