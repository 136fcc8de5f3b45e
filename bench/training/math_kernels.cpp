// SPDX-License-Identifier: Apache-2.0
// Element-wise ops, reductions and what the optimizer makes of them.
#include <tenon/tenon.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/nn/activation_gradient.hpp>
#include <tenon/ops/nn/fused_elementwise.hpp>
#include <tenon/ops/nn/relu.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t, std::int64_t>, ops::AddN, ops::AddV2, ops::Cast, ops::DivNoNan, ops::FloorDiv,
               ops::FloorMod, ops::Mean, ops::Mul, ops::Neg, ops::Prod, ops::RealDiv, ops::Square,
               ops::SquaredDifference, ops::Sub, ops::Sum);
TENON_REGISTER(Types<float>, ops::Erf, ops::Exp, ops::FusedElementwise, ops::Maximum, ops::Minimum, ops::Relu,
               ops::ReluGrad, ops::Rsqrt, ops::RsqrtGrad);
