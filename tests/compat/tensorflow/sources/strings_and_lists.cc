// SPDX-License-Identifier: Apache-2.0
// Strings, lists of tensors and of attrs, values of shape tensors, work on several threads.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow {
namespace text {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

REGISTER_OP("CompatSplit")
    .Input("lines: string")
    .Output("words: string")
    .Output("row_lengths: int64")
    .Attr("delimiters: list(string) = [' ']")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle lines;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &lines));
      c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
      c->set_output(1, lines);
      return Status::OK();
    })
    .Doc(R"doc(
Splits lines into words.

lines: Any number of lines.
)doc");

class SplitOp : public OpKernel {
 public:
  explicit SplitOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::vector<string> delimiters;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("delimiters", &delimiters));
    delimiters_ = str_util::Join(delimiters, "");
    OP_REQUIRES(ctx, !delimiters_.empty(), errors::InvalidArgument("no delimiters in ", name()));
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor* lines_tensor;
    OP_REQUIRES_OK(ctx, ctx->input("lines", &lines_tensor));
    const auto lines = lines_tensor->vec<tstring>();
    Tensor* lengths_tensor;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("row_lengths", lines_tensor->shape(), &lengths_tensor));
    auto lengths = lengths_tensor->vec<int64>();
    std::vector<std::string> words;
    for (int64 i = 0; i < lines.size(); ++i) {
      const auto found = str_util::Split(lines(i), delimiters_, str_util::SkipEmpty());
      lengths(i) = static_cast<int64>(found.size());
      words.insert(words.end(), found.begin(), found.end());
    }
    VLOG(2) << "found " << words.size() << " words";
    Tensor* words_tensor;
    OP_REQUIRES_OK(ctx, ctx->allocate_output("words", TensorShape({static_cast<int64>(words.size())}), &words_tensor));
    auto out = words_tensor->vec<tstring>();
    for (size_t i = 0; i < words.size(); ++i) out(static_cast<int64>(i)) = words[i];
    DCHECK_EQ(words_tensor->NumElements(), static_cast<int64>(words.size()));
  }

 private:
  std::string delimiters_;
};
REGISTER_KERNEL_BUILDER(Name("CompatSplit").Device(DEVICE_CPU), SplitOp);

REGISTER_OP("CompatStack")
    .Input("parts: N * T")
    .Input("shape: int32")
    .Output("stacked: T")
    .Output("maxima: N * T")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Attr("scales: list(float) = [1.0]")
    .SetShapeFn([](InferenceContext* c) {
      ShapeHandle part = c->UnknownShape(), wanted, out;
      std::vector<ShapeHandle> parts;
      TF_RETURN_IF_ERROR(c->input("parts", &parts));
      for (const ShapeHandle& s : parts) TF_RETURN_IF_ERROR(c->Merge(part, s, &part));
      TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(c->num_inputs() - 1, &wanted));
      TF_RETURN_IF_ERROR(c->Merge(part, wanted, &part));
      TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(static_cast<int64>(parts.size())), part, &out));
      c->set_output(0, out);
      return c->set_output("maxima", std::vector<ShapeHandle>(parts.size(), c->Scalar()));
    });

template <typename T>
class StackOp : public OpKernel {
 public:
  explicit StackOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("scales", &scales_));
  }
  void Compute(OpKernelContext* ctx) override {
    OpInputList parts;
    OP_REQUIRES_OK(ctx, ctx->input_list("parts", &parts));
    OpOutputList maxima;
    OP_REQUIRES_OK(ctx, ctx->output_list("maxima", &maxima));
    TensorShape part_shape;
    OP_REQUIRES_OK(ctx, tensor::MakeShape(ctx->input(ctx->num_inputs() - 1), &part_shape));
    for (const Tensor& part : parts)
      OP_REQUIRES(ctx, part.shape() == part_shape,
                  errors::InvalidArgument(absl::StrCat("a part has shape ", part.shape().DebugString())));
    TensorShape shape = part_shape;
    shape.InsertDim(0, parts.size());
    Tensor* stacked = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &stacked));
    auto rows = stacked->flat_outer_dims<T>();
    auto worker_threads = *(ctx->device()->tensorflow_cpu_worker_threads());
    Shard(worker_threads.num_threads, worker_threads.workers, parts.size(), 10000, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T scale = static_cast<T>(scales_[static_cast<size_t>(i) % scales_.size()]);
        rows.chip(i, 0) = parts[static_cast<int>(i)].template flat<T>() * scale;
      }
    });
    for (int i = 0; i < maxima.size(); ++i) {
      Tensor* maximum = nullptr;
      OP_REQUIRES_OK(ctx, maxima.allocate(i, TensorShape(), &maximum));
      const Eigen::Tensor<T, 0, Eigen::RowMajor> most = rows.chip(i, 0).maximum();
      maximum->scalar<T>()() = most();
    }
  }

 private:
  std::vector<float> scales_;
};
REGISTER_KERNEL_BUILDER(Name("CompatStack").Device("CPU").TypeConstraint<float>("T").HostMemory("shape"),
                        StackOp<float>);
REGISTER_KERNEL_BUILDER(Name("CompatStack").Device("CPU").TypeConstraint("T", DT_DOUBLE).HostMemory("shape"),
                        StackOp<double>);

}  // namespace
}  // namespace text
}  // namespace tensorflow
