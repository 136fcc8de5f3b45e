// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded checkpoints of both formats against the tensors that TensorFlow reads from them, whole and in slices.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "outcome.hpp"

namespace golden {

// Checks a folder that holds expected.pb (or PREFIX.expected.pb) and checkpoints beside it, or a folder of such
// folders. A tensor is a case, and so are the list of all names, the file `checkpoint` and a .meta file. Takes cases
// whose names contain `filter`; prints what fails.
tenon::Status RunCheckpointFolder(const std::string& folder, std::string_view filter, Counts* counts);

}  // namespace golden
