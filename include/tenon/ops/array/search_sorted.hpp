// SPDX-License-Identifier: Apache-2.0
#pragma once
// LowerBound and UpperBound: where values would go in sorted rows.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/elementwise/widest_type.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SearchSortedShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &unused));
  c->set_output(0, c->input(1));
  return OkStatus();
}

template <class W, bool kUpper>
void SearchRow(const W* sorted, Index n, const W* values, Index m, Tensor* out, Index first) {
  for (Index i = 0; i < m; ++i) {
    const W* const at =
        kUpper ? std::upper_bound(sorted, sorted + n, values[i]) : std::lower_bound(sorted, sorted + n, values[i]);
    if (out->dtype() == DataType::kInt32)
      out->data<std::int32_t>()[first + i] = static_cast<std::int32_t>(at - sorted);
    else
      out->data<std::int64_t>()[first + i] = at - sorted;
  }
}

template <bool kUpper>
Status RunSearchSorted(OpKernelContext& context, Cpu& device, const Tensor& sorted, const Tensor& values,
                       Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  if (sorted.dims() != 2)
    return errors::InvalidArgument(op, ": Shape must be rank 2 but is rank ", sorted.dims(),
                                   " for `sorted_inputs` argument");
  if (values.dims() != 2)
    return errors::InvalidArgument(op, ": Shape must be rank 2 but is rank ", values.dims(), " for `values` argument");
  const Index rows = sorted.dim_size(0), n = sorted.dim_size(1), m = values.dim_size(1);
  if (rows != values.dim_size(0))
    return errors::InvalidArgument(op, ": Leading dim_size of both tensors must match, got ", rows, " and ",
                                   values.dim_size(0));
  if (context.expected_output_dtype(0) == DataType::kInt32 && n > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument(
        op, ": trailing dim_size must be less than INT32_MAX for int32 output type, but was ", n);
  TENON_RETURN_IF_ERROR(context.allocate_output(0, values.shape(), &output));
  if (values.NumElements() == 0) return OkStatus();
  const WideType type = WideTypeOf(sorted.dtype());
  const Scratch wide(device, static_cast<std::size_t>(n + m) * 8);
  TENON_RETURN_IF_ERROR(wide.status(op));
  char* const wide_values = wide.As<char>() + n * 8;
  for (Index r = 0; r < rows; ++r) {
    type.Widen(static_cast<const char*>(sorted.raw_data()) + r * n * type.bytes, wide.As<char>(), n);
    type.Widen(static_cast<const char*>(values.raw_data()) + r * m * type.bytes, wide_values, m);
    VisitWide(type.kind, [&]<class W>() {
      SearchRow<W, kUpper>(wide.As<W>(), n, reinterpret_cast<const W*>(wide_values), m, output, r * m);
    });
  }
  return OkStatus();
}

template <class Device, bool kUpper>
  requires(Device::type == "CPU")
struct SearchSortedKernel {
  Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kRealNumberTypes); }
  Status operator()(Context<Device>& context, const Tensor& sorted_inputs, const Tensor& values, Tensor& output) const {
    return RunSearchSorted<kUpper>(context.op(), context.device(), sorted_inputs, values, &output);
  }
};

}  // namespace detail

// sorted_inputs: [b, n]  values: [b, m]  ->  [b, m]: how many of the row are below the value.
struct LowerBound {
  static constexpr auto signature = Op("LowerBound")
                                        .Input("sorted_inputs: T")
                                        .Input("values: T")
                                        .Output("output: out_type")
                                        .Attr("T: type")
                                        .Attr("out_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::SearchSortedShape);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::SearchSortedKernel<Device, false>;
};

// How many of the row are not above the value.
struct UpperBound {
  static constexpr auto signature = Op("UpperBound")
                                        .Input("sorted_inputs: T")
                                        .Input("values: T")
                                        .Output("output: out_type")
                                        .Attr("T: type")
                                        .Attr("out_type: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::SearchSortedShape);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::SearchSortedKernel<Device, true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
