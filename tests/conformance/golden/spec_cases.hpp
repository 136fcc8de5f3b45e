// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops written as spec strings, right, wrong and mutated (tests/golden/specs.proto), against what TensorFlow's builder
// of OpDefs answers: the same OpDef, or the same code and the same beginning of the message.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "outcome.hpp"

namespace golden {

// Runs the cases whose name contains `filter`; prints those that fail and those that are refused for a reason.
tenon::Status RunSpecFile(const std::string& bytes, std::string_view filter, Counts* counts);

}  // namespace golden
