// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/training/word2vec.hpp>

#include <cstdio>
#include <string>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace training_word2vec_test {
using namespace tenon;
using state_test::Floats;
using state_test::Machine;

TEST_SUITE("word2vec") {
  TEST_CASE("words come by frequency, and pairs stand near each other") {
    const TempFolder folder;
    const std::string path = folder / "words";
    std::string text;
    for (int i = 0; i < 40; ++i) text += i % 2 == 0 ? "the quick\n" : "the fox ";
    text += "rare";
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    REQUIRE(file != nullptr);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    Machine m;
    m.b.Add("Skipgram", "pairs", {},
            {{"filename", path}, {"batch_size", 50}, {"window_size", 1}, {"min_count", 2}, {"subsample", 0.0f}});
    m.Start({}, 18);
    const std::vector<Tensor> out =
        m.Get({"pairs:0", "pairs:1", "pairs:2", "pairs:3", "pairs:4", "pairs:5", "pairs:6"});
    REQUIRE(out[0].NumElements() == 4);
    const char* const words[] = {"UNK", "the", "quick", "fox"};
    const std::int32_t counts[] = {1, 40, 20, 20};
    for (int i = 0; i < 4; ++i) {
      CHECK(out[0].data<tstring>()[i].view() == words[i]);
      CHECK(out[1].data<std::int32_t>()[i] == counts[i]);
    }
    CHECK(*out[2].data<std::int64_t>() == 81);
    CHECK(*out[4].data<std::int64_t>() > 1000);
    for (Index i = 0; i < 50; ++i) {
      const std::int32_t a = out[5].data<std::int32_t>()[i], b = out[6].data<std::int32_t>()[i];
      CHECK((a == 1 || b == 1 || a == 0 || b == 0));
      CHECK(a != b);
    }
  }
  TEST_CASE("a step brings a word and its neighbour together and drives others apart") {
    Machine m;
    const Output in = m.Reference("in", MakeTensor<float>({2, 1}, {1, 0}));
    const Output out = m.Reference("out", MakeTensor<float>({2, 1}, {0, 2}));
    m.b.Add("NegTrain", "train",
            {in, out, m.b.Const("e", MakeTensor<std::int32_t>({1}, {0})),
             m.b.Const("l", MakeTensor<std::int32_t>({1}, {0})), m.b.Const("r", Tensor::Scalar(1.0f))},
            {{"vocab_count", SlimVector<std::int64_t>{0, 3}}, {"num_negative_samples", 1}});
    m.Start({}, 18);
    CHECK(m.Do("train").code() == Code::kFailedPrecondition);
    REQUIRE(m.Do("in/init").ok());
    REQUIRE(m.Do("out/init").ok());
    REQUIRE(m.Do("train").ok());
    // sigmoid(-0) * 1 is added to out[0]; out[1] loses sigmoid(2) * 1, and in[0] loses sigmoid(2) * 2.
    CHECK(m.Floats("out")[0] == doctest::Approx(0.5));
    CHECK(m.Floats("out")[1] == doctest::Approx(2 - 0.880797));
    CHECK(m.Floats("in")[0] == doctest::Approx(1 - 2 * 0.880797));
  }
  TEST_CASE("refuses words outside of the vocabulary") {
    Machine m;
    const Output v = m.Reference("v", MakeTensor<float>({2, 1}, {1, 0}));
    m.b.Add("NegTrain", "train",
            {v, v, m.b.Const("e", MakeTensor<std::int32_t>({1}, {2})),
             m.b.Const("l", MakeTensor<std::int32_t>({1}, {0})), m.b.Const("r", Tensor::Scalar(1.0f))},
            {{"vocab_count", SlimVector<std::int64_t>{1, 3}}, {"num_negative_samples", 1}});
    m.Start({}, 18);
    REQUIRE(m.Do("v/init").ok());
    CHECK(m.Do("train").code() == Code::kInvalidArgument);
  }
}
}  // namespace training_word2vec_test
