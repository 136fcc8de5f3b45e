// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/lstm_gradient.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace lstm_gradient_test {
using namespace tenon;

namespace {

// The numbers that steps read, in one list: x, cs_prev, h_prev, w, peepholes, b.
struct Numbers {
  Index steps, batch, inputs, cells;
  bool peepholes;
  std::vector<float> all = {};

  Index States() const { return batch * cells; }
  Index Cs() const { return steps * batch * inputs; }
  Index H() const { return Cs() + States(); }
  Index W() const { return H() + States(); }
  Index Peepholes() const { return W() + (inputs + cells) * 4 * cells; }
  Index B() const { return Peepholes() + (peepholes ? 3 * cells : 0); }
  Index All() const { return B() + 4 * cells; }
  void Fill() {
    for (Index i = 0; i < All(); ++i) all.push_back(static_cast<float>((i * 37) % 19 - 9) / 12);
  }
  const float* At(Index i) const { return all.data() + i; }
  LstmCell Cell() const {
    LstmCell cell{.batch = batch, .inputs = inputs, .cells = cells, .w = At(W()), .b = At(B())};
    for (Index i = 0; peepholes && i < 3; ++i) cell.peepholes[i] = At(Peepholes() + i * cells);
    return cell;
  }
};
using Outputs = std::vector<std::vector<float>>;  // i, cs, f, o, ci, co, h of all steps

// The sum of all states, weighted by 1, 2, 3, ..., less all outputs.
double Loss(const Numbers& numbers, Outputs* out) {
  Cpu device;
  const Index state = numbers.States(), all = numbers.steps * state;
  out->assign(7, std::vector<float>(static_cast<std::size_t>(all)));
  const float *cs = numbers.At(numbers.Cs()), *h = numbers.At(numbers.H());
  for (Index t = 0; t < numbers.steps; ++t) {
    float* at[7];
    for (std::size_t i = 0; i < 7; ++i) at[i] = (*out)[i].data() + t * state;
    REQUIRE(LstmStep(device, numbers.Cell(), numbers.At(t * numbers.batch * numbers.inputs), cs, h,
                     {at[0], at[1], at[2], at[3], at[4], at[5], at[6]})
                .ok());
    cs = at[1];
    h = at[6];
  }
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(all); ++i)
    sum += static_cast<double>((*out)[1][i]) * static_cast<double>(i + 1) - static_cast<double>((*out)[6][i]);
  return sum;
}

// Central differences of all that the steps read.
void CheckSlopes(Numbers numbers) {
  CAPTURE(numbers.steps);
  CAPTURE(numbers.peepholes);
  numbers.Fill();
  Outputs out, other;
  (void)Loss(numbers, &out);
  const std::size_t states = out[0].size();
  std::vector<float> slopes(static_cast<std::size_t>(numbers.All()), 77.0f), cs_grad(states), h_grad(states, -1.0f);
  for (std::size_t i = 0; i < states; ++i) cs_grad[i] = static_cast<float>(i + 1);
  float* const to = slopes.data();
  const LstmRecord record{numbers.steps,
                          numbers.At(0),
                          numbers.At(numbers.Cs()),
                          numbers.At(numbers.H()),
                          out[0].data(),
                          out[1].data(),
                          out[2].data(),
                          out[3].data(),
                          out[4].data(),
                          out[5].data(),
                          out[6].data(),
                          cs_grad.data(),
                          h_grad.data()};
  LstmGradients gradients{to, to + numbers.Cs(), to + numbers.H(), to + numbers.W(), {}, to + numbers.B()};
  for (Index i = 0; numbers.peepholes && i < 3; ++i)
    gradients.peepholes[i] = to + numbers.Peepholes() + i * numbers.cells;
  Cpu device;
  REQUIRE(LstmGradient(device, numbers.Cell(), record, gradients).ok());
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    CAPTURE(i);
    Numbers more = numbers, less = numbers;
    more.all[i] += 1e-2f;
    less.all[i] -= 1e-2f;
    const double slope = (Loss(more, &other) - Loss(less, &other)) / 2e-2;
    CHECK(static_cast<double>(slopes[i]) == doctest::Approx(slope).epsilon(4e-3));
  }
}

}  // namespace

TEST_SUITE("LstmGradient") {
  TEST_CASE("one step") {
    CheckSlopes({1, 2, 3, 2, true});
    CheckSlopes({1, 2, 3, 2, false});
  }
  TEST_CASE("several steps, with more cells than a vector has lanes") {
    CheckSlopes({3, 2, 3, 2, true});
    CheckSlopes({3, 1, 2, 19, false});
  }
}
}  // namespace lstm_gradient_test
