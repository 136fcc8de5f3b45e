// SPDX-License-Identifier: Apache-2.0
// A resource with ops that add to it, read it, and a function of its gradient.
#include <deque>
#include <vector>

#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/thread_annotations.h"

namespace tensorflow {
namespace {

class Reservoir : public ResourceBase {
 public:
  explicit Reservoir(int64_t capacity) : capacity_(capacity) {}
  string DebugString() const override {
    tf_shared_lock l(mu_);
    return strings::StrCat("Reservoir of ", rows_.size(), " rows");
  }
  void Add(const Tensor& row) TF_LOCKS_EXCLUDED(mu_) {
    mutex_lock l(mu_);
    rows_.push_back(row);
    while (static_cast<int64_t>(rows_.size()) > capacity_) rows_.pop_front();
  }
  std::vector<Tensor> Rows() const {
    mutex_lock l(mu_);
    return std::vector<Tensor>(rows_.begin(), rows_.end());
  }
  int64_t capacity() const { return capacity_; }

 private:
  const int64_t capacity_;
  mutable mutex mu_;
  std::deque<Tensor> rows_ TF_GUARDED_BY(mu_);
};

class ReservoirOp : public ResourceOpKernel<Reservoir> {
 public:
  explicit ReservoirOp(OpKernelConstruction* context) : ResourceOpKernel<Reservoir>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("capacity", &capacity_));
    OP_REQUIRES(context, capacity_ > 0, errors::InvalidArgument("capacity must be positive, got ", capacity_));
  }

 private:
  Status CreateResource(Reservoir** reservoir) override TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    *reservoir = new Reservoir(capacity_);
    return OkStatus();
  }
  Status VerifyResource(Reservoir* reservoir) override {
    if (reservoir->capacity() == capacity_) return OkStatus();
    return errors::InvalidArgument("a reservoir of capacity ", reservoir->capacity(), " exists, not ", capacity_);
  }
  int64_t capacity_ = 0;
};

class ReservoirAddOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    core::RefCountPtr<Reservoir> reservoir;
    OP_REQUIRES_OK(context, LookupResource(context, HandleFromInput(context, 0), &reservoir));
    const Tensor* row;
    OP_REQUIRES_OK(context, context->input("row", &row));
    OP_REQUIRES(context, TensorShapeUtils::IsVector(row->shape()),
                errors::InvalidArgument("row must be a vector, got shape ", row->shape().DebugString()));
    reservoir->Add(*row);
  }
};

class ReservoirMeanOp : public OpKernel {
 public:
  explicit ReservoirMeanOp(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) override {
    Reservoir* reservoir = nullptr;
    OP_REQUIRES_OK(context, GetResourceFromContext(context, "reservoir", &reservoir));
    core::ScopedUnref unref(reservoir);
    const std::vector<Tensor> rows = reservoir->Rows();
    OP_REQUIRES(context, !rows.empty(), errors::FailedPrecondition(reservoir->DebugString(), " has no mean"));
    Tensor* mean = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, rows[0].shape(), &mean));
    auto out = mean->vec<float>();
    out.setZero();
    for (const Tensor& row : rows) {
      OP_REQUIRES(context, row.shape() == mean->shape(), errors::InvalidArgument("rows of several sizes"));
      out += row.vec<float>();
    }
    out = out / static_cast<float>(rows.size());
  }
};

REGISTER_OP("CompatReservoir")
    .Attr("capacity: int = 4")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("reservoir: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_KERNEL_BUILDER(Name("CompatReservoir").Device(DEVICE_CPU), ReservoirOp);
REGISTER_OP("CompatReservoirAdd").Input("reservoir: resource").Input("row: float").SetIsStateful().SetShapeFn(
    shape_inference::NoOutputs);
REGISTER_KERNEL_BUILDER(Name("CompatReservoirAdd").Device(DEVICE_CPU), ReservoirAddOp);
REGISTER_OP("CompatReservoirMean")
    .Input("reservoir: resource")
    .Output("mean: float")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->Vector(shape_inference::InferenceContext::kUnknownDim));
      return OkStatus();
    });
REGISTER_KERNEL_BUILDER(Name("CompatReservoirMean").Device(DEVICE_CPU), ReservoirMeanOp);

// The gradient of the op Compat>Swish as a function.
Status SwishGradient(const AttrSlice& attrs, FunctionDef* g) {
  DataType type;
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, "T", &type));
  *g = FunctionDefHelper::Define(
      // Arguments, results, attrs
      {"x: T", "dy: T"}, {"dx: T"}, {"T: {half, bfloat16, float, double}"},
      // Nodes
      {{{"dx"}, "Compat>SwishGrad", {"dy", "x"}, {{"T", "$T"}}}});
  return OkStatus();
}
REGISTER_OP_GRADIENT("Compat>Swish", SwishGradient);

}  // namespace
}  // namespace tensorflow
