// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseApplyAdagrad, SparseApplyMomentum, ...: optimizer steps on some rows of variables by reference.

#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/optimizers.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/training/training.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct SparseApplyAdadelta {
  static constexpr auto signature = Op("SparseApplyAdadelta")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("accum_update: Ref(T)")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adadelta, detail::kTrainingNumbers, "", false, true>;
};

struct SparseApplyAdagrad {
  static constexpr auto signature = Op("SparseApplyAdagrad")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Adagrad, detail::kTrainingNumbers, "update_slots", false, true>;
};

struct SparseApplyAdagradDA {
  static constexpr auto signature = Op("SparseApplyAdagradDA")
                                        .Input("var: Ref(T)")
                                        .Input("gradient_accumulator: Ref(T)")
                                        .Input("gradient_squared_accumulator: Ref(T)")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("global_step: int64")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdagradDA, detail::kTrainingFloats>;
};

struct SparseApplyAdagradV2 {
  static constexpr auto signature = Op("SparseApplyAdagradV2")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("update_slots: bool = true")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::AdagradV2, detail::kTrainingNumbers, "update_slots", false, true>;
};

struct SparseApplyCenteredRMSProp {
  static constexpr auto signature = Op("SparseApplyCenteredRMSProp")
                                        .Input("var: Ref(T)")
                                        .Input("mg: Ref(T)")
                                        .Input("ms: Ref(T)")
                                        .Input("mom: Ref(T)")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseCenteredRMSProp, detail::kTrainingNumbersNoBfloat16, "", false, true>;
};

struct SparseApplyFtrl {
  static constexpr auto signature = Op("SparseApplyFtrl")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("linear: Ref(T)")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("lr_power: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseFtrl, detail::kTrainingReals, "multiply_linear_by_lr", true>;
};

struct SparseApplyFtrlV2 {
  static constexpr auto signature = Op("SparseApplyFtrlV2")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("linear: Ref(T)")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("l2_shrinkage: T")
                                        .Input("lr_power: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("multiply_linear_by_lr: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseFtrlV2, detail::kTrainingReals, "multiply_linear_by_lr", true>;
};

struct SparseApplyMomentum {
  static constexpr auto signature = Op("SparseApplyMomentum")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Input("momentum: T")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .Attr("use_nesterov: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::Momentum, detail::kTrainingNumbers, "use_nesterov">;
};

struct SparseApplyProximalAdagrad {
  static constexpr auto signature = Op("SparseApplyProximalAdagrad")
                                        .Input("var: Ref(T)")
                                        .Input("accum: Ref(T)")
                                        .Input("lr: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalAdagrad, detail::kTrainingFloats, "", true>;
};

struct SparseApplyProximalGradientDescent {
  static constexpr auto signature = Op("SparseApplyProximalGradientDescent")
                                        .Input("var: Ref(T)")
                                        .Input("alpha: T")
                                        .Input("l1: T")
                                        .Input("l2: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::RuleKernel<Device, training::ProximalGradientDescent, detail::kTrainingFloats>;
};

struct SparseApplyRMSProp {
  static constexpr auto signature = Op("SparseApplyRMSProp")
                                        .Input("var: Ref(T)")
                                        .Input("ms: Ref(T)")
                                        .Input("mom: Ref(T)")
                                        .Input("lr: T")
                                        .Input("rho: T")
                                        .Input("momentum: T")
                                        .Input("epsilon: T")
                                        .Input("grad: T")
                                        .Input("indices: Tindices")
                                        .Output("out: Ref(T)")
                                        .Attr("T: numbertype")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("use_locking: bool = false")
                                        .SetShapeFn(detail::TrainingShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel =
      detail::RuleKernel<Device, training::SparseRMSProp, detail::kTrainingNumbersNoBfloat16, "", false, true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
