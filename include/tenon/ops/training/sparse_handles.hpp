// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceSparseApplyAdagrad, ...: optimizer steps on some rows of resource variables.

#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/optimizers.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/training/training.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct ResourceSparseApplyAdadelta {
  static constexpr auto signature = Op("ResourceSparseApplyAdadelta")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("accum_update: resource")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adadelta, detail::kTrainingNumbers, "", false, true>;
};

struct ResourceSparseApplyAdagrad {
  static constexpr auto signature = Op("ResourceSparseApplyAdagrad")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adagrad, detail::kTrainingNumbers, "update_slots", false, true>;
};

struct ResourceSparseApplyAdagradDA {
  static constexpr auto signature = Op("ResourceSparseApplyAdagradDA")
                                        .Input("var: resource")
                                        .Input("gradient_accumulator: resource")
                                        .Input("gradient_squared_accumulator: resource")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("global_step: int64")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdagradDA, detail::kTrainingFloats>;
};

struct ResourceSparseApplyAdagradV2 {
  static constexpr auto signature = Op("ResourceSparseApplyAdagradV2")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdagradV2, detail::kTrainingNumbers, "update_slots", false, true>;
};

struct ResourceSparseApplyCenteredRMSProp {
  static constexpr auto signature = Op("ResourceSparseApplyCenteredRMSProp")
                                        .Input("var: resource")
                                        .Input("mg: resource")
                                        .Input("ms: resource")
                                        .Input("mom: resource")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseCenteredRMSProp, detail::kTrainingNumbersNoBfloat16, "", false, true>;
};

struct ResourceSparseApplyFtrl {
  static constexpr auto signature = Op("ResourceSparseApplyFtrl")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("linear: resource")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("lr_power: T")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseFtrl, detail::kTrainingReals, "multiply_linear_by_lr", true>;
};

struct ResourceSparseApplyFtrlV2 {
  static constexpr auto signature = Op("ResourceSparseApplyFtrlV2")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("linear: resource")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("l2_shrinkage: T")
                                        .Input("lr_power: T")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseFtrlV2, detail::kTrainingReals, "multiply_linear_by_lr", true>;
};

struct ResourceSparseApplyKerasMomentum {
  static constexpr auto signature = Op("ResourceSparseApplyKerasMomentum")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("momentum: T")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::KerasMomentum, detail::kTrainingNumbers, "use_nesterov">;
};

struct ResourceSparseApplyMomentum {
  static constexpr auto signature = Op("ResourceSparseApplyMomentum")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("momentum: T")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Momentum, detail::kTrainingNumbers, "use_nesterov">;
};

struct ResourceSparseApplyProximalAdagrad {
  static constexpr auto signature = Op("ResourceSparseApplyProximalAdagrad")
                                        .Input("var: resource")
                                        .Input("accum: resource")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalAdagrad, detail::kTrainingFloats, "", true>;
};

struct ResourceSparseApplyProximalGradientDescent {
  static constexpr auto signature = Op("ResourceSparseApplyProximalGradientDescent")
                                        .Input("var: resource")
                                        .Input("alpha: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalGradientDescent, detail::kTrainingFloats>;
};

struct ResourceSparseApplyRMSProp {
  static constexpr auto signature = Op("ResourceSparseApplyRMSProp")
                                        .Input("var: resource")
                                        .Input("ms: resource")
                                        .Input("mom: resource")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseRMSProp, detail::kTrainingNumbersNoBfloat16, "", false, true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
