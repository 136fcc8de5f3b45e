// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/pool3d.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace pool3d_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct Meeting {
  Index out, in;  // elements
};

std::vector<Meeting> Meetings(const Pool3DGeometry& g) {
  std::vector<Meeting> all;
  for (Index n = 0; n < g.batch; ++n) {
    ForEachTap(g.planes, [&](Index p, Index, Index z) {
      ForEachTap(g.rows, [&](Index r, Index, Index y) {
        ForEachTap(g.columns, [&](Index c, Index, Index x) {
          for (Index d = 0; d < g.depth; ++d)
            all.push_back({(((n * g.planes.output + p) * g.rows.output + r) * g.columns.output + c) * g.depth + d,
                           n * g.volume() + ((z * g.rows.input + y) * g.columns.input + x) * g.depth + d});
        });
      });
    });
  }
  return all;
}

}  // namespace

TEST_SUITE("pools over volumes") {
  TEST_CASE("agree with the definition, gradients too") {
    Cpu device;
    for (const Padding padding : {Padding::kSame, Padding::kValid}) {
      Pool3DGeometry g;
      g.batch = 2;
      g.depth = 3;
      g.planes = Placed(padding, {.input = 4, .size = 2, .stride = 2});
      g.rows = Placed(padding, {.input = 5, .size = 3, .stride = 1});
      g.columns = Placed(padding, {.input = 6, .size = 2, .stride = 3});
      const auto in = static_cast<std::size_t>(g.batch * g.volume()),
                 out = static_cast<std::size_t>(g.batch * g.places() * g.depth);
      const std::vector<float> x = RandomVector<float>(static_cast<Index>(in), 1),
                               dy = RandomVector<float>(static_cast<Index>(out), 2);
      std::vector<float> mean(out), most(out), mean_back(in), most_back(in);
      Pool3D(device, g, true, x.data(), mean.data());
      Pool3D(device, g, false, x.data(), most.data());
      AvgPool3DGrad(device, g, dy.data(), mean_back.data());
      MaxPool3DGrad(device, g, x.data(), most.data(), dy.data(), most_back.data());
      std::vector<double> counts(out), means(out), mosts(out, -1e30), mean_backs(in), most_backs(in);
      const std::vector<Meeting> all = Meetings(g);
      const auto at = [](auto& list, Index i) -> auto& { return list[static_cast<std::size_t>(i)]; };
      for (const Meeting& m : all) at(counts, m.out) += 1;
      for (const Meeting& m : all) {
        at(means, m.out) += static_cast<double>(at(x, m.in)) / at(counts, m.out);
        at(mosts, m.out) = std::max(at(mosts, m.out), static_cast<double>(at(x, m.in)));
        at(mean_backs, m.in) += static_cast<double>(at(dy, m.out)) / at(counts, m.out);
      }
      for (const Meeting& m : all)
        if (static_cast<double>(at(x, m.in)) == at(mosts, m.out))
          at(most_backs, m.in) += static_cast<double>(at(dy, m.out));
      CHECK(LargestDifference(mean, means) < 1e-6);
      CHECK(LargestDifference(most, mosts) == 0);
      CHECK(LargestDifference(mean_back, mean_backs) < 1e-6);
      CHECK(LargestDifference(most_back, most_backs) < 1e-6);
    }
  }
  TEST_CASE("the largest of nothing but -infinity is that; equal ones all get the gradient") {
    Cpu device;
    Pool3DGeometry g;
    g.batch = g.depth = 1;
    g.planes = g.rows = Placed(Padding::kValid, {.input = 1});
    g.columns = Placed(Padding::kValid, {.input = 2, .size = 2});
    const float infinity = std::numeric_limits<float>::infinity(), x[] = {-infinity, -infinity}, dy[] = {3};
    float y = 0, back[2];
    Pool3D(device, g, false, x, &y);
    CHECK(y == -infinity);
    MaxPool3DGrad(device, g, x, &y, dy, back);
    CHECK(back[0] == 3);
    CHECK(back[1] == 3);
  }
}
}  // namespace pool3d_test
