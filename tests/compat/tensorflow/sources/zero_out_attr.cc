// SPDX-License-Identifier: Apache-2.0
// ZeroOut with an attr and types, in the words of the guide "Create an op".
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

REGISTER_OP("ZeroOutAttr")
    .Attr("preserve_index: int = 0")
    .Attr("T: {float, int32, double}")
    .Input("to_zero: T")
    .Output("zeroed: T")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      ::tensorflow::shape_inference::ShapeHandle input;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &input));
      c->set_output(0, input);
      return absl::OkStatus();
    });

template <typename T>
class ZeroOutAttrOp : public OpKernel {
 public:
  explicit ZeroOutAttrOp(OpKernelConstruction* context) : OpKernel(context) {
    // Get the index of the value to preserve
    OP_REQUIRES_OK(context, context->GetAttr("preserve_index", &preserve_index_));
    // Check that preserve_index is positive
    OP_REQUIRES(context, preserve_index_ >= 0,
                errors::InvalidArgument("Need preserve_index >= 0, got ", preserve_index_));
  }
  void Compute(OpKernelContext* context) override {
    const Tensor& input_tensor = context->input(0);
    OP_REQUIRES(context, TensorShapeUtils::IsVector(input_tensor.shape()),
                errors::InvalidArgument("ZeroOut expects a 1-D vector."));
    auto input = input_tensor.flat<T>();
    OP_REQUIRES(context, preserve_index_ < input.dimension(0),
                errors::InvalidArgument("preserve_index out of range"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input_tensor.shape(), &output));
    auto output_flat = output->template flat<T>();
    output_flat.setZero();
    output_flat(preserve_index_) = input(preserve_index_);
  }

 private:
  int preserve_index_;
};

#define REGISTER_KERNEL(type)                                                      \
  REGISTER_KERNEL_BUILDER(Name("ZeroOutAttr").Device(DEVICE_CPU).TypeConstraint<type>("T"), ZeroOutAttrOp<type>)

REGISTER_KERNEL(float);
REGISTER_KERNEL(double);
REGISTER_KERNEL(int32);

#undef REGISTER_KERNEL
