// SPDX-License-Identifier: Apache-2.0
#pragma once
// CustomAggregator: statistics of a tensor, from which a quantizer chooses ranges.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// Counts numbers in bins whose width is a power of two; the least bin begins at a multiple of it.
inline void CountInBins(const float* x, Index n, float least, float most, std::int64_t* bins, Index num_bins) {
  const float width = std::exp2(std::ceil(std::log2((most - least) / static_cast<float>(num_bins))));
  const float begin = std::floor(least / width) * width;
  for (Index i = 0; i < n; ++i) {
    const float bin = std::floor((x[i] - begin) / width);
    ++bins[!(bin > 0) ? 0 : bin < static_cast<float>(num_bins) ? static_cast<Index>(bin) : num_bins - 1];
  }
}

inline Status RunAggregator(OpKernelContext& context, Index num_bins, const Tensor& input) {
  Tensor *least = nullptr, *most = nullptr, *bins = nullptr;
  const Index n = input.NumElements(), sizes[] = {num_bins};
  const float* const x = input.data<float>();
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape(), &least));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape(), &most));
  TENON_RETURN_IF_ERROR(context.allocate_output(3, shape, &bins));
  context.set_output(0, input);
  float& low = *least->data<float>() = std::numeric_limits<float>::infinity();
  float& high = *most->data<float>() = -std::numeric_limits<float>::infinity();
  for (Index i = 0; i < n; ++i) {  // a number takes the place of a NaN
    if (!(low < x[i])) low = x[i];
    if (!(high > x[i])) high = x[i];
  }
  std::fill_n(bins->data<std::int64_t>(), num_bins, 0);
  if (num_bins > 0) CountInBins(x, n, low, high, bins->data<std::int64_t>(), num_bins);
  return OkStatus();
}

}  // namespace detail

// The input, its least and its largest number, and how many numbers are in each of num_bins bins.
struct CustomAggregator {
  static constexpr auto signature = Op("CustomAggregator")
                                        .Input("input: float")
                                        .Output("output: float")
                                        .Output("min: float")
                                        .Output("max: float")
                                        .Output("histogram: int64")
                                        .Attr("id: string")
                                        .Attr("calibration_method: int = 0")
                                        .Attr("num_bins: int = 0")
                                        .Attr("min_percentile: float = 0.0")
                                        .Attr("max_percentile: float = 0.0")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          std::int64_t bins = 0;
                                          TENON_RETURN_IF_ERROR(c->GetAttr("num_bins", &bins));
                                          c->set_output(0, c->input(0));
                                          c->set_output(1, c->Scalar());
                                          c->set_output(2, c->Scalar());
                                          c->set_output(3, c->Vector(bins < 0 ? c->UnknownDim() : c->MakeDim(bins)));
                                          return OkStatus();
                                        });
  struct Attrs {
    std::int64_t calibration_method, num_bins;
  };
  static constexpr std::string_view unused[] = {"id", "min_percentile", "max_percentile"};
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      return this->calibration_method != 0 ? OkStatus() : errors::Aborted("The calibration method is not specified.");
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunAggregator(context.op(), this->num_bins, input);
    }
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
