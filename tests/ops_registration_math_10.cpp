// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: numbers as after quantisation.

#include "registration.hpp"
#include <tenon/ops/math/fake_quant.hpp>
#include <tenon/ops/math/quantize_dequantize.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::FakeQuantWithMinMaxArgs, ops::FakeQuantWithMinMaxArgsGradient, ops::FakeQuantWithMinMaxVars,
                    ops::FakeQuantWithMinMaxVarsGradient, ops::FakeQuantWithMinMaxVarsPerChannel,
                    ops::FakeQuantWithMinMaxVarsPerChannelGradient);
TENON_TEST_REGISTER(ops::QuantizeAndDequantizeV2, ops::QuantizeAndDequantizeV3, ops::QuantizeAndDequantizeV4,
                    ops::QuantizeAndDequantizeV4Grad);
