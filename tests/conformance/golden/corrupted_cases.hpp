// SPDX-License-Identifier: Apache-2.0
#pragma once
// Spoilt checkpoints, graphs, SavedModels and records against TensorFlow's code for them.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "case_file.hpp"
#include "outcome.hpp"

namespace golden {

// Checks a folder with expected.pb, a CaseFile (tests/golden/README.md). A file or folder in it is a case, and so is
// each request to a sound checkpoint in the folder ../checkpoints. Takes cases whose names contain `filter`; prints
// what fails.
tenon::Status RunCorruptedFolder(const std::string& folder, std::string_view filter, Counts* counts);

}  // namespace golden
