// SPDX-License-Identifier: Apache-2.0
#pragma once
// CombinedNonMaxSuppression: the best boxes of all classes, for each image of a batch.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/non_max_suppression.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/image/suppression.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CombinedSuppressionShape(InferenceContext* c) {
  ShapeHandle boxes, scores, scalar;
  DimensionHandle batch, unused, size = c->UnknownDim();
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &boxes));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 3, &scores));
  for (int i = 2; i < 6; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &scalar));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 0), c->Dim(scores, 0), &unused));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(boxes, 1), c->Dim(scores, 1), &unused));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(boxes, 3), 4, &unused));
  batch = c->Dim(boxes, 0);
  const DimensionHandle sets = c->Dim(boxes, 2), classes = c->Dim(scores, 2);
  if (c->ValueKnown(sets) && c->ValueKnown(classes) && c->Value(sets) != 1 && c->Value(sets) != c->Value(classes))
    return errors::InvalidArgument(
        "third dimension of boxes must be either 1 or equal to the third dimension of scores, got ", c->Value(sets),
        " and ", c->Value(classes));
  std::int64_t per_class = 0, total = 0;
  bool per_class_known = false, total_known = false, pad_per_class = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(3, &total, &total_known));
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &per_class, &per_class_known));
  TENON_RETURN_IF_ERROR(c->GetAttr("pad_per_class", &pad_per_class));
  if (total_known && total <= 0) return errors::InvalidArgument("max_total_size should be > 0, got ", total);
  if (total_known && !pad_per_class) {
    size = c->MakeDim(total);
  } else if (total_known && per_class_known) {
    if (per_class <= 0) return errors::InvalidArgument("max_output_size_per_class should be > 0, got ", per_class);
    if (c->ValueKnown(classes)) size = c->MakeDim(std::min(total, per_class * c->Value(classes)));
  }
  c->set_output(0, c->MakeShape({batch, size, 4}));
  c->set_output(1, c->MakeShape({batch, size}));
  c->set_output(2, c->MakeShape({batch, size}));
  c->set_output(3, c->Vector(batch));
  return OkStatus();
}

// A box that one class has kept.
struct Detection {
  const float* box;
  float score;
  float class_number;

  // Equal scores: the lower class first, then the box that comes first.
  static bool Better(const Detection& a, const Detection& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.class_number != b.class_number ? a.class_number < b.class_number : a.box < b.box;
  }
  static bool Worse(const Detection& a, const Detection& b) { return Better(b, a); }
};

// boxes [n, sets, 4], scores [n, classes] of one image.
struct DetectionImage {
  const float* boxes;
  const float* scores;
  Index n, sets, classes;
};

// The boxes that class number `c` keeps, behind those in *found. *memory is overwritten.
inline void DetectClass(const DetectionImage& image, Index c, Index most, const SuppressionRule<float>& rule,
                        SlimVector<Detection>* memory, SlimVector<Detection>* found) {
  const Index set = image.sets == 1 ? 0 : c;
  SlimVector<Detection>& candidates = *memory;
  candidates.clear();
  for (Index i = 0; i < image.n; ++i) {
    const float score = image.scores[i * image.classes + c];
    if (score > rule.score_threshold)
      candidates.push_back({image.boxes + (i * image.sets + set) * 4, score, static_cast<float>(c)});
  }
  std::make_heap(candidates.begin(), candidates.end(), &Detection::Worse);  // few are taken: the rest stays unsorted
  const std::size_t first = found->size();
  for (auto end = candidates.end(); end != candidates.begin(); --end) {
    if (static_cast<Index>(found->size() - first) >= most) break;
    std::pop_heap(candidates.begin(), end, &Detection::Worse);
    const Detection next = *(end - 1);
    bool keep = true;
    for (std::size_t j = found->size(); keep && j > first; --j)
      keep = !(BoxOverlap(next.box, (*found)[j - 1].box) > rule.overlap_threshold);
    if (keep) found->push_back(next);
  }
}

}  // namespace detail

// boxes: [batch, n, 1 or classes, 4], scores: [batch, n, classes]
struct CombinedNonMaxSuppression {
  static constexpr auto signature = Op("CombinedNonMaxSuppression")
                                        .Input("boxes: float")
                                        .Input("scores: float")
                                        .Input("max_output_size_per_class: int32")
                                        .Input("max_total_size: int32")
                                        .Input("iou_threshold: float")
                                        .Input("score_threshold: float")
                                        .Output("nmsed_boxes: float")
                                        .Output("nmsed_scores: float")
                                        .Output("nmsed_classes: float")
                                        .Output("valid_detections: int32")
                                        .Attr("pad_per_class: bool = false")
                                        .Attr("clip_boxes: bool = true")
                                        .SetShapeFn(detail::CombinedSuppressionShape);
  struct Attrs {
    bool pad_per_class, clip_boxes;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return Run(context.op(), *this);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Attrs& a) {
    constexpr std::string_view kName = "CombinedNonMaxSuppression";
    const Tensor &boxes = context.input(0), &scores = context.input(1);
    if (boxes.dims() != 4) return errors::InvalidArgument(kName, ": boxes must be 4-D, got shape ", boxes.shape());
    if (scores.dims() != 3) return errors::InvalidArgument(kName, ": scores must be 3-D, got shape ", scores.shape());
    if (scores.dim_size(0) != boxes.dim_size(0) || scores.dim_size(1) != boxes.dim_size(1))
      return errors::InvalidArgument(kName, ": scores has incompatible shape ", scores.shape(), ", boxes have ",
                                     boxes.shape());
    constexpr std::string_view kNames[] = {"max_size_per_class", "max_total_size", "iou_threshold", "score_threshold"};
    for (int i = 0; i < 4; ++i)
      TENON_RETURN_IF_ERROR(detail::CheckSuppressionScalar(kName, kNames[i], context.input(2 + i)));
    const Index per_class = *context.input(2).data<std::int32_t>(), total = *context.input(3).data<std::int32_t>();
    if (per_class <= 0) return errors::InvalidArgument(kName, ": max_size_per_class must be positive, got ", per_class);
    if (total <= 0) return errors::InvalidArgument(kName, ": max_total_size must be > 0, got ", total);
    const SuppressionRule<float> rule{*context.input(4).data<float>(), *context.input(5).data<float>()};
    TENON_RETURN_IF_ERROR(detail::CheckOverlapThreshold(kName, rule.overlap_threshold));
    const Index batch = boxes.dim_size(0);
    detail::DetectionImage image{boxes.data<float>(), scores.data<float>(), boxes.dim_size(1), boxes.dim_size(2),
                                 scores.dim_size(2)};
    if (image.sets != 1 && image.sets != image.classes)
      return errors::InvalidArgument(kName, ": third dimension of boxes must be either 1 or num classes, got ",
                                     image.sets, " and ", image.classes, " classes");
    if (boxes.dim_size(3) != 4)
      return errors::InvalidArgument(kName, ": boxes must have 4 columns, got shape ", boxes.shape());
    const Index of_all_classes = MultiplyWithoutOverflow(per_class, image.classes);
    const Index size = a.pad_per_class && of_all_classes >= 0 ? std::min(total, of_all_classes) : total;
    Tensor *out_boxes = nullptr, *out_scores = nullptr, *out_classes = nullptr, *out_count = nullptr;
    TensorShape shape;
    const Index sizes[] = {batch, size, 4};
    TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out_boxes));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({batch, size}), &out_scores));
    TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({batch, size}), &out_classes));
    TENON_RETURN_IF_ERROR(context.allocate_output(3, TensorShape{batch}, &out_count));
    std::fill_n(out_boxes->data<float>(), batch * size * 4, 0.0f);
    std::fill_n(out_scores->data<float>(), batch * size, 0.0f);
    std::fill_n(out_classes->data<float>(), batch * size, 0.0f);
    SlimVector<detail::Detection> memory;
    for (Index n = 0; n < batch; ++n) {
      SlimVector<detail::Detection> found;
      for (Index c = 0; image.n > 0 && c < image.classes; ++c)
        detail::DetectClass(image, c, per_class, rule, &memory, &found);
      std::sort(found.begin(), found.end(), &detail::Detection::Better);
      const Index count = std::min(size, static_cast<Index>(found.size()));
      for (Index i = 0; i < count; ++i) {
        const detail::Detection& d = found[static_cast<std::size_t>(i)];
        for (Index k = 0; k < 4; ++k)
          out_boxes->data<float>()[(n * size + i) * 4 + k] =
              a.clip_boxes ? std::max(std::min(d.box[k], 1.0f), 0.0f) : d.box[k];
        out_scores->data<float>()[n * size + i] = d.score;
        out_classes->data<float>()[n * size + i] = d.class_number;
      }
      out_count->data<std::int32_t>()[n] = static_cast<std::int32_t>(count);
      image.boxes += image.n * image.sets * 4;
      image.scores += image.n * image.classes;
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
