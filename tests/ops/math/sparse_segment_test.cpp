// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/sparse_segment.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_sparse_segment_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::ScaleOf;
using ops::detail::SegmentScale;

namespace {

// Rows 4, 0, 4 and 2 of five, the first two and the last two of one segment, which are numbers 0 and 3.
Tensor Rows() { return Ints({4, 0, 4, 2}); }
Tensor Ids() { return Ints({0, 0, 3, 3}); }
constexpr int kRows[] = {4, 0, 4, 2}, kIds[] = {0, 0, 3, 3};

template <class T>
std::vector<double> Looped(const Tensor& x, double divided) {
  std::vector<double> out(4 * 3, 0);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      out[static_cast<std::size_t>(kIds[i]) * 3 + c] +=
          ToDouble(x.data<T>()[static_cast<std::size_t>(kRows[i]) * 3 + c]) / divided;
  return out;
}
bool Near(const std::vector<double>& a, const std::vector<double>& b, double allowed) {
  bool near = a.size() == b.size();
  for (std::size_t i = 0; near && i < a.size(); ++i) near = std::abs(a[i] - b[i]) <= allowed;
  return near;
}

}  // namespace

TEST_SUITE("sparse segments") {
  TEST_CASE_TEMPLATE("are sums, means and sums over roots of the rows picked, as loops make them", T, float, double,
                     half, bfloat16) {
    const Tensor x = Random<T>({5, 3}, 3);
    const double allowed = 16 * RoundingUnit<T>();
    CHECK(Near(Numbered<T>(Run<ops::SparseSegmentSum>({}, {x, Rows(), Ids()})), Looped<T>(x, 1), allowed));
    CHECK(Near(Numbered<T>(Run<ops::SparseSegmentMean>({}, {x, Rows(), Ids()})), Looped<T>(x, 2), allowed));
    CHECK(Near(Numbered<T>(Run<ops::SparseSegmentSqrtN>({}, {x, Rows(), Ids()})), Looped<T>(x, std::sqrt(2)), allowed));
  }
  TEST_CASE("the number of segments may be more than the ids name, not less") {
    const Tensor x = Make<float>({5, 1}, {1, 2, 3, 4, 5});
    CHECK(Numbered<float>(Run<ops::SparseSegmentSumWithNumSegments>({}, {x, Rows(), Ids(), Int(6)})) ==
          std::vector<double>{6, 0, 0, 8, 0, 0});
    CHECK(ErrorOf<ops::SparseSegmentSumWithNumSegments>({}, {x, Rows(), Ids(), Int(3)}) ==
          "INVALID_ARGUMENT: SparseSegmentSumWithNumSegments: segment ids must be < num_segments, got 3 and 3");
    CHECK(Numbered<float>(Run<ops::SparseSegmentMeanWithNumSegments>({}, {x, Ints({}), Ints({}), Int(2)})) ==
          std::vector<double>{0, 0});
  }
  TEST_CASE("a segment's sum is divided by 1, its rows or their root") {
    CHECK(ScaleOf(SegmentScale::kSum, 9) == 1);
    CHECK(ScaleOf(SegmentScale::kMean, 9) == 9);
    CHECK(ScaleOf(SegmentScale::kSqrtN, 9) == 3);
  }
  TEST_CASE("small integers wrap") {
    const Tensor x = MakeTensor<std::uint8_t>({1, 1}, {200});
    CHECK(Numbered<std::uint8_t>(Run<ops::SparseSegmentSum>({}, {x, Ints({0, 0}), Ints({0, 0})})) ==
          std::vector<double>{144});
  }
  TEST_CASE("gradients are the transposed sums: <sum(x), g> = <x, gradient(g)>") {
    const Tensor x = Random<double>({5, 3}, 4), g = Random<double>({4, 3}, 5), five = Int(5);
    const auto dot = [](const Tensor& a, const Tensor& b) {
      double sum = 0;
      for (Index i = 0; i < a.NumElements(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
      return sum;
    };
    const std::vector<Tensor> picked{x, Rows(), Ids()}, back{g, Rows(), Ids(), five};
    CHECK(std::abs(dot(Run<ops::SparseSegmentSum>({}, picked), g) - dot(x, Run<ops::SparseSegmentSumGrad>({}, back))) <
          1e-13);
    CHECK(std::abs(dot(Run<ops::SparseSegmentMean>({}, picked), g) -
                   dot(x, Run<ops::SparseSegmentMeanGrad>({}, back))) < 1e-13);
    CHECK(std::abs(dot(Run<ops::SparseSegmentSqrtN>({}, picked), g) -
                   dot(x, Run<ops::SparseSegmentSqrtNGrad>({}, back))) < 1e-13);
    // Rows that no index names have none.
    CHECK(Run<ops::SparseSegmentSumGrad>({}, back).data<double>()[3] == 0);
  }
  TEST_CASE("says which index, id or size is wrong") {
    const Tensor x = Make<float>({5, 1}, {1});
    const std::string start = "INVALID_ARGUMENT: SparseSegmentSum: ";
    const auto error = [&](const Tensor& rows, const Tensor& ids) {
      return ErrorOf<ops::SparseSegmentSum>({}, {x, rows, ids});
    };
    CHECK(error(Ints({0, 5}), Ints({0, 0})) == start + "Bad: indices[1] == 5 out of range [0, 5)");
    CHECK(error(Ints({0}), Ints({0, 0})) == start + "segment_ids and indices should have same size, got 2 and 1");
    CHECK(error(Int(0), Ints({0})) == start + "indices should be a vector, got shape []");
    CHECK(error(Ints({0, 1}), Ints({1, 0})) ==
          start + "Segment id 1 out of range [0, 1), possibly because 'segment_ids' input is not sorted.");
    CHECK(error(Ints({0}), Ints({-1})) == start + "segment ids must be >= 0 and less than 2^63 - 1, the last is -1");
    CHECK(error(Ints({0}), Longs({std::numeric_limits<std::int64_t>::max()})) ==
          start + "segment ids must be >= 0 and less than 2^63 - 1, the last is 9223372036854775807");
    CHECK(ErrorOf<ops::SparseSegmentSum>({}, {Tensor::Scalar(1.f), Ints({0}), Ints({0})}) ==
          start + "Shape must be at least rank 1 but is rank 0");
    const std::string grad = "INVALID_ARGUMENT: SparseSegmentSumGrad: ";
    CHECK(ErrorOf<ops::SparseSegmentSumGrad>({}, {x, Ints({0}), Ints({5}), Int(3)}) ==
          grad + "Invalid number of segments: the last id is 5, grad has 5 rows");
    CHECK(ErrorOf<ops::SparseSegmentSumGrad>({}, {x, Ints({3}), Ints({0}), Int(3)}) ==
          grad + "Index 3 out of range [0, 3).");
    CHECK(ErrorOf<ops::SparseSegmentSumGrad>({}, {x, Ints({3}), Ints({0}), Int(-1)}) ==
          grad + "Expected a non-negative size, got -1");
  }
  TEST_CASE("the shape function names the size that is below 0") {
    const StaticInput least = StaticInput::Scalar(-2);
    CHECK(InferredShape<ops::SparseSegmentSum>({{5, 7}, {2}, {2}}) == "[?,7]");
    CHECK(InferredShape<ops::SparseSegmentSumWithNumSegments>({{5, 7}, {2}, {2}, StaticInput::Scalar(9)}) == "[9,7]");
    CHECK(InferredShape<ops::SparseSegmentSumWithNumSegments>({{5, 7}, {2}, {2}, least}) ==
          "Cannot specify a negative value for num_segments, got -2");
    CHECK(InferredShape<ops::SparseSegmentSumGrad>({{5, 7}, {2}, {2}, least}) ==
          "Cannot specify a negative value for output_dim0, got -2");
  }
}
}  // namespace math_sparse_segment_test
