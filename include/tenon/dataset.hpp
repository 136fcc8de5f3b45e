// SPDX-License-Identifier: Apache-2.0
#pragma once
// Input of training programs: Dataset over memory, .npy files and records, and DatasetIterator. No graph, no ops and no
// session are needed.
//
//   const auto train = tenon::Dataset::FromNpy({"images.npy", "labels.npy"}).Shuffle(1000, 42).Batch(32).Prefetch(2);

#include <tenon/tenon.hpp>
#include <tenon/runtime/input/dataset.hpp>
#include <tenon/runtime/input/dataset_iterator.hpp>
