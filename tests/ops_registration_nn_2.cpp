// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: convolutions of volumes, depthwise ones, gradients of convolutions.

#include "registration.hpp"
#include <tenon/ops/nn/conv3d.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/depthwise.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Conv2DBackpropFilter, ops::Conv2DBackpropInput, ops::Conv3D, ops::Conv3DBackpropFilterV2,
                    ops::Conv3DBackpropInputV2, ops::DepthwiseConv2dNative, ops::DepthwiseConv2dNativeBackpropFilter,
                    ops::DepthwiseConv2dNativeBackpropInput);
