// SPDX-License-Identifier: Apache-2.0
// The runtime for plain graphs, compiled once.
#include <tenon/lean_runtime.hpp>
