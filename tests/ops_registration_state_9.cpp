// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: barriers and mutexes.

#include "registration.hpp"
#include <tenon/ops/queue/barrier.hpp>
#include <tenon/ops/state/mutex.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Barrier, ops::BarrierClose, ops::BarrierIncompleteSize, ops::BarrierInsertMany,
                    ops::BarrierReadySize, ops::BarrierTakeMany, ops::ConsumeMutexLock, ops::MutexLock, ops::MutexV2);
