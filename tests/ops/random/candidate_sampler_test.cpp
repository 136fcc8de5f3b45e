// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/candidate_sampler.hpp>

#include <fstream>
#include <string>

#include "ops/outputs.hpp"
#include "temp_folder.hpp"

namespace random_candidate_sampler_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Attrs(std::int64_t num_sampled, std::int64_t range, bool unique = true) {
  return {{"num_true", std::int64_t{2}}, {"num_sampled", num_sampled}, {"unique", unique},
          {"range_max", range},          {"seed", std::int64_t{1}},    {"seed2", std::int64_t{2}}};
}
Tensor Classes(std::initializer_list<std::int64_t> classes) {
  return MakeTensor<std::int64_t>({static_cast<Index>(classes.size()) / 2, 2}, classes);
}
std::string FixedFrom(const std::string& file, std::int64_t range) {
  AttrArgs attrs = Attrs(2, range);
  attrs.push_back({"vocab_file", file});
  return ErrorOf<ops::FixedUnigramCandidateSampler>(attrs, {Classes({0, 1})});
}

}  // namespace

TEST_SUITE("candidate samplers") {
  TEST_CASE("all classes of a small range") {
    CHECK(OutputsOf<ops::AllCandidateSampler>(
              {{"num_true", std::int64_t{2}}, {"num_sampled", std::int64_t{3}}, {"unique", true}}, {Classes({2, 0})}) ==
          "0 1 2 | [1 1] | 1 1 1");
    const Result<std::vector<Tensor>> one = Call<ops::UniformCandidateSampler>(Attrs(1, 1), {Classes({0, 0})});
    REQUIRE(one.ok());
    CHECK((*one)[0].SummarizeValue(3) == "0");
    CHECK((*one)[2].SummarizeValue(3) == "1");
  }
  TEST_CASE("refuses classes outside, and more different ones than there are") {
    const std::string where = "INVALID_ARGUMENT: UniformCandidateSampler: ";
    CHECK(ErrorOf<ops::UniformCandidateSampler>(Attrs(2, 5), {Classes({5, 0})}) ==
          where + "`true_candidate` out of range [0, 5), received 5");
    CHECK(ErrorOf<ops::UniformCandidateSampler>(Attrs(6, 5), {Classes({4, 0})}) ==
          where + "Sampler's range is too small: 6 different candidates of 5");
    CHECK(ErrorOf<ops::LearnedUnigramCandidateSampler>(Attrs(6, std::int64_t{1} << 31), {Classes({4, 0})})
              .find("range_max must be less than 2147483647") != std::string::npos);
    AttrArgs zeros = Attrs(3, 4);
    zeros.push_back({"unigrams", std::vector<float>{0, 1, 0, 2}});
    CHECK(ErrorOf<ops::FixedUnigramCandidateSampler>(zeros, {Classes({1, 3})}) ==
          "INVALID_ARGUMENT: FixedUnigramCandidateSampler: 3 different candidates are wanted, but only 2 have a "
          "probability");
  }
  TEST_CASE("weights from a file: the last column of each line") {
    const TempFolder folder;
    const std::string file = folder.path() + "/words";
    std::ofstream(file) << "a,1\n\nb,2\r\nc,x,0.5\n4";
    CHECK(FixedFrom(file, 4) == "OK");
    CHECK(FixedFrom(file, 5).find("range is 5 must be equal to weights size  4") != std::string::npos);
    std::ofstream(file) << "a,1\nb,two\n";
    CHECK(FixedFrom(file, 2).find("Wrong vocabulary format at line: b,two") != std::string::npos);
    CHECK(FixedFrom(file + "_missing", 2).starts_with("NOT_FOUND: "));
  }
  TEST_CASE("hits: of equal candidates the last counts") {
    const AttrArgs two{{"num_true", std::int64_t{2}}};
    CHECK(OutputsOf<ops::ComputeAccidentalHits>(two, {Classes({3, 1, 0, 4}), Longs({4, 1, 4})}) ==
          "0 1 | 1 2 | -3.40282347e+38 -3.40282347e+38");
    CHECK(OutputsOf<ops::ComputeAccidentalHits>(two, {Classes({3, 1}), Longs({})}) == " |  | ");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<ops::UniformCandidateSampler>(
              {{7, 2}}, {{"num_true", std::int64_t{2}}, {"num_sampled", std::int64_t{5}}}) == "[5] [7,2] [5]");
    CHECK(ShapesOf<ops::ComputeAccidentalHits>({{7, 2}, {5}}, {{"num_true", std::int64_t{2}}}) == "[?] [?] [?]");
  }
}
}  // namespace random_candidate_sampler_test
