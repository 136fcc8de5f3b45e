// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddGradients with the gradients of all standard ops. A program that links the CMake target tenon::gradients compiles
// the gradients once; this header then has AddGradients and AddJvp only.
//
//   TENON_ASSIGN_OR_RETURN(const auto gradients, tenon::AddGradients(&graph, loss, variables));

#include <tenon/gradients/add_gradients.hpp>
#include <tenon/gradients/add_jvp.hpp>

#if !defined(TENON_DETAIL_GRADIENTS_ARE_LINKED)
#include <tenon/gradients/functions/array.hpp>
#include <tenon/gradients/functions/batch_norm.hpp>
#include <tenon/gradients/functions/binary.hpp>
#include <tenon/gradients/functions/call.hpp>
#include <tenon/gradients/functions/fft.hpp>
#include <tenon/gradients/functions/flow.hpp>
#include <tenon/gradients/functions/image.hpp>
#include <tenon/gradients/functions/index.hpp>
#include <tenon/gradients/functions/linalg.hpp>
#include <tenon/gradients/functions/loop.hpp>
#include <tenon/gradients/functions/matmul.hpp>
#include <tenon/gradients/functions/nn.hpp>
#include <tenon/gradients/functions/none.hpp>
#include <tenon/gradients/functions/random.hpp>
#include <tenon/gradients/functions/reduce.hpp>
#include <tenon/gradients/functions/segment.hpp>
#include <tenon/gradients/functions/sparse.hpp>
#include <tenon/gradients/functions/sparse_matrix.hpp>
#include <tenon/gradients/functions/unary.hpp>
#include <tenon/gradients/symbolic_gradient.hpp>
#endif  // !TENON_DETAIL_GRADIENTS_ARE_LINKED
