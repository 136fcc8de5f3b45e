// SPDX-License-Identifier: Apache-2.0
// The program has <tenon/runtime.hpp> in another file: both may be there, and this one does not take parts away.
#include <tenon/runtime/session/session_runtime.hpp>

#include <doctest/doctest.h>

#include "runtime/api/session_user.hpp"

namespace session_runtime_test {
using namespace tenon;

TEST_CASE("a second file with definitions changes nothing") {
  const bool same = top_test::LoaderOfOtherFile() == &detail::Runtime::FromGraphFile;
  CHECK(same);
  const bool has_functions = detail::extensions.functions.load() != nullptr;
  CHECK(has_functions);
}

}  // namespace session_runtime_test
