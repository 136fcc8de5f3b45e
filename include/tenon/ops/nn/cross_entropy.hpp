// SPDX-License-Identifier: Apache-2.0
#pragma once
// SoftmaxCrossEntropyWithLogits and SparseSoftmaxCrossEntropyWithLogits: losses and their gradients.

#include <cstddef>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/nn/cross_entropy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CrossEntropyShape(InferenceContext* c) {
  ShapeHandle out;
  if (!c->WithRank(c->input(0), 2, &out).ok() || !c->Merge(out, c->input(1), &out).ok()) {
    TENON_RETURN_IF_ERROR(
        shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, &out));
    if (!c->RankKnown(out))
      return errors::InvalidArgument("Shape must be broadcasted with rank 2, but is rank is unknown.");
    if (c->Rank(out) != 2)
      return errors::InvalidArgument("Shape must be broadcasted with rank 2, but is rank ", c->Rank(out));
  }
  c->set_output(0, c->Vector(c->Dim(out, 0)));
  c->set_output(1, out);
  return OkStatus();
}

inline Status SparseCrossEntropyShape(InferenceContext* c) {
  ShapeHandle features, labels, out;
  DimensionHandle batch;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &features));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &labels));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(features, 0), c->Dim(labels, 0), &batch));
  TENON_RETURN_IF_ERROR(c->ReplaceDim(features, 0, batch, &out));
  c->set_output(0, c->Vector(batch));
  c->set_output(1, out);
  return OkStatus();
}

// How a tensor of at most two dimensions is read as a matrix of a given shape that it broadcasts to.
inline StridedMatrix<void> AsMatrix(const Tensor& tensor) {
  const TensorShape& shape = tensor.shape();
  const int rank = shape.dims();
  const Index columns = rank > 0 ? shape.dim_size(rank - 1) : 1, rows = rank > 1 ? shape.dim_size(0) : 1;
  return {tensor.raw_data(), rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
}

// The common shape of two that broadcast to a matrix.
inline Status MatrixOfBoth(const TensorShape& a, const TensorShape& b, TensorShape* shape) {
  const int rank = a.dims() > b.dims() ? a.dims() : b.dims();
  *shape = TensorShape();
  for (int d = 0; d < rank; ++d) {
    const int in_a = d - (rank - a.dims()), in_b = d - (rank - b.dims());
    const Index x = in_a < 0 ? 1 : a.dim_size(in_a), y = in_b < 0 ? 1 : b.dim_size(in_b);
    if (x != y && x != 1 && y != 1)
      return errors::InvalidArgument(
          "SoftmaxCrossEntropyWithLogits: logits and labels must be broadcastable: logits_size=", a,
          " labels_size=", b);
    TENON_RETURN_IF_ERROR(shape->AddDimWithStatus(x == 1 ? y : x));
  }
  if (rank == 2) return OkStatus();
  return errors::InvalidArgument(
      "SoftmaxCrossEntropyWithLogits: logits and labels must be either 2-dimensional, or broadcasted to be "
      "2-dimensional, got ",
      a, " and ", b);
}

}  // namespace detail

// features, labels: [batch, classes], or shapes that broadcast to it  ->  loss: [batch], backprop: [batch, classes]
struct SoftmaxCrossEntropyWithLogits {
  static constexpr auto signature = Op("SoftmaxCrossEntropyWithLogits")
                                        .Input("features: T")
                                        .Input("labels: T")
                                        .Output("loss: T")
                                        .Output("backprop: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn(detail::CrossEntropyShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& features, const Tensor& labels, Tensor&, Tensor&) const {
      return Run(context.op(), context.device(), features, labels);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& features, const Tensor& labels) {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::MatrixOfBoth(features.shape(), labels.shape(), &shape));
    Tensor *loss = nullptr, *backprop = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape{shape.dim_size(0)}, &loss));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, shape, &backprop));
    return CrossEntropy(device, features.dtype(), shape.dim_size(0), shape.dim_size(1), detail::AsMatrix(features),
                        detail::AsMatrix(labels), loss->raw_data(), backprop->raw_data());
  }
};

// features: [batch, classes], labels: [batch], a class each  ->  loss: [batch], backprop: [batch, classes]
struct SparseSoftmaxCrossEntropyWithLogits {
  static constexpr auto signature = Op("SparseSoftmaxCrossEntropyWithLogits")
                                        .Input("features: T")
                                        .Input("labels: Tlabels")
                                        .Output("loss: T")
                                        .Output("backprop: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .Attr("Tlabels: {int32, int64} = DT_INT64")
                                        .SetShapeFn(detail::SparseCrossEntropyShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& features, HostIndices labels, Tensor&, Tensor&) const {
      return Run(context.op(), context.device(), features, labels);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& features, const HostIndices& labels) {
    constexpr std::string_view kName = "SparseSoftmaxCrossEntropyWithLogits";
    if (features.dims() != 2)
      return errors::InvalidArgument(kName, ": logits must be 2-D, but got shape ", features.shape());
    if (labels.shape().dims() != 1)
      return errors::InvalidArgument(kName, ": labels must be 1-D, but got shape ", labels.shape());
    const Index rows = features.dim_size(0), classes = features.dim_size(1);
    if (labels.size() != rows)
      return errors::InvalidArgument(kName, ": logits and labels must have the same first dimension, got logits shape ",
                                     features.shape(), " and labels shape ", labels.shape());
    if (classes == 0)
      return errors::InvalidArgument(kName, ": Must have at least one class, but got logits shape ", features.shape());
    const Scratch checked(*DefaultAllocator(), static_cast<std::size_t>(rows) * sizeof(Index));
    TENON_RETURN_IF_ERROR(checked.status(kName));
    for (Index r = 0; r < rows; ++r) {
      const Index label = labels[r];
      if (label < 0 || label >= classes)
        return errors::InvalidArgument(kName, ": Received a label value of ", label,
                                       " which is outside the valid range of [0, ", classes, ") (labels[", r, "])");
      checked.As<Index>()[r] = label;
    }
    Tensor *loss = nullptr, *backprop = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape{rows}, &loss));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, features.shape(), &backprop));
    return SparseCrossEntropy(device, features.dtype(), rows, classes, features.raw_data(), checked.As<Index>(),
                              loss->raw_data(), backprop->raw_data());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
