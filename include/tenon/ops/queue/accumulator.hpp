// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConditionalAccumulator, ResourceConditionalAccumulator, SparseConditionalAccumulator and the ops that add gradients
// to them and take their mean or sum; a take waits, without a thread, until there are enough.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/queue/accumulator_resource.hpp>
#include <tenon/ops/variable/handle_reference.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Raw form: the accumulator is looked up or made in the first run; its handle is the same in all.
class AccumulatorKernel : public OpKernel {
 public:
  AccumulatorKernel(OpKernelConstruction* c, bool sparse) : OpKernel(c), sparse_(sparse) { c->SetStatus(Read(*c)); }
  void Compute(OpKernelContext* context) override {
    const tenon::MutexLock lock(mutex_);
    if (BaseType(handle_.dtype()) != BaseType(output_type(0))) context->SetStatus(Find(*context));
    if (context->status().ok()) context->set_output(0, handle_);
  }

 private:
  Status Read(const OpKernelConstruction& c) {
    std::string_view reduction;
    TENON_RETURN_IF_ERROR(c.GetAttr("dtype", &dtype_));
    TENON_RETURN_IF_ERROR(c.GetAttr("shape", &shape_));
    TENON_RETURN_IF_ERROR(c.GetAttr("reduction_type", &reduction));
    mean_ = reduction == "MEAN";
    TENON_RETURN_IF_ERROR(
        ServeOnly(c, dtype_, ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble)));
    TENON_ASSIGN_OR_RETURN(info_, ContainerInfo::From(c, true));
    return OkStatus();
  }
  Status Find(const OpKernelContext& context) {
    ResourceMgr* resources = nullptr;
    Ref<GradientAccumulator> found;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    TENON_RETURN_IF_ERROR(resources->LookupOrCreate<GradientAccumulator>(
        info_.container, info_.name, &found, [this](Ref<GradientAccumulator>* made) {
          if (sparse_)
            *made = Ref<SparseAccumulator>::Adopt(new SparseAccumulator(info_.name, dtype_, shape_, mean_));
          else
            *made = Ref<DenseAccumulator>::Adopt(new DenseAccumulator(info_.name, dtype_, shape_, mean_));
          return OkStatus();
        }));
    return MakeHandleFor<GradientAccumulator>(context, 0, info_, &handle_);
  }

  bool sparse_, mean_ = true;
  DataType dtype_ = DataType::kInvalid;
  PartialTensorShape shape_;
  ContainerInfo info_;
  Mutex mutex_;
  Tensor handle_;
};

// The accumulator of input 0, which must be of that kind and, where `dtype` is not kInvalid, type.
inline Status OpenAccumulator(const OpKernelContext& context, bool sparse, DataType dtype,
                              Ref<GradientAccumulator>* accumulator) {
  TENON_RETURN_IF_ERROR(LookupEither<GradientAccumulator>(context, 0, accumulator));
  if (dtype == DataType::kInvalid) return OkStatus();
  if ((*accumulator)->sparse() != sparse)
    return errors::InvalidArgument("Signature mismatch: ", context.op_kernel().type_string(), " of accumulator '",
                                   (*accumulator)->name(), "', which is ", sparse ? "dense" : "sparse");
  if ((*accumulator)->dtype() != dtype)
    return errors::InvalidArgument("Signature mismatch: accumulator '", (*accumulator)->name(), "' has type ",
                                   (*accumulator)->dtype(), ", but the op has ", dtype);
  return OkStatus();
}
inline Status CheckAccumulatorScalar(std::string_view name, const Tensor& tensor) {
  if (tensor.dims() == 0) return OkStatus();
  return errors::InvalidArgument("Argument ", name, " must be scalar, but had bad shape ", tensor.shape());
}

inline Status ApplyDenseGradient(const OpKernelContext& context, const Tensor& step, const Tensor& gradient) {
  Ref<GradientAccumulator> found;
  TENON_RETURN_IF_ERROR(OpenAccumulator(context, false, gradient.dtype(), &found));
  TENON_RETURN_IF_ERROR(CheckAccumulatorScalar("local_step", step));
  return static_cast<DenseAccumulator&>(*found).Add(*step.data<std::int64_t>(), gradient);
}
inline Status SetAccumulatorStep(const OpKernelContext& context, const Tensor& step) {
  Ref<GradientAccumulator> found;
  TENON_RETURN_IF_ERROR(OpenAccumulator(context, false, DataType::kInvalid, &found));
  TENON_RETURN_IF_ERROR(CheckAccumulatorScalar("new_global_step", step));
  found->SetGlobalStep(*step.data<std::int64_t>());
  return OkStatus();
}
inline Status CountAccumulated(const OpKernelContext& context, Out<std::int32_t> count) {
  Ref<GradientAccumulator> found;
  TENON_RETURN_IF_ERROR(OpenAccumulator(context, false, DataType::kInvalid, &found));
  count[0] = found->NumAccumulated();
  return OkStatus();
}
inline void TakeGradient(OpKernelContext& context, bool sparse, const Tensor& required, Done done) {
  Ref<GradientAccumulator> found;
  Status status = OpenAccumulator(context, sparse, context.expected_output_dtype(sparse ? 1 : 0), &found);
  if (status.ok()) status = CheckAccumulatorScalar("num_required", required);
  if (status.ok() && *required.data<std::int32_t>() <= 0)
    status =
        errors::InvalidArgument("Argument num_required must be positive, but was ", *required.data<std::int32_t>());
  if (!status.ok()) return done(status);
  found->Start(Owned<WaitedResource::Attempt>(
      new GradientAccumulator::Take(&context, std::move(done), found, *required.data<std::int32_t>())));
}

inline Status AccumulatorStepShape(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(1), 0, &unused);
}
inline Status TakeGradientShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(AccumulatorStepShape(c));
  return shape_inference::UnknownShape(c);
}

}  // namespace detail

// Dense gradients of one shape, as far as `shape` says it.
struct ConditionalAccumulator {
  static constexpr auto signature = Op("ConditionalAccumulator")
                                        .Output("handle: Ref(string)")
                                        .Attr("dtype: numbertype")
                                        .Attr("shape: shape")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::AccumulatorKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : AccumulatorKernel(c, false) {}
  };
};

// ConditionalAccumulator by handle.
struct ResourceConditionalAccumulator {
  static constexpr auto signature = Op("ResourceConditionalAccumulator")
                                        .Output("handle: resource")
                                        .Attr("dtype: numbertype")
                                        .Attr("shape: shape")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::AccumulatorKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : AccumulatorKernel(c, false) {}
  };
};

// Gradients that are rows of a greater tensor.
struct SparseConditionalAccumulator {
  static constexpr auto signature = Op("SparseConditionalAccumulator")
                                        .Output("handle: Ref(string)")
                                        .Attr("dtype: numbertype")
                                        .Attr("shape: shape")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::AccumulatorKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : AccumulatorKernel(c, true) {}
  };
};

// Dropped when local_step lies before the accumulator's step.
struct AccumulatorApplyGradient {
  static constexpr auto signature = Op("AccumulatorApplyGradient")
                                        .Input("handle: Ref(string)")
                                        .Input("local_step: int64")
                                        .Input("gradient: dtype")
                                        .Attr("dtype: numbertype")
                                        .SetShapeFn(detail::AccumulatorStepShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& local_step, const Tensor& gradient) const {
      return detail::ApplyDenseGradient(context.op(), local_step, gradient);
    }
  };
};

struct AccumulatorNumAccumulated {
  static constexpr auto signature = Op("AccumulatorNumAccumulated")
                                        .Input("handle: Ref(string)")
                                        .Output("num_accumulated: int32")
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> num_accumulated) const {
      return detail::CountAccumulated(context.op(), num_accumulated);
    }
  };
};

struct AccumulatorSetGlobalStep {
  static constexpr auto signature = Op("AccumulatorSetGlobalStep")
                                        .Input("handle: Ref(string)")
                                        .Input("new_global_step: int64")
                                        .SetShapeFn(detail::AccumulatorStepShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& new_global_step) const {
      return detail::SetAccumulatorStep(context.op(), new_global_step);
    }
  };
};

// Waits for num_required gradients; the accumulator begins anew and its step goes on by one.
struct AccumulatorTakeGradient {
  static constexpr auto signature = Op("AccumulatorTakeGradient")
                                        .Input("handle: Ref(string)")
                                        .Input("num_required: int32")
                                        .Output("average: dtype")
                                        .Attr("dtype: numbertype")
                                        .SetShapeFn(detail::TakeGradientShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    void operator()(Context<Device>& context, const Tensor&, const Tensor& num_required, Tensor&, Done done) const {
      detail::TakeGradient(context.op(), false, num_required, std::move(done));
    }
  };
};

struct ResourceAccumulatorApplyGradient {
  static constexpr auto signature = Op("ResourceAccumulatorApplyGradient")
                                        .Input("handle: resource")
                                        .Input("local_step: int64")
                                        .Input("gradient: dtype")
                                        .Attr("dtype: numbertype")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AccumulatorStepShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& local_step, const Tensor& gradient) const {
      return detail::ApplyDenseGradient(context.op(), local_step, gradient);
    }
  };
};

struct ResourceAccumulatorNumAccumulated {
  static constexpr auto signature = Op("ResourceAccumulatorNumAccumulated")
                                        .Input("handle: resource")
                                        .Output("num_accumulated: int32")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Out<std::int32_t> num_accumulated) const {
      return detail::CountAccumulated(context.op(), num_accumulated);
    }
  };
};

struct ResourceAccumulatorSetGlobalStep {
  static constexpr auto signature = Op("ResourceAccumulatorSetGlobalStep")
                                        .Input("handle: resource")
                                        .Input("new_global_step: int64")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AccumulatorStepShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& new_global_step) const {
      return detail::SetAccumulatorStep(context.op(), new_global_step);
    }
  };
};

struct ResourceAccumulatorTakeGradient {
  static constexpr auto signature = Op("ResourceAccumulatorTakeGradient")
                                        .Input("handle: resource")
                                        .Input("num_required: int32")
                                        .Output("average: dtype")
                                        .Attr("dtype: numbertype")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TakeGradientShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    void operator()(Context<Device>& context, const Tensor&, const Tensor& num_required, Tensor&, Done done) const {
      detail::TakeGradient(context.op(), false, num_required, std::move(done));
    }
  };
};

// gradient_indices: [n], gradient_values: [n, ...]
struct SparseAccumulatorApplyGradient {
  static constexpr auto signature = Op("SparseAccumulatorApplyGradient")
                                        .Input("handle: Ref(string)")
                                        .Input("local_step: int64")
                                        .Input("gradient_indices: int64")
                                        .Input("gradient_values: dtype")
                                        .Input("gradient_shape: int64")
                                        .Attr("dtype: numbertype")
                                        .Attr("has_known_shape: bool")
                                        .SetShapeFn(detail::AccumulatorStepShape);
  struct Attrs {
    bool has_known_shape;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& local_step, const Tensor& gradient_indices,
                      const Tensor& gradient_values, const Tensor& gradient_shape) const {
      Ref<detail::GradientAccumulator> found;
      TENON_RETURN_IF_ERROR(detail::OpenAccumulator(context.op(), true, gradient_values.dtype(), &found));
      TENON_RETURN_IF_ERROR(detail::CheckAccumulatorScalar("local_step", local_step));
      return static_cast<detail::SparseAccumulator&>(*found).Add(*local_step.data<std::int64_t>(), gradient_indices,
                                                                 gradient_values,
                                                                 this->has_known_shape ? &gradient_shape : nullptr);
    }
  };
};

struct SparseAccumulatorTakeGradient {
  static constexpr auto signature = Op("SparseAccumulatorTakeGradient")
                                        .Input("handle: Ref(string)")
                                        .Input("num_required: int32")
                                        .Output("indices: int64")
                                        .Output("values: dtype")
                                        .Output("shape: int64")
                                        .Attr("dtype: numbertype")
                                        .SetShapeFn(detail::TakeGradientShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    void operator()(Context<Device>& context, const Tensor&, const Tensor& num_required, Tensor&, Tensor&, Tensor&,
                    Done done) const {
      detail::TakeGradient(context.op(), true, num_required, std::move(done));
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
