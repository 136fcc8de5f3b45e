// SPDX-License-Identifier: Apache-2.0
// A product of matrices: a functor for each device, Eigen's contraction on the device's threads.
#define EIGEN_USE_THREADS
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {

using CPUDevice = Eigen::ThreadPoolDevice;
using GPUDevice = Eigen::GpuDevice;

REGISTER_OP("CompatMatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::MatMulShape);
REGISTER_OP("CompatAdd").Input("x: T").Input("y: T").Output("z: T").Attr("T: {float, int64, bfloat16}").SetIsCommutative().SetShapeFn(
    shape_inference::BroadcastBinaryOpShapeFn);

namespace functor {
template <typename Device, typename T>
struct MatMulFunctor {
  void operator()(const Device& d, typename TTypes<T>::Matrix out, typename TTypes<T>::ConstMatrix a,
                  typename TTypes<T>::ConstMatrix b,
                  const Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1>& dims) {
    out.device(d) = a.contract(b, dims);
  }
};
}  // namespace functor

template <typename Device, typename T>
class MatMulOp : public OpKernel {
 public:
  explicit MatMulOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("transpose_b", &transpose_b_));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);
    const Tensor& b = ctx->input(1);
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(a.shape()),
                errors::InvalidArgument("In[0] is not a matrix. Instead it has shape ", a.shape().DebugString()));
    OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(b.shape()),
                errors::InvalidArgument("In[1] is not a matrix. Instead it has shape ", b.shape().DebugString()));
    Eigen::array<Eigen::IndexPair<Eigen::DenseIndex>, 1> dim_pair;
    dim_pair[0].first = transpose_a_ ? 0 : 1;
    dim_pair[0].second = transpose_b_ ? 1 : 0;
    OP_REQUIRES(ctx, a.dim_size(transpose_a_ ? 0 : 1) == b.dim_size(transpose_b_ ? 1 : 0),
                errors::InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape().DebugString(),
                                        ", In[1]: ", b.shape().DebugString()));
    TensorShape out_shape({a.dim_size(transpose_a_ ? 1 : 0), b.dim_size(transpose_b_ ? 0 : 1)});
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, out_shape, &out));
    if (out->NumElements() == 0) return;
    functor::MatMulFunctor<Device, T>()(ctx->eigen_device<Device>(), out->matrix<T>(), a.matrix<T>(), b.matrix<T>(),
                                        dim_pair);
  }

 private:
  bool transpose_a_;
  bool transpose_b_;
};

REGISTER_KERNEL_BUILDER(Name("CompatMatMul").Device(DEVICE_CPU).TypeConstraint<float>("T"),
                        MatMulOp<CPUDevice, float>);

template <typename Device, typename T>
class AddOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor &x = ctx->input(0), &y = ctx->input(1);
    if (!ctx->ValidateInputsAreSameShape(this)) return;
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, x.shape(), &z));
    z->flat<T>().device(ctx->eigen_device<Device>()) = x.flat<T>() + y.flat<T>();
  }
};
#define REGISTER_ADD(type) \
  REGISTER_KERNEL_BUILDER(Name("CompatAdd").Device(DEVICE_CPU).TypeConstraint<type>("T"), AddOp<CPUDevice, type>);
TF_CALL_float(REGISTER_ADD) TF_CALL_int64(REGISTER_ADD) TF_CALL_bfloat16(REGISTER_ADD)
#undef REGISTER_ADD

}  // namespace tensorflow
