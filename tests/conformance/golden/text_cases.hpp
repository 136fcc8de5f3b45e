// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs in text and binary form, side by side: NAME.pbtxt is the message in NAME.pb, and a folder bad_text holds texts
// that protobuf refuses.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "outcome.hpp"

namespace golden {

// Runs the files of a folder whose name contains `filter`; prints those that fail. Where index.md says "as TensorFlow
// prints it", the writer must give the file's bytes.
tenon::Status RunTextFolder(const std::string& folder, std::string_view filter, Counts* counts);

}  // namespace golden
