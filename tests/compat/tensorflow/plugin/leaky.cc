// SPDX-License-Identifier: Apache-2.0
// A source of one op for a shared library.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow {

REGISTER_OP("CompatLeaky")
    .Attr("T: {float, double} = DT_FLOAT")
    .Attr("slope: float = 0.1")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return Status();
    });

template <typename T>
class LeakyOp : public OpKernel {
 public:
  explicit LeakyOp(OpKernelConstruction* ctx) : OpKernel(ctx) { OP_REQUIRES_OK(ctx, ctx->GetAttr("slope", &slope_)); }
  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, ctx->input(0).shape(), &y));
    const auto x = ctx->input(0).flat<T>();
    y->flat<T>() = (x > T(0)).select(x, x * static_cast<T>(slope_));
  }

 private:
  float slope_;
};
REGISTER_KERNEL_BUILDER(Name("CompatLeaky").Device(DEVICE_CPU).TypeConstraint<float>("T"), LeakyOp<float>);
REGISTER_KERNEL_BUILDER(Name("CompatLeaky").Device(DEVICE_CPU).TypeConstraint<double>("T"), LeakyOp<double>);

}  // namespace tensorflow
