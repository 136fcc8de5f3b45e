// SPDX-License-Identifier: Apache-2.0
// Libraries that a program must not take: FOREIGN says why. Only the header is wrong; nothing behind it may be read.
#include <tenon/kernel/registry/plugin.hpp>

#if FOREIGN == 0  // no entry point
extern "C" TENON_DETAIL_EXPORT int something_else() { return 0; }
#else
extern "C" TENON_DETAIL_EXPORT const tenon::PluginHeader* tenon_plugin() {
  static tenon::PluginHeader header = tenon::MakePluginHeader(reinterpret_cast<const tenon::RegistrationBatch*>(16));
#if FOREIGN == 1
  header.version[1] += 1;
#elif FOREIGN == 2
  header.abi = "tenon v7, itanium, libc++ abi 1";
#elif FOREIGN == 3
  header.dtype_sizes[24] = 2;
#elif FOREIGN == 4
  return nullptr;
#endif
  return &header;
}
#endif
