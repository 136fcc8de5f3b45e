// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/winograd.hpp>

#include <cstring>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/conv/conv.hpp>

#include "engine/winograd_support.hpp"
#include "engine/support.hpp"

namespace winograd_test {
using namespace tenon;
using tenon::testing::kMostWinogradError;
using tenon::testing::RandomVector;
using tenon::testing::WinogradCase;
using tenon::testing::WinogradError;
using tenon::testing::WinogradGeometry;

namespace {

Tensor Filter(const WinogradCase& c) {
  return Tensor::From<float>(RandomVector<float>(9 * c.in_depth * c.out_depth, 2),
                             TensorShape{3, 3, c.in_depth, c.out_depth});
}
Status Run(Cpu device, const WinogradCase& c, const float* x, const Tensor& w, float* y, PackingBudget* budget,
           bool* done) {
  const Conv2DGeometry g = WinogradGeometry(c);
  PackedWeights weights;
  weights.Offer(w, DefaultAllocator(), budget);
  return detail::RunWinograd(device, g, x, w.data<float>(), y, &weights, false, done);
}
std::vector<float> Result(Cpu device, const WinogradCase& c) {
  const Conv2DGeometry g = WinogradGeometry(c);
  const std::vector<float> x = RandomVector<float>(c.batch * c.rows * c.columns * c.in_depth, 1);
  const Tensor w = Filter(c);
  std::vector<float> y(static_cast<std::size_t>(g.output_shape().num_elements()), 77.f);
  bool done = false;
  CHECK(Run(device, c, x.data(), w, y.data(), nullptr, &done).ok());
  CHECK(done);
  const double error = WinogradError(g, x.data(), w.data<float>(), y.data());
  CHECK(error <= kMostWinogradError);
  return y;
}

const std::vector<WinogradCase> kCases = {
    {1, 4, 4, 4, 4},
    {1, 1, 1, 16, 16},
    {1, 2, 3, 5, 7},
    {1, 5, 9, 33, 18},
    {2, 7, 6, 16, 63},
    {1, 13, 13, 32, 64, Padding::kValid},
    {3, 11, 3, 8, 97, Padding::kValid},
    {1, 14, 14, 64, 160},
    {1, 3, 2, 6, 9, Padding::kExplicit, {0, 0, 2, 2, 1, 5, 0, 0}},
    {2, 6, 7, 20, 12, Padding::kExplicit, {0, 0, 7, 0, 0, 9, 0, 0}},
    {5, 2, 2, 17, 4},
    {1, 6, 5, 600, 70},  // more than a block of k
    {1, 61, 58, 24, 8},  // several blocks of tiles
    {1, 4, 5, 8, 168},  // groups of channels that differ
};

}  // namespace

TEST_SUITE("Winograd") {
  TEST_CASE("agrees with sums in double") {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      CAPTURE(i);
      Result(Cpu{}, kCases[i]);
    }
  }

  TEST_CASE("threads do not change a bit: blocks of tiles, and groups of channels") {
    for (const int threads : {2, 3, 5}) {
      ThreadPool pool(threads, "test");
      const Cpu device{.pool = &pool};
      for (const WinogradCase& c : std::vector<WinogradCase>{
               {1, 41, 38, 32, 40}, {1, 7, 7, 64, 200}, {2, 9, 8, 48, 130}, {1, 20, 20, 64, 16}, {1, 4, 4, 128, 128}}) {
        CAPTURE(c.rows);
        CAPTURE(threads);
        CHECK(Result(device, c) == Result(Cpu{}, c));
      }
    }
  }

  TEST_CASE("steps behind it, by tiles and by whole rows, with the bits that they have alone") {
    ThreadPool pool(3, "test");
    for (const WinogradCase& c :
         std::vector<WinogradCase>{{2, 9, 11, 16, 80}, {1, 61, 58, 24, 8}, {1, 7, 7, 64, 200}, {1, 3, 3, 8, 8}}) {
      const Conv2DGeometry g = WinogradGeometry(c);
      const auto elements = static_cast<std::size_t>(g.output_shape().num_elements());
      const std::vector<float> x = RandomVector<float>(c.batch * c.rows * c.columns * c.in_depth, 1),
                               offset = RandomVector<float>(c.out_depth, 3),
                               added = RandomVector<float>(static_cast<Index>(elements), 4);
      const Tensor w = Filter(c);
      std::vector<float> want(elements), got(elements);
      bool done = false;
      REQUIRE(Run(Cpu{}, c, x.data(), w, want.data(), nullptr, &done).ok());
      CpuEpilogue epilogue{
          .offset = offset.data(), .added = added.data(), .low = 0, .high = 6, .run = &CpuEpilogue::Clamp<float>};
      epilogue.run(epilogue, {want.data(), g.out_depth, 0, static_cast<Index>(elements) / g.out_depth, 0, g.out_depth});
      for (const bool whole : {false, true}) {
        for (ThreadPool* const threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
          epilogue.whole_rows = whole;
          epilogue.done = false;
          got.assign(elements, 77.f);
          REQUIRE(Run(Cpu{.pool = threads, .epilogue = &epilogue}, c, x.data(), w, got.data(), nullptr, &done).ok());
          CHECK(epilogue.done);
          CHECK(got == want);
        }
      }
    }
  }

  TEST_CASE("Conv2D takes it where sums may be in any order, it gains and the filter may be packed") {
    const WinogradCase c{1, 14, 14, 32, 32};
    const Conv2DGeometry g = WinogradGeometry(c);
    const std::vector<float> x = RandomVector<float>(14 * 14 * 32, 1), winograd = Result(Cpu{}, c);
    const Tensor w = Filter(c);
    std::vector<float> exact(winograd.size()), got(winograd.size());
    Cpu device;
    REQUIRE(Conv2D<float>(device, g, x.data(), w.data<float>(), exact.data()).ok());
    CHECK(exact != winograd);
    const auto run = [&](PackedWeights* weights, bool may) {
      const ConvAlgorithm algorithm = may ? ConvAlgorithm::kBySize : ConvAlgorithm::kDirect;
      REQUIRE(Conv2D<float>(device, g, x.data(), w.data<float>(), got.data(), weights, algorithm).ok());
      return got == winograd ? 1 : got == exact ? 0 : -1;
    };
    PackedWeights weights, other, none, budgeted;
    weights.Offer(w, DefaultAllocator());
    other.Offer(w, DefaultAllocator());
    CHECK(run(&weights, true) == 1);
    CHECK(weights.bytes() == 36 * 32 * 32 * sizeof(float));
    CHECK(run(&weights, true) == 1);
    CHECK(run(&weights, false) == 0);
    CHECK(run(&other, false) == 0);
    CHECK(run(&other, true) == 0);  // packed for the other algorithm
    CHECK(run(&none, true) == 0);
    CHECK(run(nullptr, true) == 0);
    // Without room for the larger copy the smaller one is made.
    PackingBudget budget(9 * 32 * 32 * sizeof(float));
    budgeted.Offer(w, DefaultAllocator(), &budget);
    CHECK(run(&budgeted, true) == 0);
    CHECK(budgeted.bytes() == 9 * 32 * 32 * sizeof(float));
    CHECK(run(&budgeted, true) == 0);
  }

  TEST_CASE("a filter that changes is transformed in each run, with the same bits") {
    ThreadPool pool(3, "test");
    for (ThreadPool* const threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
      const Cpu device{.pool = threads};
      for (const WinogradCase& c : kCases) {
        CAPTURE(c.rows);
        CAPTURE(c.out_depth);
        const Conv2DGeometry g = WinogradGeometry(c);
        const std::vector<float> x = RandomVector<float>(c.batch * c.rows * c.columns * c.in_depth, 1),
                                 kept = Result(device, c);
        std::vector<float> got(kept.size(), 77.f);
        bool done = false;
        Cpu run = device;
        REQUIRE(detail::RunWinograd(run, g, x.data(), Filter(c).data<float>(), got.data(), nullptr, true, &done).ok());
        CHECK(done);
        CHECK(got == kept);
      }
      // Where many images save more than the transform needs. Without the mark the convolution is direct.
      const WinogradCase c{4, 14, 14, 32, 32};
      const Conv2DGeometry g = WinogradGeometry(c);
      const std::vector<float> x = RandomVector<float>(4 * 14 * 14 * 32, 1), winograd = Result(device, c);
      std::vector<float> got(winograd.size());
      Cpu run = device;
      PackedWeights none;
      for (PackedWeights* const weights : {static_cast<PackedWeights*>(nullptr), &none}) {
        const auto convolve = [&](ConvAlgorithm algorithm) {
          return Conv2D<float>(run, g, x.data(), Filter(c).data<float>(), got.data(), weights, algorithm).ok();
        };
        REQUIRE(convolve(ConvAlgorithm::kBySize));
        CHECK(got == winograd);
        REQUIRE(convolve(ConvAlgorithm::kDirect));
        CHECK(got != winograd);
      }
    }
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    const WinogradCase c{1, 6, 7, 9, 5};
    const std::vector<float> x = RandomVector<float>(6 * 7 * 9, 1);
    std::vector<float> y(6 * 7 * 5);
    for (int k = 1; k <= 3; ++k) {  // of the filter, and of the tiles
      allocator.FailAllocations(k);
      bool done = false;
      const Status status = detail::RunWinograd(device, WinogradGeometry(c), x.data(), Filter(c).data<float>(),
                                                y.data(), nullptr, true, &done);
      CHECK(status.ok() == (k == 3));
      if (!status.ok()) CHECK(status.code() == Code::kResourceExhausted);
      CHECK(allocator.bytes_in_use() == 0);
    }
  }

  TEST_CASE("reads no further than its tensors, and gives scratch memory back") {
    TrackingAllocator allocator(CpuAllocator());
    const WinogradCase c{1, 6, 7, 9, 5};
    const std::vector<float> x = RandomVector<float>(6 * 7 * 9, 1);
    const Tensor w = Filter(c);
    std::vector<float> y(6 * 7 * 5 + 1, 77.f);
    bool done = false;
    CHECK(Run(Cpu{.allocator = &allocator}, c, x.data(), w, y.data(), nullptr, &done).ok());
    CHECK(y.back() == 77.f);
    CHECK(allocator.bytes_in_use() == 0);
    CHECK(allocator.num_bad_frees() == 0);
    allocator.FailAllocations(1);
    const Status status = Run(Cpu{.allocator = &allocator}, c, x.data(), w, y.data(), nullptr, &done);
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().starts_with("Conv2D: OOM when allocating "));
    PackingBudget budget(9 * 9 * 5 * 4);
    done = true;
    CHECK(Run(Cpu{}, c, x.data(), w, y.data(), &budget, &done).ok());
    CHECK(!done);
  }
}

}  // namespace winograd_test
