// SPDX-License-Identifier: Apache-2.0
#pragma once
// .npy files made by hand, and what reading them says.

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/io/npy.hpp>

#include "io/temp_file.hpp"

namespace npy_files {
using namespace tenon;

// A .npy file with this header text and data, in format `version`.
inline std::string Npy(std::string header, std::string_view data, int version = 1, std::size_t align = 64) {
  const std::size_t start = version == 1 ? 10 : 12;
  while ((start + header.size() + 1) % align != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (std::size_t i = 0; i < start - 8; ++i) out += static_cast<char>(header.size() >> (8 * i));
  return out + header + std::string(data);
}
inline const std::string kFloats("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12);  // 1, 2, 3

inline bool Has(const Status& status, std::string_view text) {
  return status.message().find(text) != std::string_view::npos;
}
inline Status Error(const std::string& bytes) {
  const TempFile temp("error.npy", bytes);
  const Status s = ReadNpy(temp.path()).status();
  CHECK(Has(s, temp.path()));
  return s;
}

}  // namespace npy_files
