// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variables by reference: Variable, VariableV2, Assign, TemporaryVariable and their kin. A reference edge carries the
// variable itself (kernel/variable.hpp).

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The shape that a variable declares; [] stands for an unknown one in Variable, which cannot say otherwise.
inline Status DeclaredShape(InferenceContext* c, bool empty_is_unknown) {
  PartialTensorShape shape;
  ShapeHandle out = c->UnknownShape();
  TENON_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  if (!(empty_is_unknown && !shape.unknown_rank() && shape.dims() == 0))
    TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status AssignShape(InferenceContext* c) {
  bool validate = true;
  TENON_RETURN_IF_ERROR(c->GetAttr("validate_shape", &validate));
  if (validate) return shape_inference::MergeBothInputsShapeFn(c);
  c->set_output(0, c->input(1));
  return OkStatus();
}

// The shape with which a variable begins: unknown ranks count as scalars, as in TensorFlow.
inline Status InitialShape(const OpKernelConstruction& c, TensorShape* shape) {
  PartialTensorShape declared;
  TENON_RETURN_IF_ERROR(c.GetAttr("shape", &declared));
  *shape = TensorShape();
  if (declared.unknown_rank()) return OkStatus();
  for (int d = 0; d < declared.dims(); ++d) {
    if (declared.dim_size(d) < 0)
      return errors::InvalidArgument("Shape ", declared, " has negative dimensions; a variable's must be known");
    TENON_RETURN_IF_ERROR(shape->AddDimWithStatus(declared.dim_size(d)));
  }
  return OkStatus();
}
inline Ref<LegacyVar> NewLegacyVar(DataType dtype, const TensorShape& shape) {
  auto variable = Ref<LegacyVar>::Adopt(new LegacyVar(dtype));
  variable->tensor = Tensor(dtype, shape, nullptr);
  return variable;
}

// Of Variable and VariableV2. The variable is looked up or made in the first run.
class VariableKernel : public OpKernel {
 public:
  explicit VariableKernel(OpKernelConstruction* c) : OpKernel(c), dtype_(BaseType(c->output_type(0))) {
    c->SetStatus(InitialShape(*c, &shape_));
    Result<ContainerInfo> info = ContainerInfo::From(*c, true);
    c->SetStatus(info.status());
    if (info.ok()) info_ = *std::move(info);
  }
  void Compute(OpKernelContext* context) override {
    const tenon::MutexLock lock(mutex_);
    if (!IsRefType(reference_.dtype())) context->SetStatus(Find(*context));
    if (context->status().ok()) context->set_output(0, reference_);
  }
  bool IsExpensive() const override { return false; }

 private:
  Status Find(const OpKernelContext& context) {
    ResourceMgr* resources = nullptr;
    Ref<LegacyVar> variable;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    TENON_RETURN_IF_ERROR(
        resources->LookupOrCreate<LegacyVar>(info_.container, info_.name, &variable, [this](Ref<LegacyVar>* made) {
          *made = NewLegacyVar(dtype_, shape_);
          return OkStatus();
        }));
    const tenon::MutexLock lock(variable->mutex);
    if (variable->tensor.dtype() != dtype_)
      return errors::InvalidArgument("Variable ", info_.name, " holds ", variable->tensor.dtype(),
                                     ", but the node asks for ", dtype_);
    reference_ = RefTo(variable);
    return OkStatus();
  }

  DataType dtype_;
  TensorShape shape_;
  ContainerInfo info_;
  Mutex mutex_;
  Tensor reference_;
};

}  // namespace detail

struct Variable {
  static constexpr auto signature = Op("Variable")
                                        .Output("ref: Ref(dtype)")
                                        .Attr("shape: shape")
                                        .Attr("dtype: type")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) { return detail::DeclaredShape(c, true); });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::VariableKernel {
    using detail::VariableKernel::VariableKernel;
  };
};

struct VariableV2 {
  static constexpr auto signature =
      Op("VariableV2")
          .Output("ref: Ref(dtype)")
          .Attr("shape: shape")
          .Attr("dtype: type")
          .Attr("container: string = ''")
          .Attr("shared_name: string = ''")
          .SetIsStateful()
          .SetShapeFn([](InferenceContext* c) { return detail::DeclaredShape(c, false); });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public detail::VariableKernel {
    using detail::VariableKernel::VariableKernel;
  };
};

// The variable gets a copy of the value, in the memory that it has if that is large enough.
struct Assign {
  static constexpr auto signature = Op("Assign")
                                        .Input("ref: Ref(T)")
                                        .Input("value: T")
                                        .Output("output_ref: Ref(T)")
                                        .Attr("T: type")
                                        .Attr("validate_shape: bool = true")
                                        .Attr("use_locking: bool = true")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(detail::AssignShape);

  struct Attrs {
    bool validate_shape;
  };
  static constexpr std::string_view unused[] = {"use_locking"};  // always
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndObjectTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) |
                                         ToSet(DataType::kQint32) | ToSet(DataType::kQuint16);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kServed); }
    Status operator()(Context<Device>& context, const Tensor& ref, const Tensor& value, Tensor& output) const {
      return Run(context.op(), context.device(), ref, value, this->validate_shape, &output);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& ref, const Tensor& value, bool validate_shape,
                    Tensor* output) {
    LegacyVar* variable = ReferredBy(ref);
    if (variable == nullptr)
      return errors::InvalidArgument("Input 0 of node ", context.op_kernel().name(), " was passed ", ref.dtype(),
                                     " incompatible with expected ", MakeRefType(value.dtype()), ".");
    {
      const tenon::MutexLock lock(variable->mutex);
      Tensor& old = variable->tensor;
      if (validate_shape && !(old.shape() == value.shape()))
        return errors::InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= ", old.shape(),
                                       " rhs shape= ", value.shape());
      const ElementMover mover = MoverOf(value.dtype());
      const bool in_place = mover.assign == nullptr && old.buffer() != nullptr && !variable->IsOfFile() &&
                            old.NumElements() == value.NumElements() && !old.SharesBufferWith(value);
      if (value.buffer() != nullptr && value.buffer()->root()->is_mapped_file()) {
        old = value;
      } else if (in_place) {
        Tensor reshaped(value.dtype());
        if (!reshaped.CopyFrom(old, value.shape())) return errors::Internal("Assign: sizes differ");
        old = reshaped;
        Copy(device, mover, value.raw_data(), old.raw_data(), value.NumElements());
      } else {
        TENON_ASSIGN_OR_RETURN(Tensor copy,
                               Tensor::Make(value.dtype(), value.shape(), context.environment().result_allocator));
        Copy(device, mover, value.raw_data(), copy.raw_data(), value.NumElements());
        old = std::move(copy);
      }
    }
    *output = ref;
    return OkStatus();
  }
};

// The variable itself.
struct RefIdentity {
  static constexpr auto signature = Op("RefIdentity")
                                        .Input("input: Ref(T)")
                                        .Output("output: Ref(T)")
                                        .Attr("T: type")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

struct IsVariableInitialized {
  static constexpr auto signature = Op("IsVariableInitialized")
                                        .Input("ref: Ref(dtype)")
                                        .Output("is_initialized: bool")
                                        .Attr("dtype: type")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(shape_inference::ScalarShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, const Tensor& ref, Out<bool> is_initialized) const {
      const LegacyVar* variable = ReferredBy(ref);
      if (variable == nullptr) {
        is_initialized[0] = true;  // a value was fed in its place
        return OkStatus();
      }
      const tenon::MutexLock lock(variable->mutex);
      is_initialized[0] = variable->tensor.IsInitialized();
      return OkStatus();
    }
  };
};

// A variable of this run, with memory but no values.
struct TemporaryVariable {
  static constexpr auto signature =
      Op("TemporaryVariable")
          .Output("ref: Ref(dtype)")
          .Attr("shape: shape")
          .Attr("dtype: type")
          .Attr("var_name: string = ''")
          .SetIsStateful()
          .SetShapeFn([](InferenceContext* c) { return detail::DeclaredShape(c, false); });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c), dtype_(BaseType(c->output_type(0))) {
      std::string_view name;
      c->SetStatus(detail::InitialShape(*c, &shape_));
      c->SetStatus(c->GetAttr("var_name", &name));
      var_name_ = name.empty() ? std::string_view(c->def().name) : name;
    }
    void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

   private:
    Status Run(OpKernelContext* context) const {
      if (context->step_container() == nullptr) return tenon::detail::NoResources(*context);
      Ref<LegacyVar> variable = detail::NewLegacyVar(dtype_, shape_);
      TENON_ASSIGN_OR_RETURN(variable->tensor, Tensor::Make(dtype_, shape_, context->environment().result_allocator));
      ZeroRun(MoverOf(dtype_), variable->tensor.raw_data(), shape_.num_elements());
      TENON_RETURN_IF_ERROR(context->step_container()->Create(StrCat("tmp_var:", var_name_), variable));
      context->set_output(0, RefTo(variable));
      return OkStatus();
    }

    DataType dtype_;
    TensorShape shape_;
    std::string var_name_;
  };
};

// The last value of a temporary variable, which is gone then.
struct DestroyTemporaryVariable {
  static constexpr auto signature = Op("DestroyTemporaryVariable")
                                        .Input("ref: Ref(T)")
                                        .Output("value: T")
                                        .Attr("T: type")
                                        .Attr("var_name: string")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::string_view var_name;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& ref, Tensor& value) const {
      if (context.op().step_container() == nullptr) return tenon::detail::NoResources(context.op());
      {
        LockedVar variable;
        TENON_RETURN_IF_ERROR(variable.Open(context.op(), 0, ref, context.op().expected_output_dtype(0)));
        value = variable.tensor();
      }
      return context.op().step_container()->template Delete<LegacyVar>(StrCat("tmp_var:", this->var_name));
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
