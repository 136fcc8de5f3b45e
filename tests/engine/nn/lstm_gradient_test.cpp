// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/lstm_gradient.hpp>

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace lstm_gradient_test {
using namespace tenon;

namespace {

constexpr Index kBatch = 2, kInputs = 3, kCells = 2, kStates = kBatch * kCells;

// The numbers that a step reads, in one list: x, cs_prev, h_prev, w, peepholes, b.
struct Numbers {
  static constexpr Index kX = 0, kCs = kX + kBatch * kInputs, kH = kCs + kStates, kW = kH + kStates,
                         kPeepholes = kW + (kInputs + kCells) * 4 * kCells, kB = kPeepholes + 3 * kCells,
                         kAll = kB + 4 * kCells;
  std::vector<float> all;

  Numbers() {
    for (Index i = 0; i < kAll; ++i) all.push_back(static_cast<float>((i * 37) % 19 - 9) / 12);
  }
  const float* At(Index i) const { return all.data() + i; }
  LstmCell Cell() const {
    LstmCell cell{.batch = kBatch, .inputs = kInputs, .cells = kCells, .w = At(kW), .b = At(kB)};
    for (Index i = 0; i < 3; ++i) cell.peepholes[i] = At(kPeepholes + i * kCells);
    return cell;
  }
};
struct Outputs {
  std::vector<float> list[7];
  Outputs() {
    for (std::vector<float>& each : list) each.resize(kStates);
  }
};

// The sum of all states and outputs, weighted by 1, 2, 3, ...
double Loss(const Numbers& numbers, Outputs* out) {
  Cpu device;
  REQUIRE(LstmStep(device, numbers.Cell(), numbers.At(Numbers::kX), numbers.At(Numbers::kCs), numbers.At(Numbers::kH),
                   {out->list[0].data(), out->list[1].data(), out->list[2].data(), out->list[3].data(),
                    out->list[4].data(), out->list[5].data(), out->list[6].data()})
              .ok());
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kStates); ++i)
    sum += static_cast<double>(out->list[1][i]) * static_cast<double>(i + 1) - static_cast<double>(out->list[6][i]);
  return sum;
}

}  // namespace

TEST_SUITE("LstmStepGradient") {
  TEST_CASE("central differences of all that a step reads") {
    Numbers numbers;
    Outputs out;
    (void)Loss(numbers, &out);
    std::vector<float> slopes(static_cast<std::size_t>(Numbers::kAll)), cs_grad(kStates), h_grad(kStates, -1.0f);
    for (std::size_t i = 0; i < cs_grad.size(); ++i) cs_grad[i] = static_cast<float>(i + 1);
    float* const to = slopes.data();
    Cpu device;
    REQUIRE(LstmStepGradient(
                device, numbers.Cell(),
                {numbers.At(Numbers::kX), numbers.At(Numbers::kCs), numbers.At(Numbers::kH), out.list[0].data(),
                 out.list[1].data(), out.list[2].data(), out.list[3].data(), out.list[4].data(), out.list[5].data(),
                 cs_grad.data(), h_grad.data(), nullptr, nullptr},
                {to + Numbers::kX,
                 to + Numbers::kCs,
                 to + Numbers::kH,
                 to + Numbers::kW,
                 {to + Numbers::kPeepholes, to + Numbers::kPeepholes + kCells, to + Numbers::kPeepholes + 2 * kCells},
                 to + Numbers::kB})
                .ok());
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      CAPTURE(i);
      Numbers more, less;
      more.all[i] += 1e-2f;
      less.all[i] -= 1e-2f;
      const double slope = (Loss(more, &out) - Loss(less, &out)) / 2e-2;
      CHECK(static_cast<double>(slopes[i]) == doctest::Approx(slope).epsilon(2e-3));
    }
  }
}
}  // namespace lstm_gradient_test
