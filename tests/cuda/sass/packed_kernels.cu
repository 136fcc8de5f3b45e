// SPDX-License-Identifier: Apache-2.0
// Kernels whose machine code tools/check_sass.py reads: those that move 16 bytes at a time, and some that must not use
// local memory. Compiled, never run.
#include <tenon/device/cuda_device.cuh>
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/elementwise/add_n.cuh>
#include <tenon/engine/elementwise/cast.cuh>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/elementwise/select.cuh>
#include <tenon/engine/elementwise/steps.cuh>
#include <tenon/engine/nn/attention_tiles.cuh>
#include <tenon/engine/nn/fused_gemm.cuh>
#include <tenon/engine/nn/layer_norm.cuh>
#include <tenon/engine/nn/product_steps.cuh>
#include <tenon/engine/nn/softmax.cuh>
#include <tenon/engine/reduce/reduce.cuh>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/nn/relu.hpp>

using namespace tenon;

namespace {

template <class... T>
Status Unaries(Cuda& device, const void* x, void* y, Index n) {
  Status status;
  const TensorShape shape{n};
  ((void)status.Update(MapUnary<ops::Relu, T, T>(device, nullptr, In<T>(static_cast<const T*>(x), n, &shape),
                                                 Out<T>(static_cast<T*>(y), n, &shape))),
   ...);
  return status;
}
template <class Op, class... T>
Status Binaries(Cuda& device, const void* x, void* y, Index n) {
  Status status;
  const TensorShape shape{n};
  ((void)status.Update(MapBinary<Op, T, T>(device, nullptr, In<T>(static_cast<const T*>(x), n, &shape),
                                           In<T>(static_cast<const T*>(x), n, &shape),
                                           Out<T>(static_cast<T*>(y), n, &shape))),
   ...);
  return status;
}

}  // namespace

Status PackedKernels(Cuda& device, const detail::SelectPlan& plan, const void* x, void* y, Index n) {
  Status status = Unaries<float, double, tenon::half, bfloat16, std::int8_t>(device, x, y, n);
  status.Update(Binaries<ops::Add, float, double, tenon::half, bfloat16>(device, x, y, n));
  status.Update(Binaries<ops::Mul, float, tenon::half>(device, x, y, n));
  status.Update(Softmax<float>(device, static_cast<const float*>(x), static_cast<float*>(y), n, n));
  status.Update(Softmax<tenon::half>(device, static_cast<const tenon::half*>(x), static_cast<tenon::half*>(y), n, n));
  status.Update(detail::RunSumOfTensors<float>(device, {}, y, n));
  status.Update(detail::RunSumOfTensors<tenon::half>(device, {}, y, n));
  status.Update(detail::RunCudaSelect<std::uint32_t>(device, plan, static_cast<const bool*>(x), x, x, y, n));
  status.Update(detail::LaunchFill(device, detail::CudaConstant{}, y, n));
  status.Update(detail::RunCudaCast<float, tenon::half>(device, x, y, n));
  status.Update(detail::RunCudaCast<tenon::half, float>(device, x, y, n));
  return status;
}

Status OtherKernels(Cuda& device, const float* x, float* y, Index n) {
  using Unary = StepOps<ops::Relu, ops::Neg>;
  using Binary = StepOps<ops::Add, ops::Mul>;
  Status status = RunSteps<float, Unary, Binary>(device, {}, {}, y, TensorShape{n});
  status.Update(LayerNorm<float>(device, x, x, x, 0.5f, y, n, n));
  status.Update(RunAttention<float, Unary, Binary>(device, {}));
  status.Update(RunAttention<tenon::half, Unary, Binary>(device, {}));
  const Index sizes[] = {n, n};
  StepInput product{};
  bool done = false;
  const In<float, 2> matrix(x, sizes);
  status.Update(
      MultiplyWithSteps(device, Unary(), Binary(), matrix, false, matrix, false, {}, {&product, 1}, y, &done));
  status.Update(FusedGemm<tenon::half>(device, In<tenon::half, 2>(nullptr, sizes), false,
                                       In<tenon::half, 2>(nullptr, sizes), false, nullptr, FusedActivation::kTanh, 0,
                                       Out<tenon::half, 2>(nullptr, sizes)));
  return status;
}
