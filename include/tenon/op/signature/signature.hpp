// SPDX-License-Identifier: Apache-2.0
#pragma once
// The op language: TensorFlow's registration strings, read by the C++ compiler.
//
//   static constexpr auto signature = tenon::Op("MatMul").Input("a: T").Input("b: T").Output("product: T")
//       .Attr("T: {float, double}").SetShapeFn(tenon::shape_inference::MatMulShape);
//
// A mistake in a string is a compile error on its line. The value lies in read-only data; nothing is parsed at
// start-up.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/signature/spec_reader.hpp>
#include <tenon/types/dtype.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Status;
class InferenceContext;
using ShapeFn = Status (*)(InferenceContext*);  // op/shape/inference_context.hpp

struct OpFlags {
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  bool is_distributed_communication = false;

  friend constexpr bool operator==(const OpFlags&, const OpFlags&) = default;
};

// The value of an attr of one node, as far as argument types need it.
struct ArgAttrValue {
  std::int64_t number = 0;            // value of an int attr
  DataType type = DataType::kInvalid;  // value of a type attr
  Span<const DataType> types;     // value of a list(type) attr
};

// Any signature without its sizes, as registries, graphs and executors hold it. Points at static data (or at an
// OwnedOp).
struct OpView {
  std::string_view name;
  Span<const ArgSpec> inputs;
  Span<const ArgSpec> outputs;
  Span<const AttrSpec> attrs;
  Span<const std::string_view> control_outputs;
  ShapeFn shape_fn = nullptr;
  OpFlags flags;
  int deprecated_since = 0;  // GraphDef version from which on the op is gone; 0: never
  std::string_view deprecation_text;
  std::string_view doc;

  // Position in attrs, or -1.
  constexpr int AttrIndex(std::string_view attr_name) const {
    for (std::size_t i = 0; i < attrs.size(); ++i)
      if (attrs[i].name() == attr_name) return static_cast<int>(i);
    return -1;
  }
  constexpr const AttrSpec* FindAttr(std::string_view attr_name) const {
    const int i = AttrIndex(attr_name);
    return i < 0 ? nullptr : &attrs[static_cast<std::size_t>(i)];
  }
  // The input or output of that name, or null.
  constexpr const ArgSpec* FindArg(std::string_view arg_name) const {
    for (const Span<const ArgSpec> args : {inputs, outputs})
      for (const ArgSpec& arg : args)
        if (arg.name() == arg_name) return &arg;
    return nullptr;
  }
  // The attr that gives an argument its type or types; null when the type is fixed.
  constexpr const AttrSpec* TypeAttr(const ArgSpec& arg) const {
    return arg.type_attr_index < 0 ? nullptr : &attrs[static_cast<std::size_t>(arg.type_attr_index)];
  }
  // The N of "N * T"; null when there is none.
  constexpr const AttrSpec* NumberAttr(const ArgSpec& arg) const {
    return arg.number_attr_index < 0 ? nullptr : &attrs[static_cast<std::size_t>(arg.number_attr_index)];
  }

  // How many tensors an argument stands for on a node. `find(const AttrSpec&, ArgAttrValue*)` looks the node's attrs up
  // and returns false for one that is missing; then the answer is -1.
  template <class Find>
  constexpr std::int64_t ArgCount(const ArgSpec& arg, Find&& find) const {
    ArgAttrValue value;
    if (arg.number_attr_index >= 0) return find(*NumberAttr(arg), &value) ? value.number : -1;
    if (arg.is_type_list) return find(*TypeAttr(arg), &value) ? static_cast<std::int64_t>(value.types.size()) : -1;
    return 1;
  }
  // Calls emit(DataType) once for each tensor of an argument, reference types as such. False when an attr is missing or
  // the number is negative.
  template <class Find, class Emit>
  constexpr bool ForEachType(const ArgSpec& arg, Find&& find, Emit&& emit) const {
    const auto emit_one = [&](DataType type) { emit(arg.is_ref ? MakeRefType(type) : type); };
    ArgAttrValue value;
    if (arg.is_type_list) {
      if (!find(*TypeAttr(arg), &value)) return false;
      for (const DataType type : value.types) emit_one(type);
      return true;
    }
    const std::int64_t count = ArgCount(arg, find);
    if (count < 0) return false;
    DataType type = arg.type;
    if (type == DataType::kInvalid) {
      if (arg.type_attr_index < 0 || !find(*TypeAttr(arg), &value)) return false;
      type = value.type;
    }
    for (std::int64_t i = 0; i < count; ++i) emit_one(type);
    return true;
  }
};

namespace detail {

void op_signature_error_same_name_used_twice();
void op_signature_error_type_is_neither_a_dtype_nor_a_declared_attr();
void op_signature_error_type_must_be_an_attr_of_kind_type_or_list_of_type();
void op_signature_error_length_of_an_argument_must_be_a_declared_int_attr();
void op_signature_error_length_of_an_argument_must_have_a_minimum_of_0_or_more();
void op_signature_error_length_and_list_of_type_cannot_be_combined();
void op_signature_error_reference_type_is_written_Ref_of_the_type();
void op_signature_error_attr_has_the_name_of_a_dtype();
void op_signature_error_minimum_of_a_list_must_be_0_or_more();
void op_signature_error_default_is_less_than_the_minimum();
void op_signature_error_default_is_not_an_allowed_value();
void op_signature_error_default_type_must_be_a_known_type_and_no_reference();
void op_signature_error_op_name_must_be_CamelCase();
void op_signature_error_control_output_name_is_not_an_identifier();
void op_signature_error_shape_fn_is_set_twice();
void op_signature_error_doc_is_set_twice();
void op_signature_error_doc_explains_a_name_that_is_no_argument_and_no_attr();
void op_signature_error_deprecated_is_set_twice();

// An array of exactly N, also for N = 0.
template <class T, std::size_t N>
struct SpecArray {
  T items[N] = {};

  constexpr Span<const T> view() const { return {items, N}; }
};
template <class T>
struct SpecArray<T, 0> {
  constexpr Span<const T> view() const { return {}; }
};

// [A-Z][A-Za-z0-9_]* with '>' between namespaces; names that begin with '_' belong to the runtime and may be anything.
constexpr bool IsOpName(std::string_view name) {
  if (!name.empty() && name.front() == '_') return true;
  bool first = true;
  for (const char c : name) {
    if (first ? !(c >= 'A' && c <= 'Z') : !IsWordChar(c) && c != '>') return false;
    first = c == '>';
  }
  return !first;
}

// Whether the word at text[begin] is this name.
constexpr bool WordIs(std::string_view text, std::size_t begin, const char* name, std::size_t size) {
  const char* word = text.data() + begin;
  if (text.size() - begin < size) return false;
  std::size_t i = 0;
  while (i < size && word[i] == name[i]) ++i;
  return i == size && (begin + size == text.size() || !IsWordChar(word[size]));
}

// Makes an argument and an attr acquainted if the argument names it. TensorFlow's side effect comes along: an attr that
// counts tensors has a minimum of 1 unless it says otherwise.
constexpr void Link(ArgSpec* arg, AttrSpec* attr, std::size_t attr_index) {
  const char* name = attr->text.data();
  bool counts = false;
  if (arg->number_begin != 0 && arg->number_attr_index < 0 &&
      WordIs(arg->text, arg->number_begin, name, attr->name_size)) {
    arg->number_attr_index = static_cast<std::int16_t>(attr_index);
    counts = true;
  }
  if (arg->type == DataType::kInvalid && arg->type_attr_index < 0 &&
      WordIs(arg->text, arg->type_begin, name, attr->name_size)) {
    arg->type_attr_index = static_cast<std::int16_t>(attr_index);
    arg->is_type_list = attr->is_type_list();
    counts = counts || (arg->is_type_list && arg->number_begin == 0);
  }
  if (counts && !attr->has_minimum) {
    attr->has_minimum = true;
    attr->minimum = 1;
  }
}

template <class Spec>
constexpr void CheckNewName(const char* name, std::size_t size, Span<const Spec> others) {
  for (const Spec& other : others) {
    if (other.name_size != size) continue;
    const char* text = other.text.data();
    std::size_t i = 0;
    while (i < size && text[i] == name[i]) ++i;
    if (i == size) op_signature_error_same_name_used_twice();
  }
}
constexpr void CheckNewName(std::string_view text, std::size_t size, Span<const ArgSpec> a, Span<const ArgSpec> b,
                            Span<const AttrSpec> c) {
  CheckNewName(text.data(), size, a);
  CheckNewName(text.data(), size, b);
  CheckNewName(text.data(), size, c);
}

constexpr void CheckArg(const ArgSpec& arg, Span<const AttrSpec> attrs) {
  if (IsRefType(arg.type)) op_signature_error_reference_type_is_written_Ref_of_the_type();
  if (arg.type == DataType::kInvalid) {
    if (arg.type_attr_index < 0)
      op_signature_error_type_is_neither_a_dtype_nor_a_declared_attr();
    else if (attrs[static_cast<std::size_t>(arg.type_attr_index)].kind != AttrKind::kType)
      op_signature_error_type_must_be_an_attr_of_kind_type_or_list_of_type();
  }
  if (arg.number_begin == 0) return;
  if (arg.is_type_list) op_signature_error_length_and_list_of_type_cannot_be_combined();
  if (arg.number_attr_index < 0) op_signature_error_length_of_an_argument_must_be_a_declared_int_attr();
  const AttrSpec& number = attrs[static_cast<std::size_t>(arg.number_attr_index)];
  if (number.kind != AttrKind::kInt || number.is_list)
    op_signature_error_length_of_an_argument_must_be_a_declared_int_attr();
  if (number.minimum < 0) op_signature_error_length_of_an_argument_must_have_a_minimum_of_0_or_more();
}

constexpr void CheckAttr(const AttrSpec& attr) {
  if (FindType(attr.text.data(), attr.name_size) != DataType::kInvalid)
    op_signature_error_attr_has_the_name_of_a_dtype();
  if (attr.is_list && attr.minimum < 0) op_signature_error_minimum_of_a_list_must_be_0_or_more();
  const bool limited = attr.kind == AttrKind::kType || attr.allowed != AllowedForm::kNone || attr.has_minimum;
  if (!attr.has_default || !limited) return;
  DefaultReader values(attr);
  std::int64_t count = 0;
  for (SpecValue value; values.Next(&value); ++count) {
    if (attr.kind == AttrKind::kInt && !attr.is_list && attr.has_minimum && value.i < attr.minimum)
      op_signature_error_default_is_less_than_the_minimum();
    if (attr.kind == AttrKind::kType) {
      if (!kAllTypes.contains(value.type)) op_signature_error_default_type_must_be_a_known_type_and_no_reference();
      if (!attr.allowed_types.empty() && !attr.allowed_types.contains(value.type))
        op_signature_error_default_is_not_an_allowed_value();
    }
    if (attr.allowed == AllowedForm::kStrings) {
      bool found = false;
      for (AllowedReader allowed(attr); !found && allowed.Next();) found = SameUnescaped(allowed.string(), value.text);
      if (!found) op_signature_error_default_is_not_an_allowed_value();
    }
  }
  if (attr.is_list && attr.has_minimum && count < attr.minimum) op_signature_error_default_is_less_than_the_minimum();
}

template <class Spec>
constexpr bool IsNamed(Span<const Spec> specs, std::string_view name) {
  for (const Spec& spec : specs)
    if (SameText(name, spec.text.data(), spec.name_size)) return true;
  return false;
}
// Behind the first line that is not blank, a line "name: ..." explains an argument or an attr.
constexpr void CheckDoc(std::string_view doc, Span<const ArgSpec> inputs, Span<const ArgSpec> outputs,
                        Span<const AttrSpec> attrs) {
  bool is_summary_read = false;
  for (TextCursor in(doc); !in.done(); (void)in.Eat('\n')) {
    const std::string_view name = IsLetter(in.peek()) ? in.EatWhile(kWordChars) : std::string_view();
    while (IsSpace(in.peek()) && in.peek() != '\n') ++in.at;
    const bool is_explanation = is_summary_read && !name.empty() && in.peek() == ':';
    is_summary_read = is_summary_read || !name.empty() || !(in.done() || in.peek() == '\n');
    while (!in.done() && in.peek() != '\n') ++in.at;
    if (is_explanation && !IsNamed(inputs, name) && !IsNamed(outputs, name) && !IsNamed(attrs, name))
      op_signature_error_doc_explains_a_name_that_is_no_argument_and_no_attr();
  }
}

// The arguments, attrs and control outputs of a signature.
template <int In, int Out, int At, int Ct>
struct SignatureSpecs {
  SpecArray<ArgSpec, In> inputs;
  SpecArray<ArgSpec, Out> outputs;
  SpecArray<AttrSpec, At> attrs;
  SpecArray<std::string_view, Ct> control_outputs;
};

}  // namespace detail

// The description of one op, as large as it needs to be: In inputs, Out outputs, At attrs, Ct control outputs. A
// literal value; every member function returns a new one. Attrs and arguments may come in any order.
template <int In, int Out, int At, int Ct = 0>
struct Signature : detail::SignatureSpecs<In, Out, At, Ct> {
  static constexpr int kInputs = In;
  static constexpr int kOutputs = Out;
  static constexpr int kAttrs = At;

  std::string_view name;
  ShapeFn shape_fn = nullptr;
  std::string_view doc;
  std::string_view deprecation_text;
  int deprecated_since = 0;
  OpFlags flags;
  using Specs = detail::SignatureSpecs<In, Out, At, Ct>;
  using Specs::attrs;
  using Specs::control_outputs;
  using Specs::inputs;
  using Specs::outputs;

  // "name: T", "name: N * T", "name: list_attr", "name: float", "name: Ref(T)".
  constexpr auto Input(std::string_view spec) const {
    auto next = Grown<In + 1, Out, At, Ct>();
    next.AddArg(&next.inputs.items[In], spec, inputs.view(), outputs.view());
    return next;
  }
  constexpr auto Output(std::string_view spec) const {
    auto next = Grown<In, Out + 1, At, Ct>();
    next.AddArg(&next.outputs.items[Out], spec, inputs.view(), outputs.view());
    return next;
  }
  // "name: int >= 1 = 2", "name: {float, int32} = DT_FLOAT", "name: list(string) = []", ...
  constexpr auto Attr(std::string_view spec) const {
    auto next = Grown<In, Out, At + 1, Ct>();
    AttrSpec& attr = next.attrs.items[At];
    detail::StopOnSpecError(ReadAttrSpec(spec, &attr));
    detail::CheckNewName(spec, attr.name_size, inputs.view(), outputs.view(), attrs.view());
    if constexpr (In > 0)
      for (ArgSpec& arg : next.inputs.items) detail::Link(&arg, &attr, At);
    if constexpr (Out > 0)
      for (ArgSpec& arg : next.outputs.items) detail::Link(&arg, &attr, At);
    return next;
  }
  constexpr auto ControlOutput(std::string_view control_name) const {
    auto next = Grown<In, Out, At, Ct + 1>();
    if (control_name.empty() || !detail::IsLetter(control_name.front()))
      detail::op_signature_error_control_output_name_is_not_an_identifier();
    std::size_t size = 0;
    while (size < control_name.size() && detail::IsWordChar(control_name[size])) ++size;
    next.control_outputs.items[Ct] = control_name.substr(0, size);
    return next;
  }

  // A function `Status (*)(InferenceContext*)` or a lambda without captures.
  constexpr Signature SetShapeFn(ShapeFn fn) const {
    if (shape_fn != nullptr) detail::op_signature_error_shape_fn_is_set_twice();
    Signature next = *this;
    next.shape_fn = fn;
    return next;
  }
  constexpr Signature SetIsStateful() const { return WithFlag(&OpFlags::is_stateful); }
  constexpr Signature SetIsCommutative() const { return WithFlag(&OpFlags::is_commutative); }
  constexpr Signature SetIsAggregate() const { return WithFlag(&OpFlags::is_aggregate); }
  constexpr Signature SetAllowsUninitializedInput() const { return WithFlag(&OpFlags::allows_uninitialized_input); }
  constexpr Signature SetIsDistributedCommunication() const { return WithFlag(&OpFlags::is_distributed_communication); }
  // Graphs of this GraphDef version or later may not hold the op.
  constexpr Signature Deprecated(int version, std::string_view explanation) const {
    if (deprecated_since != 0 || !deprecation_text.empty()) detail::op_signature_error_deprecated_is_set_twice();
    Signature next = *this;
    next.deprecated_since = version;
    next.deprecation_text = explanation;
    return next;
  }
  constexpr Signature Doc(std::string_view text) const {
    if (!doc.empty()) detail::op_signature_error_doc_is_set_twice();
    Signature next = *this;
    next.doc = text;
    return next;
  }

  // The checks that need the whole declaration (TensorFlow's ValidateOpDef). Stops the compiler on a mistake; the
  // library asks for it, in a constant expression, wherever an op struct is used.
  constexpr bool Validate() const {
    if (!detail::IsOpName(name)) detail::op_signature_error_op_name_must_be_CamelCase();
    for (const ArgSpec& arg : inputs.view()) detail::CheckArg(arg, attrs.view());
    for (const ArgSpec& arg : outputs.view()) detail::CheckArg(arg, attrs.view());
    for (const AttrSpec& attr : attrs.view()) detail::CheckAttr(attr);
    detail::CheckDoc(doc, inputs.view(), outputs.view(), attrs.view());
    return true;
  }

  // Points into this value, which must outlive the view.
  constexpr OpView view() const { return view(*this); }
  // Points into `specs`, a copy of this value's.
  constexpr OpView view(const Specs& specs) const {
    return {name,
            specs.inputs.view(),
            specs.outputs.view(),
            specs.attrs.view(),
            specs.control_outputs.view(),
            shape_fn,
            flags,
            deprecated_since,
            deprecation_text,
            doc};
  }
  constexpr const AttrSpec* FindAttr(std::string_view attr_name) const {
    for (const AttrSpec& attr : attrs.view())
      if (attr.name() == attr_name) return &attr;
    return nullptr;
  }

 private:
  template <int, int, int, int>
  friend struct Signature;

  template <int In2, int Out2, int At2, int Ct2>
  constexpr Signature<In2, Out2, At2, Ct2> Grown() const {
    Signature<In2, Out2, At2, Ct2> next{{}, name, shape_fn, doc, deprecation_text, deprecated_since, flags};
    if constexpr (In > 0)
      for (int i = 0; i < In; ++i) next.inputs.items[i] = inputs.items[i];
    if constexpr (Out > 0)
      for (int i = 0; i < Out; ++i) next.outputs.items[i] = outputs.items[i];
    if constexpr (At > 0)
      for (int i = 0; i < At; ++i) next.attrs.items[i] = attrs.items[i];
    if constexpr (Ct > 0)
      for (int i = 0; i < Ct; ++i) next.control_outputs.items[i] = control_outputs.items[i];
    return next;
  }
  constexpr void AddArg(ArgSpec* arg, std::string_view spec, Span<const ArgSpec> old_inputs,
                        Span<const ArgSpec> old_outputs) {
    detail::StopOnSpecError(ReadArgSpec(spec, arg));
    detail::CheckNewName(spec, arg->name_size, old_inputs, old_outputs, attrs.view());
    if constexpr (At > 0)
      for (std::size_t i = 0; i < At; ++i) detail::Link(arg, &attrs.items[i], i);
    if (arg->type == DataType::kResource) flags.is_stateful = true;
  }
  constexpr Signature WithFlag(bool OpFlags::* flag) const {
    Signature next = *this;
    next.flags.*flag = true;
    return next;
  }
};

// Begins the description of an op: Op("ZeroOut").Input("to_zero: T")...
constexpr Signature<0, 0, 0> Op(std::string_view name) {
  Signature<0, 0, 0> signature;
  signature.name = name;
  return signature;
}

TENON_DETAIL_NAMESPACE_END
