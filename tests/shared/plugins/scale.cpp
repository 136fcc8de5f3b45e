// SPDX-License-Identifier: Apache-2.0
// A plug-in as it should be; built three times: hidden, hidden once more, and with its symbols visible.
#include "scale.hpp"

TENON_PLUGIN(plugin_test::PluginScale, plugin_test::PluginGreet);
