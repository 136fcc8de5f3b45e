// SPDX-License-Identifier: Apache-2.0
#pragma once
// REGISTER_OP and REGISTER_KERNEL_BUILDER, for ops that were written for TensorFlow. Both register while the program
// starts; a mistake in a registration is logged, and Registry::status() has it, so that no session starts. Kernels may
// come before their ops, and for ops of op structs.
//
//   REGISTER_OP("ZeroOut").Input("to_zero: int32").Output("zeroed: int32").SetShapeFn(shape_inference::UnchangedShape);
//   REGISTER_KERNEL_BUILDER(Name("ZeroOut").Device(DEVICE_CPU), ZeroOutOp);

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/compat/signature_builder.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_SETUP_CODE_BEGIN

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr const char* DEVICE_DEFAULT = "DEFAULT";
inline constexpr const char* DEVICE_CPU = "CPU";
inline constexpr const char* DEVICE_GPU = "GPU";

namespace register_op {

// A registration that failed. Never destroyed.
struct Failure {
  explicit Failure(Status why) : status(std::move(why)) { batch.failure = &status; }
  Status status;
  RegistrationBatch batch{};
};
inline bool LinkFailure(Status status) {
  TENON_LOG(kError, status.message());
  return detail::LinkBatch(&(new Failure(std::move(status)))->batch);
}

using OpBuilder = SignatureBuilder;

// The object that REGISTER_OP makes. Never destroyed.
struct RegisteredOp {
  explicit RegisteredOp(Owned<BuiltSignature> made) : op(std::move(made)) {}
  Owned<BuiltSignature> op;
  OpRow row{};
  const OpRow* rows[1]{};
  RegistrationBatch batch{};
};
// The batch of a builder's op, or the error of the op.
inline Result<RegisteredOp*> MakeOp(const OpBuilder& builder) {
  Result<Owned<BuiltSignature>> op = builder.Build();
  if (!op.ok())
    return Status(op.status().code(), StrCat("REGISTER_OP(\"", builder.name(), "\"): ", op.status().message()));
  auto* const made = new RegisteredOp(*std::move(op));
  made->row.view = &made->op->view();
  made->row.struct_name = made->op->view().name;
  made->rows[0] = &made->row;
  made->batch.ops = made->rows;
  made->batch.op_count = 1;
  return made;
}
struct OpRegistration {
  OpRegistration(const OpBuilder& builder) {  // NOLINT: the macro ends in a builder
    Result<RegisteredOp*> made = MakeOp(builder);
    made.ok() ? detail::LinkBatch(&(*made)->batch) : LinkFailure(made.status());
  }
};

}  // namespace register_op

namespace register_kernel {

using CreateFn = OpKernel* (*)(OpKernelConstruction*);

template <class T>
concept AttrConstraintValue = std::is_integral_v<T> || std::is_convertible_v<T, std::string_view>;

// A kernel's description, with the members of TensorFlow's KernelDefBuilder.
class Name {
 public:
  explicit Name(std::string op) : op_(std::move(op)) {}
  Name& Device(std::string type) { return device_ = std::move(type), *this; }
  template <class T>
  Name& TypeConstraint(std::string attr) {
    return TypeConstraint(std::move(attr), dtype_of_v<T>);
  }
  Name& TypeConstraint(std::string attr, DataType type) { return TypeConstraint(std::move(attr), {type}); }
  Name& TypeConstraint(std::string attr, std::initializer_list<DataType> types) {
    return TypeConstraint(std::move(attr), Span<const DataType>(types.begin(), types.size()));
  }
  Name& TypeConstraint(std::string attr, Span<const DataType> types) {
    Constraint& constraint = Add(std::move(attr), KernelMatch::Kind::kType);
    for (const DataType type : types) constraint.values.push_back({static_cast<std::int64_t>(type), {}});
    return *this;
  }
  // bool for bool attrs, any other integer for int attrs, and strings.
  template <AttrConstraintValue T>
  Name& AttrConstraint(std::string attr, T value) {
    return AttrConstraint(std::move(attr), Span<const T>(&value, 1));
  }
  template <AttrConstraintValue T>
  Name& AttrConstraint(std::string attr, std::initializer_list<T> values) {
    return AttrConstraint(std::move(attr), Span<const T>(values.begin(), values.size()));
  }
  template <AttrConstraintValue T>
  Name& AttrConstraint(std::string attr, Span<const T> values) {
    using Kind = KernelMatch::Kind;
    constexpr Kind kind = std::is_same_v<T, bool> ? Kind::kBool : std::is_integral_v<T> ? Kind::kInt : Kind::kString;
    Constraint& constraint = Add(std::move(attr), kind);
    for (const T& value : values) {
      if constexpr (kind == Kind::kString)
        constraint.texts.push_back(std::string(std::string_view(value)));
      else
        constraint.values.push_back({static_cast<std::int64_t>(value), {}});
    }
    return *this;
  }
  Name& HostMemory(std::string argument) { return host_.push_back(std::move(argument)), *this; }
  Name& Label(std::string label) {
    labelled_twice_ = labelled_twice_ || !label_.empty();
    return label_ = std::move(label), *this;
  }
  Name& Priority(int priority) { return priority_ = priority, *this; }

  struct Constraint {
    std::string attr;
    KernelMatch::Kind kind;
    SlimVector<std::string> texts;
    SlimVector<KernelMatch::Value> values;  // values of strings come last, when `texts` is complete
  };
  const std::string& op() const { return op_; }
  const std::string& device() const { return device_; }
  const std::string& label() const { return label_; }
  const SlimVector<Constraint>& constraints() const { return constraints_; }
  const SlimVector<std::string>& host_arguments() const { return host_; }
  int priority() const { return priority_; }

 private:
  friend struct RegisteredKernel;
  Constraint& Add(std::string attr, KernelMatch::Kind kind) {
    Constraint& constraint = constraints_.emplace_back();
    constraint.attr = std::move(attr);
    constraint.kind = kind;
    return constraint;
  }
  std::string op_, device_, label_;
  SlimVector<Constraint> constraints_;
  SlimVector<std::string> host_;
  int priority_ = 0;
  bool labelled_twice_ = false;
};

// The object that REGISTER_KERNEL_BUILDER makes. Never destroyed. `class_name` also says the file and line: classes of
// unnamed namespaces may have the same name.
struct RegisteredKernel {
  RegisteredKernel(Name name, std::string_view class_name, CreateFn create) : from(std::move(name)) {
    view.name = from.op_;
    row.view = &view;
    row.struct_name = class_name;
    row.by_name = true;
    FillMatch();
    row.match = &match;
    kernel.op = &row;
    kernel.device = from.device_;
    kernel.create = create;
    batch.tables = tables;
    batch.table_sizes = sizes;
    batch.table_count = 1;
  }
  Status Check() const {
    if (from.labelled_twice_)
      return errors::InvalidArgument("REGISTER_KERNEL_BUILDER: Trying to set a kernel's label a second time: '",
                                     from.label_, "' in a kernel of op '", from.op_, "'");
    if (!from.device_.empty()) return OkStatus();
    return errors::InvalidArgument("REGISTER_KERNEL_BUILDER: a kernel of op '", from.op_, "' has no Device");
  }

  Name from;
  OpView view{};
  KernelMatch match{};
  OpRow row{};
  KernelRow kernel{};
  const KernelRow* tables[1]{&kernel};
  std::size_t sizes[1]{1};
  RegistrationBatch batch{};

 private:
  void FillMatch() {
    match.label = from.label_;
    match.priority = from.priority_;
    for (Name::Constraint& constraint : from.constraints_) {
      for (const std::string& text : constraint.texts) constraint.values.push_back({0, text});
      KernelMatch::Constraint& to = constraints_.emplace_back();
      to.attr = constraint.attr;
      to.kind = constraint.kind;
      to.count = constraint.values.size();
      to.external_values = constraint.values.data();
    }
    match.count = constraints_.size();
    match.external_constraints = constraints_.data();
    for (const std::string& argument : from.host_) host_arguments_.push_back(argument);
    match.host_count = host_arguments_.size();
    match.external_host_arguments = host_arguments_.data();
  }

  SlimVector<KernelMatch::Constraint> constraints_;
  SlimVector<std::string_view> host_arguments_;
};
inline Result<RegisteredKernel*> MakeKernel(Name name, std::string_view class_name, CreateFn create) {
  auto made = MakeOwned<RegisteredKernel>(std::move(name), class_name, create);
  TENON_RETURN_IF_ERROR(made->Check());
  return made.release();
}
template <class Kernel>
OpKernel* Create(OpKernelConstruction* construction) {
  return new Kernel(construction);
}
inline bool Register(Name name, std::string_view class_name, CreateFn create) {
  Result<RegisteredKernel*> made = MakeKernel(std::move(name), class_name, create);
  return made.ok() ? detail::LinkBatch(&(*made)->batch) : register_op::LinkFailure(made.status());
}

}  // namespace register_kernel

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

#define TENON_DETAIL_REGISTER_JOIN(A, B) A##B
#define TENON_DETAIL_REGISTER_NAME(A, B) TENON_DETAIL_REGISTER_JOIN(A, B)
#define TENON_DETAIL_REGISTER_TEXT(...) #__VA_ARGS__
#define TENON_DETAIL_REGISTER_LINE(LINE) TENON_DETAIL_REGISTER_TEXT(LINE)

#define REGISTER_OP(NAME)                                                                        \
  [[maybe_unused]] static const ::tenon::register_op::OpRegistration TENON_DETAIL_REGISTER_NAME( \
      tenon_op_, __COUNTER__) = ::tenon::register_op::OpBuilder(NAME)
#define REGISTER_KERNEL_BUILDER(BUILDER, ...)                                                               \
  [[maybe_unused]] static const bool TENON_DETAIL_REGISTER_NAME(tenon_kernel_, __COUNTER__) =               \
      ::tenon::register_kernel::Register(                                                                   \
          ::tenon::register_kernel::BUILDER,                                                                \
          TENON_DETAIL_REGISTER_TEXT(__VA_ARGS__) " at " __FILE__ ":" TENON_DETAIL_REGISTER_LINE(__LINE__), \
          &::tenon::register_kernel::Create<__VA_ARGS__>)
