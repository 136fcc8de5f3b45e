// SPDX-License-Identifier: Apache-2.0
// A kernel that asks for Eigen's device without EIGEN_USE_THREADS, and hands it on.
#include <string>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace compat_whereabouts {
using namespace tensorflow;

struct NameOf {
  std::string operator()(const Eigen::ThreadPoolDevice&) const { return "CPU"; }
  std::string operator()(const Eigen::GpuDevice&) const { return "GPU"; }
};

REGISTER_OP("CompatWhereabouts")
    .Input("x: int32")
    .Output("name: string")
    .Output("size: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Scalar());
      c->set_output(1, c->Scalar());
      return Status();
    });

template <typename Device>
class WhereaboutsOp : public OpKernel {
 public:
  explicit WhereaboutsOp(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    OP_REQUIRES(context, x.shape().dim_size(0) >= 3, errors::InvalidArgument("three items at least"));
    Tensor *name = nullptr, *size = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &name));
    OP_REQUIRES_OK(context, context->allocate_output(1, TensorShape({}), &size));
    name->scalar<tstring>()() = NameOf()(context->eigen_device<Device>());
    size->scalar<int64_t>()() = x.dim_size(0);
  }
};
REGISTER_KERNEL_BUILDER(Name("CompatWhereabouts").Device(DEVICE_CPU), WhereaboutsOp<Eigen::ThreadPoolDevice>);

}  // namespace compat_whereabouts
