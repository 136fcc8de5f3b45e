// SPDX-License-Identifier: Apache-2.0
#pragma once
// StackV2, StackPushV2, StackPopV2, StackCloseV2: tensors of one run, last in, first out.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/list/tensor_array.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// thread-safe.
class TensorStack final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::Stack";

  // max_size < 0: no limit.
  TensorStack(DataType dtype, std::string name, Index max_size)
      : dtype_(dtype), name_(std::move(name)), max_size_(max_size) {}
  std::string DebugString() const override { return StrCat("Stack[", name_, "]"); }
  DataType dtype() const { return dtype_; }

  Status Push(const Tensor& value) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    if (max_size_ >= 0 && static_cast<Index>(values_.size()) >= max_size_)
      return errors::InvalidArgument("Stack[", name_, "] overflowed its max_size (", max_size_, ")");
    values_.push_back(value);
    return OkStatus();
  }
  Status Pop(Tensor* value) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    if (values_.empty()) return errors::InvalidArgument("Stack[", name_, "] is empty when calling Pop().");
    *value = std::move(values_.back());
    values_.pop_back();
    return OkStatus();
  }
  void Close() {
    SlimVector<Tensor> dropped;
    const tenon::MutexLock lock(mutex_);
    std::swap(dropped, values_);
    closed_ = true;
  }

 private:
  Status CheckOpen() const {
    if (closed_) return errors::InvalidArgument("Stack[", name_, "] has already been closed.");
    return OkStatus();
  }
  Mutex mutex_;
  const DataType dtype_;
  const std::string name_;
  const Index max_size_;
  bool closed_ = false;
  SlimVector<Tensor> values_;
};

// The handle of a new stack of this run.
inline Status MakeStack(const OpKernelContext& context, DataType elem_type, std::string_view stack_name, Index max_size,
                        Tensor* handle) {
  StepContainer* const container = context.step_container();
  if (container == nullptr) return tenon::detail::NoResources(context);
  ContainerInfo info;
  info.container = container->name();
  info.name = UniqueName(stack_name.empty() ? context.op_kernel().name() : stack_name);
  TENON_RETURN_IF_ERROR(
      container->Create(info.name, Ref<TensorStack>::Adopt(new TensorStack(elem_type, info.name, max_size))));
  return MakeHandleFor<TensorStack>(context, 0, info, handle);
}

}  // namespace detail

struct StackV2 {
  static constexpr auto signature = Op("StackV2")
                                        .Input("max_size: int32")
                                        .Output("handle: resource")
                                        .Attr("elem_type: type")
                                        .Attr("stack_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->Vector(2));  // as TensorFlow; handles are scalars
                                          return OkStatus();
                                        });

  struct Attrs {
    DataType elem_type;
    std::string_view stack_name;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& max_size, Tensor& handle) const {
      if (max_size.dims() != 0)
        return errors::InvalidArgument("Stack size must be a scalar, but had shape: ", max_size.shape());
      return detail::MakeStack(context.op(), this->elem_type, this->stack_name, *max_size.data<std::int32_t>(),
                               &handle);
    }
  };
};

struct StackPushV2 {
  static constexpr auto signature = Op("StackPushV2")
                                        .Input("handle: resource")
                                        .Input("elem: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("swap_memory: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(1));
                                          return OkStatus();
                                        });

  static constexpr std::string_view unused[] = {"swap_memory"};  // the CPU has nowhere to swap to
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& elem, Tensor& output) const {
      Ref<detail::TensorStack> stack;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::TensorStack>(context.op(), 0, &stack));
      if (elem.dtype() != stack->dtype())
        return errors::InvalidArgument("Must have type ", stack->dtype(), " but got ", elem.dtype());
      output = elem;
      return stack->Push(elem);
    }
  };
};

struct StackPopV2 {
  static constexpr auto signature = Op("StackPopV2")
                                        .Input("handle: resource")
                                        .Output("elem: elem_type")
                                        .Attr("elem_type: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&, Tensor& elem) const {
      Ref<detail::TensorStack> stack;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::TensorStack>(context.op(), 0, &stack));
      return stack->Pop(&elem);
    }
  };
};

struct StackCloseV2 {
  static constexpr auto signature =
      Op("StackCloseV2").Input("handle: resource").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor&) const {
      Ref<detail::TensorStack> stack;
      TENON_RETURN_IF_ERROR(detail::LookupEither<detail::TensorStack>(context.op(), 0, &stack));
      stack->Close();
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
