// SPDX-License-Identifier: Apache-2.0
#pragma once
// Resource variables: handles, reading, assigning, destroying.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr std::string_view kAnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";  // as TensorFlow writes it

inline Status VarHandleShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  ShapeHandle held;
  TENON_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  TENON_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &held));
  SlimVector<ShapeAndType> values;
  values.push_back({held, dtype});
  c->set_output_handle_shapes_and_types(0, values);
  return OkStatus();
}

inline Status VariableShapeShape(InferenceContext* c) {
  const SlimVector<ShapeAndType>* held = c->input_handle_shapes_and_types(0);
  const bool known = held != nullptr && !held->empty() && c->RankKnown((*held)[0].shape);
  c->set_output(0, c->Vector(known ? c->MakeDim(c->Rank((*held)[0].shape)) : c->UnknownDim()));
  return OkStatus();
}

inline Status NoVariable(const Tensor& input, const Status& status) {
  const ResourceHandle* handle = nullptr;
  TENON_RETURN_IF_ERROR(HandleOf(input, &handle));
  return errors::FailedPrecondition(
      "Could not find variable ", handle->name,
      ". This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. "
      "Debug info: container=",
      handle->container, ", status error message=", status.message());
}

inline Status ReadVariable(const OpKernelContext& context, const Tensor& resource, DataType dtype, Tensor* value) {
  Ref<Var> variable;
  if (const Status status = LookupResource<Var>(context, resource, &variable); !status.ok())
    return NoVariable(resource, status);
  const tenon::MutexLock lock(variable->mutex);
  if (!variable->is_initialized)
    return NoVariable(resource, errors::FailedPrecondition("the variable has no value yet"));
  if (variable->tensor.dtype() != dtype)
    return errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ", dtype, " got ",
                                   variable->tensor.dtype());
  TENON_RETURN_IF_ERROR(variable->BringTo(context));
  *value = variable->tensor;
  return OkStatus();
}

}  // namespace detail

// The handle of the variable called shared_name; the variable itself is made by the first assignment.
struct VarHandleOp {
  static constexpr auto signature = Op("VarHandleOp")
                                        .Output("resource: resource")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("debug_name: string = ''")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .Attr("allowed_devices: list(string) = []")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::VarHandleShape);

  static constexpr auto kernel_types = TypeAttrs();

  // The handle is the same in every run, so that programs take it as a constant; an anonymous one is made by each run.
  template <class Device>
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) {
      std::string_view container, name;
      DtypeAndPartialShape held;
      c->SetStatus(c->GetAttr("container", &container));
      c->SetStatus(c->GetAttr("shared_name", &name));
      c->SetStatus(c->GetAttr("dtype", &held.dtype));
      c->SetStatus(c->GetAttr("shape", &held.shape));
      if (!c->status().ok()) return;
      anonymous_ = name == detail::kAnonymousName;
      handle_ = MakeResourceHandle<Var>(c->device_name(), container, name);
      handle_.dtypes_and_shapes.push_back(std::move(held));
      if (anonymous_) return;
      c->SetStatus(tenon::detail::MakeHandleTensor(handle_, &tensor_));
    }
    void Compute(OpKernelContext* context) override {
      if (!anonymous_) return context->set_output(0, tensor_);
      static std::atomic<std::int64_t> counter{0};
      ResourceHandle handle = handle_;
      handle.name = StrCat("_AnonymousVar", counter.fetch_add(1, std::memory_order_relaxed));
      context->set_output(0, HandleTensor(std::move(handle)));
    }
    bool IsExpensive() const override { return false; }
    const Tensor* const_tensor() const override { return anonymous_ ? nullptr : &tensor_; }

   private:
    bool anonymous_ = false;
    ResourceHandle handle_;
    Tensor tensor_;
  };
};

// The value at this moment; later changes of the variable do not reach it.
struct ReadVariableOp {
  static constexpr auto signature = Op("ReadVariableOp")
                                        .Input("resource: resource")
                                        .Output("value: dtype")
                                        .Attr("dtype: type")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ReadVariableShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeVariable<Device>(c, c.output_type(0)); }
    Status operator()(Context<Device>& context, const Tensor& resource, Tensor& value) const {
      return detail::ReadVariable(context.op(), resource, context.op().expected_output_dtype(0), &value);
    }
  };
};

// ReadVariableOp for several variables, one after the other.
struct _ReadVariablesOp {
  static constexpr auto signature =
      Op("_ReadVariablesOp")
          .Input("resources: N * resource")
          .Output("values: dtypes")
          .Attr("N: int >= 0")
          .Attr("dtypes: list(type) >= 1")
          .SetIsStateful()
          .SetShapeFn([](InferenceContext* c) -> Status {
            std::span<const DataType> dtypes;
            TENON_RETURN_IF_ERROR(c->GetAttr("dtypes", &dtypes));
            if (static_cast<int>(dtypes.size()) != c->num_inputs())
              return errors::InvalidArgument("Mismatched number of arguments to ReadVariablesOp");
            for (int i = 0; i < c->num_inputs(); ++i) {
              ShapeAndType held;
              TENON_RETURN_IF_ERROR(detail::HeldByHandle(c, i, "", &held));
              if (held.dtype != DataType::kInvalid && held.dtype != dtypes[static_cast<std::size_t>(i)])
                return errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ", held.dtype,
                                               " got ", dtypes[static_cast<std::size_t>(i)]);
              c->set_output(i, held.shape);
            }
            return OkStatus();
          });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      for (const DataType type : c.output_types()) TENON_RETURN_IF_ERROR(ServeVariable<Device>(c, type));
      return OkStatus();
    }
    Status operator()(Context<Device>& context, std::span<const Tensor> resources, std::span<Tensor> values) const {
      for (std::size_t i = 0; i < values.size(); ++i)
        TENON_RETURN_IF_ERROR(detail::ReadVariable(
            context.op(), resources[i], context.op().expected_output_dtype(static_cast<int>(i)), &values[i]));
      return OkStatus();
    }
  };
};

// The variable takes over the value, and its buffer if that has no other owner. It is made when there is none.
struct AssignVariableOp {
  static constexpr auto signature = Op("AssignVariableOp")
                                        .Input("resource: resource")
                                        .Input("value: dtype")
                                        .Attr("dtype: type")
                                        .Attr("validate_shape: bool = false")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AssignVariableShape);

  struct Attrs {
    bool validate_shape;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed{kAllTypes.mask & ~ToSet(DataType::kQint16).mask &
                                       ~ToSet(DataType::kQuint16).mask & ~ToSet(DataType::kFloat8E4M3FNUZ).mask &
                                       ~ToSet(DataType::kFloat8E4M3B11FNUZ).mask &
                                       ~ToSet(DataType::kFloat8E5M2FNUZ).mask};

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeVariable<Device>(c, c.input_type(1), kServed); }
    Status operator()(Context<Device>& context, const Tensor& resource, const Tensor& value) const {
      return Run(context.op(), resource, value, this->validate_shape);
    }
  };

 private:
  static Status Run(const OpKernelContext& context, const Tensor& resource, const Tensor& value, bool validate_shape) {
    Ref<Var> variable;
    const DataType dtype = value.dtype();
    TENON_RETURN_IF_ERROR(LookupOrCreateResource<Var>(context, resource, &variable, [dtype](Ref<Var>* made) {
      *made = Ref<Var>::Adopt(new Var(dtype));
      return OkStatus();
    }));
    Tensor old(dtype);  // its memory is given back after the lock
    const tenon::MutexLock lock(variable->mutex);
    if (variable->tensor.dtype() != dtype)
      return errors::InvalidArgument("Trying to assign variable with wrong dtype. Expected ", variable->tensor.dtype(),
                                     " got ", dtype);
    if (validate_shape && variable->is_initialized && !(variable->tensor.shape() == value.shape()))
      return errors::InvalidArgument("Trying to assign to variable with tensor with wrong shape. Expected ",
                                     variable->tensor.shape(), " got ", value.shape());
    old = std::move(variable->tensor);
    variable->tensor = TakeValue(context);
    variable->is_initialized = true;
    // A shared buffer may be one that the caller of the run fed and will fill again. A mapped file does not change.
    return variable->IsOfFile() ? OkStatus() : variable->MakeWritable(context);
  }
  // The value. Where nothing else has it or reads it later, it is taken away, so that the variable needs no copy.
  static Tensor TakeValue(const OpKernelContext& context) {
    Tensor* const value = context.input_array()[1];
    if (context.frame()->last_use[1] == 0 || !value->RefCountIsOne() || !value->HostAccessible()) return *value;
    return std::exchange(*value, Tensor(value->dtype()));
  }
};

struct VarIsInitializedOp {
  static constexpr auto signature = Op("VarIsInitializedOp")
                                        .Input("resource: resource")
                                        .Output("is_initialized: bool")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);

  template <class Device>
  struct kernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Context<Device>& context, const Tensor& resource, Out<bool> is_initialized) const {
      Ref<Var> variable;
      const Status status = LookupResource<Var>(context.op(), resource, &variable);
      if (!status.ok()) {
        is_initialized[0] = false;
        return OkStatus();
      }
      const tenon::MutexLock lock(variable->mutex);
      is_initialized[0] = variable->is_initialized;
      return OkStatus();
    }
  };
};

// Reading never copies a variable here, so that there is nothing to disable. Graphs of SavedModels have it where they
// save a variable.
struct DisableCopyOnRead {
  static constexpr auto signature =
      Op("DisableCopyOnRead").Input("resource: resource").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& resource) const {
      Ref<Var> variable;
      const Status status = LookupResource<Var>(context.op(), resource, &variable);
      return status.ok() ? status : detail::NoVariable(resource, status);
    }
  };
};

// Deletes the resource of any kind that a handle names. A resource that handles alone keep goes with the last handle.
struct DestroyResourceOp {
  static constexpr auto signature = Op("DestroyResourceOp")
                                        .Input("resource: resource")
                                        .Attr("ignore_lookup_error: bool = true")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  struct Attrs {
    bool ignore_lookup_error;
  };

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& resource) const {
      const ResourceHandle* handle = nullptr;
      ResourceMgr* resources = nullptr;
      TENON_RETURN_IF_ERROR(HandleOf(resource, &handle));
      TENON_RETURN_IF_ERROR(GetResources(context.op(), &resources));
      if (handle->IsRefCounting()) return OkStatus();
      const Status status = resources->Delete(*handle);
      return this->ignore_lookup_error && status.code() == Code::kNotFound ? OkStatus() : status;
    }
  };
};

// The shape of the variable's value as a vector.
struct VariableShape {
  static constexpr auto signature = Op("VariableShape")
                                        .Input("input: resource")
                                        .Output("output: out_type")
                                        .Attr("out_type: {int32, int64} = DT_INT32")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::VariableShapeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    static constexpr bool outputs_on_host = true;

    Status operator()(Context<Device>& context, const Tensor& resource, Tensor& output) const {
      Ref<Var> variable;
      TENON_RETURN_IF_ERROR(LookupResource<Var>(context.op(), resource, &variable));
      TensorShape shape;
      {
        const tenon::MutexLock lock(variable->mutex);
        shape = variable->tensor.shape();
      }
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, TensorShape({shape.dims()}), &out));
      for (int d = 0; d < shape.dims(); ++d) {
        const Index size = shape.dim_size(d);
        if (out->dtype() == DataType::kInt64) {
          out->data<std::int64_t>()[d] = size;
        } else if (size > INT32_MAX) {
          return errors::InvalidArgument("VariableShape: dimension ", d, " = ", size, " does not fit into int32");
        } else {
          out->data<std::int32_t>()[d] = static_cast<std::int32_t>(size);
        }
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
