// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include <tenon/eager.hpp>.
#pragma message("<tenon/eager_async.hpp> is deprecated: include <tenon/eager.hpp>")

#include <tenon/eager.hpp>
