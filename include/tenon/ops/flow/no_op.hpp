// SPDX-License-Identifier: Apache-2.0
#pragma once
// NoOp: something to wait for, or to run to. Programs leave it out; only its control edges count.

#include <tenon/base/status.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/params.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct NoOp {
  static constexpr auto signature = Op("NoOp").SetShapeFn([](InferenceContext*) -> Status { return OkStatus(); });

  template <class Device>
  struct kernel {
    Status operator()(Device&) const { return OkStatus(); }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
