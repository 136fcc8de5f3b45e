// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handles of the older ops: a reference to a string tensor [container, name] where the newer ones pass a resource.

#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/variable.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// The strings [container, name]. ResourceExhausted: no memory; *made stays.
inline Status MakeNames(std::string_view container, std::string_view name, Tensor* made) {
  TENON_ASSIGN_OR_RETURN(Tensor names, Tensor::Make(DataType::kString, TensorShape({2})));
  names.data<tstring>()[0] = tstring(container);
  names.data<tstring>()[1] = tstring(name);
  *made = std::move(names);
  return OkStatus();
}
// The tensor that a reference output carries. ResourceExhausted: no memory; *made stays.
inline Status MakeHandleReference(std::string_view container, std::string_view name, Tensor* made) {
  auto variable = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kString));
  TENON_RETURN_IF_ERROR(MakeNames(container, name, &variable->tensor));
  *made = RefTo(std::move(variable), TensorShape({2}));
  return OkStatus();
}
// The handle of a resource for output `i`, as its type wants it. ResourceExhausted: no memory; *made stays.
template <class T>
Status MakeHandleFor(const OpKernelContext& context, int i, const ContainerInfo& info, Tensor* made) {
  if (IsRefType(context.expected_output_dtype(i))) return MakeHandleReference(info.container, info.name, made);
  return tenon::detail::MakeHandleTensor(MakeResourceHandle<T>(context.device_name(), info.container, info.name), made);
}

// The resource that input `number` names, by handle or by reference. NotFound when there is none.
template <class T>
Status LookupEither(const OpKernelContext& context, int number, Ref<T>* resource) {
  const Tensor& input = context.input(number);
  if (input.dtype() == DataType::kResource) return LookupResource<T>(context, input, resource);
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  LegacyVar* const variable = ReferredBy(input);
  if (variable == nullptr || input.dtype() != MakeRefType(DataType::kString))
    return errors::InvalidArgument("Input ", number, " of node ", context.op_kernel().name(), " was passed ",
                                   input.dtype(), " incompatible with expected ", MakeRefType(DataType::kString), ".");
  Tensor names;
  TENON_RETURN_IF_ERROR(ReadReference(input, context.op_kernel().name(), &names));
  if (names.NumElements() != 2)
    return errors::InvalidArgument("Resource handle must have two elements, but had shape: ", names.shape());
  return resources->Lookup<T>(names.data<tstring>()[0].view(), names.data<tstring>()[1].view(), resource);
}

// The shape [2] of such a handle.
inline Status TwoElementOutput(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return OkStatus();
}
inline Status CheckTwoElements(InferenceContext* c, int input) {
  ShapeHandle handle;
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(input), 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}
inline Status TwoElementInputsScalarOutputs(InferenceContext* c) {
  for (int i = 0; i < c->num_inputs(); ++i) TENON_RETURN_IF_ERROR(CheckTwoElements(c, i));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
