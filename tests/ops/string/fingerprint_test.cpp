// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/fingerprint.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace string_fingerprint_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Fingerprint") {
  TEST_CASE("one for each row, the lowest byte first") {
    Tensor texts(DataType::kString, TensorShape({2})), method(DataType::kString, TensorShape());
    texts.data<tstring>()[0] = "abc";
    texts.data<tstring>()[1] = "a text that is longer than the short ones are";
    method.data<tstring>()[0] = "farmhash64";
    const Tensor x = Run<ops::Fingerprint>({{"T", DataType::kString}}, {texts, method});
    CHECK(x.shape() == TensorShape({2, 8}));
    for (Index r = 0; r < 2; ++r)
      for (int i = 0; i < 8; ++i)
        CHECK(x.data<std::uint8_t>()[r * 8 + i] == (Fingerprint64(texts.data<tstring>()[r].view()) >> (8 * i) & 255));
    method.data<tstring>()[0] = "md5";
    CHECK(ErrorOf<ops::Fingerprint>({{"T", DataType::kString}}, {texts, method}).find("md5") != std::string::npos);
  }
}
}  // namespace string_fingerprint_test
