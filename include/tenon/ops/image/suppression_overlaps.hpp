// SPDX-License-Identifier: Apache-2.0
#pragma once
// NonMaxSuppressionWithOverlaps: which of overlapping boxes to keep, where the overlaps are given.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/suppression.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status OverlapsShape(InferenceContext* c) {
  ShapeHandle overlaps, scores, unused;
  DimensionHandle n;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &overlaps));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &scores));
  for (int i = 2; i < 5; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(overlaps, 0), c->Dim(scores, 0), &n));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(overlaps, 0), c->Dim(overlaps, 1), &n));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// The better score first, then the smaller number.
struct BetterScore {
  const float* scores;
  bool operator()(std::int32_t a, std::int32_t b) const {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  }
};

}  // namespace detail

// overlaps: [n, n], scores: [n]  ->  the numbers of the boxes to keep, best first
struct NonMaxSuppressionWithOverlaps {
  static constexpr auto signature = Op("NonMaxSuppressionWithOverlaps")
                                        .Input("overlaps: float")
                                        .Input("scores: float")
                                        .Input("max_output_size: int32")
                                        .Input("overlap_threshold: float")
                                        .Input("score_threshold: float")
                                        .Output("selected_indices: int32")
                                        .SetShapeFn(detail::OverlapsShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&) const {
      return Run(context.op());
    }
  };

 private:
  static Status Run(OpKernelContext& context) {
    constexpr std::string_view kName = "NonMaxSuppressionWithOverlaps";
    const Tensor &overlaps = context.input(0), &scores = context.input(1);
    constexpr std::string_view kNames[] = {"max_output_size", "overlap_threshold", "score_threshold"};
    if (overlaps.dims() != 2 || overlaps.dim_size(0) != overlaps.dim_size(1))
      return errors::InvalidArgument(kName, ": overlaps must be square", overlaps.shape());
    const Index n = overlaps.dim_size(0);
    if (scores.dims() != 1 || scores.dim_size(0) != n)
      return errors::InvalidArgument(kName, ": scores has incompatible shape ", scores.shape(), " for ", n, " boxes");
    for (int i = 0; i < 3; ++i)
      TENON_RETURN_IF_ERROR(detail::CheckSuppressionScalar(kName, kNames[i], context.input(2 + i)));
    const Index most = *context.input(2).data<std::int32_t>();
    if (most < 0) return errors::InvalidArgument(kName, ": output size must be non-negative, got ", most);
    const float allowed = *context.input(3).data<float>(), least = *context.input(4).data<float>();
    const float* const score = scores.data<float>();
    SlimVector<std::int32_t> order, kept;
    for (Index i = 0; i < n; ++i)
      if (score[i] > least) order.push_back(static_cast<std::int32_t>(i));
    std::sort(order.begin(), order.end(), detail::BetterScore{score});
    for (const std::int32_t next : order) {
      if (static_cast<Index>(kept.size()) >= most) break;
      bool keep = true;
      for (std::size_t j = kept.size(); keep && j-- > 0;)
        keep = !(overlaps.data<float>()[next * n + kept[j]] > allowed);
      if (keep) kept.push_back(next);
    }
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({static_cast<Index>(kept.size())}), &out));
    std::copy(kept.begin(), kept.end(), out->data<std::int32_t>());
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
