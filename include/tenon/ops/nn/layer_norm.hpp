// SPDX-License-Identifier: Apache-2.0
#pragma once
// _LayerNorm: what the optimizer makes of the nodes of a layer normalisation over the last axis.

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/layer_norm.hpp>
#include <tenon/kernel/adapter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// x: [..., columns]  scale, offset: [columns]
struct LayerNorm {
  static constexpr auto signature = Op("_LayerNorm")
                                        .Input("x: T")
                                        .Input("scale: T")
                                        .Input("offset: T")
                                        .Output("y: T")
                                        .Attr("T: {float, double}")
                                        .Attr("epsilon: float = 0.001")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float epsilon;
  };

  template <class Device, class T>
  struct kernel : Attrs {
    static constexpr bool for_gpu = true;

    Status operator()(Device& device, In<T> x, In<T, 1> scale, In<T, 1> offset, Forward<T, 0> y) const {
      const int rank = x.shape().dims();
      const Index columns = rank > 0 ? x.shape().dim_size(rank - 1) : 0;
      if (rank == 0 || scale.size() != columns || offset.size() != columns)
        return errors::InvalidArgument("_LayerNorm: scale and offset must have an element for each of ", columns,
                                       " columns, got ", scale.size(), " and ", offset.size());
      if (x.size() == 0) return OkStatus();
      return tenon::LayerNorm(device, x.data, scale.data, offset.data, static_cast<T>(this->epsilon), y.data,
                              x.size() / columns, columns);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
