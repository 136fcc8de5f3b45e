// SPDX-License-Identifier: Apache-2.0
#pragma once
// The optimizer, for sessions with SessionOptions::optimizer. Include it in one source file of a program, next to
// <tenon/runtime.hpp>.

#include <tenon/optimize/optimizer.hpp>
#include <tenon/runtime/program/optimized_program.hpp>
