// SPDX-License-Identifier: Apache-2.0
// Runs every op of docs/tutorial/2-write-an-op.md once.

#include <cstdio>
#include <string>
#include <vector>

#include <tenon/ops/io/constant.hpp>
#include <tenon/tenon.hpp>

#include "ops.hpp"

// snippet register
TENON_REGISTER(guide::Cube, guide::Floored, guide::Leaky, guide::SoftShrink, guide::Outer, guide::NotNegative,
               guide::ScaleEach, guide::Reversed, guide::Counter, guide::SlowSum, guide::NumElements,
               tenon::ops::Const);  // <tenon/ops/io/constant.hpp>
// end

namespace {

using tenon::DataType;
using tenon::MakeTensor;

tenon::Status Run() {
  // snippet graph
  tenon::GraphBuilder b;
  const auto x = b.Const("x", MakeTensor<float>({3}, {-1, 2, 3}));
  b.Add("Cube", "cube", {x});
  b.Add("Floored", "floored", {x}, {{"low", 0.5f}});
  b.Add("Outer", "outer", {x, x});
  b.Add("NotNegative", "not_negative", {x});
  // end
  b.Add("Leaky", "leaky", {x});
  b.Add("SoftShrink", "soft_shrink", {x}, {{"by", 1.5f}});
  b.Add("ScaleEach", "scale_each", {{x, x}, b.Const("two", MakeTensor<float>({}, {2}))});
  b.Add("Reversed", "reversed", {x, b.Const("seven", MakeTensor<std::int32_t>({1}, {7}))},
        {{"Out", std::vector<DataType>{DataType::kInt32, DataType::kFloat}}});
  b.Add("Counter", "counter", {}, {{"step", 5}});
  b.Add("SlowSum", "slow_sum", {x});
  b.Add("NumElements", "num_elements", {x});
  // snippet run
  TENON_ASSIGN_OR_RETURN(const auto session, tenon::Session::FromGraph(b));
  for (const char* name : {"cube", "floored", "leaky", "soft_shrink", "outer", "not_negative", "scale_each:1",
                           "reversed:0", "reversed:1", "counter", "counter", "slow_sum", "num_elements"}) {
    TENON_ASSIGN_OR_RETURN(const auto outputs, session.Run({}, {name}));
    std::printf("%-14s %s %s\n", name, outputs[0].shape().DebugString().c_str(), outputs[0].SummarizeValue(-1).c_str());
  }
  // end
  return tenon::OkStatus();
}

// snippet explicit
tenon::Status RegisterSome(tenon::Registry& registry) {
  using namespace tenon;
  return Register(registry, Ops<Types<float>, guide::Cube, guide::Outer>{}, Devices<Cpu>{});
}
// end

}  // namespace

int main() {
  tenon::Registry own;
  tenon::Status status = RegisterSome(own);
  if (status.ok()) status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
