// SPDX-License-Identifier: Apache-2.0
#pragma once
// KernelList: the registered kernels as TensorFlow's KernelList message says it, for tools.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/kernel/registry/kernel_text.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/registry/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// TensorFlow's KernelDef message: one kernel of one op.
struct KernelDescription {
  struct Constraint {
    std::string name;
    AttrValue allowed_values;  // a list
  };
  std::string op, device_type;
  SlimVector<Constraint> constraint;
  SlimVector<std::string> host_memory_arg;
  std::string label;
  std::int32_t priority = 0;
};
struct KernelList {
  SlimVector<KernelDescription> kernel;
};

namespace detail {

// Host arguments: arguments that the match names, parameters that say so, and all of a kernel for any device.
inline void AddHostArguments(const KernelRow& row, KernelDescription* kernel) {
  const auto add = [kernel](std::string_view name) {
    for (const std::string& known : kernel->host_memory_arg)
      if (known == name) return;
    kernel->host_memory_arg.push_back(std::string(name));
  };
  std::size_t argument = 0;
  for (const auto& list : {row.op->view->inputs, row.op->view->outputs})
    for (const ArgSpec& arg : list) {
      const ParamKind kind = row.params == nullptr ? ParamKind::kBad : row.params[argument].kind;
      ++argument;
      if (row.device == "DEFAULT" || row.tensors_on_host || kind == ParamKind::kHostIn ||
          kind == ParamKind::kHostIndices)
        add(arg.name());
    }
  if (row.op->match == nullptr) return;
  for (const std::string_view name : row.op->match->all_host_arguments()) add(name);
}
inline KernelDescription Describe(const KernelRow& row) {
  KernelDescription kernel;
  kernel.op = row.op->view->name;
  kernel.device_type = row.device;
  for (int k = 0; k < row.op->typed_count; ++k) {
    KernelDescription::Constraint constraint;
    constraint.name = row.op->view->attrs[static_cast<std::size_t>(row.op->typed_attr[k])].name();
    constraint.allowed_values.mutable_list()->type.push_back(static_cast<DataType>(row.types[k]));
    kernel.constraint.push_back(std::move(constraint));
  }
  if (const KernelMatch* const match = row.op->match; match != nullptr) {
    for (const KernelMatch::Constraint& constraint : match->all_constraints())
      kernel.constraint.push_back({std::string(constraint.attr), AllowedValues(constraint)});
    kernel.label = match->label;
    kernel.priority = match->priority;
  }
  AddHostArguments(row, &kernel);
  return kernel;
}

}  // namespace detail

// In the order of their registration.
//
//   std::string bytes = SerializeKernelList(GetAllRegisteredKernels());
inline KernelList GetAllRegisteredKernels(const Registry& registry = Registry::Global()) {
  KernelList list;
  for (const KernelRow* row : registry.AllKernels()) list.kernel.push_back(detail::Describe(*row));
  return list;
}
inline KernelList GetRegisteredKernelsForOp(std::string_view op, const Registry& registry = Registry::Global()) {
  KernelList list;
  for (const KernelRow* row : registry.KernelsOf(op)) list.kernel.push_back(detail::Describe(*row));
  return list;
}

namespace wire {

template <>
struct Schema<KernelDescription::Constraint> {
  static const Message message;
};
template <>
struct Schema<KernelDescription> {
  static const Message message;
};
template <>
struct Schema<KernelList> {
  static const Message message;
};
inline constexpr Field kKernelConstraintFields[] = {
    MakeField<&KernelDescription::Constraint::name>(1, "name"),
    MakeField<&KernelDescription::Constraint::allowed_values>(2, "allowed_values"),
};
inline constexpr Message Schema<KernelDescription::Constraint>::message("KernelDef.AttrConstraint",
                                                                        kKernelConstraintFields);
inline constexpr Field kKernelDefFields[] = {
    MakeField<&KernelDescription::op>(1, "op"),
    MakeField<&KernelDescription::device_type>(2, "device_type"),
    MakeField<&KernelDescription::constraint>(3, "constraint"),
    MakeField<&KernelDescription::host_memory_arg>(4, "host_memory_arg"),
    MakeField<&KernelDescription::label>(5, "label"),
    MakeField<&KernelDescription::priority>(6, "priority"),
};
inline constexpr Message Schema<KernelDescription>::message("KernelDef", kKernelDefFields);
inline constexpr Field kKernelListFields[] = {MakeField<&KernelList::kernel>(1, "kernel")};
inline constexpr Message Schema<KernelList>::message("KernelList", kKernelListFields);

}  // namespace wire

// TensorFlow's KernelList message.
inline std::string SerializeKernelList(const KernelList& list) {
  std::string bytes;
  wire::SerializeTo(list, &bytes);
  return bytes;
}
// DataLoss when the bytes are not such a message.
inline Result<KernelList> ParseKernelList(Span<const std::byte> bytes) { return detail::ParseProto<KernelList>(bytes); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
