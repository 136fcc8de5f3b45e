// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/case_mapping.hpp>

#include <string>

#include <doctest/doctest.h>

namespace case_mapping_test {
using namespace tenon;

namespace {
std::string Lower(std::string_view text) {
  tstring out;
  LowerUtf8(text, &out);
  return std::string(out);
}
std::string Upper(std::string_view text) {
  tstring out;
  UpperUtf8(text, &out);
  return std::string(out);
}
}  // namespace

TEST_CASE("letters of many scripts") {
  CHECK(Lower("ABC \u00c9\u0130\u0416\u00de") == "abc \u00e9i\u0307\u0436\u00fe");
  CHECK(Upper("abc \u00e9\u0131\u0436\u00ff") == "ABC \u00c9I\u0416\u0178");
  CHECK(Upper("\u00df\ufb03\u0149") == "SSFFI\u02bcN");  // one becomes several
  CHECK(Lower("\U00010400") == "\U00010428");
  CHECK(Upper("\u65e5\u672c 1") == "\u65e5\u672c 1");
}
TEST_CASE("a sigma at the end of a word is written in its own way") {
  CHECK(Lower("\u0391\u03a3") == "\u03b1\u03c2");
  CHECK(Lower("\u0391\u03a3\u0391") == "\u03b1\u03c3\u03b1");
  CHECK(Lower("\u03a3") == "\u03c3");
  CHECK(Lower("\u0391.\u03a3") == "\u03b1.\u03c2");          // what stands inside of words is passed over
  CHECK(Lower("\u0391\u03a3\u0301 \u0392") == "\u03b1\u03c2\u0301 \u03b2");
}
TEST_CASE("bytes that are no UTF-8 are replaced, a zero byte ends the text") {
  CHECK(Upper("a\xff\xe2\x82z") == "A\ufffd\ufffdZ");
  CHECK(Lower(std::string_view("A\0B", 3)) == "a");
}
}  // namespace case_mapping_test
