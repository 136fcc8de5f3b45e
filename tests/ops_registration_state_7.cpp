// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: staging areas.

#include "registration.hpp"
#include <tenon/ops/queue/map_stage.hpp>
#include <tenon/ops/queue/stage.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Stage, ops::StageClear, ops::StagePeek, ops::StageSize, ops::Unstage);
TENON_TEST_REGISTER(ops::MapClear, ops::MapIncompleteSize, ops::MapPeek, ops::MapSize, ops::MapStage, ops::MapUnstage,
                    ops::MapUnstageNoKey, ops::OrderedMapClear, ops::OrderedMapIncompleteSize, ops::OrderedMapPeek,
                    ops::OrderedMapSize, ops::OrderedMapStage, ops::OrderedMapUnstage, ops::OrderedMapUnstageNoKey);
