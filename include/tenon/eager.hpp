// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops called without a graph: at once (eager::Call, eager::Context) or by a thread (eager::Async). Declarations; one
// source file of the program includes <tenon/runtime.hpp>, or the program links the CMake target tenon::runtime.

#include <tenon/tenon.hpp>
#include <tenon/runtime/api/eager.hpp>
#include <tenon/runtime/api/eager_async.hpp>
