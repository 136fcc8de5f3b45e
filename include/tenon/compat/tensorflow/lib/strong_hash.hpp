// SPDX-License-Identifier: Apache-2.0
#pragma once
// StrongKeyedHash: SipHash of a text with a key of 128 bits.

#include <cstdint>
#include <string>

#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>

namespace tensorflow {

inline uint64 StrongKeyedHash(const uint64 (&key)[2], const std::string& text) {
  return tenon::SipHash(key[0], key[1], text);
}

}  // namespace tensorflow
