// SPDX-License-Identifier: Apache-2.0
// The source file of the CMake target tenon::saved_model.
#include <tenon/saved_model.hpp>
