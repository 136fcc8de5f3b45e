// SPDX-License-Identifier: Apache-2.0
// A plug-in of two files: this one has the entry point and no op, the other one the op.
#include <tenon/plugin.hpp>

TENON_PLUGIN();
