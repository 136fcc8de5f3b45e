// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/lstm_gru.hpp>

#include <vector>

#include <doctest/doctest.h>

#include "engine/window_reference.hpp"

namespace recurrent_test {
using namespace tenon;
using namespace tenon::testing;

// The numbers are TensorFlow's.
TEST_SUITE("recurrent cells") {
  const float x[] = {.5f, -1.f}, state[] = {.1f, -.2f, .3f, .4f}, peephole[] = {.5f, -.5f};
  using List = std::vector<double>;
  std::vector<float> Weights(std::size_t columns) {
    std::vector<float> w;
    for (int r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        w.push_back((static_cast<float>(8 * r) + static_cast<float>(c) - 10) / 20);
    return w;
  }
  std::vector<float> Biases() { return {0, .1f, .2f, .3f, .4f, .5f, .6f, .7f}; }

  TEST_CASE("LSTM with peepholes and clipped states") {
    Cpu device;
    const std::vector<float> w = Weights(8), b = Biases();
    const LstmCell cell{.batch = 2,
                        .inputs = 1,
                        .cells = 2,
                        .forget_bias = .5f,
                        .cell_clip = .2f,
                        .w = w.data(),
                        .b = b.data(),
                        .peepholes = {peephole, peephole, peephole}};
    std::vector<float> out[7];
    for (std::vector<float>& o : out) o.resize(4);
    REQUIRE(LstmStep(device, cell, x, state, state,
                     {out[0].data(), out[1].data(), out[2].data(), out[3].data(), out[4].data(), out[5].data(),
                      out[6].data()})
                .ok());
    const List want[] = {
        {0.432907075, 0.475020826, 0.676995873, 0.616566539},   {0.0324812494, -0.122373722, 0.200000003, 0.200000003},
        {0.670401156, 0.706822217, 0.8292045, 0.788348615},     {0.602583349, 0.641340435, 0.768524826, 0.747439027},
        {-0.0798297599, 0.0399787053, 0.641076922, 0.68844837}, {0.0324698351, -0.1217665, 0.197375327, 0.197375327},
        {0.0195657816, -0.0780937821, 0.151687846, 0.147526026}};
    for (std::size_t i = 0; i < 7; ++i) CHECK(LargestDifference(out[i], want[i]) < 1e-6);
  }
  TEST_CASE("GRU") {
    Cpu device;
    const std::vector<float> w_ru = Weights(4), w_c = Weights(2), b = Biases();
    const GruCell cell{2, 1, 2, w_ru.data(), w_c.data(), b.data(), b.data()};
    std::vector<float> r(4), u(4), c(4), h(4);
    REQUIRE(GruStep(device, cell, x, state, r.data(), u.data(), c.data(), h.data()).ok());
    CHECK(LargestDifference(r, List{0.420675725, 0.450165987, 0.643365145, 0.662621796}) < 1e-6);
    CHECK(LargestDifference(u, List{0.480010659, 0.509998679, 0.681353748, 0.69951725}) < 1e-6);
    CHECK(LargestDifference(c, List{-0.274030805, -0.157298058, 0.508135974, 0.560194552}) < 1e-6);
    CHECK(LargestDifference(h, List{-0.0944920331, -0.179075986, 0.366321743, 0.448135704}) < 1e-6);
  }
}
}  // namespace recurrent_test
