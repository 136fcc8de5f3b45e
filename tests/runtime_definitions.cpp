// SPDX-License-Identifier: Apache-2.0
// The runtime's definitions for all test programs: other files include <tenon/runtime/api/session.hpp> only.
#include <tenon/runtime.hpp>
