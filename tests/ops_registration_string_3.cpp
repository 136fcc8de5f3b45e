// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: encodings, n-grams, tables as text, regular expressions.

#include "registration.hpp"
#include <tenon/ops/string/csv.hpp>
#include <tenon/ops/string/ngrams.hpp>
#include <tenon/ops/string/regex.hpp>
#include <tenon/ops/string/unicode.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::DecodeCSV, ops::StringNGrams, ops::UnicodeDecode, ops::UnicodeDecodeWithOffsets,
                    ops::UnicodeEncode, ops::UnicodeScript, ops::UnicodeTranscode);
TENON_TEST_REGISTER(ops::RegexFullMatch, ops::RegexReplace, ops::StaticRegexFullMatch, ops::StaticRegexReplace);
