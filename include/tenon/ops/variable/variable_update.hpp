// SPDX-License-Identifier: Apache-2.0
#pragma once
// AssignAdd, AssignSub, CountUpTo, by reference and by handle: a variable's value changed by another of its shape.

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/optimizers.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/array/scatter.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status Update(Cpu& device, CombineFn combine, const Tensor& value, Tensor* variable) {
  const ElementMover mover = MoverOf(value.dtype());
  const void* from = value.raw_data();
  void* to = variable->raw_data();
  ParallelFor(device, value.NumElements(), 3 * mover.cost_ns(),
              [&](Index begin, Index end) { combine(mover.At(from, begin), mover.At(to, begin), end - begin); });
  return OkStatus();
}
template <class Device>
Status Update(Device& device, TrainingLaunch launch, const Tensor& value, Tensor* variable) {
  TrainingRun run{};
  run.slots[0] = variable->raw_data();
  run.grad = value.raw_data();
  run.n = value.NumElements();
  return run.n > 0 ? launch(&device, run) : OkStatus();
}
// variable op= value, element by element.
template <class Device, class Function>
Status UpdateVariable(OpKernelContext& context, Device& device, const Tensor& target, const Tensor& value,
                      Function update) {
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, target, value.dtype()));
  if (!(variable.tensor().shape() == value.shape()))
    return variable.is_reference()
               ? errors::InvalidArgument("Parameters and update must be the same size: the variable has shape ",
                                         variable.tensor().shape(), ", the update ", value.shape())
               : errors::InvalidArgument("Cannot update variable with shape ", variable.tensor().shape(),
                                         " using a Tensor with shape ", value.shape(), ", shapes must be equal.");
  TENON_RETURN_IF_ERROR(variable.MakeWritable(context));
  return Update(device, update, value, &variable.tensor());
}

template <class Combine, class Device>
  requires(Device::type == "CPU")
struct RefUpdateKernel {
  Status Init(OpKernelConstruction& c) {
    combine = CombineFor<Combine, ScatterNumbers>(c.input_type(1));
    return ServeOnly(c, c.input_type(1), dtypes_of<ScatterNumbers>::value);
  }
  Status operator()(Context<Device>& context, const Tensor& ref, const Tensor& value, Tensor& output) const {
    TENON_RETURN_IF_ERROR(UpdateVariable(context.op(), context.device(), ref, value, combine));
    output = ref;
    return OkStatus();
  }
  CombineFn combine = nullptr;
};
template <class Combine, class Rule, class Device>
struct HandleUpdateKernel {
  Status Init(OpKernelConstruction& c) {
    const DataType type = c.input_type(1);
    if constexpr (Device::type == "CPU") {
      update = CombineFor<Combine, ScatterNumbers>(type);
    } else {
      update = TrainingLaunchFor<Rule>(Device{}, type);
    }
    return ServeOnly(c, type, update == nullptr ? DataTypeSet{} : dtypes_of<ScatterNumbers>::value);
  }
  Status operator()(Context<Device>& context, const Tensor& resource, const Tensor& value) const {
    return UpdateVariable(context.op(), context.device(), resource, value, update);
  }
  std::conditional_t<Device::type == "CPU", CombineFn, TrainingLaunch> update = nullptr;
};

// The limit must be one of the variable's numbers.
inline Status CheckLimit(DataType dtype, std::int64_t limit) {
  if (dtype == DataType::kInt64 || limit == static_cast<std::int32_t>(limit)) return OkStatus();
  return errors::InvalidArgument("Attr limit has value ", limit, " out of range for an int32");
}
// The value before it grew by one; OutOfRange when it has reached the limit.
inline Status CountUp(OpKernelContext& context, const Tensor& target, std::int64_t limit, Tensor* output) {
  const DataType dtype = context.expected_output_dtype(0);
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, target, dtype));
  if (variable.tensor().dims() != 0)
    return errors::InvalidArgument("input is not a scalar: ", variable.tensor().shape());
  const bool wide = dtype == DataType::kInt64;
  const std::int64_t before = wide ? *variable.tensor().data<std::int64_t>() : *variable.tensor().data<std::int32_t>();
  if (before >= limit) return errors::OutOfRange("Reached limit of ", limit);
  TENON_RETURN_IF_ERROR(variable.var().MakeWritable(context));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &output));
  if (wide) {
    *output->data<std::int64_t>() = before;
    *variable.tensor().data<std::int64_t>() = before + 1;
  } else {
    *output->data<std::int32_t>() = static_cast<std::int32_t>(before);
    *variable.tensor().data<std::int32_t>() = static_cast<std::int32_t>(before + 1);
  }
  return OkStatus();
}

inline Status CountUpToShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRank(VariableShapeOf(c, 0), 0, &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace detail

struct AssignAdd {
  static constexpr auto signature = Op("AssignAdd")
                                        .Input("ref: Ref(T)")
                                        .Input("value: T")
                                        .Output("output_ref: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(shape_inference::MergeBothInputsShapeFn);

  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefUpdateKernel<detail::AddTo, Device>;
};

struct AssignSub {
  static constexpr auto signature = Op("AssignSub")
                                        .Input("ref: Ref(T)")
                                        .Input("value: T")
                                        .Output("output_ref: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(shape_inference::MergeBothInputsShapeFn);

  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefUpdateKernel<detail::SubtractFrom, Device>;
};

struct AssignAddVariableOp {
  static constexpr auto signature = Op("AssignAddVariableOp")
                                        .Input("resource: resource")
                                        .Input("value: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AssignVariableShape);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleUpdateKernel<detail::AddTo, training::Add, Device>;
};

struct AssignSubVariableOp {
  static constexpr auto signature = Op("AssignSubVariableOp")
                                        .Input("resource: resource")
                                        .Input("value: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AssignVariableShape);

  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleUpdateKernel<detail::SubtractFrom, training::Subtract, Device>;
};

struct CountUpTo {
  static constexpr auto signature = Op("CountUpTo")
                                        .Input("ref: Ref(T)")
                                        .Output("output: T")
                                        .Attr("limit: int")
                                        .Attr("T: {int32, int64}")
                                        .SetShapeFn(detail::CountUpToShape);

  struct Attrs {
    std::int64_t limit;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::CheckLimit(c.output_type(0), this->limit); }
    Status operator()(Context<Device>& context, const Tensor& ref, Tensor& output) const {
      return detail::CountUp(context.op(), ref, this->limit, &output);
    }
  };
};

struct ResourceCountUpTo {
  static constexpr auto signature = Op("ResourceCountUpTo")
                                        .Input("resource: resource")
                                        .Output("output: T")
                                        .Attr("limit: int")
                                        .Attr("T: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeAndType held;
                                          TENON_RETURN_IF_ERROR(detail::HeldByHandle(c, 0, "T", &held));
                                          return detail::CountUpToShape(c);
                                        });

  struct Attrs {
    std::int64_t limit;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::CheckLimit(c.output_type(0), this->limit); }
    Status operator()(Context<Device>& context, const Tensor& resource, Tensor& output) const {
      return detail::CountUp(context.op(), resource, this->limit, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
