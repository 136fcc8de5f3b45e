// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/cast_bytes.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

#include <tenon/types/convert.hpp>
#include <tenon/types/numeric.hpp>

#include <doctest/doctest.h>

namespace byte_casts_test {
using namespace tenon;

#if TENON_DETAIL_BYTE_CASTS

namespace {

// Every 509th pattern of bits, and the neighbourhoods of all powers of two and of the infinities.
std::vector<float> ManyFloats() {
  std::vector<float> floats;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 509)
    floats.push_back(detail::BitCast<float>(static_cast<std::uint32_t>(bits)));
  for (std::uint32_t upper = 0; upper < 512; ++upper)
    for (std::uint32_t lower = 0; lower < 5; ++lower)
      floats.push_back(detail::BitCast<float>((upper << 23) + lower - 2));
  return floats;
}

// Whether a block's casts have the bits of ConvertScalar's.
template <class Block, class As>
bool IsConvertScalar(const std::vector<typename Block::From>& from) {
  std::vector<typename Block::To> to(from.size());
  detail::RunByteCast<Block>(from.data(), to.data(), static_cast<Index>(from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    const As wanted = ConvertScalar<As>(from[i]);
    if (std::memcmp(&wanted, &to[i], sizeof wanted) != 0) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("RunByteCast") {
  TEST_CASE("floats become what each becomes alone") {
    const std::vector<float> floats = ManyFloats();
    CHECK(IsConvertScalar<detail::FloatToByte, std::uint8_t>(floats));
    CHECK(IsConvertScalar<detail::FloatToByte, std::int8_t>(floats));
    CHECK(IsConvertScalar<detail::FloatToBool, bool>(floats));
    CHECK(IsConvertScalar<detail::FloatToUpperHalf, bfloat16>(floats));
  }

  TEST_CASE("every byte becomes the float that it is") {
    std::vector<std::int8_t> numbers;
    std::vector<std::uint8_t> positive;
    for (int i = 0; i < 256; ++i) {
      numbers.push_back(static_cast<std::int8_t>(i));
      positive.push_back(static_cast<std::uint8_t>(i));
    }
    CHECK(IsConvertScalar<detail::ByteToFloat<std::int8_t, true>, float>(numbers));
    CHECK(IsConvertScalar<detail::ByteToFloat<std::uint8_t, false>, float>(positive));
  }

  TEST_CASE("any length, and nothing behind it") {
    for (Index n = 0; n <= 70; ++n) {
      CAPTURE(n);
      std::vector<float> floats(static_cast<std::size_t>(n), 3.5f), back(static_cast<std::size_t>(n) + 1, -1.f);
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(n) + 1, 99);
      detail::RunByteCast<detail::FloatToByte>(floats.data(), bytes.data(), n);
      detail::RunByteCast<detail::ByteToFloat<std::uint8_t, false>>(bytes.data(), back.data(), n);
      for (Index i = 0; i < n; ++i) CHECK(back[static_cast<std::size_t>(i)] == 3.f);
      CHECK(bytes.back() == 99);
      CHECK(back.back() == -1.f);
    }
  }
}

#endif

}  // namespace byte_casts_test
