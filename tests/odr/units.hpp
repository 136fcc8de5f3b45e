// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the units of the odr program offer each other; a Status crosses from one to the next.

#include <tenon/base/status.hpp>

tenon::Status RunInOtherFile();
tenon::Status RunInPlugin();
