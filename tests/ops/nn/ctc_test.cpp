// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/ctc.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace nn_ctc_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::CtcLabels;
using ops::detail::CtcRules;

namespace {

using Doubles = std::vector<double>;
using Word = std::vector<int>;

struct Answer {
  double loss;
  Doubles gradient;
};
// The loss by its definition: the sum over all paths through `time` steps that stand for `labels`; class `classes` - 1
// is the blank. merge: equal neighbours of a path are one.
Answer Enumerated(const Doubles& y, std::size_t time, std::size_t classes, const Word& labels, bool merge) {
  Answer answer{0, y};
  Doubles share(y.size(), 0);
  double total = 0;
  std::size_t paths = 1;
  for (std::size_t t = 0; t < time; ++t) paths *= classes;
  for (std::size_t path = 0; path < paths; ++path) {
    Word seen;
    double p = 1;
    std::size_t rest = path, before = classes;
    for (std::size_t t = 0; t < time; ++t, rest /= classes) {
      const std::size_t at = rest % classes;
      p *= y[t * classes + at];
      if (at != classes - 1 && !(merge && at == before)) seen.push_back(static_cast<int>(at));
      before = at;
    }
    if (seen != labels) continue;
    total += p;
    rest = path;
    for (std::size_t t = 0; t < time; ++t, rest /= classes) share[t * classes + rest % classes] += p;
  }
  answer.loss = -std::log(total);
  for (std::size_t i = 0; i < y.size() && total > 0; ++i) answer.gradient[i] -= share[i] / total;
  return answer;
}
// Logits of [4, 1, 3] and their probabilities.
Tensor Logits() { return Random<double>({4, 1, 3}, 5); }
Doubles Probabilities(const Tensor& logits) {
  Doubles y = Numbered<double>(logits);
  for (std::size_t t = 0; t < y.size(); t += 3) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += y[t + k] = std::exp(y[t + k]);
    for (std::size_t k = 0; k < 3; ++k) y[t + k] /= sum;
  }
  return y;
}
std::vector<Tensor> Inputs(const Tensor& logits, const std::vector<int>& labels, std::int32_t length) {
  Tensor places(DataType::kInt64, {static_cast<Index>(labels.size()), 2});
  Tensor values(DataType::kInt32, {static_cast<Index>(labels.size())});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    places.data<std::int64_t>()[2 * i] = 0;
    places.data<std::int64_t>()[2 * i + 1] = static_cast<std::int64_t>(i);
    values.data<std::int32_t>()[i] = labels[i];
  }
  return {logits, places, values, Ints({length})};
}
std::string Labels(std::initializer_list<std::int64_t> places, std::initializer_list<std::int32_t> values,
                   Index batch = 2) {
  const Tensor where = MakeTensor<std::int64_t>({static_cast<Index>(values.size()), 2}, places);
  CtcRules rules;
  rules.blank = 3;
  CtcLabels labels;
  return std::string(labels.Read(where, Ints(values), batch, 4, rules).message());
}

}  // namespace

TEST_SUITE("CTC") {
  TEST_CASE("loss and gradient are those of all paths that stand for the labels") {
    const Tensor logits = Logits();
    for (const bool merge : {true, false})
      for (const Word& labels : {Word{0}, Word{1, 0}, Word{0, 0}, Word{1, 1, 0}, Word{0, 1, 0, 1}}) {
        const Result<std::vector<Tensor>> out =
            Call<ops::CTCLoss>({{"ctc_merge_repeated", merge}}, Inputs(logits, labels, 4));
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        const Answer want = Enumerated(Probabilities(logits), 4, 3, labels, merge);
        CHECK(std::abs(*(*out)[0].data<double>() - want.loss) < 1e-6);
        for (std::size_t i = 0; i < 12; ++i) CHECK(std::abs((*out)[1].data<double>()[i] - want.gradient[i]) < 1e-6);
      }
  }
  TEST_CASE("labels that no path stands for have no end of loss, and what lies beyond the length no gradient") {
    // 0 0 needs a blank between.
    const Result<std::vector<Tensor>> out = Call<ops::CTCLoss>({}, Inputs(Logits(), {0, 0}, 2));
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(*(*out)[0].data<double>() == kInfinity);
    CHECK(Numbered<double>((*out)[1])[0] == doctest::Approx(Probabilities(Logits())[0]));
    for (std::size_t i = 6; i < 12; ++i) CHECK((*out)[1].data<double>()[i] == 0);
    // Longer than the time, and that is to be passed over; no time at all.
    const Result<std::vector<Tensor>> over =
        Call<ops::CTCLoss>({{"ignore_longer_outputs_than_inputs", true}}, Inputs(Logits(), {0, 1, 0}, 2));
    REQUIRE_MESSAGE(over.ok(), over.status().message());
    CHECK(*(*over)[0].data<double>() == 0);
    const Result<std::vector<Tensor>> none = Call<ops::CTCLoss>({}, Inputs(Logits(), {0, 1, 0}, 0));
    REQUIRE_MESSAGE(none.ok(), none.status().message());
    CHECK(*(*none)[0].data<double>() == 0);
  }
  TEST_CASE("the log of a sum of two knows what never happens") {
    using ops::detail::LogSum;
    CHECK(LogSum(-kInfinity, 2.0) == 2);
    CHECK(LogSum(2.0, -kInfinity) == 2);
    CHECK(LogSum(-kInfinity, -kInfinity) == -kInfinity);
    CHECK(std::abs(LogSum(1000.0, 1000.0) - (1000 + std::log(2.0))) < 1e-6);
    CHECK(std::abs(LogSum(-3.0, 1.0) - std::log(std::exp(-3.0) + std::exp(1.0))) < 1e-6);
  }
  TEST_CASE("labels: nulls at the end are dropped, repeats where that is wanted") {
    CtcRules rules;
    rules.blank = 3;
    rules.collapse_repeated = true;
    CtcLabels labels;
    const Tensor where = MakeTensor<std::int64_t>({7, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 1, 3});
    REQUIRE(labels.Read(where, Ints({1, 1, 2, 0, 0, 3, 7}), 2, 4, rules).ok());
    CHECK(labels.of[0] == SlimVector<std::int32_t>{1, 2});
    CHECK(labels.of[1] == SlimVector<std::int32_t>{0});
    CHECK(Labels({0, 0, 1, 0}, {1, 1}) == "");
    CHECK(Labels({2, 0}, {1}) == "labels batch index must be between 0 and 2 but saw: 2");
    CHECK(Labels({1, 0, 0, 0}, {1, 1}) == "labels SparseTensor must be ordered by batch, but 0 follows 1");
    CHECK(Labels({1, 0}, {1}) == "Labels length is zero in batch 0");
    CHECK(Labels({0, 0, 1, 0}, {1, -1}) == "All labels must be nonnegative integers, batch: 1 label: -1");
    CHECK(Labels({0, 0, 0, 1}, {3, 1}, 1) ==
          "Saw a non-null label (index >= num_classes - 1) following a null label, batch: 0 num_classes: 4 label: 1");
  }
  TEST_CASE("the likeliest classes less blanks, and repeats where that is wanted; the score is negated") {
    // Two examples of 3 and 2 steps; the last class is the blank.
    const Tensor x = Make<float>({3, 2, 3}, {5, 1, 1, 0, 7, 0, 5, 1, 1, 0, 0, 2, 1, 4, 1, 9, 9, 9});
    const auto decoded = [&](const AttrArgs& attrs) {
      const Result<std::vector<Tensor>> out = Call<ops::CTCGreedyDecoder>(attrs, {x, Ints({3, 2})});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      return *out;
    };
    const std::vector<Tensor> all = decoded({});
    CHECK(Numbered<std::int64_t>(all[1]) == Doubles{0, 0, 1, 1});
    CHECK(Numbered<std::int64_t>(all[0]) == Doubles{0, 0, 0, 1, 0, 2, 1, 0});
    CHECK(Numbered<std::int64_t>(all[2]) == Doubles{2, 3});
    CHECK(Numbered<float>(all[3]) == Doubles{-14, -9});
    CHECK(Numbered<std::int64_t>(decoded({{"merge_repeated", true}})[1]) == Doubles{0, 1, 1});
    CHECK(Numbered<std::int64_t>(decoded({{"blank_index", std::int64_t{0}}})[1]) == Doubles{1, 1, 2});
  }
  TEST_CASE("says which length, size or blank does not fit") {
    const std::string start = "INVALID_ARGUMENT: ";
    CHECK(ErrorOf<ops::CTCLoss>({}, Inputs(Logits(), {0, 1, 0}, 2)) ==
          start +
              "Not enough time for target transition sequence (required: 3, available: 2) in batch 0. You can turn "
              "this error into a warning by using the flag ignore_longer_outputs_than_inputs");
    CHECK(ErrorOf<ops::CTCLoss>({}, Inputs(Logits(), {0}, 5)) ==
          start + "sequence_length(0) <= 4 and at least 0 is wanted, got 5");
    std::vector<Tensor> inputs = Inputs(Logits(), {0}, 4);
    inputs[3] = Ints({4, 4});
    CHECK(ErrorOf<ops::CTCLoss>({}, inputs) ==
          start + "len(sequence_length) != batch_size.  len(sequence_length):  2 batch_size: 1");
    inputs = Inputs(Logits(), {0}, 4);
    inputs[2] = Ints({0, 1});
    CHECK(ErrorOf<ops::CTCLoss>({}, inputs) ==
          start + "labels_indices and labels_values must contain the same number of rows, but saw [1,2] vs. [2]");
    inputs[0] = Tensor(DataType::kFloat, {4, 0, 3});
    CHECK(ErrorOf<ops::CTCLoss>({}, inputs) == start + "inputs must not be empty, got [4,0,3]");
    const Tensor x = Make<float>({2, 1, 3}, {1});
    CHECK(ErrorOf<ops::CTCGreedyDecoder>({{"blank_index", std::int64_t{3}}}, {x, Ints({2})}) ==
          start + "blank_index expected to be between -3 and 2 but was 3");
    CHECK(ErrorOf<ops::CTCGreedyDecoder>({}, {x, Ints({3})}).find("FAILED_PRECONDITION: sequence_length(0) <= 2") == 0);
    CHECK(InferredShape<ops::CTCLoss>({{4, -1, 3}, {-1, 2}, {5}, {7}}, {}, 1) == "[4,7,3]");
    CHECK(InferredShape<ops::CTCGreedyDecoder>({{4, 7, 3}, {6}}) == "Dimensions must be equal, but are 7 and 6");
  }
}
}  // namespace nn_ctc_test
