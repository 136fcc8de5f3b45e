// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common shape functions, under TensorFlow's names: .SetShapeFn(tenon::shape_inference::MatMulShape). All run in
// constant expressions too. Window and stride arithmetic that kernels share with them is here as well.

#include <tenon/op/array_shape_fns.hpp>
#include <tenon/op/bias_shape_fns.hpp>
#include <tenon/op/common_shape_fns.hpp>
#include <tenon/op/einsum_shape_fns.hpp>
#include <tenon/op/index_shape_fns.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/nn_shape_fns.hpp>
#include <tenon/op/strided_slice_plan.hpp>
#include <tenon/op/volume_shape_fns.hpp>
#include <tenon/op/window.hpp>
