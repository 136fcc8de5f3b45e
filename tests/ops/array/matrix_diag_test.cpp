// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/matrix_diag.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_matrix_diag_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Diagonals") {
  TEST_CASE("the diagonal of a diagonal matrix is what it was made of") {
    for (const DataType dtype : {DataType::kUint8, DataType::kBfloat16, DataType::kFloat, DataType::kComplex128}) {
      const Tensor x = AnyBits(dtype, {2, 3});
      const Tensor matrices = Run<ops::MatrixDiag>({}, {x});
      CHECK(matrices.shape() == TensorShape({2, 3, 3}));
      CHECK(SameTensor(Run<ops::MatrixDiagPart>({}, {matrices}), x));
    }
    const Tensor x = AnyBits(DataType::kDouble, {2, 3}), square = Run<ops::Diag>({}, {x});
    CHECK(square.shape() == TensorShape({2, 3, 2, 3}));
    CHECK(SameTensor(Run<ops::DiagPart>({}, {square}), x));
    CHECK(Run<ops::Diag>({}, {Tensor(DataType::kFloat, {0, 2})}).shape() == TensorShape({0, 2, 0, 2}));
  }

  TEST_CASE("every diagonal is where `align` says, and set into a matrix it is all that changes") {
    constexpr Index kRows = 3, kColumns = 5;
    const Tensor m = AnyBits(DataType::kInt64, {kRows, kColumns}), padding = Tensor::Scalar<std::int64_t>(-7);
    for (const std::string_view align : {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"}) {
      for (std::int32_t lower = 1 - kRows; lower < kColumns; ++lower) {
        for (std::int32_t upper = lower; upper < kColumns; ++upper) {
          const AttrArgs attrs{{"align", align}};
          const Tensor k = Ints({lower, upper}), part = Run<ops::MatrixDiagPartV3>(attrs, {m, k, padding});
          const Index longest = std::min(kRows + std::min(upper, 0), kColumns - std::max(lower, 0));
          REQUIRE(part.NumElements() == (upper - lower + 1) * longest);
          bool right = true;
          for (std::int32_t d = upper; d >= lower; --d) {
            const Index length = std::min(kRows + std::min(d, 0), kColumns - std::max(d, 0));
            const std::string_view side = d > 0 ? align.substr(0, 4) : align.substr(align.size() - 4);
            const bool left = length == longest || side == "LEFT";
            const Index shift = left ? 0 : longest - length;
            for (Index i = 0; i < longest; ++i) {
              const std::int64_t got = part.data<std::int64_t>()[(upper - d) * longest + i];
              const Index at = i - shift, row = at - std::min(d, 0), column = at + std::max(d, 0);
              const bool inside = at >= 0 && at < length;
              right = right && got == (inside ? m.data<std::int64_t>()[row * kColumns + column] : -7);
            }
          }
          CHECK_MESSAGE(right, align, " ", lower, " ", upper);
          CHECK(SameTensor(Run<ops::MatrixSetDiagV3>(attrs, {m, part, k}), m));
          const Tensor zeros = Run<ops::MatrixSetDiagV3>(attrs, {RunAll("ZerosLike", {}, {m}, 1)[0], part, k});
          CHECK(SameTensor(Run<ops::MatrixDiagPartV3>(attrs, {zeros, k, padding}), part));
        }
      }
    }
  }

  TEST_CASE("a band and what is above and below it are the matrix") {
    const Tensor m = Random<std::int32_t>({2, 4, 3}, 1, 1, 99);
    const Tensor lower = Run<ops::MatrixBandPart>({}, {m, Int(-1), Int(0)});
    const Tensor upper = Run<ops::MatrixBandPart>({}, {m, Int(0), Int(-1)});
    const Tensor middle = Run<ops::MatrixBandPart>({}, {m, Int(0), Int(0)});
    for (Index i = 0; i < m.NumElements(); ++i) {
      const auto at = [i](const Tensor& t) { return t.data<std::int32_t>()[i]; };
      CHECK(at(lower) + at(upper) - at(middle) == at(m));
    }
    CHECK(SameTensor(Run<ops::MatrixBandPart>({}, {m, Int(-1), Int(-1)}), m));
    bool took_over = false;
    CHECK(SameTensor(RunOnOwnInputs<ops::MatrixSetDiag, float>(
                         {}, {Make<float>({2, 2}, {1, 2, 3, 4}), Make<float>({2}, {8})}, &took_over),
                     Make<float>({2, 2}, {8, 2, 3, 8})));
    CHECK(took_over);
  }

  TEST_CASE("matrices without elements") {
    CHECK(Run<ops::MatrixDiagPart>({}, {Tensor(DataType::kFloat, {2, 0, 3})}).shape() == TensorShape({2, 0}));
    CHECK(Run<ops::MatrixBandPart>({}, {Tensor(DataType::kFloat, {0, 3, 0}), Int(0), Int(0)}).shape() ==
          TensorShape({0, 3, 0}));
    CHECK(Run<ops::MatrixDiag>({}, {Tensor(DataType::kFloat, {3, 0})}).shape() == TensorShape({3, 0, 0}));
  }

  TEST_CASE("diagonals too long for a matrix are refused, also where there are none") {
    std::int64_t rows = -1, columns = -1;
    CHECK(shape_inference::internal::MatrixSizes(0, 1, std::numeric_limits<std::int64_t>::max(), &rows, &columns)
              .code() == Code::kInvalidArgument);
    CHECK(shape_inference::internal::MatrixSizes(0, 1, 3, &rows, &columns).ok());
    CHECK(rows == 3);
  }
  TEST_CASE("diagonals outside, and sizes that do not fit, are refused") {
    const Tensor m = Make<float>({2, 3}, {1}), zero = Tensor::Scalar<float>(0), row = Make<float>({3}, {1});
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
    CHECK(ErrorOf<ops::MatrixDiagPartV3>({}, {m, Int(3), zero}) ==
          "INVALID_ARGUMENT: MatrixDiagPart: lower_diag_index is out of bound: 3. It must be between -2 and 3");
    CHECK(ErrorOf<ops::MatrixDiagPartV3>({}, {m, Int(kLeast), zero}).find("is out of bound: -2147483648") !=
          std::string::npos);
    CHECK(ErrorOf<ops::MatrixDiagPartV3>({}, {m, Ints({1, 0}), zero})
              .find("lower_diag_index must not be larger than upper_diag_index: 1 > 0") != std::string::npos);
    CHECK(ErrorOf<ops::MatrixDiagV3>({}, {row, Int(0), Int(2), Int(3), zero}).find("num_rows is too small: 2") !=
          std::string::npos);
    CHECK(ErrorOf<ops::MatrixBandPart>({}, {m, Int(3), Int(0)})
              .find("num_lower must be negative or less or equal to number of rows (2) got: 3") != std::string::npos);
    LimitedAllocator memory(CpuAllocator(), 1 << 20, "small");
    const Status status =
        Call<ops::MatrixDiagV3>({}, {row, Int(kLeast + 9), Int(-1), Int(-1), zero}, {.allocator = &memory}).status();
    CHECK_MESSAGE(status.code() == Code::kResourceExhausted, status.ToString());
  }
}
}  // namespace array_matrix_diag_test
