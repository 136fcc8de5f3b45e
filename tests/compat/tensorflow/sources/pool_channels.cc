// SPDX-License-Identifier: Apache-2.0
// Tensors of rank 4, Shard, lists of attrs, padding and formats.
#include <algorithm>
#include <vector>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/tensor_format.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("CompatWeightedPool")
    .Input("images: T")
    .Output("pooled: T")
    .Attr("T: {float, double, int32}")
    .Attr("ksize: list(int) >= 2")
    .Attr("weights: list(float)")
    .Attr("stride: int >= 1 = 1")
    .Attr(GetPaddingAttrString())
    .Attr("data_format: {'NHWC'} = 'NHWC'")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle images;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &images));
      std::vector<int32> ksize;
      TF_RETURN_IF_ERROR(c->GetAttr("ksize", &ksize));
      if (ksize.size() != 2) return errors::InvalidArgument("ksize must have 2 items, got ", ksize.size());
      int64_t stride;
      TF_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
      Padding padding;
      TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
      DimensionHandle rows, cols;
      TF_RETURN_IF_ERROR(
          GetWindowedOutputSizeFromDims(c, c->Dim(images, 1), ksize[0], stride, padding, &rows));
      TF_RETURN_IF_ERROR(
          GetWindowedOutputSizeFromDims(c, c->Dim(images, 2), ksize[1], stride, padding, &cols));
      c->set_output(0, c->MakeShape({c->Dim(images, 0), rows, cols, c->Dim(images, 3)}));
      return OkStatus();
    });

template <typename T>
class WeightedPoolOp : public OpKernel {
 public:
  explicit WeightedPoolOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("ksize", &ksize_));
    OP_REQUIRES_OK(context, context->GetAttr("weights", &weights_));
    OP_REQUIRES_OK(context, context->GetAttr("stride", &stride_));
    OP_REQUIRES_OK(context, context->GetAttr("padding", &padding_));
    string data_format;
    OP_REQUIRES_OK(context, context->GetAttr("data_format", &data_format));
    OP_REQUIRES(context, FormatFromString(data_format, &format_), errors::InvalidArgument("Invalid data format"));
    OP_REQUIRES(context, static_cast<int64_t>(weights_.size()) == int64_t{1} * ksize_[0] * ksize_[1],
                errors::InvalidArgument("weights must have ", ksize_[0] * ksize_[1], " items, got ", weights_.size()));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& images_tensor = context->input(0);
    OP_REQUIRES(context, images_tensor.dims() == 4, errors::InvalidArgument("images must be 4-dimensional"));
    const int64_t batch = GetTensorDim(images_tensor, format_, 'N'), height = GetTensorDim(images_tensor, format_, 'H');
    const int64_t width = GetTensorDim(images_tensor, format_, 'W'), depth = GetTensorDim(images_tensor, format_, 'C');
    int64_t rows, cols, top, left;
    OP_REQUIRES_OK(context, GetWindowedOutputSize(height, ksize_[0], stride_, padding_, &rows, &top));
    OP_REQUIRES_OK(context, GetWindowedOutputSize(width, ksize_[1], stride_, padding_, &cols, &left));
    Tensor* pooled_tensor = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, ShapeFromFormat(format_, batch, rows, cols, depth),
                                                     &pooled_tensor));
    if (pooled_tensor->NumElements() == 0) return;
    const typename TTypes<T, 4>::ConstTensor images = images_tensor.tensor<T, 4>();
    typename TTypes<T, 4>::Tensor pooled = pooled_tensor->tensor<T, 4>();
    const auto work = [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t b = line / rows, r = line % rows;
        for (int64_t q = 0; q < cols; ++q)
          for (int64_t c = 0; c < depth; ++c) {
            T sum = T(0);
            for (int64_t i = 0; i < ksize_[0]; ++i)
              for (int64_t k = 0; k < ksize_[1]; ++k) {
                const int64_t y = r * stride_ - top + i, x = q * stride_ - left + k;
                if (!FastBoundsCheck(y, height) || !FastBoundsCheck(x, width)) continue;
                sum += images(b, y, x, c) * static_cast<T>(weights_[static_cast<size_t>(i * ksize_[1] + k)]);
              }
            pooled(b, r, q, c) = sum;
          }
      }
    };
    const DeviceBase::CpuWorkerThreads* threads = context->device()->tensorflow_cpu_worker_threads();
    Shard(threads->num_threads, threads->workers, batch * rows, cols * depth * ksize_[0] * ksize_[1] * 4, work);
  }

 private:
  std::vector<int32> ksize_;
  std::vector<float> weights_;
  int64_t stride_;
  Padding padding_;
  TensorFormat format_;
};

#define REGISTER(T) \
  REGISTER_KERNEL_BUILDER(Name("CompatWeightedPool").Device(DEVICE_CPU).TypeConstraint<T>("T"), WeightedPoolOp<T>)
REGISTER(float);
REGISTER(double);
REGISTER(int32);
#undef REGISTER

}  // namespace tensorflow
