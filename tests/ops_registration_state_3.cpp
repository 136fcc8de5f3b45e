// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: optimizer steps.

#include "registration.hpp"
#include <tenon/ops/training/dense.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/training/sparse.hpp>
#include <tenon/ops/training/sparse_handles.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::ApplyAdaMax, ops::ApplyAdadelta, ops::ApplyAdagrad, ops::ApplyAdagradDA, ops::ApplyAdagradV2,
                    ops::ApplyAdam, ops::ApplyAddSign, ops::ApplyCenteredRMSProp, ops::ApplyFtrl, ops::ApplyFtrlV2,
                    ops::ApplyGradientDescent, ops::ApplyMomentum, ops::ApplyPowerSign, ops::ApplyProximalAdagrad,
                    ops::ApplyProximalGradientDescent, ops::ApplyRMSProp);
TENON_TEST_REGISTER(ops::ResourceApplyAdaMax, ops::ResourceApplyAdadelta, ops::ResourceApplyAdagrad,
                    ops::ResourceApplyAdagradDA, ops::ResourceApplyAdagradV2, ops::ResourceApplyAdam,
                    ops::ResourceApplyAdamWithAmsgrad, ops::ResourceApplyAddSign, ops::ResourceApplyCenteredRMSProp,
                    ops::ResourceApplyFtrl, ops::ResourceApplyFtrlV2, ops::ResourceApplyGradientDescent,
                    ops::ResourceApplyKerasMomentum, ops::ResourceApplyMomentum, ops::ResourceApplyPowerSign,
                    ops::ResourceApplyProximalAdagrad, ops::ResourceApplyProximalGradientDescent,
                    ops::ResourceApplyRMSProp);
TENON_TEST_REGISTER(ops::SparseApplyAdadelta, ops::SparseApplyAdagrad, ops::SparseApplyAdagradDA,
                    ops::SparseApplyAdagradV2, ops::SparseApplyCenteredRMSProp, ops::SparseApplyFtrl,
                    ops::SparseApplyFtrlV2, ops::SparseApplyMomentum, ops::SparseApplyProximalAdagrad,
                    ops::SparseApplyProximalGradientDescent, ops::SparseApplyRMSProp);
TENON_TEST_REGISTER(ops::ResourceSparseApplyAdadelta, ops::ResourceSparseApplyAdagrad,
                    ops::ResourceSparseApplyAdagradDA, ops::ResourceSparseApplyAdagradV2,
                    ops::ResourceSparseApplyCenteredRMSProp, ops::ResourceSparseApplyFtrl,
                    ops::ResourceSparseApplyFtrlV2, ops::ResourceSparseApplyKerasMomentum,
                    ops::ResourceSparseApplyMomentum, ops::ResourceSparseApplyProximalAdagrad,
                    ops::ResourceSparseApplyProximalGradientDescent, ops::ResourceSparseApplyRMSProp);
