// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/audio/wav.hpp>

#include <cstdint>
#include <string>
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
