// SPDX-License-Identifier: Apache-2.0
#include <tenon/types/hash.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <unordered_set>

#include <tenon/types/dtype.hpp>

namespace hash_test {
using namespace tenon;

TEST_SUITE("std::hash of element types") {
  TEST_CASE_TEMPLATE("of small floats", T, half, bfloat16, float8_e5m2, float8_e4m3fn, float8_e4m3fnuz,
                     float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn) {
    const std::hash<T> hash;
    CHECK(hash(T(0.0f)) == hash(T(-0.0f)));
    std::set<std::size_t> hashes;
    std::unordered_set<T> set;
    const unsigned patterns = 2 * T::format::sign_bit;
    int numbers = 0, zeros = 0;
    for (unsigned p = 0; p < patterns; ++p) {
      const T x = T::FromBits(static_cast<decltype(T::bits)>(p));
      if (x != x) continue;  // a NaN is never found again
      ++numbers;
      zeros += x == T(0.0f);
      hashes.insert(hash(x));
      set.insert(x);
    }
    CHECK(static_cast<int>(hashes.size()) == numbers - zeros + 1);
    CHECK(static_cast<int>(set.size()) == numbers - zeros + 1);
  }
  TEST_CASE_TEMPLATE("of quantised and sub-byte integers", T, qint8, quint8, qint16, quint16, qint32, int4, uint4, int2,
                     uint2) {
    const std::unordered_set<T> set = {T(0), T(1), T(0), T(1)};
    CHECK(set.size() == 2);
    CHECK(set.count(T(1)) == 1);
    CHECK(std::hash<T>()(std::numeric_limits<T>::max()) != std::hash<T>()(std::numeric_limits<T>::lowest()));
  }
  TEST_CASE("of DataType comes with the language") {
    const std::unordered_set<DataType> set(kAllTypes.begin(), kAllTypes.end());
    CHECK(set.size() == 33);
  }
}
}  // namespace hash_test
