// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: call tenon::RegisterAllocatorFromEnvironment() of
// <tenon/memory/environment_bfc.hpp>.
#pragma message( \
    "<tenon/env_allocator.hpp> is deprecated: call tenon::RegisterAllocatorFromEnvironment() of <tenon/memory/environment_bfc.hpp>")

#include <tenon/memory/env_allocator.hpp>
