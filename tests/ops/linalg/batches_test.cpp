// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/batches.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include "ops/support.hpp"

namespace linalg_batches_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::MatrixBatch;

namespace {

struct Square {
  static constexpr auto signature =
      Op("Square").Input("x: float").Output("y: float").SetShapeFn(ops::detail::SquareUnchangedShape);
};

}  // namespace

TEST_SUITE("batches of matrices") {
  TEST_CASE("the last two dimensions are the matrices, the others their number") {
    MatrixBatch b;
    REQUIRE(MatrixBatch::Of("Op", {2, 3, 4, 5}, 0, &b).ok());
    CHECK(b.count == 6);
    CHECK(b.rows == 4);
    CHECK(b.columns == 5);
    CHECK(b.batch == TensorShape({2, 3}));
    REQUIRE(MatrixBatch::Of("Op", {4, 5}, 0, &b).ok());
    CHECK(b.count == 1);
    REQUIRE(MatrixBatch::Of("Op", {0, 4, 0}, 0, &b).ok());
    CHECK(b.count == 0);
    CHECK(b.columns == 0);
  }
  TEST_CASE("what has no two dimensions, or is not square, is named") {
    MatrixBatch b;
    CHECK(MatrixBatch::Of("Op", {5}, 1, &b).ToString() ==
          "INVALID_ARGUMENT: Op: Input tensor 1 must have rank >= 2, got 1");
    CHECK(MatrixBatch::OfSquare("Op", {}, &b).ToString() ==
          "INVALID_ARGUMENT: Op: Input tensor 0 must have rank >= 2, got 0");
    CHECK(MatrixBatch::OfSquare("Op", {7, 2, 3}, &b).ToString() ==
          "INVALID_ARGUMENT: Op: Input matrix must be square, got shape [7,2,3]");
    CHECK(MatrixBatch::OfSquare("Op", {7, 0, 0}, &b).ok());
    CHECK(ops::detail::NotInvertible("Op").ToString() == "INVALID_ARGUMENT: Op: Input is not invertible.");
  }
  TEST_CASE("shapes of results are those of the batch and one or two sizes; too many elements are refused") {
    MatrixBatch b;
    REQUIRE(MatrixBatch::Of("Op", {2, 3, 4, 5}, 0, &b).ok());
    TensorShape out;
    CHECK(b.With(7, 8, &out).ok());
    CHECK(out == TensorShape({2, 3, 7, 8}));
    CHECK(b.With(0, &out).ok());
    CHECK(out == TensorShape({2, 3, 0}));
    const Index huge = std::numeric_limits<Index>::max();
    CHECK(b.With(huge, &out).code() == Code::kInvalidArgument);
    CHECK(b.With(huge / 6, 2, &out).code() == Code::kInvalidArgument);
  }
  TEST_CASE("every matrix has its turn on some thread, also behind one that fails") {
    ThreadPool pool(3, "matrices");
    Cpu device;
    device.pool = &pool;
    std::vector<std::atomic<int>> turns(500);
    const auto all_but = [&](Index bad) {
      return ops::detail::ForEachMatrix(device, 500, 100, 100, [&](Cpu&, Index i) {
        ++turns[static_cast<std::size_t>(i)];
        return i != bad;
      });
    };
    CHECK(all_but(-1));
    CHECK_FALSE(all_but(17));
    for (const std::atomic<int>& turn : turns) CHECK(turn == 2);
    CHECK(ops::detail::ForEachMatrix(device, 0, 100, 100, [](Cpu&, Index) { return false; }));
  }
  TEST_CASE("half is computed in float, and anything in double where that is asked for") {
    static_assert(std::is_same_v<ops::detail::WorkOf<half>::type, float>);
    static_assert(std::is_same_v<ops::detail::WorkOf<double>::type, double>);
    static_assert(std::is_same_v<ops::detail::WideOf<float>::type, double>);
    static_assert(std::is_same_v<ops::detail::WideOf<complex64>::type, complex128>);
    const double from[] = {1.5, -65520, 1e-9};  // too large for half, too small
    half to[3];
    ops::detail::CopyAs(from, to, 3);
    CHECK(static_cast<float>(to[0]) == 1.5f);
    CHECK(static_cast<float>(to[1]) == -static_cast<float>(kInfinity));
    CHECK(static_cast<float>(to[2]) == 0);
    const SlimVector<complex64> zeros = ops::detail::Numbers<complex64>(3);
    CHECK(zeros == SlimVector<complex64>(3, complex64(0)));
  }
  TEST_CASE("the shape function makes two unknown sizes one") {
    CHECK(InferredShape<Square>({{2, -1, 3}}) == "[2,3,3]");
    CHECK(InferredShape<Square>({StaticShape()}) == "?");
    CHECK(InferredShape<Square>({{4, 3}}) == "Dimensions must be equal, but are 4 and 3");
    CHECK(InferredShape<Square>({{3}}) == "Shape must be at least rank 2 but is rank 1");
  }
}
}  // namespace linalg_batches_test
