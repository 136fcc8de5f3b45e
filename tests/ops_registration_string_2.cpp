// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: texts of numbers and tensors.

#include "registration.hpp"
#include <tenon/ops/string/number.hpp>
#include <tenon/ops/string/tensor_text.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AsString, ops::DecodePaddedRaw, ops::DecodeRaw, ops::ParseTensor, ops::SerializeTensor,
                    ops::StringFormat, ops::StringToNumber);
