// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: pools of volumes, losses, local response normalisation, dilation, data formats.

#include "registration.hpp"
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/nn/data_format.hpp>
#include <tenon/ops/nn/dilation.hpp>
#include <tenon/ops/nn/lrn.hpp>
#include <tenon/ops/nn/pool3d.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AvgPool3D, ops::AvgPool3DGrad, ops::DataFormatDimMap, ops::DataFormatVecPermute,
                    ops::Dilation2D, ops::Dilation2DBackpropFilter, ops::Dilation2DBackpropInput, ops::LRN,
                    ops::LRNGrad);
TENON_TEST_REGISTER(ops::MaxPool3D, ops::MaxPool3DGrad, ops::SoftmaxCrossEntropyWithLogits,
                    ops::SparseSoftmaxCrossEntropyWithLogits);
