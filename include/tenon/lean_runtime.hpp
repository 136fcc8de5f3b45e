// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include <tenon/runtime.hpp> after #define TENON_MINIMAL_RUNTIME.
#pragma message( \
    "<tenon/lean_runtime.hpp> is deprecated: include <tenon/runtime.hpp> after #define TENON_MINIMAL_RUNTIME")

#include <tenon/tenon.hpp>
#include <tenon/runtime/session/session_runtime.hpp>
