// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/diagonal_shape_fns.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <tenon/ops/array/matrix_diag.hpp>

#include "ops/support.hpp"

namespace shape_diagonal_shape_fns_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();

// "rows x columns", or why there are none.
std::string Sizes(std::int64_t lower, std::int64_t upper, std::int64_t length, std::int64_t rows = -1,
                  std::int64_t columns = -1) {
  const Status status = shape_inference::internal::MatrixSizes(lower, upper, length, &rows, &columns);
  return status.ok() ? StrCat(rows, " x ", columns) : std::string(status.message());
}
std::string Diag(StaticInput diagonal, StaticInput k) {
  return InferredShape<ops::MatrixDiagV3>({diagonal, k, StaticInput::Scalar(-1), StaticInput::Scalar(-1), {}});
}
std::string Part(StaticInput matrix, StaticInput k) { return InferredShape<ops::MatrixDiagPartV3>({matrix, k, {}}); }

}  // namespace

TEST_SUITE("shapes of diagonals") {
  TEST_CASE("matrices are as small as they can be, and square where neither size is known") {
    CHECK(Sizes(0, 0, 3) == "3 x 3");
    CHECK(Sizes(1, 1, 3) == "4 x 4");
    CHECK(Sizes(-2, -1, 3) == "4 x 4");
    CHECK(Sizes(-2, -1, 3, -1, 3) == "4 x 3");
    CHECK(Sizes(0, 0, 3, 5) == "5 x 3");
    CHECK(Sizes(0, 0, 3, -1, 5) == "3 x 5");
    CHECK(Sizes(0, 0, 0) == "0 x 0");
  }
  TEST_CASE("sizes that no matrix with these diagonals has are named beside those it would have") {
    CHECK(Sizes(0, 0, 3, 2) == "num_rows is too small: 2, at least 3");
    CHECK(Sizes(1, 1, 3, 3, 3) == "num_cols is too small: 3, at least 4");
    CHECK(Sizes(0, 0, 3, 5, 4) ==
          "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the "
          "given diagonals: 5 != 3 and 4 != 3");
    const std::int64_t most = std::int64_t{1} << 62;
    CHECK(Sizes(kLeast, kLeast, most) == StrCat(most - kLeast, " x ", most - kLeast));
    CHECK(Sizes(0, 0, most + 1) == "diagonals of 4611686018427387905 elements are those of no matrix");
  }
  TEST_CASE("the main diagonal is inside of every matrix, another only between its corners") {
    CHECK(shape_inference::internal::CheckDiagonalsInside(0, 0, 0, 0).ok());
    CHECK(shape_inference::internal::CheckDiagonalsInside(-2, 3, 3, 4).ok());
    CHECK(shape_inference::internal::CheckDiagonalsInside(-3, 0, 3, 4).message() ==
          "lower_diag_index is out of bound: -3. It must be between -3 and 4");
    CHECK(shape_inference::internal::CheckDiagonalsInside(0, 4, 3, 4).message() ==
          "upper_diag_index is out of bound: 4. It must be between -3 and 4");
    CHECK(Part({3, 4}, StaticInput::Scalar(kLeast)) ==
          "lower_diag_index is out of bound: -2147483648. It must be between -3 and 4");
  }
  TEST_CASE("diagonals are one number or two in order") {
    CHECK(Part({3, 4}, StaticInput::Vector({-1, 1})) == "[3,3]");
    CHECK(Part({2, 3, 4}, StaticInput::Vector({2})) == "[2,2]");
    CHECK(Part({3, 4}, {2}) == "?");  // two numbers that are not known
    CHECK(Part({3, 4}, StaticInput::Vector({})) ==
          "diag_index must be a vector with one or two elements. It has 0 elements.");
    CHECK(Part({3, 4}, StaticInput::Vector({0, 1, 2})) ==
          "diag_index must be a vector with one or two elements. It has 3 elements.");
    CHECK(Part({3, 4}, StaticInput::Vector({1, 0})) == "lower_diag_index is greater than upper_diag_index: 1 > 0");
  }
  TEST_CASE("as many rows as diagonals") {
    CHECK(Diag({7, 3, 5}, StaticInput::Vector({-1, 1})) == "[7,5,5]");
    CHECK(Diag({7, 3, 5}, StaticInput::Scalar(0)) == "[7,3,5,5]");
    CHECK(Diag({7, 2, 5}, StaticInput::Vector({-1, 1})) ==
          "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
          "`d_upper`: 2 instead of 3");
  }
  TEST_CASE("what is not known of a matrix is taken from the diagonals that are set into it") {
    CHECK(InferredShape<ops::MatrixSetDiagV3>({{-1, -1, -1}, {7, 3}, StaticInput::Scalar(0)}) == "[7,?,?]");
    CHECK(InferredShape<ops::MatrixSetDiagV3>({StaticShape(), {7, 2, 3}, StaticInput::Vector({0, 1})}) == "[7,?,?]");
    CHECK(InferredShape<ops::MatrixSetDiag>({{7, 3, 4}, StaticShape()}) == "[7,3,4]");
    CHECK(InferredShape<ops::MatrixSetDiag>({{3, 4}, {4}}) == "Dimensions must be equal, but are 3 and 4");
  }
  TEST_CASE("an empty side makes an empty diagonal, whatever the other is") {
    CHECK(InferredShape<ops::MatrixDiagPart>({{-1, 0}}) == "[0]");
    CHECK(InferredShape<ops::MatrixDiagPart>({{-1, 3}}) == "[?]");
    CHECK(InferredShape<ops::MatrixDiag>({{2, -1}}) == "[2,?,?]");
  }
  TEST_CASE("tensors with diagonals have each size twice") {
    CHECK(InferredShape<ops::Diag>({{2, 3}}) == "[2,3,2,3]");
    CHECK(InferredShape<ops::DiagPart>({{2, -1, 2, 3}}) == "[2,3]");
    CHECK(InferredShape<ops::DiagPart>({{2, 3, 2}}) == "Input must have even and non-zero rank, input rank is 3");
    CHECK(InferredShape<ops::DiagPart>({{}}) == "Input must have even and non-zero rank, input rank is 0");
    CHECK(InferredShape<ops::DiagPart>({{2, 3, 2, 4}}) == "Dimensions must be equal, but are 3 and 4");
  }
}
}  // namespace shape_diagonal_shape_fns_test
