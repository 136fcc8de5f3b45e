// SPDX-License-Identifier: Apache-2.0
// Runs a graph of the three ops on the first GPU, or on the CPU where there is none (or the program was built without
// CUDA).
#include <cstdio>

#include <tenon/tenon.hpp>

tenon::GraphDef MakeGraph(tenon::Status* status) {
  tenon::GraphBuilder b;
  const tenon::Output x = b.Placeholder("x", tenon::DataType::kFloat);
  const tenon::Output kept = b.Add("ZeroOut", "kept", {x}, {{"preserve_index", 4}});
  const tenon::Output row = b.Const("row", tenon::MakeTensor<float>({3}, {10, 20, 30}));
  const tenon::Output sum = b.Add("Add", "sum", {kept, row});
  b.Add("MatMul", "product", {sum, sum}, {{"transpose_b", true}});
  *status = b.status();
  return b.graph_def();
}

tenon::Status Run() {
  tenon::Status status;
  const tenon::GraphDef graph = MakeGraph(&status);
  TENON_RETURN_IF_ERROR(status);

  tenon::Result<tenon::Session> session = tenon::Session::FromGraphDef(graph, {.devices = {"GPU:0"}});
  if (!session.ok()) {
    std::fprintf(stderr, "%s\n", session.status().ToString().c_str());
    session = tenon::Session::FromGraphDef(graph, {.devices = {"CPU:0"}});
    TENON_RETURN_IF_ERROR(session.status());
  }
  std::fprintf(stderr, "runs on %s\n", session->devices().front().c_str());

  const tenon::Tensor x = tenon::MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  TENON_ASSIGN_OR_RETURN(auto outputs, session->Run({{"x:0", x}}, {"kept:0", "sum:0", "product:0"}));
  for (const tenon::Tensor& t : outputs) std::printf("%s\n", t.DebugString(6).c_str());
  return tenon::OkStatus();
}

int main() {
  const tenon::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
