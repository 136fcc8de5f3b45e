// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernel and AsyncOpKernel, as TensorFlow's kernels derive from them.

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tenon/compat/op_requires.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/compat/tensorflow/aligned_inputs.hpp>
#include <tenon/compat/tensorflow/op_kernel_construction.hpp>
#include <tenon/compat/tensorflow/op_kernel_context.hpp>
#if defined(EIGEN_USE_GPU)
#include <tenon/compat/tensorflow/gpu_device.hpp>
#endif

namespace tensorflow {

// A tensor, or a reference to one with its lock.
struct TensorValue {
  TensorValue() = default;
  explicit TensorValue(Tensor* t) : tensor(t) {}
  TensorValue(mutex* lock, Tensor* t) : mutex_if_ref(lock), tensor(t) {}
  Tensor* operator->() const { return tensor; }
  bool is_ref() const { return mutex_if_ref != nullptr; }
  DataType dtype() const {
    const DataType type = tensor->dtype();
    return is_ref() ? MakeRefType(type) : type;
  }
  mutex* mutex_if_ref = nullptr;
  Tensor* tensor = nullptr;
};
using TensorValueVec = gtl::InlinedVector<TensorValue, 4>;

class OpKernel : public tenon::OpKernel {
 public:
  using Base = tenon::OpKernel;
  explicit OpKernel(OpKernelConstruction* construction) : Base(construction) {}
  OpKernel(OpKernelConstruction* construction, bool) : Base(construction) {}
  OpKernel(OpKernelConstruction* construction, NodeDef&&, bool = false) : Base(construction) {}
  virtual void Compute(OpKernelContext* context) = 0;
  void Compute(tenon::OpKernelContext* context) final {
    if (AlignedInputs::AreNeeded(*context)) [[unlikely]]
      return ComputeAligned(context);
    Compute(static_cast<OpKernelContext*>(context));
  }

  std::string name() const { return std::string(Base::name()); }
  StringPiece name_view() const { return Base::name(); }
  std::string type_string() const { return std::string(Base::type_string()); }
  StringPiece type_string_view() const { return Base::type_string(); }
  const NodeDef& def() const {
    std::call_once(def_made_,
                   [this] { def_ = {new NodeDef(FromTenon(Base::def())), [](const NodeDef* made) { delete made; }}; });
    return *def_;
  }
  DataType input_type(int i) const { return FromTenon(Base::input_type(i)); }
  DataType output_type(int i) const { return FromTenon(Base::output_type(i)); }
  DataTypeVector input_types() const { return FromTenonTypes(Base::input_types()); }
  DataTypeVector output_types() const { return FromTenonTypes(Base::output_types()); }
  MemoryType input_memory_type(int i) const { return static_cast<MemoryType>(Base::input_memory_type(i)); }
  MemoryType output_memory_type(int i) const { return static_cast<MemoryType>(Base::output_memory_type(i)); }

 protected:
  std::string ShapeTraceString(const OpKernelContext& context) const { return Base::ShapeTraceString(context); }

 private:
  void ComputeAligned(tenon::OpKernelContext* context) {
    AlignedInputs inputs(context);
    if (inputs.status().ok())
      Compute(static_cast<OpKernelContext*>(context));
    else
      context->SetStatus(inputs.status());
    inputs.Restore();
  }
  mutable std::once_flag def_made_;
  // With a deleter, so that kernels that do not ask for the message have no code for it.
  mutable std::unique_ptr<const NodeDef, void (*)(const NodeDef*)> def_{nullptr, nullptr};
};
inline const OpKernel& OpKernelContext::op_kernel() const { return static_cast<const OpKernel&>(Base::op_kernel()); }

// Executors see a kernel of Tenon's that calls this one.
class AsyncOpKernel : public OpKernel {
 public:
  typedef std::function<void()> DoneCallback;
  explicit AsyncOpKernel(OpKernelConstruction* construction) : OpKernel(construction), bridge_(construction, this) {}
  AsyncOpKernel(OpKernelConstruction* construction, bool) : AsyncOpKernel(construction) {}
  virtual void ComputeAsync(OpKernelContext* context, DoneCallback done) = 0;
  using OpKernel::Compute;
  // Waits for the end.
  void Compute(OpKernelContext* context) override { bridge_.tenon::AsyncOpKernel::Compute(context); }
  tenon::AsyncOpKernel* AsAsync() final { return &bridge_; }

 private:
  class Bridge final : public tenon::AsyncOpKernel {
   public:
    Bridge(OpKernelConstruction* construction, tensorflow::AsyncOpKernel* kernel)
        : tenon::AsyncOpKernel(construction), kernel_(kernel) {}
    void ComputeAsync(tenon::OpKernelContext* context, tenon::AsyncOpKernel::DoneCallback done) override {
      if (AlignedInputs::AreNeeded(*context)) [[unlikely]]
        return ComputeAligned(context, std::move(done));
      kernel_->ComputeAsync(static_cast<OpKernelContext*>(context), [done] { done(); });
    }

   private:
    // The callback goes before the frame that the context may still have.
    struct Aligned {
      explicit Aligned(tenon::OpKernelContext* context, tenon::AsyncOpKernel::DoneCallback callback)
          : inputs(context), done(std::move(callback)) {}
      AlignedInputs inputs;
      tenon::AsyncOpKernel::DoneCallback done;
    };
    void ComputeAligned(tenon::OpKernelContext* context, tenon::AsyncOpKernel::DoneCallback done) {
      const auto held = std::make_shared<Aligned>(context, std::move(done));
      const auto end = [held] {
        held->inputs.Restore();
        held->done();
      };
      if (held->inputs.status().ok()) return kernel_->ComputeAsync(static_cast<OpKernelContext*>(context), end);
      context->SetStatus(held->inputs.status());
      end();
    }
    tensorflow::AsyncOpKernel* kernel_;
  };
  Bridge bridge_;
};

}  // namespace tensorflow
