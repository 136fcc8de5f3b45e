// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares everything that a program names: tensors, sessions, graphs, ops and their registration. One source file of
// the program includes <tenon/runtime.hpp>, which defines the runtime, or the program links the CMake target
// tenon::runtime. <tenon/ops.hpp> has the standard ops.

#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/convert.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
