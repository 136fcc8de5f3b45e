// SPDX-License-Identifier: Apache-2.0
#pragma once
// LoadLibrary: ops and kernels from a shared library, for a running binary (plugin.hpp says how such a library is
// made).

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#endif

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/registry/plugin.hpp>
#include <tenon/kernel/registry/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct LoadedLibrary {
  std::string path;
  SlimVector<const OpView*> ops;  // in the order in which the library lists them
};

namespace detail {

// A loaded library: its registrations, kept for a second registry.
struct PluginBatches {
  void* handle;
  SlimVector<const RegistrationBatch*> batches;
};
struct Plugins {
  Mutex mutex;
  SlimVector<PluginBatches> loaded;
};
inline Plugins& AllPlugins() {
  static Plugins* const plugins = new Plugins();
  return *plugins;
}

// Checks that all of it can be registered: an op that clashes keeps the whole library out.
inline Status CheckPluginOps(const std::string& path, const PluginBatches& plugin, const Registry& registry) {
  Registry alone;
  Status status;
  for (const RegistrationBatch* batch : plugin.batches) {
    status.Update(registry.Check(*batch));
    status.Update(alone.Add(*batch));
  }
  return status.ok() ? status : Status(status.code(), StrCat("LoadLibrary: '", path, "': ", status.message()));
}
inline Result<LoadedLibrary> RegisterPlugin(const std::string& path, const PluginBatches& plugin, Registry& registry) {
  LoadedLibrary library{path, {}};
  for (const RegistrationBatch* batch : plugin.batches) {
    TENON_RETURN_IF_ERROR(registry.Add(*batch));
    for (std::size_t i = 0; i < batch->op_count; ++i) library.ops.push_back(batch->ops[i]->view);
  }
  return library;
}

}  // namespace detail

// Loads the library at `path` (a name without '/' is looked for where the system looks for libraries) and registers
// its ops and kernels. A second call returns the same answer and changes nothing. The library stays until the process
// ends, since sessions point into it. thread-safe.
//   NotFound: the system cannot load it; its reason follows.  InvalidArgument: it is not a plug-in.
//   FailedPrecondition: built against another version, compiler ABI or table of dtypes.
//   AlreadyExists: another op of that name is registered.
// A library that is refused registers nothing, even where it shares this binary's symbols.
//
//   TENON_ASSIGN_OR_RETURN(const LoadedLibrary mine, LoadLibrary("./my_ops.so"));
//   for (const OpView* op : mine.ops) std::printf("%s\n", std::string(op->name).c_str());
#if __has_include(<dlfcn.h>)
inline Result<LoadedLibrary> LoadLibrary(const std::string& path, Registry& registry = Registry::Global()) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return errors::InvalidArgument("LoadLibrary: '", path, "' is no file name");
  detail::Plugins& plugins = detail::AllPlugins();
  const MutexLock lock(plugins.mutex);
  RegistrationBatch* const before = detail::registration_batches.load(std::memory_order_acquire);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return errors::NotFound("LoadLibrary: '", path, "': ", reason == nullptr ? "cannot be loaded" : reason);
  }
  for (const detail::PluginBatches& plugin : plugins.loaded) {
    if (plugin.handle != handle) continue;
    dlclose(handle);  // still loaded
    TENON_RETURN_IF_ERROR(detail::CheckPluginOps(path, plugin, registry));
    return detail::RegisterPlugin(path, plugin, registry);
  }
  RegistrationBatch* const after = detail::registration_batches.load(std::memory_order_acquire);
  const auto refuse = [&](Status status) {
    if (before == after) {
      dlclose(handle);
    } else {  // its TENON_REGISTER has linked rows into this program's list: another thread may be reading them
      RegistrationBatch* head = after;
      detail::registration_batches.compare_exchange_strong(head, before, std::memory_order_acq_rel);
    }
    return status;
  };

  using EntryPoint = const PluginHeader* (*)();
  void* const symbol = dlsym(handle, kPluginEntryPoint);
  if (symbol == nullptr)
    return refuse(errors::InvalidArgument("LoadLibrary: '", path, "' is no plug-in of Tenon: it has no function '",
                                          kPluginEntryPoint, "'; TENON_PLUGIN(ops...) in one of its files defines it"));
  EntryPoint entry = nullptr;
  std::memcpy(&entry, &symbol, sizeof(entry));
  const PluginHeader* const header = entry();
  if (header == nullptr)
    return refuse(
        errors::InvalidArgument("LoadLibrary: '", path, "': its function '", kPluginEntryPoint, "' returns nothing"));
  if (Status status = CheckPlugin(*header, path); !status.ok()) return refuse(std::move(status));

  detail::PluginBatches plugin{handle, {}};
  if (header->batch != nullptr) plugin.batches.push_back(header->batch);
  // The list of the library's own files. Where symbols are shared it is this binary's list, and only its head is new.
  const bool shared = header->linked_batches == &detail::registration_batches;
  const RegistrationBatch* linked = shared ? after : header->linked_batches->load(std::memory_order_acquire);
  for (; linked != nullptr && !(shared && linked == before); linked = linked->next) plugin.batches.push_back(linked);

  if (Status status = detail::CheckPluginOps(path, plugin, registry); !status.ok()) return refuse(std::move(status));
  // Pins the library: it stays loaded when other code closes it.
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE);
  plugins.loaded.push_back(plugin);
  return detail::RegisterPlugin(path, plugin, registry);
}
#else
inline Result<LoadedLibrary> LoadLibrary(const std::string& path, Registry& = Registry::Global()) {
  return errors::Unimplemented("LoadLibrary: '", path, "': this system has no dlopen");
}
#endif

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
