// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: SequenceExamples, Examples as JSON.

#include <tenon/ops/io/decode_json_example.hpp>
#include <tenon/ops/io/parse_sequence_example.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::DecodeJSONExample, ops::ParseSequenceExample, ops::ParseSequenceExampleV2,
                    ops::ParseSingleSequenceExample);
