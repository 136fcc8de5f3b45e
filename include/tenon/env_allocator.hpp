// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include <tenon/memory/env_allocator.hpp>.
#pragma message("<tenon/env_allocator.hpp> is deprecated: include <tenon/memory/env_allocator.hpp>")

#include <tenon/memory/env_allocator.hpp>
