// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registered kernels as messages and as text.

#include <string>

#include <tenon/kernel/registry/kernel_list.hpp>
#include <tenon/kernel/registry/kernel_text.hpp>
#include <tenon/compat/tensorflow/base/logging.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/proto/device.hpp>

namespace tensorflow {

inline KernelList ListMessage(const tenon::KernelList& from) {
  KernelList list;
  list.ParseFromString(tenon::SerializeKernelList(from));
  return list;
}
inline KernelList GetAllRegisteredKernels() { return ListMessage(tenon::GetAllRegisteredKernels()); }
inline KernelList GetRegisteredKernelsForOp(StringPiece op) {
  return ListMessage(tenon::GetRegisteredKernelsForOp(op));
}
// Kernels for which `predicate(KernelDef)` is true.
template <class Predicate>
KernelList GetFilteredRegisteredKernels(const Predicate& predicate) {
  const KernelList all = GetAllRegisteredKernels();
  KernelList list;
  for (const KernelDef& kernel : all.kernel())
    if (predicate(kernel)) *list.add_kernel() = kernel;
  return list;
}
// A line for each kernel of the op.
inline std::string KernelsRegisteredForOp(StringPiece op) {
  return tenon::detail::KernelLines(tenon::Registry::Global().KernelsOf(op));
}
inline void LogAllRegisteredKernels() {
  const KernelList all = GetAllRegisteredKernels();
  for (const KernelDef& kernel : all.kernel()) LOG(INFO) << "OpKernel ('" << kernel.ShortDebugString() << "')";
}

}  // namespace tensorflow
