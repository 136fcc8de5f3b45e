// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/simd/isa.hpp>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace isa_test {
using namespace tenon;

namespace {

TENON_DETAIL_LOOPS_BEGIN
TENON_DETAIL_LOOP void AddOne(const float* x, float* y, int n) {
  TENON_DETAIL_INDEPENDENT
  for (int i = 0; i < n; ++i) y[i] = x[i] + 1;
}
TENON_DETAIL_LOOPS_END

#if TENON_DETAIL_TARGETS
// What Linux says that this processor has, or "".
std::string Flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, 5, "flags") == 0) return line + " ";
  return "";
}
bool Has(const std::string& flags, const std::string& name) {
  return flags.find(" " + name + " ") != std::string::npos;
}
simd::Level LevelWhenAskedFor(const char* isa) {
  const char* const before = std::getenv("TENON_ISA");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TENON_ISA", isa, 1);
  const simd::Level level = simd::detail::FindLevel();
  if (before == nullptr)
    unsetenv("TENON_ISA");
  else
    setenv("TENON_ISA", kept.c_str(), 1);
  return level;
}
#endif

}  // namespace

TEST_SUITE("isa") {
  TEST_CASE("what an instruction set has, it has where one function is compiled for it, too") {
    CHECK(simd::kVectorBytes<simd::isa::Avx512> == 64);
    CHECK(simd::kVectorBytes<simd::Targeted<simd::isa::Avx2>> == 32);
    CHECK(simd::kVectorRegisters<simd::Targeted<simd::isa::Avx512>> == 32);
  }
#if TENON_DETAIL_TARGETS
  TEST_CASE("the level is what the processor has, or less where TENON_ISA asks for less") {
    const std::string flags = Flags();
    if (!flags.empty()) {
      const bool avx2 = Has(flags, "avx2") && Has(flags, "fma");
      const bool avx512 =
          avx2 && Has(flags, "avx512f") && Has(flags, "avx512bw") && Has(flags, "avx512dq") && Has(flags, "avx512vl");
      const simd::Level best = avx512 ? simd::Level::kAvx512 : avx2 ? simd::Level::kAvx2 : simd::Level::kUnit;
      CHECK((LevelWhenAskedFor("avx512") == best));
      CHECK((LevelWhenAskedFor("amx") == best));
      CHECK((LevelWhenAskedFor("no such thing") == best));
      CHECK((LevelWhenAskedFor("avx2") == (best < simd::Level::kAvx2 ? best : simd::Level::kAvx2)));
    }
    CHECK((LevelWhenAskedFor("unit") == simd::Level::kUnit));
  }
#endif
  TEST_CASE("the level does not change any more") { CHECK((simd::BestLevel() == simd::BestLevel())); }
  TEST_CASE("a vectorised loop touches its elements only, in place too") {
    for (int n = 0; n <= 70; ++n) {
      std::vector<float> x(static_cast<std::size_t>(n) + 2, 5);
      AddOne(x.data() + 1, x.data() + 1, n);
      CHECK(x.front() == 5);
      CHECK(x.back() == 5);
      for (int i = 1; i <= n; ++i) CHECK(x[static_cast<std::size_t>(i)] == 6);
    }
  }
}
}  // namespace isa_test
