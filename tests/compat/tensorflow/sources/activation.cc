// SPDX-License-Identifier: Apache-2.0
// A functor over Eigen's devices, with a part for GPUs that a build without them leaves out.
#define EIGEN_USE_THREADS
#if GOOGLE_CUDA
#define EIGEN_USE_GPU
#include "tensorflow/core/util/gpu_kernel_helper.h"
#endif

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/numeric_op.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace compat {

typedef Eigen::ThreadPoolDevice CPUDevice;
typedef Eigen::GpuDevice GPUDevice;

REGISTER_OP("Compat>Swish")
    .Input("features: T")
    .Output("activations: T")
    .Attr("beta: float = 1.0")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("Compat>SwishGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {half, bfloat16, float, double}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn);

namespace functor {

template <typename Device, typename T>
struct Swish {
  void operator()(const Device& d, typename TTypes<T>::ConstTensor x, T beta, typename TTypes<T>::Tensor y) {
    y.device(d) = x * (x * beta).sigmoid();
  }
};
template <typename Device, typename T>
struct SwishGrad {
  void operator()(const Device& d, typename TTypes<T>::ConstTensor dy, typename TTypes<T>::ConstTensor x,
                  typename TTypes<T>::Tensor dx) {
    const auto s = x.sigmoid();
    dx.device(d) = dy * (s + x * s * (s.constant(T(1)) - s));
  }
};
#if GOOGLE_CUDA
#define DECLARE_GPU(T) extern template struct Swish<GPUDevice, T>;
TF_CALL_GPU_NUMBER_TYPES(DECLARE_GPU)
#undef DECLARE_GPU
#endif

}  // namespace functor

template <typename Device, typename T>
class SwishOp : public UnaryElementWiseOp<T, SwishOp<Device, T>> {
 public:
  explicit SwishOp(OpKernelConstruction* context) : UnaryElementWiseOp<T, SwishOp<Device, T>>(context) {
    float beta;
    OP_REQUIRES_OK(context, context->GetAttr("beta", &beta));
    beta_ = static_cast<T>(beta);
  }
  void Operate(OpKernelContext* context, const Tensor& input, Tensor* output) {
    functor::Swish<Device, T> functor;
    functor(context->eigen_device<Device>(), input.flat<T>(), beta_, output->flat<T>());
  }

 private:
  T beta_;
};

template <typename Device, typename T>
class SwishGradOp : public BinaryElementWiseOp<T, SwishGradOp<Device, T>> {
 public:
  explicit SwishGradOp(OpKernelConstruction* context)
      : BinaryElementWiseOp<T, SwishGradOp<Device, T>>(context) {}
  template <int NDIMS>
  void Operate(OpKernelContext* context, const Tensor& dy, const Tensor& x, Tensor* dx) {
    functor::SwishGrad<Device, T>()(context->eigen_device<Device>(), dy.flat<T>(), x.flat<T>(), dx->flat<T>());
  }
};

#define REGISTER_SWISH_KERNELS(type)                                                                   \
  REGISTER_KERNEL_BUILDER(Name("Compat>Swish").Device(DEVICE_CPU).TypeConstraint<type>("T"),           \
                          SwishOp<CPUDevice, type>);                                                   \
  REGISTER_KERNEL_BUILDER(Name("Compat>SwishGrad").Device(DEVICE_CPU).TypeConstraint<type>("T"),       \
                          SwishGradOp<CPUDevice, type>);
TF_CALL_FLOAT_TYPES(REGISTER_SWISH_KERNELS);
#undef REGISTER_SWISH_KERNELS

#if GOOGLE_CUDA
#define REGISTER_SWISH_KERNELS(type) \
  REGISTER_KERNEL_BUILDER(Name("Compat>Swish").Device(DEVICE_GPU).TypeConstraint<type>("T"), SwishOp<GPUDevice, type>);
TF_CALL_GPU_NUMBER_TYPES(REGISTER_SWISH_KERNELS);
#undef REGISTER_SWISH_KERNELS
#endif  // GOOGLE_CUDA

}  // namespace compat
}  // namespace tensorflow
