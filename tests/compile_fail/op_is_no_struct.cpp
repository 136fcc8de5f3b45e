// expect: an op is a struct with a public
// max-lines: 60
// SPDX-License-Identifier: Apache-2.0
// A type in place of an op.
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/tenon.hpp>

TENON_REGISTER(float);
