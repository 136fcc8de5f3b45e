// SPDX-License-Identifier: Apache-2.0
// An asynchronous kernel with a pool of its own: it ends when another thread has added the rows up, or is cancelled.
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/synchronization/blocking_counter.h"
#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/env.h"

using tensorflow::AsyncOpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

REGISTER_OP("CompatBatchedSum")
    .Input("rows: float")
    .Output("sums: float")
    .Attr("num_threads: int = 2")
    .SetShapeFn([](InferenceContext* c) -> absl::Status {
      ShapeHandle rows;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &rows));
      c->set_output(0, c->Vector(c->Dim(rows, 0)));
      return absl::OkStatus();
    });

class BatchedSumOp : public AsyncOpKernel {
 public:
  explicit BatchedSumOp(OpKernelConstruction* ctx) : AsyncOpKernel(ctx) {
    int num_threads = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_threads", &num_threads));
    OP_REQUIRES(ctx, num_threads > 0,
                absl::InvalidArgumentError(absl::StrFormat("num_threads must be positive, got %d", num_threads)));
    pool_ = std::make_unique<tensorflow::thread::ThreadPool>(ctx->env(), tensorflow::ThreadOptions(), "batched_sum",
                                                             num_threads, /*low_latency_hint=*/false);
  }
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const Tensor& rows = ctx->input(0);
    OP_REQUIRES_ASYNC(ctx, rows.dims() == 2, tensorflow::errors::InvalidArgument("rows must be a matrix"), done);
    Tensor* sums = nullptr;
    OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, {rows.dim_size(0)}, &sums), done);
    const Tensor held = rows;
    pool_->Schedule([this, ctx, held, sums, done = std::move(done)]() {
      if (ctx->cancellation_manager() != nullptr && ctx->cancellation_manager()->IsCancelled()) {
        ctx->SetStatus(tensorflow::errors::Cancelled("the run was given up"));
        return done();
      }
      const auto from = held.matrix<float>();
      auto to = sums->vec<float>();
      const tensorflow::int64 count = from.dimension(0);
      absl::BlockingCounter waiting(static_cast<int>(count));
      for (tensorflow::int64 i = 0; i < count; ++i) {
        const auto add = [&, i] {
          float sum = 0;
          for (tensorflow::int64 k = 0; k < from.dimension(1); ++k) sum += from(i, k);
          to(i) = sum;
          waiting.DecrementCount();
        };
        if (i % 2 == 0 || pool_->NumThreads() == 1)
          add();
        else
          pool_->Schedule(add);
      }
      waiting.Wait();
      done();
    });
  }

 private:
  std::unique_ptr<tensorflow::thread::ThreadPool> pool_;
};
REGISTER_KERNEL_BUILDER(Name("CompatBatchedSum").Device(tensorflow::DEVICE_CPU), BatchedSumOp);
