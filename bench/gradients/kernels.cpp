// SPDX-License-Identifier: Apache-2.0
// The runtime and the few kernels that the benchmarks of gradients need.
#include <cstdint>

#include <tenon/runtime.hpp>
#include <tenon/ops/array/broadcast_gradient.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/flow/functional.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/list/tensor_list_element.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>

TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::Placeholder, tenon::ops::Const, tenon::ops::Identity,
               tenon::ops::IdentityN, tenon::ops::NoOp, tenon::ops::Shape, tenon::ops::Reshape, tenon::ops::Fill,
               tenon::ops::ZerosLike, tenon::ops::BroadcastGradientArgs, tenon::ops::AddV2, tenon::ops::Sub,
               tenon::ops::Mul, tenon::ops::Neg, tenon::ops::Less, tenon::ops::LessEqual, tenon::ops::Minimum,
               tenon::ops::AddN, tenon::ops::Sum, tenon::ops::SelectV2);
TENON_REGISTER(tenon::Types<float>, tenon::ops::MatMul, tenon::ops::BiasAdd, tenon::ops::BiasAddGrad, tenon::ops::Tanh,
               tenon::ops::TanhGrad);
TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::While, tenon::ops::StatelessWhile,
               tenon::ops::EmptyTensorList, tenon::ops::TensorListPushBack, tenon::ops::TensorListPopBack);
