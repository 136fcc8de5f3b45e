// SPDX-License-Identifier: Apache-2.0
// The whole runtime, compiled once.
#include <tenon/runtime.hpp>
