// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/example.hpp>
#include <tenon/wire/tensor_writer.hpp>

#include <doctest/doctest.h>

namespace example_test {
using namespace tenon;

namespace {

Example SomeExample() {
  Features features;
  FeatureEntry& words = features.feature.emplace_back();
  words.key = "words";
  words.value.bytes_list = BytesList{{"one", ""}};
  FeatureEntry& numbers = features.feature.emplace_back();
  numbers.key = "numbers";
  numbers.value.int64_list = Int64List{{1, -1, 300}};
  FeatureEntry& reals = features.feature.emplace_back();
  reals.key = "reals";
  reals.value.float_list = FloatList{{1.5f}};
  features.feature.emplace_back().key = "none";
  return {features};
}
// The features of a serialised Example, in order.
std::vector<FeatureView> Views(std::string_view bytes) {
  std::vector<FeatureView> views;
  const bool good = ForEachMap(bytes, [&](std::uint32_t field, std::string_view map) {
    return field != 1 || ForEachEntry(map, [&](std::string_view, std::string_view value) {
             return ReadFeature(value, &views.emplace_back());
           });
  });
  CHECK(good);
  return views;
}

}  // namespace

TEST_SUITE("Example") {
  TEST_CASE("is read as it was written") {
    std::string bytes;
    wire::SerializeTo(SomeExample(), &bytes);
    Example again;
    REQUIRE(wire::Parse(wire::AsBytes(bytes), &again).ok());
    CHECK(again == SomeExample());
    SequenceExample sequence, sequence_again;
    sequence.context = *SomeExample().features;
    sequence.feature_lists.emplace().feature_list.emplace_back().value.feature.emplace_back();
    bytes.clear();
    wire::SerializeTo(sequence, &bytes);
    REQUIRE(wire::Parse(wire::AsBytes(bytes), &sequence_again).ok());
    CHECK(sequence_again == sequence);
  }
  TEST_CASE("features are set and found by their keys") {
    Example example;
    CHECK(example.Find("a") == nullptr);
    example.Set("label", 3);
    example.Set("flag", true);
    example.Set("weight", 0.5);
    example.Set("name", "text");
    example.Set("image", std::vector<float>{1, 2});
    example.Set("words", {"a", "b"});
    example.Set("bytes", std::vector<std::uint8_t>{200});
    CHECK(example.Find("label")->int64_list->value[0] == 3);
    CHECK(example.Find("flag")->int64_list->value[0] == 1);
    CHECK(example.Find("weight")->float_list->value[0] == 0.5f);
    CHECK(example.Find("name")->bytes_list->value[0] == "text");
    CHECK(example.Find("image")->float_list->value.size() == 2);
    CHECK(example.Find("words")->bytes_list->value[1] == "b");
    CHECK(example.Find("bytes")->int64_list->value[0] == 200);
    CHECK(example.Find("none") == nullptr);
    example.Set("label", "other");
    CHECK(example.Find("label")->dtype() == DataType::kString);
    CHECK(example.features->feature.size() == 7);
    CHECK(Feature().dtype() == DataType::kInvalid);
    SequenceExample sequence;
    sequence.SetContext("id", "x");
    sequence.Append("tokens", {1, 2});
    sequence.Append("tokens", 3);
    CHECK(sequence.context->Find("id")->dtype() == DataType::kString);
    REQUIRE(sequence.feature_lists->Find("tokens")->feature.size() == 2);
    CHECK(sequence.feature_lists->Find("tokens")->feature[0].int64_list->value[1] == 2);
    CHECK(sequence.feature_lists->Find("none") == nullptr);
  }
  TEST_CASE("views find the values without a copy of the message") {
    std::string bytes;
    wire::SerializeTo(SomeExample(), &bytes);
    const std::vector<FeatureView> views = Views(bytes);
    REQUIRE(views.size() == 4);
    tstring words[2];
    std::int64_t numbers[3] = {};
    float real = 0;
    CHECK(CountValues(views[0]) == 2);
    REQUIRE(ReadValues(views[0], words));
    CHECK(words[0].view() == "one");
    CHECK(CountValues(views[1]) == 3);
    REQUIRE(ReadValues(views[1], numbers));
    CHECK((numbers[0] == 1 && numbers[1] == -1 && numbers[2] == 300));
    CHECK(CountValues(views[2]) == 1);
    REQUIRE(ReadValues(views[2], &real));
    CHECK(real == 1.5f);
    CHECK(views[3].dtype == DataType::kInvalid);
  }
  TEST_CASE("numbers may come one by one") {
    std::int64_t numbers[2] = {};
    float reals[2] = {};
    const FeatureView ints{DataType::kInt64, "\x08\x05\x08\x7f"},
        floats{DataType::kFloat, std::string_view("\x0d\0\0\x80\x3f", 5)};
    CHECK(CountValues(ints) == 2);
    REQUIRE(ReadValues(ints, numbers));
    CHECK((numbers[0] == 5 && numbers[1] == 127));
    CHECK(CountValues(floats) == 1);
    REQUIRE(ReadValues(floats, reals));
    CHECK(reals[0] == 1);
  }
  TEST_CASE("what is no list has no values") {
    CHECK(CountValues({DataType::kFloat,
                       "\x0a\x03"
                       "abc"}) == -1);
    CHECK(CountValues({DataType::kInt64, "\x0a\x01\x80"}) == -1);
    CHECK(CountValues({DataType::kString,
                       "\x0a\x09"
                       "a"}) == -1);
    FeatureView view;
    CHECK_FALSE(ReadFeature("\x0a\x09", &view));
    CHECK_FALSE(ForEachMap("not an example", [](std::uint32_t, std::string_view) { return true; }));
    // Eleven bytes are too long for a number: counted, but not read.
    std::int64_t number = 0;
    CHECK_FALSE(ReadValues({DataType::kInt64, "\x0a\x0b\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"}, &number));
  }
}
}  // namespace example_test
