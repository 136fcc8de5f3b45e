// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every way of consuming Tenon is tried with: an op defined outside of Tenon, run in a graph.

#include <tenon/tenon.hpp>
#if __has_include(<tenon/ops/io/placeholder.hpp>)
#include <tenon/ops/io/placeholder.hpp>
#else  // the single headers
#include <tenon/ops.hpp>
#endif

#include "../../examples/01_zero_out/zero_out.hpp"

// x -> ZeroOut(preserve_index = 1) -> y on {7, 8, 9}: OK when the answer is {0, 8, 0}.
inline tenon::Status RunZeroOut() {
  tenon::GraphBuilder b;
  auto x = b.Placeholder("x", tenon::DataType::kFloat);
  b.Add("ZeroOut", "y", {x}, {{"preserve_index", 1}});
  TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraph(b));
  const tenon::Tensor seven_to_nine = tenon::MakeTensor<float>({3}, {7, 8, 9});
  TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"x:0", seven_to_nine}}, {"y:0"}));
  const auto y = outputs[0].flat<float>();
  if (y.size() != 3 || y[0] != 0 || y[1] != 8 || y[2] != 0)
    return tenon::errors::Internal("ZeroOut: wanted {0, 8, 0}, got ", outputs[0].DebugString());
  return tenon::OkStatus();
}
