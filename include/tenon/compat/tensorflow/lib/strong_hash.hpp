// SPDX-License-Identifier: Apache-2.0
#pragma once
// StrongKeyedHash: SipHash of a text with a key of 128 bits. Fingerprint128: 128 bits of a text.

#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>
#include <tenon/compat/tensorflow/env.hpp>

namespace tensorflow {

inline uint64 StrongKeyedHash(const uint64 (&key)[2], const std::string& text) {
  return tenon::SipHash(key[0], key[1], text);
}

struct Fprint128 {
  uint64_t low64;
  uint64_t high64;
  friend bool operator==(const Fprint128&, const Fprint128&) = default;
};
struct Fprint128Hasher {
  std::size_t operator()(const Fprint128& fp) const { return static_cast<std::size_t>(fp.low64); }
};
inline Fprint128 Fingerprint128(StringPiece text) {
  const auto [low, high] = tenon::Fingerprint128(text);
  return {low, high};
}
inline Fprint128 FingerprintCat128(const Fprint128& a, const Fprint128& b) {
  return {FingerprintCat64(a.low64, b.low64), FingerprintCat64(a.high64, b.high64)};
}
inline Fprint128 FingerprintCat128(const Fprint128& a, uint64_t b) {
  const uint64_t low = FingerprintCat64(a.low64, b);
  return {low, FingerprintCat64(a.high64, low)};
}

}  // namespace tensorflow
