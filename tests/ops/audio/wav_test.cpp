// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/audio/wav.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/support.hpp"

namespace audio_wav_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("DecodeWav, EncodeWav") {
  TEST_CASE("there and back") {
    const Tensor sound = Make<float>({3, 2}, {0, 0.5, -1, 0.25, 2, -0.125});
    const Tensor file = Run<ops::EncodeWav>({}, {sound, Int(8000)});
    CHECK(file.data<tstring>()[0].size() == 44 + 12);
    const Result<std::vector<Tensor>> x = Call<ops::DecodeWav>({}, {file});
    REQUIRE(x.ok());
    CHECK(Numbered<float>((*x)[0]) == std::vector<double>{0, 0.5, -1, 0.25, 32767.0 / 32768, -0.125});
    CHECK(*(*x)[1].data<std::int32_t>() == 8000);
    CHECK(Numbered<float>(Run<ops::DecodeWav>(
              {{"desired_channels", std::int64_t{1}}, {"desired_samples", std::int64_t{4}}}, {file})) ==
          std::vector<double>{0, -1, 32767.0 / 32768, 0});
  }
  TEST_CASE("samples are rounded to the nearest, halves away from 0, and cut off") {
    std::vector<float> sound = {0.49999997f / 32768, -0.49999997f / 32768, 1e9f, -1e9f};
    for (const double value : {kInfinity, -kInfinity, kNaN}) sound.push_back(static_cast<float>(value));
    for (int i = -70000; i <= 70000; i += 7) sound.push_back(static_cast<float>(i) / 65536);
    for (int i = -9000; i <= 9000; i += 5) sound.push_back(static_cast<float>(i) / 8000);
    const auto n = static_cast<Index>(sound.size());
    Tensor x(DataType::kFloat, {n, 1});
    std::copy(sound.begin(), sound.end(), x.data<float>());
    const Tensor file = Run<ops::EncodeWav>({}, {x, Int(8000)});
    const std::string_view bytes = file.data<tstring>()[0].view();
    REQUIRE(bytes.size() == 44 + 2 * sound.size());
    int wrong = 0;
    for (std::size_t i = 0; i < sound.size(); ++i) {
      const float want = std::min(32767.0f, std::max(-32768.0f, std::round(sound[i] * 32768.0f)));
      const int low = static_cast<unsigned char>(bytes[44 + 2 * i]), high = static_cast<signed char>(bytes[45 + 2 * i]);
      wrong += high * 256 + low == static_cast<int>(want) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
  TEST_CASE("every shortened file is refused") {
    const Tensor file = Run<ops::EncodeWav>({}, {Make<float>({2, 1}, {0.5}), Int(8000)});
    const std::string whole(file.data<tstring>()[0].view());
    for (std::size_t n = 0; n < whole.size(); ++n) {
      Tensor part(DataType::kString, TensorShape());
      part.data<tstring>()[0].assign(whole.substr(0, n));
      CHECK(ErrorOf<ops::DecodeWav>({}, {part}).find("INVALID_ARGUMENT") == 0);
    }
  }
}
}  // namespace audio_wav_test
