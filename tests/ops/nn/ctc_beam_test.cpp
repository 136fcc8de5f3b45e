// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/ctc_beam.hpp>

#include <cmath>

#include "ops/outputs.hpp"

namespace nn_ctc_beam_test {
using namespace tenon;
using namespace tenon::testing;
using ops::CTCBeamSearchDecoder;

namespace {

AttrArgs Attrs(std::int64_t width, std::int64_t paths, bool merge) {
  return {{"beam_width", width}, {"top_paths", paths}, {"merge_repeated", merge}};
}
// Probabilities 0.1, 0.6 and, of the blank, 0.3 at two times.
Tensor Twice() { return Make<double>({2, 1, 3}, {std::log(0.1), std::log(0.6), std::log(0.3)}); }

}  // namespace

TEST_SUITE("CTC beam search") {
  TEST_CASE("finds the best paths and their probabilities") {
    const Result<std::vector<Tensor>> out =
        CallOp("CTCBeamSearchDecoder", Attrs(10, 2, false), {Twice(), Ints({2})}, 7);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].SummarizeValue(9) == "[0 0]");
    CHECK((*out)[2].SummarizeValue(9) == "1");
    CHECK((*out)[3].NumElements() == 0);
    CHECK((*out)[4].SummarizeValue(9) == "1 1");
    CHECK((*out)[5].SummarizeValue(9) == "1 0");
    CHECK((*out)[6].data<double>()[0] == doctest::Approx(std::log(0.72)).epsilon(1e-6));
    CHECK((*out)[6].data<double>()[1] == doctest::Approx(std::log(0.09)).epsilon(1e-6));
  }
  TEST_CASE("merges equal labels that a blank parts") {
    const Tensor x = Make<float>({3, 1, 2}, {9, 0, 0, 9, 9, 0});
    CHECK(OutputsOf<CTCBeamSearchDecoder>(Attrs(10, 1, false), {x, Ints({3})}).substr(0, 26) ==
          "[0 0][0 1] | 0 0 | 1 2 | [");
    CHECK(OutputsOf<CTCBeamSearchDecoder>(Attrs(10, 1, true), {x, Ints({3})}).substr(0, 17) == "[0 0] | 0 | 1 1 |");
  }
  TEST_CASE("a heap keeps the best ones") {
    ops::detail::CtcPrefix<float> prefixes[5] = {};
    for (int i = 0; i < 5; ++i) prefixes[i].now.total = static_cast<float>(i);
    prefixes[2].now.total = std::numeric_limits<float>::quiet_NaN();
    const ops::detail::CtcIsBetter<float> better{prefixes};
    ops::detail::CtcBest<float> best(3);
    for (const std::int32_t i : {2, 1, 4, 0, 3}) best.Add(i, better);
    SlimVector<std::int32_t> taken;
    best.Take(&taken, better);
    CHECK(taken.size() == 3);
    CHECK(taken[0] == 4);
    CHECK(taken[1] == 3);
    CHECK(taken[2] == 1);
  }
  TEST_CASE("refuses more paths than there are and wrong lengths") {
    CHECK(ErrorOf<CTCBeamSearchDecoder>(Attrs(1, 2, false), {Twice(), Ints({2})}) ==
          "INVALID_ARGUMENT: requested more paths than the beam width. Got 2 paths and width 1");
    CHECK(ErrorOf<CTCBeamSearchDecoder>(Attrs(9, 2, false), {Twice(), Ints({0})}) ==
          "INVALID_ARGUMENT: Less leaves in the beam search than requested. Got 1 in batch 0, requested 2");
    CHECK(ErrorOf<CTCBeamSearchDecoder>(Attrs(9, 1, false), {Twice(), Ints({3})}).substr(0, 19) ==
          "FAILED_PRECONDITION");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<CTCBeamSearchDecoder>({{5, 2, 3}, {2}}, {{"top_paths", std::int64_t{2}}}) ==
          "[?,2] [?,2] [?] [?] [2] [2] [2,2]");
  }
}
}  // namespace nn_ctc_beam_test
