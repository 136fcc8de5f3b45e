// SPDX-License-Identifier: Apache-2.0
// The runtime for plain graphs, compiled once.
#define TENON_MINIMAL_RUNTIME
#include <tenon/runtime.hpp>
