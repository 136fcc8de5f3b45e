// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include <tenon/runtime.hpp>.
#pragma message("<tenon/full_runtime.hpp> is deprecated: include <tenon/runtime.hpp>")

#include <tenon/runtime.hpp>
