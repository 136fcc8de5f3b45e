// SPDX-License-Identifier: Apache-2.0
// State that outlives a run, variables of the graph, kernels that end later.
#include <functional>
#include <memory>
#include <unordered_map>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/util/guarded_philox_random.h"

using namespace tensorflow;
namespace si = tensorflow::shape_inference;

class Histogram : public ResourceBase {
 public:
  string DebugString() const override { return "a histogram"; }
  int64 Count(int64 key) {
    mutex_lock l(mu_);
    return ++counts_[key];
  }

 private:
  mutex mu_;
  std::unordered_map<int64, int64> counts_ TF_GUARDED_BY(mu_);
};

REGISTER_OP("CompatHistogram")
    .Output("handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(si::ScalarShape);
REGISTER_OP("CompatCount").Input("handle: resource").Input("keys: int64").Output("counts: int64").SetShapeFn([](si::InferenceContext* c) {
  c->set_output(0, c->input(1));
  return Status();
});

class HistogramOp : public ResourceOpKernel<Histogram> {
 public:
  explicit HistogramOp(OpKernelConstruction* ctx) : ResourceOpKernel(ctx) {}

 private:
  Status CreateResource(Histogram** resource) override {
    *resource = new Histogram();
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("CompatHistogram").Device(DEVICE_CPU), HistogramOp);

class CountOp : public OpKernel {
 public:
  explicit CountOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}
  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<Histogram> histogram;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &histogram));
    auto keys = ctx->input(1).flat<int64>();
    Tensor* out;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(1).shape(), &out));
    for (int64 i = 0; i < keys.size(); ++i) out->flat<int64>()(i) = histogram->Count(keys(i));
  }
};
REGISTER_KERNEL_BUILDER(Name("CompatCount").Device(DEVICE_CPU), CountOp);

REGISTER_OP("CompatLater").Input("x: float").Output("y: float").Attr("fail: bool = false").SetShapeFn(si::UnchangedShape);
class LaterOp : public AsyncOpKernel {
 public:
  explicit LaterOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("fail", &fail_));
    pool_.reset(new thread::ThreadPool(ctx->env(), "later", 1));
  }
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    OP_REQUIRES_ASYNC(ctx, !fail_, errors::Aborted("asked to fail by ", ctx->op_kernel().name()), done);
    pool_->Schedule([ctx, done]() {
      Tensor* y = nullptr;
      OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y), done);
      y->flat<float>() = ctx->input(0).flat<float>() * 2.0f;
      done();
    });
  }

 private:
  bool fail_;
  std::unique_ptr<thread::ThreadPool> pool_;
};
REGISTER_KERNEL_BUILDER(Name("CompatLater").Device(DEVICE_CPU), LaterOp);

REGISTER_OP("CompatNoise").Input("shape: int32").Output("y: float").Attr("seed: int = 0").Attr("seed2: int = 0").SetIsStateful().SetShapeFn(
    si::RandomShape);
class NoiseOp : public OpKernel {
 public:
  explicit NoiseOp(OpKernelConstruction* ctx) : OpKernel(ctx) { OP_REQUIRES_OK(ctx, generator_.Init(ctx)); }
  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    OP_REQUIRES_OK(ctx, tensor::MakeShape(ctx->input(0), &shape));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    random::PhiloxRandom philox = generator_.ReserveSamples32(shape.num_elements());
    random::SimplePhilox simple(&philox);
    auto flat = y->flat<float>();
    for (int64 i = 0; i < flat.size(); ++i) flat(i) = simple.RandFloat();
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_BUILDER(Name("CompatNoise").Device(DEVICE_CPU), NoiseOp);
