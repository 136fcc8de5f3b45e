// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between the op language and OpDef: a signature as TensorFlow's OpDef, an OpDef as a signature, the same spec strings
// read at run time, and what an OpDef must keep to.

#include <tenon/op/op_def_builder.hpp>
#include <tenon/op/owned_op.hpp>
#include <tenon/op/to_op_def.hpp>
#include <tenon/op/validate_op_def.hpp>
