// SPDX-License-Identifier: Apache-2.0
// The single header of the standard ops: x + x through a session.
#include <tenon/ops.hpp>
#include <tenon/runtime.hpp>

#include <cstdio>

TENON_REGISTER(tenon::ops::All);

tenon::Status Run() {
  tenon::GraphBuilder b;
  auto x = b.Placeholder("x", tenon::DataType::kFloat);
  b.Add("AddV2", "sum", {x, x}, {});
  TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraph(b));
  TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"x:0", tenon::Tensor::Scalar(1.5f)}}, {"sum:0"}));
  return outputs[0].flat<float>()[0] == 3 ? tenon::OkStatus() : tenon::errors::Internal("1.5 + 1.5 is not 3");
}

int main() {
  const tenon::Status status = Run();
  std::printf("AddV2: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
