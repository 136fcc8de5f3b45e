// SPDX-License-Identifier: Apache-2.0
#pragma once
// REGISTER_KERNEL_BUILDER for kernels of this layer, with every call of TensorFlow's builder.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/compat/register.hpp>
#include <tenon/compat/tensorflow/op_kernel.hpp>
#include <tenon/compat/tensorflow/proto/device.hpp>

TENON_DETAIL_SETUP_CODE_BEGIN

namespace tensorflow {

// The label of kernels that are compiled while a program runs.
inline constexpr const char* kJitKernelLabel = "JITCompiledKernel";

// Holds no message: Build() makes the first.
class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(const char* op) : name_(op) {}
  explicit KernelDefBuilder(const std::string& op) : name_(op) {}
  KernelDefBuilder& Device(const char* type) { return name_.Device(type), *this; }
  KernelDefBuilder& Device(const std::string& type) { return name_.Device(type), *this; }
  KernelDefBuilder& Device(const DeviceType& type) { return Device(type.type()); }
  template <class T>
  KernelDefBuilder& TypeConstraint(const char* attr) {
    return TypeConstraint(attr, DataTypeToEnum<T>::value);
  }
  KernelDefBuilder& TypeConstraint(const char* attr, DataType type) {
    return name_.TypeConstraint(attr, ToTenon(type)), *this;
  }
  KernelDefBuilder& TypeConstraint(const char* attr, gtl::ArraySlice<DataType> types) {
    const std::vector<tenon::DataType> allowed = ToTenonTypes(types);
    return name_.TypeConstraint(attr, tenon::Span<const tenon::DataType>(allowed.data(), allowed.size())), *this;
  }
  template <class T>
  KernelDefBuilder& AttrConstraint(const char* attr, T value) {
    return name_.AttrConstraint(attr, value), *this;
  }
  template <class T>
  KernelDefBuilder& AttrConstraint(const char* attr, std::initializer_list<T> values) {
    return name_.AttrConstraint(attr, values), *this;
  }
  KernelDefBuilder& HostMemory(const char* argument) { return name_.HostMemory(argument), *this; }
  KernelDefBuilder& Label(const char* label) { return name_.Label(label), *this; }
  KernelDefBuilder& Priority(int priority) { return name_.Priority(priority), *this; }
  // The caller owns the message.
  const KernelDef* Build() const {
    using Kind = tenon::KernelMatch::Kind;
    auto* const def = new KernelDef();
    def->set_op(name_.op());
    def->set_device_type(name_.device());
    def->set_label(name_.label());
    def->set_priority(name_.priority());
    for (const std::string& argument : name_.host_arguments()) def->add_host_memory_arg(argument);
    for (const auto& from : name_.constraints()) {
      KernelDef_AttrConstraint* const to = def->add_constraint();
      to->set_name(from.attr);
      AttrValue_ListValue* const list = to->mutable_allowed_values()->mutable_list();
      for (const std::string& text : from.texts) list->add_s(text);
      for (const tenon::KernelMatch::Value& value : from.values) {
        if (from.kind == Kind::kType)
          list->add_type(FromTenon(static_cast<tenon::DataType>(value.number)));
        else if (from.kind == Kind::kBool)
          list->add_b(value.number != 0);
        else
          list->add_i(value.number);
      }
    }
    return def;
  }
  const tenon::register_kernel::Name& name() const { return name_; }

 private:
  tenon::register_kernel::Name name_;
};

namespace register_kernel {
using Name = KernelDefBuilder;
template <class Kernel>
tenon::OpKernel* Create(tenon::OpKernelConstruction* construction) {
  return new Kernel(static_cast<OpKernelConstruction*>(construction));
}
}  // namespace register_kernel

namespace kernel_factory {
// Registers a kernel that a function makes.
class OpKernelRegistrar {
 public:
  OpKernelRegistrar(const KernelDefBuilder& builder, StringPiece class_name,
                    tenon::OpKernel* (*create)(tenon::OpKernelConstruction*)) {
    tenon::register_kernel::Register(builder.name(), class_name, create);
  }
};
}  // namespace kernel_factory

}  // namespace tensorflow
TENON_DETAIL_SETUP_CODE_END

#undef REGISTER_KERNEL_BUILDER
#define REGISTER_KERNEL_BUILDER(BUILDER, ...)                                                               \
  [[maybe_unused]] static const ::tensorflow::kernel_factory::OpKernelRegistrar TENON_DETAIL_REGISTER_NAME( \
      tenon_tensorflow_kernel_, __COUNTER__)(                                                               \
      ::tensorflow::register_kernel::BUILDER,                                                               \
      TENON_DETAIL_REGISTER_TEXT(__VA_ARGS__) " at " __FILE__ ":" TENON_DETAIL_REGISTER_LINE(__LINE__),     \
      &::tensorflow::register_kernel::Create<__VA_ARGS__>);
// TF_EXTRACT_KERNEL_NAME(m, Name(op).Calls(), ...): m(op, the builder, ...).
#define TF_EXTRACT_KERNEL_NAME(M, BUILDER, ...) \
  TENON_COMPAT_CALL(M, TF_EXTRACT_KERNEL_NAME_##BUILDER __VA_OPT__(, ) __VA_ARGS__)
#define TF_EXTRACT_KERNEL_NAME_Name(OP) OP, ::tensorflow::register_kernel::Name(OP)
#define TENON_COMPAT_CALL(M, ...) M(__VA_ARGS__)
#define REGISTER_SYSTEM_KERNEL_BUILDER(BUILDER, ...) REGISTER_KERNEL_BUILDER(BUILDER, __VA_ARGS__)
#define REGISTER_KERNEL_BUILDER_IF_CONSTEXPR(CONDITION, BUILDER, ...) REGISTER_KERNEL_BUILDER(BUILDER, __VA_ARGS__)
