// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/simd/amx.hpp>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "engine/amx_support.hpp"

namespace amx_test {
using namespace tenon;

#if TENON_DETAIL_AMX

namespace {

struct Tile {
  std::uint8_t bytes[16][64];
};

bool CopiesThroughTiles() {
  Tile from, to;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 64; ++j) from.bytes[i][j] = static_cast<std::uint8_t>(i * 64 + j * 3);
  const simd::AmxTiles tiles;
  simd::AmxLoad<7>(&from, 64);
  simd::AmxStore<7>(&to, 64);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 64; ++j)
      if (to.bytes[i][j] != from.bytes[i][j]) return false;
  simd::AmxZero<7>();
  simd::AmxStore<7>(&to, 64);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 64; ++j)
      if (to.bytes[i][j] != 0) return false;
  return true;
}

}  // namespace

TEST_SUITE("amx") {
  TEST_CASE("is found where Linux and the processor have it, unless TENON_ISA asks for less") {
    std::ifstream file("/proc/cpuinfo");
    std::string flags;
    for (std::string line; std::getline(file, line);)
      if (line.compare(0, 5, "flags") == 0) flags = line + " ";
    const bool listed = flags.find(" amx_tile ") != std::string::npos &&
                        flags.find(" amx_bf16 ") != std::string::npos && flags.find(" amx_int8 ") != std::string::npos;
    if (simd::detail::ProcessorHasAmx()) CHECK(listed);  // a program under an emulator sees the machine's file
    const char* const text = std::getenv("TENON_ISA");
    const std::string isa = text == nullptr ? "" : text;
    if (isa == "unit" || isa == "avx2" || isa == "avx512") CHECK_FALSE(simd::HasAmx());
    if (simd::HasAmx()) CHECK(simd::detail::ProcessorHasAmx());
    CHECK(simd::HasAmx() == simd::HasAmx());
  }

  TEST_CASE("asking the operating system leaves errno alone, and may be repeated") {
    errno = 77;
    const bool given = simd::detail::RequestTileData();
    CHECK(errno == 77);
    CHECK(simd::detail::RequestTileData() == given);
  }

  TEST_CASE("tiles load, store and become zero, on any thread, again after they were released") {
    if (!testing::HasAmxToTest()) return;
    CHECK(CopiesThroughTiles());
    CHECK(CopiesThroughTiles());
    bool right = false;
    std::thread([&] { right = CopiesThroughTiles(); }).join();
    CHECK(right);
  }
}

#else

TEST_SUITE("amx") {
  TEST_CASE("there are no tiles where the compiler or the system has none") { CHECK_FALSE(simd::HasAmx()); }
}

#endif
}  // namespace amx_test
