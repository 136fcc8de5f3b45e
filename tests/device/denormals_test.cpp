// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/denormals.hpp>

#include <doctest/doctest.h>

namespace denormals_test {
using namespace tenon;

namespace {
// Volatile, so that the processor and not the compiler computes.
bool Vanishes(float denormal) {
  volatile float x = denormal;
  volatile float y = x * 1.0f;
  return y == 0.0f;
}
}  // namespace

TEST_SUITE("ScopedFlushDenormals") {
  TEST_CASE("flushes, keeps, nests, and gives the caller's mode back") {
    const bool before = FlushesDenormals();
    {
      ScopedFlushDenormals flush;
      if (FlushesDenormals()) {  // processors that we know
        CHECK(Vanishes(1e-40f));
        {
          ScopedFlushDenormals keep(false);
          CHECK_FALSE(FlushesDenormals());
          CHECK_FALSE(Vanishes(1e-40f));
        }
        CHECK(FlushesDenormals());
      }
    }
    CHECK(FlushesDenormals() == before);
  }
}
}  // namespace denormals_test
