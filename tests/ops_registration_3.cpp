// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: arrays whose elements stay as they are.

#include "registration.hpp"
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/split.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/io/placeholder.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::EnsureShape, ops::ExpandDims, ops::IdentityN, ops::PlaceholderV2, ops::PlaceholderWithDefault);
TENON_TEST_REGISTER(ops::PreventGradient, ops::Rank, ops::ShapeN, ops::Size, ops::Snapshot, ops::Squeeze,
                    ops::StopGradient);
TENON_TEST_REGISTER(ops::Concat, ops::ConcatOffset, ops::ConcatV2, ops::ConjugateTranspose, ops::InvertPermutation);
TENON_TEST_REGISTER(ops::Split, ops::SplitV, ops::Transpose, ops::Unpack);
