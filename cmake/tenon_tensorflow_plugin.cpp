// SPDX-License-Identifier: Apache-2.0
// The entry point of a plug-in whose sources name nothing of Tenon. tenon_add_tf_custom_op compiles it into the
// library.
#include <tenon/kernel/registry/plugin.hpp>

extern "C" TENON_DETAIL_EXPORT const tenon::PluginHeader* tenon_plugin();
extern "C" TENON_DETAIL_EXPORT const tenon::PluginHeader* tenon_plugin() {
  static constexpr tenon::PluginHeader header = tenon::MakePluginHeader(nullptr);
  return &header;
}
