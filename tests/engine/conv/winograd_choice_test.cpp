// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/winograd_choice.hpp>

#include <doctest/doctest.h>

#include "engine/winograd_support.hpp"

namespace winograd_choice_test {
using namespace tenon;

namespace {

bool Favours(Index n, Index in, Index out, Index batch = 1) {
  return detail::FavoursWinograd(testing::WinogradGeometry({batch, n, n, in, out}));
}

}  // namespace

TEST_SUITE("FavoursWinograd") {
  TEST_CASE("the layers of the table") {
    CHECK(Favours(56, 64, 64));
    CHECK(Favours(14, 256, 256));
    CHECK(Favours(8, 256, 256));
    CHECK(Favours(128, 8, 16));
    CHECK(Favours(6, 64, 64));
    CHECK(!Favours(128, 8, 8));
    CHECK(!Favours(32, 4, 64));
    CHECK(!Favours(9, 16, 16));
    CHECK(!Favours(6, 16, 16));
    CHECK(!Favours(4, 256, 256));
    CHECK(Favours(4, 256, 256, 8));  // images of a batch fill a block
  }

  TEST_CASE("a large filter must save the time of many pixels") {
    CHECK(!Favours(7, 512, 512));
    CHECK(!Favours(8, 384, 384));
    CHECK(Favours(7, 512, 512, 2));
    CHECK(Favours(8, 384, 384, 2));
    CHECK(Favours(14, 512, 512));
  }

  TEST_CASE("a filter that changes must be small, and save the time of hundreds of pixels") {
    const auto favours = [](Index n, Index in, Index out, Index batch) {
      return detail::FavoursWinograd(testing::WinogradGeometry({batch, n, n, in, out}),
                                     detail::WinogradFilter::kChanging);
    };
    CHECK(favours(14, 32, 64, 64));
    CHECK(favours(16, 64, 64, 2));
    CHECK(!favours(16, 64, 64, 1));
    CHECK(!favours(8, 128, 128, 4));
    CHECK(favours(8, 128, 128, 16));
    CHECK(!favours(4, 256, 256, 16));
    CHECK(favours(16, 320, 320, 4));
    CHECK(!favours(16, 512, 512, 4));  // 36 MB
    CHECK(!favours(128, 8, 8, 4));  // nor where a constant one does not gain
  }

  TEST_CASE("only windows of 3 x 3, steps of one and one group; nothing of nothing") {
    const Conv2DGeometry good = testing::WinogradGeometry({1, 56, 56, 64, 64});
    const auto without = [&](auto&& change) {
      Conv2DGeometry g = good;
      change(g);
      return !detail::FavoursWinograd(g);
    };
    CHECK(!without([](Conv2DGeometry&) {}));
    CHECK(without([](Conv2DGeometry& g) { g.rows.size = 5; }));
    CHECK(without([](Conv2DGeometry& g) { g.columns.size = 1; }));
    CHECK(without([](Conv2DGeometry& g) { g.rows.stride = 2; }));
    CHECK(without([](Conv2DGeometry& g) { g.columns.dilation = 2; }));
    CHECK(without([](Conv2DGeometry& g) { g.groups = 2; }));
    CHECK(without([](Conv2DGeometry& g) { g.in_depth = 0; }));
  }

  TEST_CASE("a filter that no image favours is not one that an image may favour") {
    for (const Index in : {1, 3, 4, 8, 9, 16, 64, 512})
      for (const Index out : {1, 4, 8, 16, 64}) {
        CAPTURE(in);
        CAPTURE(out);
        CHECK(detail::MayFavourWinograd(in, out) == Favours(64, in, out));
        if (detail::MayFavourWinograd(in, out)) CHECK((in >= 4 && out >= 4));  // what the kernel needs
      }
    CHECK(!detail::MayFavourWinograd(0, 64));
  }
}

}  // namespace winograd_choice_test
