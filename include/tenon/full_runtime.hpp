// SPDX-License-Identifier: Apache-2.0
#pragma once
// The runtime's definitions with everything that sessions can do: runs with RunOptions, partial runs, Extend, Reset,
// ListDevices. One source file of a program that uses them includes this instead of <tenon/runtime.hpp>.

#include <tenon/runtime.hpp>
#include <tenon/runtime/session/partial_run.hpp>
#include <tenon/runtime/session/run_with_options.hpp>
#include <tenon/runtime/session/extend_reset.hpp>
