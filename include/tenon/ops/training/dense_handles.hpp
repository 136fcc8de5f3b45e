// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceApplyGradientDescent, ResourceApplyAdam, ...: optimizer steps on resource variables.

#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/optimizers.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/training/training.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct ResourceApplyAdaMax {
  static constexpr auto signature = Op("ResourceApplyAdaMax")
                                        .Input("var: resource")
                                        .Input("m: resource")
                                        .Input("v: resource")
                                        .Input("beta1_power: T")
                                        .Input("lr: T")
                                        .Input("beta1: T")
                                        .Input("beta2: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::AdaMax, detail::kTrainingHalfAndFloats>;
};

struct ResourceApplyAdadelta {
  static constexpr auto signature = Op("ResourceApplyAdadelta")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("accum_update: resource")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::Adadelta, detail::kTrainingNumbers>;
};

struct ResourceApplyAdagrad {
  static constexpr auto signature = Op("ResourceApplyAdagrad")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::Adagrad, detail::kTrainingNumbers, "update_slots">;
};

struct ResourceApplyAdagradDA {
  static constexpr auto signature = Op("ResourceApplyAdagradDA")
                                        .Input("var: resource")
                                        .Input("gradient_accumulator: resource")
                                        .Input("gradient_squared_accumulator: resource")
                                        .Input("grad: T")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("global_step: int64")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")  // as in TensorFlow
  using kernel = detail::RuleKernel<Device, training::AdagradDA, detail::kTrainingFloats>;
};

struct ResourceApplyAdagradV2 {
  static constexpr auto signature = Op("ResourceApplyAdagradV2")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::AdagradV2, detail::kTrainingNumbers, "update_slots">;
};

struct ResourceApplyAdam {
  static constexpr auto signature = Op("ResourceApplyAdam")
                                        .Input("var: resource")
                                        .Input("m: resource")
                                        .Input("v: resource")
                                        .Input("beta1_power: T")
                                        .Input("beta2_power: T")
                                        .Input("lr: T")
                                        .Input("beta1: T")
                                        .Input("beta2: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::Adam, detail::kTrainingNumbers, "use_nesterov">;
};

struct ResourceApplyAdamWithAmsgrad {
  static constexpr auto signature = Op("ResourceApplyAdamWithAmsgrad")
                                        .Input("var: resource")
                                        .Input("m: resource")
                                        .Input("v: resource")
                                        .Input("vhat: resource")
                                        .Input("beta1_power: T")
                                        .Input("beta2_power: T")
                                        .Input("lr: T")
                                        .Input("beta1: T")
                                        .Input("beta2: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::AdamWithAmsgrad, detail::kTrainingReals>;
};

struct ResourceApplyAddSign {
  static constexpr auto signature = Op("ResourceApplyAddSign")
                                        .Input("var: resource")
                                        .Input("m: resource")
                                        .Input("lr: T")
                                        .Input("alpha: T")
                                        .Input("sign_decay: T")
                                        .Input("beta: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::AddSign, detail::kTrainingReals>;
};

struct ResourceApplyCenteredRMSProp {
  static constexpr auto signature = Op("ResourceApplyCenteredRMSProp")
                                        .Input("var: resource")
                                        .Input("mg: resource")
                                        .Input("ms: resource")
                                        .Input("mom: resource")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::CenteredRMSProp, detail::kTrainingNumbers>;
};

struct ResourceApplyFtrl {
  static constexpr auto signature = Op("ResourceApplyFtrl")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("linear: resource")
                                        .Input("grad: T")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("lr_power: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::Ftrl, detail::kTrainingReals, "multiply_linear_by_lr">;
};

struct ResourceApplyFtrlV2 {
  static constexpr auto signature = Op("ResourceApplyFtrlV2")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("linear: resource")
                                        .Input("grad: T")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("l2_shrinkage: T")
                                        .Input("lr_power: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::FtrlV2, detail::kTrainingReals, "multiply_linear_by_lr">;
};

struct ResourceApplyGradientDescent {
  static constexpr auto signature = Op("ResourceApplyGradientDescent")
                                        .Input("var: resource")
                                        .Input("alpha: T")
                                        .Input("delta: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::GradientDescent, detail::kTrainingNumbers>;
};

struct ResourceApplyKerasMomentum {
  static constexpr auto signature = Op("ResourceApplyKerasMomentum")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("momentum: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::KerasMomentum, detail::kTrainingNumbers, "use_nesterov">;
};

struct ResourceApplyMomentum {
  static constexpr auto signature = Op("ResourceApplyMomentum")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("momentum: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::Momentum, detail::kTrainingNumbers, "use_nesterov">;
};

struct ResourceApplyPowerSign {
  static constexpr auto signature = Op("ResourceApplyPowerSign")
                                        .Input("var: resource")
                                        .Input("m: resource")
                                        .Input("lr: T")
                                        .Input("logbase: T")
                                        .Input("sign_decay: T")
                                        .Input("beta: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::PowerSign, detail::kTrainingReals>;
};

struct ResourceApplyProximalAdagrad {
  static constexpr auto signature = Op("ResourceApplyProximalAdagrad")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalAdagrad, detail::kTrainingFloats, "", true>;
};

struct ResourceApplyProximalGradientDescent {
  static constexpr auto signature = Op("ResourceApplyProximalGradientDescent")
                                        .Input("var: resource")
                                        .Input("alpha: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("delta: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::ProximalGradientDescent, detail::kTrainingFloats>;
};

struct ResourceApplyRMSProp {
  static constexpr auto signature = Op("ResourceApplyRMSProp")
                                        .Input("var: resource")
                                        .Input("ms: resource")
                                        .Input("mom: resource")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  using kernel = detail::RuleKernel<Device, training::RMSProp, detail::kTrainingNumbers>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
