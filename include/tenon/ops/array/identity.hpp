// SPDX-License-Identifier: Apache-2.0
#pragma once
// Identity and its kin: outputs that are their inputs, sharing the buffer.

#include <tenon/op/inference_context.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/params.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

struct Identity {
  static constexpr auto signature =
      Op("Identity").Input("input: T").Output("output: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END
