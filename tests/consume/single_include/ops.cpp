// SPDX-License-Identifier: Apache-2.0
// The implementation of the single header, with all ops: the one file that takes long to compile.
#define TENON_IMPLEMENTATION
#include <tenon/tenon.hpp>

TENON_REGISTER(tenon::ops::All);
