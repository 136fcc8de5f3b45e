// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/table_file.hpp>

#include <cmath>
#include <cstdio>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace state_table_file_test {
using namespace state_test;
using ops::detail::StoreTextField;
using ops::detail::VocabularyRule;
using tenon::testing::kInfinity;
using tenon::testing::Numbered;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// "[line] [line]" of a text, or what is wrong with it.
std::string Lines(std::string_view text, std::int64_t size = -1) {
  SlimVector<std::string_view> lines;
  const Status status = ops::detail::VocabularyLines(text, {"f.txt", 0, 0, size, 0, '\t'}, &lines);
  if (!status.ok()) return status.ToString();
  std::string shown;
  for (const std::string_view line : lines) StrAppend(&shown, "[", line, "]");
  return shown;
}
// Keys (texts) and values (int64) of lines, or what is wrong with them.
std::string Read(const SlimVector<std::string_view>& lines, VocabularyRule rule) {
  rule.file = "f.txt";
  const TensorShape shape({static_cast<Index>(lines.size())});
  Tensor keys(DataType::kString, shape), values(DataType::kInt64, shape);
  const Status status = ops::detail::ReadVocabulary(lines, rule, &keys, &values);
  return status.ok() ? StrCat(keys.SummarizeValue(9), " | ", values.SummarizeValue(9)) : status.ToString();
}
template <class T>
std::string Stored(std::string_view text) {
  Tensor to(dtype_of_v<T>, {1});
  const Status status = StoreTextField(text, 0, &to);
  return status.ok() ? StrCat(Numbered<T>(to)[0]) : std::string(status.message());
}

}  // namespace

TEST_SUITE("tables from text files") {
  TEST_CASE("lines end with \\n or \\r\\n, the last also with the file") {
    CHECK(Lines("a\nb\r\nc") == "[a][b][c]");
    CHECK(Lines("a b\n") == "[a b]");
    CHECK(Lines("a\r\rb") == "[a\r\rb]");
    CHECK(Lines("a\nb\nc\n", 2) == "[a][b]");
    CHECK(Lines("a\nb\n\n", 2) == "[a][b]");  // what is behind is not looked at
    CHECK(Lines("a\nb", 2) == "[a][b]");
    CHECK(Lines("a\n\r") == "[a]");
    CHECK(Lines("a\n\rb") == "[a][\rb]");
  }
  TEST_CASE("empty lines, too few and none are refused, with TensorFlow's codes") {
    CHECK(Lines("a\n\nb") == "INVALID_ARGUMENT: Invalid content in f.txt: empty line found at position 3.");
    CHECK(Lines("a\t\n\n") == "INVALID_ARGUMENT: Invalid content in f.txt: empty line found at position 4.");
    CHECK(Lines("\r\n") == "INVALID_ARGUMENT: Invalid content in f.txt: empty line found at position 2.");
    CHECK(Lines("a", 3) == "INVALID_ARGUMENT: Invalid vocab_size in f.txt: expected 3 but got 1");
    CHECK(Lines("a\n\r", 2) == "INVALID_ARGUMENT: Invalid vocab_size in f.txt: expected 2 but got 1");
    CHECK(Lines("\r") == "OUT_OF_RANGE: Finished reading 0 of lines from f.txt");
    CHECK(Lines("", 3) == "INVALID_ARGUMENT: Invalid vocab_size in f.txt: expected 3 but got 0");
    CHECK(Lines("") == "OUT_OF_RANGE: Finished reading 0 of lines from f.txt");
    CHECK(Lines("a", 0) == "OUT_OF_RANGE: Finished reading 0 of lines from f.txt");
  }
  TEST_CASE("columns, whole lines and numbers of lines") {
    const SlimVector<std::string_view> lines{"x,1,a", "y,2", ",3,"};
    CHECK(Read(lines, {{}, 0, 1, -1, 0, ','}) == "x y  | 1 2 3");
    CHECK(Read(lines, {{}, -2, -1, -1, 7, ','}) == "x,1,a y,2 ,3, | 7 8 9");
    CHECK(Read({"5", "6"}, {{}, -2, -2, -1, 0, ','}) == "5 6 | 5 6");
    CHECK(Read({}, {{}, 0, 1, -1, 0, ','}) == " | ");
    CHECK(Read(lines, {{}, 2, 1, -1, 0, ','}) ==
          "INVALID_ARGUMENT: Invalid number of columns in f.txt line 1 (y,2) : expected at least 3 got 2");
    CHECK(Read(lines, {{}, 0, 0, -1, 0, ','}) == "INVALID_ARGUMENT: Field x in line 0 is not a valid int64.");
  }
  TEST_CASE("the largest column and the largest offset") {
    CHECK(Read({"x"}, {{}, kMost, -1, -1, 0, ','}) ==
          "INVALID_ARGUMENT: Invalid number of columns in f.txt line 0 (x) : expected at least 9223372036854775808 "
          "got 1");
    CHECK(Read({"x", "y"}, {{}, -2, -1, -1, kMost, ','}) ==
          "x y | 9223372036854775807 -9223372036854775808");  // wraps around, as in TensorFlow
  }
  TEST_CASE("numbers with spaces around, as TensorFlow reads them") {
    CHECK(Stored<std::int32_t>(" 12\v") == "12");
    CHECK(Stored<std::int32_t>("+12") == "12");
    CHECK(Stored<std::int32_t>("-2147483648") == "-2147483648");
    CHECK(Stored<std::int32_t>("2147483648") == "Field 2147483648 in line 0 is not a valid int32.");
    for (const char* text : {"", "-", "+-12", "12x", "0x10", "1 2"})
      CHECK(Stored<std::int64_t>(text) == StrCat("Field ", text, " in line 0 is not a valid int64."));
    CHECK(Stored<double>(" 1.5 ") == "1.5");
    CHECK(Stored<double>("0x10") == "16");
    CHECK(Stored<double>("1e400") == StrCat(kInfinity));
    CHECK(Stored<float>("1e39") == StrCat(kInfinity));
    CHECK(Stored<float>("1.5f") == "Field 1.5f in line 0 is not a valid float.");
    Tensor nan(DataType::kFloat, {1}), truth(DataType::kBool, {1});
    REQUIRE(StoreTextField("nan", 0, &nan).ok());
    CHECK(std::isnan(*nan.data<float>()));
    CHECK(StoreTextField("true", 0, &truth).message() == "Data type bool not supported.");
  }
  TEST_CASE("which types may be numbers of lines or whole lines") {
    const auto checked = [](std::int64_t column, DataType dtype) {
      return std::string(ops::detail::CheckTextColumn("Value", "value", column, dtype).message());
    };
    CHECK(checked(-1, DataType::kInt64) == "");
    CHECK(checked(-1, DataType::kInt32) ==
          "Value index for line number requires table value dtype of int64, got int32");
    CHECK(checked(-2, DataType::kString) == "");
    CHECK(checked(-2, DataType::kFloat) ==
          "Value index for whole line requires table value dtype of integer or string, got float");
    CHECK(checked(0, DataType::kFloat) == "");
  }
  TEST_CASE("a file that does not fit leaves the table to be filled by another") {
    const TempFolder folder;
    const std::string bad = folder / "bad", good = folder / "good";
    for (const std::string& path : {bad, good}) {
      std::FILE* const file = std::fopen(path.c_str(), "wb");
      REQUIRE(file != nullptr);
      std::fputs(path == bad ? "a\t1\nb\tx\n" : "a\t1\nb\t 2\n", file);
      std::fclose(file);
    }
    Machine m;
    const Output table =
        m.b.Add("HashTableV2", "t", {}, {{"key_dtype", DataType::kString}, {"value_dtype", DataType::kInt64}});
    const Output name = m.b.Placeholder("file", DataType::kString);
    m.b.Add("InitializeTableFromTextFileV2", "init", {table, name}, {{"key_index", 0}, {"value_index", 1}});
    m.b.Add("LookupTableSizeV2", "size", {table});
    m.Start();
    const auto init = [&](const std::string& path) { return m.Do("init", {{"file", Tensor::Scalar(tstring(path))}}); };
    CHECK(init(bad).message() == "Field x in line 1 is not a valid int64. [node 'init', CPU:0]");
    CHECK(*m.Get({"size"})[0].data<std::int64_t>() == 0);
    CHECK(init(folder / "none").code() == Code::kNotFound);
    CHECK(init("").message() == "filename cannot be empty. [node 'init', CPU:0]");
    CHECK(m.Do("init", {{"file", Tensor(DataType::kString, {2})}}).message() ==
          "filename should be a single string, but got [2] [node 'init', CPU:0]");
    CHECK(init(good).ok());
    CHECK(*m.Get({"size"})[0].data<std::int64_t>() == 2);
    CHECK(init(good).ok());  // as many again: nothing happens
  }
  TEST_CASE("a delimiter is one char") {
    CHECK(tenon::testing::ErrorOf<ops::InitializeTableFromTextFileV2>(
              {{"key_index", 0}, {"value_index", 1}, {"delimiter", std::string("::")}},
              {Tensor(DataType::kResource, TensorShape()), Tensor::Scalar(tstring("f"))}) ==
          "INVALID_ARGUMENT: delimiter should be only 1 char, got '::'");
  }
}
}  // namespace state_table_file_test
