// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/histogram.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_histogram_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
std::vector<double> Histogram(std::initializer_list<double> values, double low, double high, std::int32_t bins) {
  const Tensor x = Make<T>({static_cast<Index>(values.size())}, values);
  return Numbered<std::int32_t>(Run<ops::HistogramFixedWidth>({}, {x, Make<T>({2}, {low, high}), Int(bins)}));
}
std::string Refused(const Tensor& values, const Tensor& range, const Tensor& bins) {
  return ErrorOf<ops::HistogramFixedWidth>({}, {values, range, bins});
}

}  // namespace

TEST_SUITE("histograms") {
  TEST_CASE("counts in the rows of a ragged and of a sparse tensor") {
    const Tensor splits = Make<std::int64_t>({3}, {0, 1, 3}), values = Ints({2, 0, 0}), none = Make<float>({0}, {});
    CHECK(Numbered<float>(Run<ops::RaggedBincount>({}, {splits, values, Int(3), none})) ==
          std::vector<double>{0, 0, 1, 2, 0, 0});
    const Tensor indices = Make<std::int64_t>({3, 2}, {0, 0, 1, 0, 1, 5}), shape = Make<std::int64_t>({2}, {2, 6});
    CHECK(Numbered<float>(Run<ops::SparseBincount>({}, {indices, values, shape, Int(3), none})) ==
          std::vector<double>{0, 0, 1, 2, 0, 0});
    CHECK(ErrorOf<ops::RaggedBincount>({}, {splits, Ints({2}), Int(3), none})
              .find("Splits must end with the number of values, got 3 instead of 1") != std::string::npos);
    CHECK(ErrorOf<ops::SparseBincount>({}, {indices, values, Make<std::int64_t>({2}, {1, 6}), Int(3), none})
              .find("`batch` (1) must be less than the dimension size (1)") != std::string::npos);
  }
  TEST_CASE("numbers are counted or weighed; those outside are left out, and integers wrap") {
    const Tensor numbers = Ints({0, 2, 2, 9});
    const HostIndices at(numbers.any_view(), DataType::kInt32);
    double bins[3] = {};
    ops::detail::CountInto<double>(at, 0, 4, nullptr, false, bins, 3);
    CHECK((bins[0] == 1 && bins[1] == 0 && bins[2] == 2));
    const double weights[] = {.5, 1, 2, 4};
    ops::detail::CountInto<double>(at, 1, 4, weights, false, bins, 3);
    CHECK((bins[0] == 1 && bins[2] == 5));
    ops::detail::CountInto<double>(at, 0, 4, weights, true, bins, 3);
    CHECK((bins[0] == 1 && bins[1] == 0 && bins[2] == 1));
    std::int32_t wrapping[3] = {0, 0, std::numeric_limits<std::int32_t>::max()};
    const std::int32_t ones[] = {1, 1, 1, 1};
    ops::detail::CountInto<std::int32_t>(at, 0, 2, ones, false, wrapping, 3);
    CHECK(wrapping[2] == std::numeric_limits<std::int32_t>::min());
  }
  TEST_CASE("each row of DenseBincount by itself, none of no columns or rows") {
    const Tensor x = MakeTensor<std::int64_t>({2, 3}, {0, 1, 1, 2, 2, 7}), size = Tensor::Scalar<std::int64_t>(3);
    const Tensor none(DataType::kFloat, {0});
    CHECK(Numbered<float>(Run<ops::DenseBincount>({}, {x, size, none})) == std::vector<double>{1, 2, 0, 0, 0, 2});
    CHECK(Numbered<float>(Run<ops::DenseBincount>({{"binary_output", true}}, {x, size, none})) ==
          std::vector<double>{1, 1, 0, 0, 0, 1});
    CHECK(Numbered<float>(Run<ops::DenseBincount>({}, {Tensor(DataType::kInt64, {2, 0}), size, none})) ==
          std::vector<double>(6, 0));
    CHECK(Run<ops::DenseBincount>({}, {Tensor(DataType::kInt64, {0, 2}), size, none}).shape() == TensorShape({0, 3}));
    CHECK(Run<ops::Bincount>({}, {Ints({1, 2}), Int(0), none}).NumElements() == 0);
  }
  TEST_CASE("a bucket begins at its boundary; NaN lies beyond all") {
    const float bounds[] = {-1, 0, 0, 2};
    const float values[] = {-2, -1, -.5f, 0, 1, 2, static_cast<float>(kNaN), static_cast<float>(kInfinity)};
    std::int32_t out[8];
    ops::detail::BucketRun(values, 8, bounds, bounds + 4, out);
    CHECK(std::vector<std::int32_t>(out, out + 8) == std::vector<std::int32_t>{0, 1, 1, 3, 3, 4, 4, 4});
    // Doubles are compared as doubles, and 2^24 + 1 as a float: that is 2^24.
    const float wide[] = {16777216};
    const double exact[] = {16777215.5};
    const std::int32_t whole[] = {16777217};
    ops::detail::BucketRun(exact, 1, wide, wide + 1, out);
    CHECK(out[0] == 0);
    ops::detail::BucketRun(whole, 1, wide, wide + 1, out);
    CHECK(out[0] == 1);
    ops::detail::BucketRun(whole, 1, wide, wide, out);
    CHECK(out[0] == 0);
  }
  TEST_CASE("parts of a range are equally wide; what lies outside counts at its ends") {
    CHECK(Histogram<float>({-5, 0, 1.9, 2, 9.99, 10, 11, kInfinity, -kInfinity}, 0, 10, 5) ==
          std::vector<double>{4, 1, 0, 0, 4});
    CHECK(Histogram<std::int32_t>({-1, 0, 1, 2, 3, 9}, 0, 4, 2) == std::vector<double>{3, 3});
    const double least = -2147483648.0, most = 2147483647.0;
    CHECK(Histogram<std::int32_t>({least, -1, 0, most}, least, most, 2) == std::vector<double>{2, 2});
    CHECK(Histogram<double>({}, 0, 1, 3) == std::vector<double>{0, 0, 0});
  }
  TEST_CASE("boundaries that do not ascend, numbers below 0 and sizes that do not fit are named") {
    const Tensor none(DataType::kFloat, {0});
    CHECK(ErrorOf<ops::Bucketize>({{"boundaries", SlimVector<float>{0, 3, 1.5f}}}, {Ints({1})}) ==
          "INVALID_ARGUMENT: Bucketize: Expected sorted boundaries, but 1.5 comes after 3");
    CHECK(ErrorOf<ops::Bincount>({}, {Ints({1, -2}), Int(3), none}) ==
          "INVALID_ARGUMENT: Bincount: Input arr must be non-negative! Negative input value found: -2");
    CHECK(ErrorOf<ops::Bincount>({}, {Ints({1}), Int(-3), none}) ==
          "INVALID_ARGUMENT: Bincount: size (-3) must be non-negative");
    CHECK(ErrorOf<ops::Bincount>({}, {Ints({1}), Int(3), Make<float>({2}, {1})}) ==
          "INVALID_ARGUMENT: Bincount: Input indices and weights must have the same size. Received 1 and 2");
    CHECK(ErrorOf<ops::DenseBincount>({}, {Ints({1}), Int(3), Make<float>({1, 1}, {1})}) ==
          "INVALID_ARGUMENT: DenseBincount: `weights` must be the same shape as `arr` or a length-0 `Tensor`, in which "
          "case it acts as all weights equal to 1. Received [1,1] for input of shape [1]");
  }
  TEST_CASE("histograms of NaN, of no range and of no parts") {
    const Tensor x = Make<float>({2}, {1, kNaN}), range = Make<float>({2}, {0, 2});
    CHECK(Refused(x, range, Int(2)) ==
          "INVALID_ARGUMENT: HistogramFixedWidth: Histogram values must not contain NaN; values[1] is NaN");
    CHECK(Refused(x, Make<float>({2}, {2, 2}), Int(2)) ==
          "INVALID_ARGUMENT: HistogramFixedWidth: value_range should satisfy value_range[0] < value_range[1], but got "
          "'[2, 2]'");
    CHECK(Refused(x, range, Int(0)) ==
          "INVALID_ARGUMENT: HistogramFixedWidth: nbins should be a positive number, but got '0'");
    CHECK(Refused(x, Make<float>({3}, {0, 1, 2}), Int(2)) ==
          "INVALID_ARGUMENT: HistogramFixedWidth: value_range should be a vector of 2 elements, got 3");
    CHECK(InferredShape<ops::HistogramFixedWidth>({{4}, {2}, StaticInput::Scalar(5)}) == "[5]");
    CHECK(InferredShape<ops::HistogramFixedWidth>({{4}, {2}, StaticInput::Scalar(0)}) == "Requires nbins > 0: 0");
    CHECK(InferredShape<ops::DenseBincount>({{2, 9}, StaticInput::Scalar(5), {}}) == "[2,5]");
    CHECK(InferredShape<ops::DenseBincount>({StaticShape(), StaticInput::Scalar(5), {}}) == "?");
  }
}
}  // namespace math_histogram_test
