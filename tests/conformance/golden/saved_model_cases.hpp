// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded SavedModels (tests/golden/README.md): a folder has expected.pb and the SavedModels that it speaks of, sound
// ones or, under the name saved_models/NAME, spoilt ones.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "case_file.hpp"
#include "outcome.hpp"

namespace golden {

// Checks a folder with expected.pb, whose names contain `filter`; prints what fails.
tenon::Status RunSavedModelFolder(const std::string& folder, std::string_view filter, Counts* counts);

// Does so with each signature frozen: a graph without variables, in a session of its own. Steps that write to variables
// run by signature only, and cases without another step count as skipped.
tenon::Status RunFrozenFolder(const std::string& folder, std::string_view filter, Counts* counts);

// Runs a case saved_models/NAME of a folder with spoilt files: loading NAME gives TensorFlow's code.
Outcome RunSpoiltModel(const std::string& folder, const Case& c);

// Loads `folder` with the tags of a case, "NAME:tag,tag", and runs its steps by signature; `frozen`: frozen too.
Outcome RunSavedModelCase(const std::string& folder, const Case& c, bool frozen = false);

}  // namespace golden
