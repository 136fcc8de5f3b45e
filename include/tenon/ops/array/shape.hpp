// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape: the sizes of a tensor as a vector.

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

struct Shape {
  static constexpr auto signature =
      Op("Shape")
          .Input("input: T")
          .Output("output: out_type")
          .Attr("T: type")
          .Attr("out_type: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status {
            const ShapeHandle input = c->input(0);
            c->set_output(0, c->Vector(c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
            return OkStatus();
          });

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& input, Out<T> output) const {
      for (int d = 0; d < input.dims(); ++d) {
        if (std::is_same_v<T, std::int32_t> && input.dim_size(d) > std::numeric_limits<std::int32_t>::max())
          return errors::InvalidArgument("Shape: output type is int32 but dim ", d, " is ", input.dim_size(d),
                                         "; use out_type = int64");
        output[d] = static_cast<T>(input.dim_size(d));
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END
