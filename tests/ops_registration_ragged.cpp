// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: ragged tensors.

#include "registration.hpp"
#include <tenon/ops/ragged/convert.hpp>
#include <tenon/ops/ragged/gather.hpp>
#include <tenon/ops/ragged/range.hpp>
#include <tenon/ops/ragged/variant.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::RaggedGather, ops::RaggedRange, ops::RaggedTensorFromVariant, ops::RaggedTensorToSparse,
                    ops::RaggedTensorToTensor, ops::RaggedTensorToVariant);
