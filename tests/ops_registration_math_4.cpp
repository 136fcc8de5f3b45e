// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: special functions, complex numbers, sums of tensors, activations and gradients.

#include "registration.hpp"
#include <tenon/ops/math/complex_parts.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/activation_gradient.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Digamma, ops::Erf, ops::Erfc, ops::Erfinv, ops::Lgamma, ops::Ndtri);
TENON_TEST_REGISTER(ops::Angle, ops::Complex, ops::ComplexAbs, ops::Conj, ops::Imag, ops::Real);
TENON_TEST_REGISTER(ops::AccumulateNV2, ops::AddN, ops::ClipByValue, ops::L2Loss);
TENON_TEST_REGISTER(ops::InvGrad, ops::ReciprocalGrad, ops::RsqrtGrad, ops::SigmoidGrad, ops::SqrtGrad, ops::TanhGrad);
TENON_TEST_REGISTER(ops::Elu, ops::LeakyRelu, ops::Selu, ops::Softplus, ops::Softsign);
TENON_TEST_REGISTER(ops::EluGrad, ops::LeakyReluGrad, ops::Relu6Grad, ops::ReluGrad, ops::SeluGrad, ops::SoftplusGrad,
                    ops::SoftsignGrad);
