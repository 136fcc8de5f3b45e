// SPDX-License-Identifier: Apache-2.0
#pragma once
// StatelessParameterizedTruncatedNormal: normal numbers between bounds, a function of shape, seed and parameters.

#include <cstdint>

#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/truncated_normal.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/broadcast_parameters.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status StatelessBoundedNormalShape(InferenceContext* c) {
  ShapeHandle batch = c->input(2);
  TENON_RETURN_IF_ERROR(SeedIsPair(c, 1));
  for (int i = 3; i < 6; ++i)
    TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, batch, c->input(i), true, &batch));
  return shape_inference::RandomShape(c);
}

template <class T>
Status FillStatelessBoundedNormals(OpKernelContext& context, const BroadcastSamples& work, Philox stream, T* own,
                                   T* out) {
  const T* parameters[4];
  for (int i = 0; i < 4; ++i) parameters[i] = context.input(2 + i).data<T>();
  constexpr std::uint64_t kRounding = tenon::detail::BlockOf<T>::size - 1;
  stream.Skip(kRounding / tenon::detail::BlockOf<T>::size);
  for (Index b = 0; b < work.batches; ++b) {
    const BoundedNormal<T> p{parameters[0][work.At(0, b)], parameters[1][work.At(1, b)], parameters[2][work.At(2, b)],
                             parameters[3][work.At(3, b)]};
    TENON_RETURN_IF_ERROR(FillBoundedNormal(p, &stream, own, work.samples));
    for (Index s = 0; s < work.samples; ++s) out[s * work.batches + b] = own[s];
  }
  return OkStatus();
}

}  // namespace detail

// shape: [samples..., batch...], the parameters: broadcast to [batch...]. On one thread: each sample takes as much of
// the stream as it needs.
struct StatelessParameterizedTruncatedNormal {
  static constexpr auto signature = Op("StatelessParameterizedTruncatedNormal")
                                        .Input("shape: S")
                                        .Input("seed: Tseed")
                                        .Input("means: dtype")
                                        .Input("stddevs: dtype")
                                        .Input("minvals: dtype")
                                        .Input("maxvals: dtype")
                                        .Output("output: dtype")
                                        .Attr("S: {int32, int64}")
                                        .Attr("Tseed: {int32, int64} = DT_INT64")
                                        .Attr("dtype: {half, float, double}")
                                        .SetShapeFn(detail::StatelessBoundedNormalShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, HostIndices shape, HostIndices seed, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&) const {
      return Run(context.op(), shape, seed);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const HostIndices& shape, const HostIndices& seed) {
    Philox stream;
    detail::BroadcastSamples work;
    Tensor* out = nullptr;
    Tensor own;
    constexpr const char* kOp = "StatelessParameterizedTruncatedNormal";
    TENON_RETURN_IF_ERROR(detail::StreamOfSeed(kOp, seed, &stream));
    TENON_RETURN_IF_ERROR(work.Read(context, kOp, "means, stddevs, minvals, maxvals", shape, 2, 4));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, work.shape, &out));
    if (out->NumElements() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(context.allocate_temp(out->dtype(), TensorShape({work.samples}), &own));
    return DispatchType<TypeList<half, float, double>>(out->dtype(), [&]<class T>() {
      return detail::FillStatelessBoundedNormals<T>(context, work, stream, own.data<T>(), out->data<T>());
    });
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
