// SPDX-License-Identifier: Apache-2.0
// The GPU kernels of the same ops, compiled by nvcc; this also makes "GPU:0" known to sessions.
// snippet register
#include <tenon/tenon.cuh>

#include "my_ops.hpp"

TENON_REGISTER(my_ops::ZeroOut, my_ops::Add, my_ops::MatMul);
// end
