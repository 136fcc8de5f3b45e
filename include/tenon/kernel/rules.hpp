// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every law an op struct must obey, one struct per law: a compile error names the law as a sentence, and its template
// arguments name the op, the device, the types and the argument that broke it. docs/reference/errors.md has one anchor
// for each.

#include <cstddef>

#include <tenon/base/fixed_string.hpp>
#include <tenon/base/span.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace rule {

template <class Op, bool is_a_constant_of_Op>
struct OpHasASignature {
  static_assert(
      is_a_constant_of_Op,
      "tenon: an op is a struct with a public `static constexpr auto signature = tenon::Op(\"Name\")...`; what is "
      "registered here has none (or one with a mistake, which stands above)");
};

template <class Op, bool the_signature_has_a_shape_function_or_no_outputs>
struct SignatureIsComplete {
  static_assert(the_signature_has_a_shape_function_or_no_outputs,
                "tenon: the signature has outputs but no SetShapeFn(...): nobody can size them");
};

template <class Op, class Device, bool some_combination_of_types_is_accepted>
struct KernelHasOneTypeParameterPerTypeAttr {
  static_assert(
      some_combination_of_types_is_accepted,
      "tenon: template <class Device, class...> struct kernel must be public and take exactly one type per type attr that has "
      "a list of types (or per attr named in kernel_types), in signature order; no combination fits this op's kernel");
};

template <class Op, bool is_named_kernel>
struct KernelIsNamedKernel {
  static_assert(is_named_kernel,
                "tenon: this op has no `kernel`, but a member Kernel, or one that only kernels use (Attrs, unused, "
                "kernel_types, kernel_match): write `template <class Device, class...> struct kernel`");
};

template <class Op, class Kernel, std::size_t declared, std::size_t expected>
struct KernelCallTakesDeviceInputsOutputs {
  static_assert(
      declared == expected,
      "tenon: kernel::operator() must be (Device&, one In<> per input, one Out<> per output[, Done]) in signature order");
};

template <class Op, class Device, class Found, bool is_the_device_or_its_context>
struct KernelTakesItsDeviceFirst {
  static_assert(is_the_device_or_its_context,
                "tenon: the first parameter of kernel::operator() must be Device& or Context<Device>&");
};

template <class Op, class Kernel, bool is_one_const_member_function>
struct KernelCallIsOneConstFunction {
  static_assert(
      is_one_const_member_function,
      "tenon: kernel::operator() must be one const member function, neither overloaded nor a template, returning Status "
      "(void when its last parameter is Done)");
};

template <class Op, class Kernel, bool has_for_gpu>
struct KernelForGpuSaysSo {
  static_assert(
      has_for_gpu,
      "tenon: in a .cu, a kernel whose parameters are elements runs on the host and may not touch them: compute "
      "in ForEach(device, n, body) and say so with `static constexpr bool for_gpu = true;` in the kernel, or "
      "leave it to the CPU with `requires(Device::type == \"CPU\")` before it");
};

template <FixedString input, class Expected, class Found, bool fits>
struct KernelParameterForInput {
  static_assert(
      fits,
      "tenon: this parameter of kernel::operator() must be In<T> or In<T, Rank> (HostIn, InList, const Tensor& ...) for the "
      "input named in this type, with the element type named after it");
};

template <FixedString output, class Expected, class Found, bool fits>
struct KernelParameterForOutput {
  static_assert(
      fits,
      "tenon: this parameter of kernel::operator() must be Out<T> or Out<T, Rank> (Forward, OutList, Late&, Tensor& ...) for "
      "the output named in this type, with the element type named after it");
};

template <class Op, FixedString output, bool names_inputs_of_the_signature>
struct ForwardNamesInputsOfTheSignature {
  static_assert(names_inputs_of_the_signature,
                "tenon: Forward<T, I...> names an input number that the signature does not have");
};

template <class Op, class Attrs, bool can_be_taken_apart>
struct AttrsIsAPlainStruct {
  static_assert(
      can_be_taken_apart,
      "tenon: Attrs must be a plain struct: public data members only, 24 at most, no base class, no constructor");
};

template <class Op, FixedString member, bool is_an_attr_of_the_signature>
struct AttrsMembersAreAttrs {
  static_assert(
      is_an_attr_of_the_signature,
      "tenon: this member of Attrs is not an attr of the signature (the data members must be the signature's attrs, by name)");
};

template <class Op, FixedString attr, bool has_the_type_of_its_attr>
struct AttrsMembersHaveTheirTypes {
  static_assert(
      has_the_type_of_its_attr,
      "tenon: this member of Attrs has another type than its attr: int std::int64_t, float float, bool bool, string "
      "std::string_view, type DataType, shape PartialTensorShape, tensor Tensor, func const NameAttrList*, list(...) "
      "std::span<const ...> of these (list(bool) of char, list(string) of std::string, list(func) of NameAttrList)");
};

template <class Op, FixedString attr, bool is_a_member_of_Attrs_or_named_in_unused>
struct EveryAttrIsReadOrNamedInUnused {
  static_assert(
      is_a_member_of_Attrs_or_named_in_unused,
      "tenon: this attr is neither a data member of Attrs nor named in `static constexpr std::string_view unused[]`: the data "
      "members must be the signature's attrs, or the kernel must say that it does not need them");
};

template <class Op, FixedString name, bool is_a_type_attr_of_the_signature>
struct KernelTypesNameTypeAttrs {
  static_assert(is_a_type_attr_of_the_signature,
                "tenon: kernel_types names something that is not a type attr with a list of types");
};

template <class Op, FixedString name, bool is_an_attr_of_the_signature>
struct UnusedNamesAttrs {
  static_assert(is_an_attr_of_the_signature, "tenon: `unused` names something that is not an attr of the signature");
};

template <class Op, class Found, bool is_a_list_of_names>
struct UnusedIsAListOfNames {
  static_assert(
      is_a_list_of_names,
      "tenon: write `static constexpr std::string_view unused[] = {\"attr\", ...}`; unused of another type means "
      "nothing");
};

template <class Op, class Found, bool is_made_by_TypeAttrs>
struct KernelTypesIsTypeAttrs {
  static_assert(
      is_made_by_TypeAttrs,
      "tenon: write `static constexpr auto kernel_types = tenon::TypeAttrs(\"T\", ...)`; kernel_types of another "
      "type means nothing");
};

template <class Op, int found, bool at_most_four>
struct KernelHasAtMostFourTypes {
  static_assert(at_most_four,
                "tenon: a kernel is a template over four types at most: name those it needs in `static constexpr auto "
                "kernel_types = tenon::TypeAttrs(...)`; the tensors of the other types come as const Tensor&");
};

template <class Op, class Found, bool is_a_KernelMatch>
struct KernelMatchIsAKernelMatch {
  static_assert(
      is_a_KernelMatch,
      "tenon: write `static constexpr auto kernel_match = tenon::KernelMatch()...`; kernel_match of another type "
      "means nothing");
};

template <class Op, FixedString attr, bool is_an_attr_of_the_signature>
struct KernelMatchNamesAttrs {
  static_assert(is_an_attr_of_the_signature, "tenon: kernel_match has a constraint on something that is not an attr");
};

template <class Op, FixedString attr, bool is_of_the_kind_of_its_values>
struct KernelMatchValuesFitTheirAttrs {
  static_assert(
      is_of_the_kind_of_its_values,
      "tenon: kernel_match gives this attr values of another kind: int, bool, string and type (or list(type)) attrs "
      "take integers, bools, texts and DataTypes");
};

template <class Op, FixedString argument, bool is_an_argument_of_the_signature>
struct KernelMatchNamesArguments {
  static_assert(is_an_argument_of_the_signature,
                "tenon: HostMemory of kernel_match names something that is neither an input nor an output");
};

template <class Narrow, class Device, bool some_op_has_a_kernel_for_these_types>
struct TypesLeaveAKernel {
  static_assert(
      some_op_has_a_kernel_for_these_types,
      "tenon: these Types<...> leave none of the listed ops a kernel on this device: what would be registered is "
      "nothing");
};

template <class Op, bool complex_numbers_have_their_header>
struct ComplexTypesNeedTheirHeader {
  static_assert(complex_numbers_have_their_header,
                "tenon: the op allows complex64 or complex128: include <tenon/types/complex.hpp> where it is defined");
};

template <class Op, class Kernel, bool derives_from_Attrs>
struct KernelDerivesFromAttrs {
  static_assert(derives_from_Attrs, "tenon: the op has attrs for its kernel: write `struct kernel : Attrs`");
};

template <class Op, class Kernel, bool takes_a_construction>
struct KernelInitTakesConstruction {
  static_assert(
      takes_a_construction,
      "tenon: the kernel's Init cannot be called: write `tenon::Status Init(tenon::OpKernelConstruction& c)`");
};

template <class Op, class Kernel, bool can_be_made_of_nothing>
struct KernelIsDefaultConstructible {
  static_assert(can_be_made_of_nothing,
                "tenon: a kernel is made without arguments: read attrs as members of Attrs, and the rest in Init");
};

}  // namespace rule

namespace detail {

// Naming Report<a broken law> makes the compiler say so, at the end of the file: the function that names it stays fit
// for constant expressions, so there is no other error.
template <class Rule>
void Report() {
  (void)sizeof(Rule);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
