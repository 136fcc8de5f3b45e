// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParallelConcat: tensors of one row each, joined along the first dimension.

#include <cstddef>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status ParallelConcatShape(InferenceContext* c) {
  ShapeHandle shape, row;
  TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &shape));
  if (!c->FullyDefined(shape)) return errors::InvalidArgument("shape attr must be fully defined.");
  TENON_RETURN_IF_ERROR(c->ReplaceDim(shape, 0, c->MakeDim(1), &row));
  for (int i = 0; i < c->num_inputs(); ++i) {
    if (!c->FullyDefined(c->input(i))) return errors::InvalidArgument("All input shapes must be fully defined.");
    if (!c->Merge(c->input(i), row, &row).ok())
      return errors::InvalidArgument("Size of values must match size of shape, got ", c->DebugString(c->input(i)),
                                     " for ", c->DebugString(shape));
  }
  c->set_output(0, shape);
  return OkStatus();
}

}  // namespace detail

// values: [1, ...] each  ->  [N, ...], which the attr shape says
struct ParallelConcat {
  static constexpr auto signature = Op("ParallelConcat")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .Attr("shape: shape")
                                        .SetShapeFn(detail::ParallelConcatShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr std::string_view unused[] = {"shape"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(0), kPodAndStringTypes); }
    Status operator()(Context<Device>& context, std::span<const Tensor> values, Tensor&) const {
      return Run(context.op(), values);
    }
  };

 private:
  static Status Run(OpKernelContext& context, std::span<const Tensor> values) {
    TensorShape shape = values[0].shape();
    for (const Tensor& value : values)
      if (!(value.shape() == shape) || shape.dims() == 0 || shape.dim_size(0) != 1)
        return errors::InvalidArgument("ParallelConcat: values must have one shape [1, ...], got ", value.shape(),
                                       " beside ", shape);
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, static_cast<Index>(values.size())));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    const ElementMover mover = MoverOf(out->dtype());
    const Index row = values[0].NumElements();
    for (std::size_t i = 0; i < values.size(); ++i)
      CopyRun(mover, values[i].raw_data(), mover.At(out->raw_data(), static_cast<Index>(i) * row), row);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
