// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/ngrams.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/support.hpp"

namespace string_ngrams_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::NGramMaker;

namespace {

Tensor Texts(std::initializer_list<std::string_view> values) {
  Tensor tensor(DataType::kString, {static_cast<Index>(values.size())});
  Index i = 0;
  for (const std::string_view value : values) tensor.data<tstring>()[i++].assign(value);
  return tensor;
}
AttrArgs Attrs(const SlimVector<std::int64_t>& widths, std::int64_t pad_width, bool preserve = false) {
  return {{"separator", "|"}, {"ngram_widths", widths}, {"left_pad", "<"},
          {"right_pad", ">"}, {"pad_width", pad_width}, {"preserve_short_sequences", preserve}};
}
// "a|b c" and the splits, or what is wrong.
std::string Made(const AttrArgs& attrs, const Tensor& data, const Tensor& splits) {
  const Result<std::vector<Tensor>> out = Call<ops::StringNGrams>(attrs, {data, splits});
  if (!out.ok()) {
    const std::string text = out.status().ToString();
    return text.substr(0, text.find(" [node "));
  }
  std::string all;
  for (Index i = 0; i < (*out)[0].NumElements(); ++i) StrAppend(&all, (*out)[0].data<tstring>()[i].view(), " ");
  for (Index i = 0; i < (*out)[1].NumElements(); ++i)
    StrAppend(
        &all,
        (*out)[1].dtype() == DataType::kInt32 ? (*out)[1].data<std::int32_t>()[i] : (*out)[1].data<std::int64_t>()[i],
        ",");
  return all;
}

}  // namespace

TEST_SUITE("StringNGrams") {
  TEST_CASE("pads are as wide as asked for, but leave a place for a text") {
    const NGramMaker two{"|", "<", ">", 2}, any{"|", "<", ">", -1}, none{"|", "<", ">", 0};
    CHECK(two.Pads(2) == 1);
    CHECK(two.Pads(5) == 2);
    CHECK(any.Pads(5) == 4);
    CHECK(none.Pads(5) == 0);
    CHECK(none.Count(3, 2) == 2);
    CHECK(none.Count(3, 5) == 0);
    CHECK(any.Count(1, 3) == 3);
    CHECK(two.Count(0, 2) == 1);
  }
  TEST_CASE("one row: neighbours joined, pads only where texts are missing") {
    const Tensor texts = Texts({"a", "b", "c"});
    tstring out[5];
    NGramMaker{"|", "<", ">", -1}.Make(texts.data<tstring>(), out, 5, 3);
    std::string all;
    for (const tstring& gram : out) StrAppend(&all, gram.view(), " ");
    CHECK(all == "<|<|a <|a|b a|b|c b|c|> c|>|> ");
  }
  TEST_CASE("rows of different lengths, width by width; TensorFlow's for the same") {
    const Tensor texts = Texts({"a", "b", "c", "d", "e"});
    CHECK(Made(Attrs({2, 3}, 1), texts, Ints({0, 1, 1, 5})) ==
          "<|a a|> <|a|> <|> <|b b|c c|d d|e e|> <|b|c b|c|d c|d|e d|e|> 0,3,4,13,");
    CHECK(Made(Attrs({1}, 0), texts, Longs({0, 2, 5})) == "a b c d e 0,2,5,");
    CHECK(Made(Attrs({4}, 0), texts, Longs({0, 2, 5})) == "0,0,0,");
    CHECK(Made(Attrs({}, 0), texts, Longs({0, 5})) == "0,0,");
  }
  TEST_CASE("a row too short for every width is kept whole where that is wanted, an empty one is not") {
    const Tensor texts = Texts({"a", "b", "c"});
    CHECK(Made(Attrs({3}, 0, true), texts, Longs({0, 2, 2, 3})) == "a|b c 0,1,1,2,");
    CHECK(Made(Attrs({}, 1, true), texts, Longs({0, 3})) == "<|a|b|c|> 0,1,");
    CHECK(Made(Attrs({}, -1, true), texts, Longs({0, 3})) ==
          "INVALID_ARGUMENT: Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not "
          "provided, got -1");
  }
  TEST_CASE("no texts and no splits") {
    CHECK(Made(Attrs({2}, 1), Texts({}), Longs({0, 0, 0})) == "0,0,0,");
    CHECK(Made(Attrs({2}, 1), Texts({}), Longs({})) == "");
    CHECK(Made(Attrs({2}, 1), Texts({"a", "b"}), Longs({})) == "  ");  // two empty texts
  }
  TEST_CASE("says which split or width is wrong") {
    const Tensor texts = Texts({"a", "b"});
    CHECK(Made(Attrs({2}, 0), texts, Longs({1, 2})) == "INVALID_ARGUMENT: First split value must be 0, got 1");
    CHECK(Made(Attrs({2}, 0), texts, Longs({0, 2, 1})) == "INVALID_ARGUMENT: Invalid split value 1, must be in [2, 2]");
    CHECK(Made(Attrs({2}, 0), texts, Longs({0, 3})) == "INVALID_ARGUMENT: Invalid split value 3, must be in [0, 2]");
    CHECK(Made(Attrs({2}, 0), texts, Longs({0, 1})) ==
          "INVALID_ARGUMENT: Last split value must be data size. Expected 2, got 1");
    CHECK(Made(Attrs({2, 0}, 0), texts, Longs({0, 2})) ==
          "INVALID_ARGUMENT: StringNGrams: ngram_widths must contain positive values of 32 bits, got 0");
    const std::int64_t most = 2147483647;
    CHECK(Made(Attrs({2}, most + 1), texts, Longs({0, 2})) ==
          "INVALID_ARGUMENT: StringNGrams: pad_width 2147483648 is out of range [-2147483647, 2147483647]");
    CHECK(
        Made(Attrs({most}, -1), texts, Longs({0, 2})) ==
        "INVALID_ARGUMENT: Pad width could lead to integer overflow, got pad_width = 2147483646 for a row of 2 texts");
    CHECK(InferredShape<ops::StringNGrams>({{5}, {3}}, {}, 1) == "[3]");
    CHECK(InferredShape<ops::StringNGrams>({{5, 1}, {3}}) == "Shape must be rank 1 but is rank 2");
  }
}
}  // namespace string_ngrams_test
