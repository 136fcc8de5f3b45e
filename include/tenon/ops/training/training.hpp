// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernel and the shape function of all training ops, dense and sparse, by reference and by handle. What an input is
// for follows from its name: references and handles are the variable and its slots, `grad` (`delta`) is the gradient,
// `indices` its rows, `global_step` a step count; everything else is a scalar of the rule.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/fixed_string.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/nn/optimizers.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// The numbers of a training op's inputs by what they are for; -1: there is none.
struct TrainingInputs {
  int slots = 0;  // the first inputs
  int grad = -1, indices = -1, global_step = -1;
  int scalars = 0;
  int scalar[training::kMaxScalars]{};

  explicit TrainingInputs(const OpView& op) {
    for (int i = 0; i < static_cast<int>(op.inputs.size()); ++i) {
      const ArgSpec& arg = op.inputs[static_cast<std::size_t>(i)];
      if (arg.is_ref || arg.type == DataType::kResource)
        ++slots;
      else if (arg.name() == "grad" || arg.name() == "delta")
        grad = i;
      else if (arg.name() == "indices")
        indices = i;
      else if (arg.name() == "global_step")
        global_step = i;
      else
        scalar[scalars++] = i;
    }
  }
};

// As TensorFlow's, which compares a gradient with a variable that is a handle for two ops only.
inline bool ComparesGradient(const OpView& op) {
  return op.inputs[0].is_ref || op.name == "ResourceApplyGradientDescent" || op.name == "ResourceApplyProximalAdagrad";
}
inline Status TrainingShape(InferenceContext* c) {
  const TrainingInputs inputs(c->op());
  ShapeHandle all = VariableShapeOf(c, 0), unused;
  for (int i = 1; i < inputs.slots; ++i) TENON_RETURN_IF_ERROR(c->Merge(all, VariableShapeOf(c, i), &all));
  // TensorFlow's leaves lr_power of the FtrlV2 ops, their fifth scalar, to the kernel.
  const int scalars = c->op().name.ends_with("FtrlV2") ? inputs.scalars - 1 : inputs.scalars;
  for (int k = 0; k < scalars; ++k) TENON_RETURN_IF_ERROR(c->WithRank(c->input(inputs.scalar[k]), 0, &unused));
  if (inputs.global_step >= 0) TENON_RETURN_IF_ERROR(c->WithRank(c->input(inputs.global_step), 0, &unused));
  ShapeHandle grad = ComparesGradient(c->op()) ? c->input(inputs.grad) : c->UnknownShape();
  if (inputs.indices >= 0) {
    ShapeHandle indices;
    DimensionHandle rows;
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(inputs.indices), 1, &indices));
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(grad, 0), &rows));
    TENON_RETURN_IF_ERROR(c->ReplaceDim(grad, 0, c->UnknownDim(), &grad));
  }
  TENON_RETURN_IF_ERROR(c->Merge(all, grad, &all));
  if (c->num_outputs() > 0) c->set_output(0, all);
  return OkStatus();
}

// The variable and its slots, locked together in the order of their addresses, so that two ops never wait for each
// other.
class LockedSlots {
 public:
  static constexpr int kMax = 4;

  // Internal when a handle's variable does not exist, FailedPrecondition when a reference's has no value.
  Status Open(OpKernelContext& context, int count, DataType dtype) {
    count_ = count;
    for (int i = 0; i < count; ++i) {
      const Tensor& input = context.input(i);
      if (input.dtype() == DataType::kResource) {
        if (!LookupResource<Var>(context, input, &owners_[i]).ok())
          return errors::Internal("Invalid variable reference.");
        vars_[i] = owners_[i].get();
      } else if (vars_[i] = ReferredBy(input); vars_[i] == nullptr) {
        return errors::InvalidArgument("Input ", i, " of node ", context.op_kernel().name(), " was passed ",
                                       input.dtype(), " incompatible with expected ", MakeRefType(dtype), ".");
      }
    }
    Var* order[kMax];
    std::copy(vars_, vars_ + count, order);
    std::sort(order, order + count);
    const Var* const* end = std::unique(order, order + count);
    for (int i = 0; order + i != end; ++i) locks_[i] = tenon::MutexLock(order[i]->mutex);
    for (int i = 0; i < count; ++i) {
      const Var& var = *vars_[i];
      if (owners_[i] ? !var.is_initialized : !var.tensor.IsInitialized())
        return errors::FailedPrecondition("Attempting to use uninitialized value ",
                                          context.op_kernel().def().input[static_cast<std::size_t>(i)]);
      if (var.tensor.dtype() != dtype)
        return errors::InvalidArgument("Trying to update variable with wrong dtype. Expected ", var.tensor.dtype(),
                                       " got ", dtype);
      if (owners_[i]) TENON_RETURN_IF_ERROR(vars_[i]->BringTo(context));
    }
    return OkStatus();
  }
  Status MakeWritable(const OpKernelContext& context) {
    for (int i = 0; i < count_; ++i)
      if (owners_[i] || vars_[i]->IsOfFile()) TENON_RETURN_IF_ERROR(vars_[i]->MakeWritable(context));
    return OkStatus();
  }
  Tensor& operator[](int i) const { return vars_[i]->tensor; }

 private:
  int count_ = 0;
  Ref<Var> owners_[kMax];
  Var* vars_[kMax]{};
  tenon::MutexLock locks_[kMax];  // let go before owners_
};

// Raw form: one class for all training ops. RuleKernel hands over the rule and what the op serves.
class TrainingKernel : public OpKernel {
 public:
  // `checks_rates`: lr must be positive and regularisation not negative. `rows_first`: all indices are checked before
  // the first row changes.
  TrainingKernel(OpKernelConstruction* c, DataTypeSet served, std::string_view flag, bool checks_rates, bool rows_first)
      : OpKernel(c), inputs_(c->op()), checks_rates_(checks_rates), rows_first_(rows_first) {
    dtype_ = c->input_type(inputs_.grad);
    c->SetStatus(ServeOnly(*c, dtype_, served));
    if (!flag.empty()) c->SetStatus(c->GetAttr(flag, &flag_));
    zero_rate_allowed_ = flag == "multiply_linear_by_lr" && flag_;
  }
  void Compute(OpKernelContext* context) override {
    if (Status status = Run(*context); !status.ok()) return context->SetStatus(status);
    if (num_outputs() > 0) context->set_output(0, context->input(0));
  }

 private:
  Status Run(OpKernelContext& context) const {
    LockedSlots slots;
    TENON_RETURN_IF_ERROR(slots.Open(context, inputs_.slots, dtype_));
    TENON_RETURN_IF_ERROR(CheckScalars(context));
    const TensorShape shape = slots[0].shape();
    for (int i = 1; i < inputs_.slots; ++i)
      if (!(slots[i].shape() == shape))
        return errors::InvalidArgument("var and ", ArgName(i), " do not have the same shape: ", shape, " ",
                                       slots[i].shape());
    const void* scalars[training::kMaxScalars] = {};
    for (int k = 0; k < inputs_.scalars; ++k) scalars[k] = context.input(inputs_.scalar[k]).raw_data();
    TrainingRun run{};
    run.scalars = scalars;
    run.flag = flag_;
    if (inputs_.global_step >= 0) run.global_step = *context.input(inputs_.global_step).data<std::int64_t>();
    return inputs_.indices < 0 ? RunDense(context, slots, run) : RunSparse(context, slots, run);
  }

  Status RunDense(OpKernelContext& context, LockedSlots& slots, const TrainingRun& all) const {
    const Tensor& grad = context.input(inputs_.grad);
    if (!(grad.shape() == slots[0].shape()))
      return errors::InvalidArgument("var and ", ArgName(inputs_.grad),
                                     " do not have the same shape: ", slots[0].shape(), " ", grad.shape());
    TENON_RETURN_IF_ERROR(slots.MakeWritable(context));
    if (launch_ != nullptr) {
      TrainingRun run = all;
      PointAt(slots, grad, 0, 0, grad.NumElements(), &run);
      return run.n > 0 ? launch_(context.environment().device, run) : OkStatus();
    }
    constexpr double kElementNs = 2;
    ParallelFor(context.device<Cpu>(), grad.NumElements(), kElementNs,
                [&](Index begin, Index end) { RunPart(slots, all, grad, begin, begin, end - begin); });
    return OkStatus();
  }

  // One row after the other: a row may come twice. Those before a bad index have been worked off, as in TensorFlow,
  // unless the op looks at all of them first.
  Status RunSparse(OpKernelContext& context, LockedSlots& slots, const TrainingRun& all) const {
    const Tensor& grad = context.input(inputs_.grad);
    const Tensor& indices = context.input(inputs_.indices);
    const TensorShape shape = slots[0].shape();
    if (shape.dims() < 1) return errors::InvalidArgument("var must be at least 1 dimensional, got shape ", shape);
    if (indices.dims() != 1)
      return errors::InvalidArgument("indices must be one-dimensional, got shape ", indices.shape());
    if (grad.dims() != shape.dims())
      return errors::InvalidArgument("var and grad must have the same number of dimensions, got ", shape, " and ",
                                     grad.shape());
    for (int d = 1; d < shape.dims(); ++d)
      if (shape.dim_size(d) != grad.dim_size(d))
        return errors::InvalidArgument("var and grad must match in dimension ", d, ", got ", shape, " and ",
                                       grad.shape());
    if (grad.dim_size(0) != indices.dim_size(0))
      return errors::InvalidArgument("grad must be the same size as indices in the first dimension, got ",
                                     grad.dim_size(0), " and ", indices.dim_size(0));
    if (indices.NumElements() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(slots.MakeWritable(context));
    const HostIndices at(indices.any_view(), indices.dtype());
    const Index rows = shape.dim_size(0), width = rows == 0 ? 0 : shape.num_elements() / rows;
    const auto bad = [&](Index i) {
      return errors::InvalidArgument("Index ", at[i], " at offset ", i, " in indices is out of range [0, ", rows, ")");
    };
    if (rows_first_) {
      for (Index i = 0; i < at.size(); ++i)
        if (at[i] < 0 || at[i] >= rows) return bad(i);
    }
    for (Index i = 0; i < at.size(); ++i) {
      const Index row = at[i];
      if (row < 0 || row >= rows) return bad(i);
      RunPart(slots, all, grad, row * width, i * width, width);
    }
    return OkStatus();
  }

  void PointAt(const LockedSlots& slots, const Tensor& grad, Index to, Index from, Index n, TrainingRun* run) const {
    const auto bytes = static_cast<Index>(SizeOf(dtype_));
    for (int k = 0; k < inputs_.slots; ++k) run->slots[k] = static_cast<char*>(slots[k].raw_data()) + to * bytes;
    run->grad = static_cast<const char*>(grad.raw_data()) + from * bytes;
    run->n = n;
  }
  void RunPart(const LockedSlots& slots, TrainingRun run, const Tensor& grad, Index to, Index from, Index n) const {
    PointAt(slots, grad, to, from, n, &run);
    if (n > 0) loop_(run);
  }

  std::string_view ArgName(int i) const { return op().inputs[static_cast<std::size_t>(i)].name(); }

  Status CheckScalars(OpKernelContext& context) const {
    const auto check = [&](int i) -> Status {
      if (context.input(i).dims() == 0) return OkStatus();
      return errors::InvalidArgument(ArgName(i), " is not a scalar: ", context.input(i).shape());
    };
    for (int k = 0; k < inputs_.scalars; ++k) TENON_RETURN_IF_ERROR(check(inputs_.scalar[k]));
    if (inputs_.global_step >= 0) TENON_RETURN_IF_ERROR(check(inputs_.global_step));
    if (!checks_rates_) return OkStatus();
    for (int k = 0; k < inputs_.scalars; ++k) {
      const std::string_view name = ArgName(inputs_.scalar[k]);
      const double value = AsDouble(context.input(inputs_.scalar[k]));
      if (name == "lr"         ? !(value > 0 || (zero_rate_allowed_ && value >= 0))
          : name == "lr_power" ? !(value <= 0)
                               : !(value >= 0))
        return errors::InvalidArgument(name, " is not a ",
                                       name == "lr"         ? "positive scalar"
                                       : name == "lr_power" ? "non-positive scalar"
                                                            : "non-negative scalar",
                                       ": ", value);
    }
    return OkStatus();
  }
  static double AsDouble(const Tensor& t) {
    switch (t.dtype()) {
      case DataType::kFloat: return *t.data<float>();
      case DataType::kHalf: return static_cast<float>(*t.data<half>());
      case DataType::kBfloat16: return static_cast<float>(*t.data<bfloat16>());
      default: return *t.data<double>();
    }
  }

  TrainingInputs inputs_;
  bool flag_ = false, checks_rates_ = false, rows_first_ = false, zero_rate_allowed_ = false;

 protected:
  DataType dtype_ = DataType::kInvalid;
  TrainingLoop loop_ = nullptr;  // on the CPU
  TrainingLaunch launch_ = nullptr;  // on a GPU; scalars stay in its memory
};

inline constexpr DataTypeSet kTrainingReals =
    ToSet(DataType::kHalf) | ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);
inline constexpr DataTypeSet kTrainingNumbers =
    kTrainingReals | ToSet(DataType::kComplex64) | ToSet(DataType::kComplex128);
inline constexpr DataTypeSet kTrainingNumbersNoBfloat16{kTrainingNumbers.mask & ~ToSet(DataType::kBfloat16).mask};
inline constexpr DataTypeSet kTrainingFloats = ToSet(DataType::kFloat) | ToSet(DataType::kDouble);
inline constexpr DataTypeSet kTrainingHalfAndFloats = kTrainingFloats | ToSet(DataType::kHalf);

// The kernel of a training op. `flag`: its bool attr that the rule reads. A GPU has dense rules of real numbers.
template <class Device, class Rule, DataTypeSet served, FixedString flag = "", bool checks_rates = false,
          bool rows_first = false>
class RuleKernel final : public TrainingKernel {
 public:
  explicit RuleKernel(OpKernelConstruction* c)
      : TrainingKernel(c, DataTypeSet{Device::type == "CPU" ? served.mask : served.mask & kTrainingReals.mask},
                       flag.view(), checks_rates, rows_first) {
    if constexpr (Device::type == "CPU")
      loop_ = training::LoopFor<Rule, served.contains(DataType::kComplex64)>(dtype_);
    else
      launch_ = TrainingLaunchFor<Rule>(Device{}, dtype_);
  }
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
