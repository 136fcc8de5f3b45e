// SPDX-License-Identifier: Apache-2.0
#pragma once
// CreateKernel: the kernel that a registered row describes, for one node.

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/kernel/adapted_async_kernel.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {
// The arguments that the match names.
inline Status PlaceInHostMemory(OpKernel* kernel, const KernelMatch& match) {
  for (const std::string_view name : match.all_host_arguments()) {
    int start = 0, stop = 0;
    if (kernel->InputRange(name, &start, &stop).ok())
      while (start < stop) kernel->set_input_memory_type(start++, MemoryType::kHost);
    else if (kernel->OutputRange(name, &start, &stop).ok())
      while (start < stop) kernel->set_output_memory_type(start++, MemoryType::kHost);
    else
      return NotOfTheOp(kernel->op(), "HostMemory arg", name);
  }
  return OkStatus();
}

// Numbers that the node does not have mean nothing, as in TensorFlow.
inline void PlaceAsNodeSays(OpKernel* kernel) {
  const auto each = [kernel](std::string_view attr, int count, auto place) {
    const AttrValue* const numbers = kernel->def().attr.Find(attr);
    if (numbers == nullptr || numbers->kind() != AttrValue::Kind::kList) return;
    for (const std::int64_t i : numbers->list().i)
      if (i >= 0 && i < count) place(static_cast<int>(i));
  };
  each("_input_hostmem", kernel->num_inputs(), [=](int i) { kernel->set_input_memory_type(i, MemoryType::kHost); });
  each("_output_hostmem", kernel->num_outputs(), [=](int i) { kernel->set_output_memory_type(i, MemoryType::kHost); });
}

inline Result<Owned<OpKernel>> BuildKernel(const KernelRow& row, OpKernelConstruction* construction) {
  Owned<OpKernel> kernel;
  if (row.create != nullptr) {
    kernel.reset(row.create(construction));
  } else if (row.is_async) {
    auto adapted = MakeOwned<AdaptedAsyncKernel>(construction);
    TENON_RETURN_IF_ERROR(adapted->Build(row, construction));
    kernel = std::move(adapted);
  } else {
    auto adapted = MakeOwned<AdaptedKernel>(construction);
    TENON_RETURN_IF_ERROR(adapted->Build(row, construction));
    kernel = std::move(adapted);
  }
  TENON_RETURN_IF_ERROR(construction->status());
  if (row.op->match != nullptr) TENON_RETURN_IF_ERROR(PlaceInHostMemory(kernel.get(), *row.op->match));
  PlaceAsNodeSays(kernel.get());
  return kernel;
}
}  // namespace detail

// Builds the kernel that a row describes for one node. The construction's node, op and type lists must outlive the
// kernel. An exception of its constructor (or Init) becomes Internal.
inline Result<Owned<OpKernel>> CreateKernel(const KernelRow& row, OpKernelConstruction* construction) {
#if defined(__cpp_exceptions)
  try {
    return detail::BuildKernel(row, construction);
  } catch (...) {
    return detail::StatusOfException({"the constructor of the kernel of op '", construction->op().name,
                                      "' threw at node '", construction->def().name, "'"});
  }
#else
  return detail::BuildKernel(row, construction);
#endif
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
