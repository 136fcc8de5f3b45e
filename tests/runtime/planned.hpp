// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sessions that plan at once or never, and runs of their callables that must succeed.

#include <doctest/doctest.h>

#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace runtime_test {
using namespace tenon;

inline const SessionOptions kPlanned{.intra_op_threads = 1, .plan_after_runs = 1};
inline const SessionOptions kUnplanned{.intra_op_threads = 1, .plan_after_runs = 0};

inline Tensor Ramp(const TensorShape& shape, float scale) {
  Tensor t(DataType::kFloat, shape);
  for (Index i = 0; i < t.NumElements(); ++i) t.flat<float>()(i) = scale * static_cast<float>(i % 13) - 3.0f;
  return t;
}
inline bool Same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.tensor_data() == b.tensor_data();
}

inline Callable MakeCallable(const GraphBuilder& b, const SessionOptions& options, const CallableOptions& signature) {
  const auto session = Session::FromGraph(b, options);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  auto callable = session->MakeCallable(signature);
  REQUIRE_MESSAGE(callable.ok(), callable.status().message());
  return *std::move(callable);
}
inline std::vector<Tensor> MustRun(const Callable& callable, const std::vector<Tensor>& feeds) {
  std::vector<Tensor> out(callable.num_fetches());
  const Status s = callable.Run(feeds, out);
  REQUIRE_MESSAGE(s.ok(), s.message());
  return out;
}
inline PlanReport Report(const Callable& callable) {
  PlanReport report;
  REQUIRE(callable.GetPlanReport(&report));
  return report;
}

}  // namespace runtime_test
