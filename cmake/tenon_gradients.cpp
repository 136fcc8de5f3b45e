// SPDX-License-Identifier: Apache-2.0
// The source file of the CMake target tenon::gradients.
#include <tenon/gradients.hpp>
