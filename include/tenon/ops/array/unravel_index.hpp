// SPDX-License-Identifier: Apache-2.0
#pragma once
// UnravelIndex: places in a flat tensor as coordinates.

#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status UnravelIndexShape(InferenceContext* c) {
  const ShapeHandle indices = c->input(0);
  ShapeHandle dims;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &dims));
  if (!c->RankKnown(indices))
    c->set_output(0, c->UnknownShape());
  else if (c->Rank(indices) == 0)
    c->set_output(0, c->Vector(c->Dim(dims, 0)));
  else
    c->set_output(0, c->Matrix(c->Dim(dims, 0), c->NumElements(indices)));
  return OkStatus();
}

}  // namespace detail

// indices: [] or [n], dims: [rank]  ->  [rank] or [rank, n]. A negative index gives the coordinates of its magnitude,
// negative, as in TensorFlow.
struct UnravelIndex {
  static constexpr auto signature = Op("UnravelIndex")
                                        .Input("indices: Tidx")
                                        .Input("dims: Tidx")
                                        .Output("output: Tidx")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UnravelIndexShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices indices, HostIndices dims, Tensor&) const {
      return Run(context.op(), indices, dims);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const HostIndices& indices, const HostIndices& dims) {
    constexpr const char* kOp = "UnravelIndex";
    const bool wide = indices.dtype() == DataType::kInt64;
    if (indices.shape().dims() > 1)
      return errors::InvalidArgument(kOp, ": The indices can only be scalar or vector, got ", indices.shape());
    if (indices.size() == 0) return errors::InvalidArgument(kOp, ": received empty tensor indices ", indices.shape());
    if (dims.shape().dims() != 1) return errors::InvalidArgument(kOp, ": The dims can only be 1-D, got ", dims.shape());
    const Index limit = wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
    Index product = 1;
    for (Index d = 0; d < dims.size(); ++d) {
      if (dims[d] == 0)
        return errors::InvalidArgument(
            kOp, ": Input dims cannot contain a dim of zero, but dims contains zero at index ", d);
      if (dims[d] < 0)
        return errors::InvalidArgument(kOp, ": Input dims cannot be negative. Got dim = ", dims[d], " at index ", d);
      if (product > limit / dims[d])
        return errors::InvalidArgument(kOp, ": Input dims product is causing integer overflow at index ", d);
      product *= dims[d];
    }
    for (Index i = 0; i < indices.size(); ++i)
      if (indices[i] >= product)
        return errors::InvalidArgument(kOp, ": index is out of bound as with dims: ", indices[i], " of ", product);
    TensorShape shape({dims.size()});
    if (indices.shape().dims() == 1) TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(indices.size()));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    Index stride = 1;
    for (Index d = dims.size() - 1; d >= 0; --d) {
      for (Index i = 0; i < indices.size(); ++i) {
        const Index place = indices[i] % (stride * dims[d]) / stride, at = d * indices.size() + i;
        if (wide)
          out->data<std::int64_t>()[at] = place;
        else
          out->data<std::int32_t>()[at] = static_cast<std::int32_t>(place);
      }
      stride *= dims[d];
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
