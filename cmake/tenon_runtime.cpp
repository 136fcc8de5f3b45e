// SPDX-License-Identifier: Apache-2.0
// The source file of the CMake target tenon::runtime.
#include <tenon/runtime.hpp>
