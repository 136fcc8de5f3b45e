// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/unicode_scripts.hpp>

#include <doctest/doctest.h>

namespace unicode_scripts_test {
using namespace tenon;

TEST_CASE("scripts by ICU's numbers, as TensorFlow answers") {
  static_assert(ScriptOf('A') == 25);
  CHECK(ScriptOf(0x3b1) == 14);    // Greek
  CHECK(ScriptOf(0x430) == 8);     // Cyrillic
  CHECK(ScriptOf(0x5d0) == 19);    // Hebrew
  CHECK(ScriptOf(0x65e5) == 17);   // Han
  CHECK(ScriptOf(0x3042) == 20);   // Hiragana
  CHECK(ScriptOf(0x300) == 1);     // inherited
  CHECK(ScriptOf(' ') == 0);       // common
  CHECK(ScriptOf(0x378) == 103);   // unassigned
  CHECK(ScriptOf(0x10ffff) == 103);
  CHECK(ScriptOf(-1) == -1);
  CHECK(ScriptOf(0x110000) == -1);
}
}  // namespace unicode_scripts_test
