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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::AdaMax, false>(detail::TrainingType(*c)),
                         detail::kTrainingHalfAndFloats, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::Adadelta, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::Adagrad, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "update_slots", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::AdagradDA, false>(detail::TrainingType(*c)),
                         detail::kTrainingFloats, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::AdagradV2, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "update_slots", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::Adam, true>(detail::TrainingType(*c)), detail::kTrainingNumbers,
                         "use_nesterov", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::AddSign, false>(detail::TrainingType(*c)),
                         detail::kTrainingReals, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::CenteredRMSProp, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::Ftrl, false>(detail::TrainingType(*c)), detail::kTrainingReals,
                         "multiply_linear_by_lr", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::FtrlV2, false>(detail::TrainingType(*c)),
                         detail::kTrainingReals, "multiply_linear_by_lr", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::GradientDescent, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::Momentum, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "use_nesterov", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::PowerSign, false>(detail::TrainingType(*c)),
                         detail::kTrainingReals, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::ProximalAdagrad, false>(detail::TrainingType(*c)),
                         detail::kTrainingFloats, "", true) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::ProximalGradientDescent, false>(detail::TrainingType(*c)),
                         detail::kTrainingFloats, "", false) {}
  };
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
  class kernel final : public detail::TrainingKernel {
   public:
    explicit kernel(OpKernelConstruction* c)
        : TrainingKernel(c, training::LoopFor<training::RMSProp, true>(detail::TrainingType(*c)),
                         detail::kTrainingNumbers, "", false) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
