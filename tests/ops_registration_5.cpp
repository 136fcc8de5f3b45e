// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: arrays repeated, framed, turned round.

#include "registration.hpp"
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/pad.hpp>
#include <tenon/ops/array/reverse.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/tile.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BroadcastArgs, ops::BroadcastTo, ops::Empty, ops::Fill, ops::MirrorPad, ops::OneHot);
TENON_TEST_REGISTER(ops::OnesLike, ops::Pad, ops::PadV2, ops::Reverse, ops::ReverseSequence, ops::ReverseV2);
TENON_TEST_REGISTER(ops::Roll, ops::Slice, ops::Tile, ops::ZerosLike);
