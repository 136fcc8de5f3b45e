// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: queues.

#include "registration.hpp"
#include <tenon/ops/queue/queue.hpp>
#include <tenon/ops/queue/queue_access.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::FIFOQueueV2, ops::PaddingFIFOQueueV2, ops::PriorityQueueV2, ops::QueueCloseV2,
                    ops::QueueDequeueManyV2, ops::QueueDequeueUpToV2, ops::QueueDequeueV2, ops::QueueEnqueueManyV2,
                    ops::QueueEnqueueV2, ops::QueueIsClosedV2, ops::QueueSizeV2, ops::RandomShuffleQueueV2);
