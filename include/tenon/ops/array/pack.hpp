// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pack: tensors of one shape stacked along a new axis.

#include <cstdint>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// values: N times [a, b]  ->  [N, a, b] (axis 0), [a, N, b] (axis 1), [a, b, N] (axis 2 or -1)
struct Pack {
  static constexpr auto signature = Op("Pack")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .Attr("axis: int = 0")
                                        .SetShapeFn(shape_inference::PackShape);

  struct Attrs {
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.output_type(0), kAllTypes); }
    Status operator()(Context<Device>& context, std::span<const Tensor> values, Tensor& output) const {
      return Run(context.op(), context.device(), this->axis, values, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, std::int64_t axis, std::span<const Tensor> values,
                    Tensor* output) {
    const TensorShape& one = values[0].shape();
    const int rank = one.dims() + 1;
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument("Pack: axis = ", axis, " not in [", -rank, ", ", rank, ")");
    for (std::size_t i = 1; i < values.size(); ++i)
      if (!(values[i].shape() == one))
        return errors::InvalidArgument("Pack: Shapes of all inputs must match: values[0].shape = ", one, " != values[",
                                       i, "].shape = ", values[i].shape());
    const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
    InlinedVector<Index, 8> sizes(one.begin(), one.end());
    sizes.insert(sizes.begin() + at, static_cast<Index>(values.size()));
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    if (values.size() == 1) {
      (void)output->CopyFrom(values[0], shape);  // the element counts agree
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    const Index outer = ProductOfSizes(one, 0, at), run = ProductOfSizes(one, at, one.dims());
    InlinedVector<ConcatPart, 32> parts;
    for (const Tensor& value : values) parts.push_back({value.raw_data(), run});
    return tenon::Concat(device, MoverOf(output->dtype()), {parts.data(), parts.size()}, outer, output->raw_data());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
