// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include <tenon/tenon.hpp>.
#pragma message("<tenon/fwd.hpp> is deprecated: include <tenon/tenon.hpp>")

#include <tenon/tenon.hpp>
