// SPDX-License-Identifier: Apache-2.0
// An op whose kernel for GPUs is host code: it asks for Eigen's device and queues a copy.
#include "tensorflow/core/framework/op.h"

#define EIGEN_USE_GPU
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

REGISTER_OP("PlGpuCopy").Input("x: float").Output("y: float").SetShapeFn(tensorflow::shape_inference::UnchangedShape);

class PlGpuCopyOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(tensorflow::OpKernelContext* context) override {
    const tensorflow::Tensor& x = context->input(0);
    tensorflow::Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const Eigen::GpuDevice& device = context->eigen_device<Eigen::GpuDevice>();
    OP_REQUIRES(context, device.stream() == context->eigen_gpu_device().stream(),
                tensorflow::errors::Internal("another stream"));
    device.memcpy(y->flat<float>().data(), x.flat<float>().data(), x.TotalBytes());
  }
};
REGISTER_KERNEL_BUILDER(Name("PlGpuCopy").Device(tensorflow::DEVICE_GPU), PlGpuCopyOp);
