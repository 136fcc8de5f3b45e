// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/audio/spectrogram.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace audio_spectrogram_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const StaticInput kScalar(std::initializer_list<std::int64_t>{});
AttrArgs Windows(std::int64_t size, std::int64_t stride, bool squared = false) {
  return {{"window_size", size}, {"stride", stride}, {"magnitude_squared", squared}};
}

}  // namespace

TEST_SUITE("AudioSpectrogram") {
  TEST_CASE("constant sound has the window's own spectrum") {
    const Tensor sound = Make<float>({9, 2}, {1});
    const Tensor got = Run<ops::AudioSpectrogram>(Windows(8, 1), {sound});
    REQUIRE(got.shape() == TensorShape({2, 2, 5}));
    for (Index i = 0; i < got.NumElements(); ++i)
      CHECK(got.data<float>()[i] == doctest::Approx(i % 5 == 0 ? 4 : i % 5 == 1 ? 2 : 0).epsilon(1e-5));
    CHECK(Run<ops::AudioSpectrogram>(Windows(8, 1, true), {sound}).data<float>()[0] == doctest::Approx(16));
  }
  TEST_CASE("many windows, as the definition says") {
    const Tensor sound = Random<float>({70000, 1}, 1, -1, 1);
    const Tensor got = Run<ops::AudioSpectrogram>(Windows(6, 3, true), {sound});
    REQUIRE(got.shape() == TensorShape({1, 23332, 5}));
    for (const Index frame : {0, 4095, 4096, 4097, 23331})
      for (Index bin = 0; bin < 5; ++bin) {
        Wide sum = 0;
        for (Index i = 0; i < 6; ++i) {
          const auto x = static_cast<double>(sound.data<float>()[frame * 3 + i]);
          sum += x * (0.5 - 0.5 * std::cos(2 * 3.141592653589793 / 6 * static_cast<double>(i))) *
                 std::polar(1.0, -2 * 3.141592653589793 / 8 * static_cast<double>(bin * i));
        }
        CHECK(got.data<float>()[frame * 5 + bin] == doctest::Approx(std::norm(sum)).epsilon(1e-5));
      }
  }
  TEST_CASE("shapes, and what is refused") {
    CHECK(InferredShape<ops::AudioSpectrogram>({{9, 2}}, {{"window_size", 5}, {"stride", 2}}) == "[2,3,5]");
    CHECK(InferredShape<ops::AudioSpectrogram>({{-1, -1}}, {{"window_size", 8}, {"stride", 2}}) == "[?,?,5]");
    CHECK(InferredShape<ops::AudioSpectrogram>({{-1, -1}}, {{"window_size", 1}, {"stride", 2}})
              .find("window size must be > 1, got 1") != std::string::npos);
    CHECK(InferredShape<ops::AudioSpectrogram>({{-1, -1}}, {{"window_size", 2}, {"stride", 0}})
              .find("stride must be strictly positive, got 0") != std::string::npos);
    CHECK(InferredShape<ops::AudioSpectrogram>({{-1, -1}}, {{"window_size", std::int64_t{1} << 40}, {"stride", 1}})
              .find("out of range for an int32") != std::string::npos);
    CHECK(Run<ops::AudioSpectrogram>(Windows(2147483647, 1), {Make<float>({3, 1}, {1})}).NumElements() == 0);
    CHECK(ErrorOf<ops::AudioSpectrogram>(Windows(4, 1), {Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: input must be 2-dimensional[3]");
  }
}

TEST_SUITE("Mfcc") {
  TEST_CASE("a single coefficient is the scaled sum of the logarithms of the bands") {
    const Tensor spectrum = Make<float>({1, 1, 9}, {4});
    const Tensor got =
        Run<ops::Mfcc>({{"filterbank_channel_count", 2}, {"dct_coefficient_count", 1}}, {spectrum, Int(8000)});
    // Triangles over mel(20), +1/3, +2/3, mel(4000): each bin of 500 Hz gives 2 = sqrt(4), shared by two bands.
    const double low = 1127 * std::log1p(20 / 700.0), step = (1127 * std::log1p(4000 / 700.0) - low) / 3;
    double bands[2] = {};
    for (int bin = 1; bin < 9; ++bin) {
      const double at = (1127 * std::log1p(bin * 500 / 700.0) - low) / step;
      for (int b = 0; b < 2; ++b) bands[b] += 2 * std::fmax(0, 1 - std::fabs(at - (b + 1)));
    }
    CHECK(got.data<float>()[0] == doctest::Approx(std::log(bands[0]) + std::log(bands[1])).epsilon(1e-5));
  }
  TEST_CASE("numbers that are refused, or too large") {
    const Tensor spectrum = Make<float>({1, 2, 9}, {4});
    const auto refused = [&](const AttrArgs& attrs, int rate = 8000) {
      return ErrorOf<ops::Mfcc>(attrs, {spectrum, Int(rate)}).find("INVALID_ARGUMENT: Mfcc initialization failed") == 0;
    };
    CHECK(refused({}, 0));
    CHECK(refused({{"dct_coefficient_count", 41}}));
    CHECK(refused({{"dct_coefficient_count", 0}}));
    CHECK(refused({{"filterbank_channel_count", 0}}));
    CHECK(refused({{"lower_frequency_limit", 5000.0f}}));
    CHECK(refused({{"lower_frequency_limit", -1.0f}}));
    CHECK(ErrorOf<ops::Mfcc>({{"filterbank_channel_count", 2147483646}}, {spectrum, Int(8000)})
              .find("RESOURCE_EXHAUSTED: Mfcc: a table of") == 0);
    for (const float limit : {1e30f, static_cast<float>(kInfinity), static_cast<float>(kNaN)}) {
      const Tensor zeros = Run<ops::Mfcc>({{"upper_frequency_limit", limit}}, {spectrum, Int(8000)});
      CHECK(Numbered<float>(zeros) == std::vector<double>(26, 0));
    }
    CHECK(Run<ops::Mfcc>({{"lower_frequency_limit", static_cast<float>(kNaN)}}, {spectrum, Int(8000)}).NumElements() ==
          26);
    CHECK(InferredShape<ops::Mfcc>({{2, -1, 9}, kScalar}) == "[2,?,13]");
  }
}
}  // namespace audio_spectrogram_test
