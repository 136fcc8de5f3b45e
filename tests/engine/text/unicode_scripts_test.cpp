// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/unicode_scripts.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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
  std::size_t at = 0;
  bool same = true;
  for (std::int32_t code = 0; code <= 0x10ffff; ++code) {
    while (at + 1 < detail::kScriptStartCount && detail::kScriptStarts[at + 1] >> 8 == static_cast<std::uint32_t>(code))
      ++at;
    same = same && ScriptOf(code) == static_cast<std::int32_t>(detail::kScriptStarts[at] & 0xff);
  }
  CHECK(same);  // the blocks leave nothing out
}
TEST_CASE("scripts of many characters are those of each") {
  std::vector<std::int32_t> codes, scripts;
  for (std::int32_t code = -300; code <= 0x110100; ++code) codes.push_back(code);
  codes.push_back(std::numeric_limits<std::int32_t>::min());
  codes.push_back(std::numeric_limits<std::int32_t>::max());
  scripts.resize(codes.size());
  for (const std::size_t n : {std::size_t{3}, codes.size()}) {
    ScriptsOf(codes.data(), static_cast<std::ptrdiff_t>(n), scripts.data());
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) same = same && scripts[i] == ScriptOf(codes[i]);
    CHECK(same);
  }
}
}  // namespace unicode_scripts_test
