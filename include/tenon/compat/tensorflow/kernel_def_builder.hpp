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

namespace tensorflow {

class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(const char* op) : name_(op) { def_.set_op(op); }
  explicit KernelDefBuilder(const std::string& op) : name_(op) { def_.set_op(op); }
  KernelDefBuilder& Device(const char* type) { return def_.set_device_type(type), name_.Device(type), *this; }
  KernelDefBuilder& Device(const std::string& type) { return def_.set_device_type(type), name_.Device(type), *this; }
  KernelDefBuilder& Device(const DeviceType& type) { return Device(type.type()); }
  template <class T>
  KernelDefBuilder& TypeConstraint(const char* attr) {
    return TypeConstraint(attr, DataTypeToEnum<T>::value);
  }
  KernelDefBuilder& TypeConstraint(const char* attr, DataType type) {
    Allowed(attr)->add_type(type);
    return name_.TypeConstraint(attr, ToTenon(type)), *this;
  }
  KernelDefBuilder& TypeConstraint(const char* attr, gtl::ArraySlice<DataType> types) {
    AttrValue_ListValue* const list = Allowed(attr);
    for (const DataType type : types) list->add_type(type);
    const std::vector<tenon::DataType> allowed = ToTenonTypes(types);
    return name_.TypeConstraint(attr, tenon::Span<const tenon::DataType>(allowed.data(), allowed.size())), *this;
  }
  template <class T>
  KernelDefBuilder& AttrConstraint(const char* attr, T value) {
    AddToList(value, Allowed(attr));
    return name_.AttrConstraint(attr, value), *this;
  }
  template <class T>
  KernelDefBuilder& AttrConstraint(const char* attr, std::initializer_list<T> values) {
    AttrValue_ListValue* const list = Allowed(attr);
    for (const T& value : values) AddToList(value, list);
    return name_.AttrConstraint(attr, values), *this;
  }
  KernelDefBuilder& HostMemory(const char* argument) {
    return def_.add_host_memory_arg(argument), name_.HostMemory(argument), *this;
  }
  KernelDefBuilder& Label(const char* label) { return def_.set_label(label), name_.Label(label), *this; }
  KernelDefBuilder& Priority(int priority) { return def_.set_priority(priority), name_.Priority(priority), *this; }
  // The caller owns the message.
  const KernelDef* Build() const { return new KernelDef(def_); }
  const tenon::register_kernel::Name& name() const { return name_; }

 private:
  AttrValue_ListValue* Allowed(const char* attr) {
    KernelDef_AttrConstraint* const constraint = def_.add_constraint();
    constraint->set_name(attr);
    return constraint->mutable_allowed_values()->mutable_list();
  }
  tenon::register_kernel::Name name_;
  KernelDef def_;
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
