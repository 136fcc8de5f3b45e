// SPDX-License-Identifier: Apache-2.0
#pragma once
// The common shape functions, under TensorFlow's names: .SetShapeFn(tenon::shape_inference::MatMulShape). All run in
// constant expressions too. Window and stride arithmetic that kernels share with them is here as well.

#include <tenon/op/shape/array_shape_fns.hpp>
#include <tenon/op/shape/bias_shape_fns.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/diagonal_shape_fns.hpp>
#include <tenon/op/shape/einsum_shape_fns.hpp>
#include <tenon/op/shape/index_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/nn_shape_fns.hpp>
#include <tenon/op/shape/quantized_shape_fns.hpp>
#include <tenon/op/shape/strided_slice_plan.hpp>
#include <tenon/op/shape/volume_shape_fns.hpp>
#include <tenon/op/shape/window.hpp>
