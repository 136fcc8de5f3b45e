// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded files of records (tests/golden/README.md) against what TensorFlow reads from them: sound ones with their
// records and parsed Examples, and spoilt ones with the records before the mistake, its code and its text.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "outcome.hpp"

namespace golden {

// Checks a folder with expected.pb, whose names contain `filter`; prints what fails.
tenon::Status RunRecordFolder(const std::string& folder, std::string_view filter, Counts* counts);

}  // namespace golden
