// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: pictures in files.

#include <tenon/ops/image/decode.hpp>
#include <tenon/ops/image/encode.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::DecodeBmp, ops::DecodeJpeg, ops::DecodePng, ops::EncodeJpeg, ops::EncodePng);
