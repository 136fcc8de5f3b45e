// SPDX-License-Identifier: Apache-2.0
#pragma once
// ApplyGradientDescent, ApplyAdam, ...: optimizer steps on variables by reference.

#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/optimizers.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/training/training.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct ApplyAdaMax {
  static constexpr auto signature = Op("ApplyAdaMax")
                                        .Input("var: Ref(T)")
                                        .Input("m: Ref(T)")
                                        .Input("v: Ref(T)")
                                        .Input("beta1_power: T")
                                        .Input("lr: T")
                                        .Input("beta1: T")
                                        .Input("beta2: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdaMax, detail::kTrainingHalfAndFloats>;
};

struct ApplyAdadelta {
  static constexpr auto signature = Op("ApplyAdadelta")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("accum_update: Ref(T)")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adadelta, detail::kTrainingNumbers>;
};

struct ApplyAdagrad {
  static constexpr auto signature = Op("ApplyAdagrad")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adagrad, detail::kTrainingNumbers, "update_slots">;
};

struct ApplyAdagradDA {
  static constexpr auto signature = Op("ApplyAdagradDA")
                                        .Input("var: Ref(T)")
                                        .Input("gradient_accumulator: Ref(T)")
                                        .Input("gradient_squared_accumulator: Ref(T)")
                                        .Input("grad: T")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("global_step: int64")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdagradDA, detail::kTrainingFloats>;
};

struct ApplyAdagradV2 {
  static constexpr auto signature = Op("ApplyAdagradV2")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdagradV2, detail::kTrainingNumbers, "update_slots">;
};

struct ApplyAdam {
  static constexpr auto signature = Op("ApplyAdam")
                                        .Input("var: Ref(T)")
                                        .Input("m: Ref(T)")
                                        .Input("v: Ref(T)")
                                        .Input("beta1_power: T")
                                        .Input("beta2_power: T")
                                        .Input("lr: T")
                                        .Input("beta1: T")
                                        .Input("beta2: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adam, detail::kTrainingNumbers, "use_nesterov">;
};

struct ApplyAddSign {
  static constexpr auto signature = Op("ApplyAddSign")
                                        .Input("var: Ref(T)")
                                        .Input("m: Ref(T)")
                                        .Input("lr: T")
                                        .Input("alpha: T")
                                        .Input("sign_decay: T")
                                        .Input("beta: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AddSign, detail::kTrainingReals>;
};

struct ApplyCenteredRMSProp {
  static constexpr auto signature = Op("ApplyCenteredRMSProp")
                                        .Input("var: Ref(T)")
                                        .Input("mg: Ref(T)")
                                        .Input("ms: Ref(T)")
                                        .Input("mom: Ref(T)")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::CenteredRMSProp, detail::kTrainingNumbers>;
};

struct ApplyFtrl {
  static constexpr auto signature = Op("ApplyFtrl")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("linear: Ref(T)")
                                        .Input("grad: T")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("lr_power: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Ftrl, detail::kTrainingReals, "multiply_linear_by_lr">;
};

struct ApplyFtrlV2 {
  static constexpr auto signature = Op("ApplyFtrlV2")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("linear: Ref(T)")
                                        .Input("grad: T")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("l2_shrinkage: T")
                                        .Input("lr_power: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::FtrlV2, detail::kTrainingReals, "multiply_linear_by_lr">;
};

struct ApplyGradientDescent {
  static constexpr auto signature = Op("ApplyGradientDescent")
                                        .Input("var: Ref(T)")
                                        .Input("alpha: T")
                                        .Input("delta: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::GradientDescent, detail::kTrainingNumbers>;
};

struct ApplyMomentum {
  static constexpr auto signature = Op("ApplyMomentum")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("momentum: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Momentum, detail::kTrainingNumbers, "use_nesterov">;
};

struct ApplyPowerSign {
  static constexpr auto signature = Op("ApplyPowerSign")
                                        .Input("var: Ref(T)")
                                        .Input("m: Ref(T)")
                                        .Input("lr: T")
                                        .Input("logbase: T")
                                        .Input("sign_decay: T")
                                        .Input("beta: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::PowerSign, detail::kTrainingReals>;
};

struct ApplyProximalAdagrad {
  static constexpr auto signature = Op("ApplyProximalAdagrad")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalAdagrad, detail::kTrainingFloats, "", true>;
};

struct ApplyProximalGradientDescent {
  static constexpr auto signature = Op("ApplyProximalGradientDescent")
                                        .Input("var: Ref(T)")
                                        .Input("alpha: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("delta: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalGradientDescent, detail::kTrainingFloats>;
};

struct ApplyRMSProp {
  static constexpr auto signature = Op("ApplyRMSProp")
                                        .Input("var: Ref(T)")
                                        .Input("ms: Ref(T)")
                                        .Input("mom: Ref(T)")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::RMSProp, detail::kTrainingNumbers>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
