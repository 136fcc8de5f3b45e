// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/example_io.hpp>

#include <doctest/doctest.h>

namespace example_io_test {
using namespace tenon;

namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// One entry of a map: a key, and a value whose bytes are given.
std::string Entry(std::string_view key, std::string_view value) {
  const auto field = [](int number, std::string_view bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())}.append(bytes);
  };
  return field(1, field(1, key) + field(2, value));
}

}  // namespace

TEST_SUITE("example_io") {
  TEST_CASE("keys are written in order, each once, with the last value") {
    Example example;
    example.Set("b", 2);
    example.Set("a", "one");
    FeatureEntry& again = example.features->feature.emplace_back();
    again.key = "b";
    again.value = MakeFeature(3);
    const std::string bytes = SerializeExample(example);
    CHECK(bytes == "\x0a\x1a" + Entry("a", "\x0a\x05\x0a\x03one") + Entry("b", "\x1a\x03\x0a\x01\x03"));
    const Result<Example> parsed = ParseExample(bytes);
    REQUIRE(parsed.ok());
    REQUIRE(parsed->features->feature.size() == 2);
    CHECK(parsed->features->feature[0].key == "a");
    CHECK(parsed->Find("b")->int64_list->value[0] == 3);
    CHECK(SerializeExample(*parsed) == bytes);
    CHECK(SerializeExample(Example()).empty());
    // The order is that of unsigned bytes.
    Example signs;
    signs.Set("\xc3\xa4", 1);
    signs.Set("z", 1);
    CHECK(SerializeExample(signs).find("z") < SerializeExample(signs).find("\xc3\xa4"));
  }
  TEST_CASE("sequences") {
    SequenceExample sequence;
    sequence.SetContext("id", 7);
    sequence.Append("x", 1);
    sequence.Append("x", 2);
    sequence.Append("a", std::vector<float>{});
    const std::string bytes = SerializeSequenceExample(sequence);
    CHECK(bytes == std::string("\x0a\x0d") + Entry("id", "\x1a\x03\x0a\x01\x07") + "\x12\x20" +
                       Entry("a", std::string("\x0a\x02\x12\0", 4)) +
                       Entry("x", "\x0a\x05\x1a\x03\x0a\x01\x01\x0a\x05\x1a\x03\x0a\x01\x02"));
    const Result<SequenceExample> parsed = ParseSequenceExample(bytes);
    REQUIRE(parsed.ok());
    CHECK(parsed->feature_lists->Find("x")->feature.size() == 2);
    CHECK(SerializeSequenceExample(*parsed) == bytes);
  }
  TEST_CASE("of several lists in one feature the last counts") {
    const std::string two = Entry("x",
                                  "\x12\x06\x0a\x04"
                                  "abcd"
                                  "\x0a\x05\x0a\x03"
                                  "one");
    const Result<Example> example = ParseExample("\x0a" + std::string(1, static_cast<char>(two.size())) + two);
    REQUIRE(example.ok());
    REQUIRE(example->Find("x") != nullptr);
    CHECK(*example->Find("x") == MakeFeature("one"));
    // Lists of one type are one list.
    const std::string one = Entry("x",
                                  "\x0a\x03\x0a\x01"
                                  "a"
                                  "\x0a\x03\x0a\x01"
                                  "b");
    const Result<Example> merged = ParseExample("\x0a" + std::string(1, static_cast<char>(one.size())) + one);
    REQUIRE(merged.ok());
    CHECK(merged->Find("x")->bytes_list->value.size() == 2);
  }
  TEST_CASE("bytes that are not an example") {
    const Result<Example> example = ParseExample("\x0a\x09...");
    CHECK(example.status().code() == Code::kDataLoss);
    CHECK_MESSAGE(Has(example.status().message(), "at offset 1"), example.status().message());
    CHECK(ParseSequenceExample("\x0a\x09...").status().code() == Code::kDataLoss);
  }
  TEST_CASE("features as tensors") {
    const Result<Tensor> floats =
        FeatureToTensor(MakeFeature(std::vector<double>{1, 2, 3, 4, 5, 6}), TensorShape{2, 3});
    REQUIRE_MESSAGE(floats.ok(), floats.status().message());
    CHECK(floats->dtype() == DataType::kFloat);
    CHECK(floats->shape() == TensorShape{2, 3});
    CHECK(floats->data<float>()[5] == 6);
    const Result<Tensor> words = FeatureToTensor(MakeFeature(std::vector<std::string>{"a", ""}));
    REQUIRE_MESSAGE(words.ok(), words.status().message());
    CHECK(words->shape() == TensorShape{2});
    CHECK(words->data<tstring>()[0].view() == "a");
    const Result<Tensor> none = FeatureToTensor(MakeFeature(std::vector<int>{}));
    REQUIRE_MESSAGE(none.ok(), none.status().message());
    CHECK(none->NumElements() == 0);
    CHECK(Has(FeatureToTensor(MakeFeature(1), TensorShape{2}).status().message(),
              "the feature has 1 values, and shape [2] needs 2"));
    CHECK(FeatureToTensor(Feature()).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("tensors as features") {
    for (const Tensor& tensor : {Tensor::Scalar(3.0f), Tensor::Scalar(std::int64_t{-5}), Tensor::Scalar("text")}) {
      const Result<Feature> feature = FeatureFromTensor(tensor);
      REQUIRE_MESSAGE(feature.ok(), feature.status().message());
      CHECK(feature->dtype() == tensor.dtype());
      const Result<Tensor> again = FeatureToTensor(*feature, TensorShape{});
      REQUIRE_MESSAGE(again.ok(), again.status().message());
      CHECK(again->SummarizeValue(3) == tensor.SummarizeValue(3));
    }
    const Result<Feature> bytes = FeatureFromTensor(Tensor::Scalar(std::uint8_t{200}));
    REQUIRE_MESSAGE(bytes.ok(), bytes.status().message());
    CHECK(bytes->int64_list->value[0] == 200);
    const Result<Feature> flag = FeatureFromTensor(Tensor::Scalar(true));
    REQUIRE_MESSAGE(flag.ok(), flag.status().message());
    CHECK(flag->int64_list->value[0] == 1);
    CHECK(FeatureFromTensor(Tensor::Zeros<float>({0, 4}))->float_list->value.empty());
    const Status refused = FeatureFromTensor(Tensor::Scalar(1.0)).status();
    CHECK_MESSAGE(Has(refused.message(), "cannot hold double; cast it to float"), refused.message());
  }
  TEST_CASE("lists of features as tensors") {
    Result<Tensor> made = Tensor::Make(DataType::kInt64, TensorShape{3, 2});
    REQUIRE_MESSAGE(made.ok(), made.status().message());
    Tensor& tensor = *made;
    for (int i = 0; i < 6; ++i) tensor.data<std::int64_t>()[i] = i;
    Result<FeatureList> list = FeatureListFromTensor(tensor);
    REQUIRE_MESSAGE(list.ok(), list.status().message());
    REQUIRE(list->feature.size() == 3);
    CHECK(list->feature[2].int64_list->value[1] == 5);
    const Result<Tensor> again = FeatureListToTensor(*list);
    REQUIRE_MESSAGE(again.ok(), again.status().message());
    CHECK(again->shape() == tensor.shape());
    CHECK(again->SummarizeValue(9) == tensor.SummarizeValue(9));
    list->feature[1] = MakeFeature(1);
    CHECK(Has(FeatureListToTensor(*list).status().message(), "step 1 has 1 values of int64, and step 0 has 2"));
    CHECK_FALSE(FeatureListToTensor(FeatureList()).ok());
    CHECK_FALSE(FeatureListFromTensor(Tensor::Scalar(1.0f)).ok());
    CHECK(FeatureListFromTensor(Tensor::Zeros<float>({0, 4}))->feature.empty());
  }
}
}  // namespace example_io_test
