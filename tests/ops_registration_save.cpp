// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: checkpoints and the names of files.

#include <tenon/ops/io/file.hpp>
#include <tenon/ops/io/restore.hpp>
#include <tenon/ops/io/save.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::SaveV2, ops::RestoreV2, ops::MergeV2Checkpoints, ops::Save, ops::SaveSlices, ops::Restore,
                    ops::RestoreSlice, ops::MatchingFiles, ops::ShardedFilename, ops::ShardedFilespec);
