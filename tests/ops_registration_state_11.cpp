// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: queues, tables and stacks by reference.

#include "registration.hpp"
#include <tenon/ops/table/anonymous_table.hpp>
#include <tenon/ops/queue/queue_reference.hpp>
#include <tenon/ops/list/stack_reference.hpp>
#include <tenon/ops/table/table_reference.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::FIFOQueue, ops::FakeQueue, ops::PaddingFIFOQueue, ops::PriorityQueue, ops::QueueClose,
                    ops::QueueDequeue, ops::QueueDequeueMany, ops::QueueDequeueUpTo, ops::QueueEnqueue,
                    ops::QueueEnqueueMany, ops::QueueIsClosed, ops::QueueSize, ops::RandomShuffleQueue);
TENON_TEST_REGISTER(ops::AnonymousMutableHashTable, ops::AnonymousMutableHashTableOfTensors, ops::HashTable,
                    ops::InitializeTable, ops::InitializeTableFromTextFile, ops::LookupTableExport,
                    ops::LookupTableFind, ops::LookupTableImport, ops::LookupTableInsert, ops::LookupTableSize,
                    ops::MutableHashTable, ops::MutableHashTableOfTensors);
TENON_TEST_REGISTER(ops::Stack, ops::StackClose, ops::StackPop, ops::StackPush);
