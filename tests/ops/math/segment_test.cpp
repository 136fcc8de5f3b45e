// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/segment.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/support.hpp"

namespace math_segment_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::string Checked(std::initializer_list<std::int64_t> ids, Index rows) {
  const Tensor tensor = Longs(ids);
  return std::string(
      ops::detail::CheckSegmentIds("Op", HostIndices(tensor.any_view(), DataType::kInt64), rows).message());
}
// What rows of x, 3 wide, whose ids are the same make with step; `start` where there are none.
template <class Step>
std::vector<double> Looped(const std::vector<double>& x, const std::vector<int>& ids, int segments, double start,
                           const Step& step) {
  std::vector<double> out(static_cast<std::size_t>(segments) * 3, start);
  std::vector<bool> begun(static_cast<std::size_t>(segments));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) continue;
    const auto s = static_cast<std::size_t>(ids[i]);
    for (std::size_t c = 0; c < 3; ++c) out[s * 3 + c] = begun[s] ? step(out[s * 3 + c], x[i * 3 + c]) : x[i * 3 + c];
    begun[s] = true;
  }
  return out;
}
const auto kPlus = [](double a, double b) { return a + b; };
const auto kTimes = [](double a, double b) { return a * b; };
const auto kMost = [](double a, double b) { return std::max(a, b); };
const auto kLeast = [](double a, double b) { return std::min(a, b); };

}  // namespace

TEST_SUITE("segments") {
  TEST_CASE_TEMPLATE("rows of one id become one row, as loops make it, with what stands for none between", T,
                     std::int32_t, double) {
    const Tensor x = Random<T>({6, 3}, 1), ids = Ints({0, 0, 2, 2, 2, 4});
    const std::vector<double> numbers = Numbered<T>(x);
    const std::vector<int> places{0, 0, 2, 2, 2, 4};
    CHECK(Numbered<T>(Run<ops::SegmentSum>({}, {x, ids})) == Looped(numbers, places, 5, 0, kPlus));
    CHECK(Numbered<T>(Run<ops::SegmentProd>({}, {x, ids})) == Looped(numbers, places, 5, 1, kTimes));
    CHECK(Numbered<T>(Run<ops::SegmentMax>({}, {x, ids})) == Looped(numbers, places, 5, 0, kMost));
    CHECK(Numbered<T>(Run<ops::SegmentMin>({}, {x, ids})) == Looped(numbers, places, 5, 0, kLeast));
    std::vector<double> means = Looped(numbers, places, 5, 0, kPlus);
    for (std::size_t c = 0; c < 3; ++c) {
      means[c] /= 2;
      means[6 + c] /= 3;
    }
    if (std::is_integral_v<T>)
      for (double& mean : means) mean = std::trunc(mean);
    CHECK(Numbered<T>(Run<ops::SegmentMean>({}, {x, ids})) == means);
  }
  TEST_CASE_TEMPLATE("rows of one element, many ids", T, std::int8_t, std::int32_t, float, double) {
    constexpr Index kRows = 1000;  // several blocks of ids
    const Tensor x = Random<T>({kRows}, 3);
    Tensor wide(x.dtype(), {kRows, 2}), ids(DataType::kInt32, {kRows}), longs(DataType::kInt64, {kRows});
    tenon::testing::Numbers numbers(4);
    std::int32_t id = 2;
    for (Index i = 0; i < kRows; ++i) {
      wide.data<T>()[2 * i] = wide.data<T>()[2 * i + 1] = x.data<T>()[i];
      id += static_cast<std::int32_t>(numbers.Below(4) == 0 ? numbers.Below(3) : 0);
      ids.data<std::int32_t>()[i] = id;
      longs.data<std::int64_t>()[i] = static_cast<std::int64_t>(numbers.Below(102)) - 1;
    }
    const auto near = [](T one, T two) {  // long segments of one element are added in another order
      const double difference = std::abs(static_cast<double>(one) - static_cast<double>(two));
      return difference <= (std::is_integral_v<T> ? 0.0 : 1e-5) * std::max(1.0, std::abs(static_cast<double>(two)));
    };
    const auto same = [&near](const Tensor& one, const Tensor& two) {  // columns: those of one element, and of two
      bool equal = two.NumElements() == 2 * one.NumElements();
      for (Index i = 0; equal && i < one.NumElements(); ++i) equal = near(one.data<T>()[i], two.data<T>()[2 * i]);
      return equal;
    };
    CHECK(same(Run<ops::SegmentSum>({}, {x, ids}), Run<ops::SegmentSum>({}, {wide, ids})));
    CHECK(same(Run<ops::SegmentMean>({}, {x, ids}), Run<ops::SegmentMean>({}, {wide, ids})));
    CHECK(same(Run<ops::SegmentProd>({}, {x, ids}), Run<ops::SegmentProd>({}, {wide, ids})));
    CHECK(same(Run<ops::SegmentMax>({}, {x, ids}), Run<ops::SegmentMax>({}, {wide, ids})));
    CHECK(same(Run<ops::SegmentMin>({}, {x, ids}), Run<ops::SegmentMin>({}, {wide, ids})));
    const Tensor count = Int(101);
    CHECK(same(Run<ops::UnsortedSegmentSum>({}, {x, longs, count}),
               Run<ops::UnsortedSegmentSum>({}, {wide, longs, count})));
    CHECK(same(Run<ops::UnsortedSegmentMin>({}, {x, longs, count}),
               Run<ops::UnsortedSegmentMin>({}, {wide, longs, count})));
  }
  TEST_CASE("ids in any order, negative ones left out; gaps are what the operation starts from") {
    const Tensor x = Random<double>({6, 3}, 2), ids = Ints({3, -1, 0, 3, -7, 0}), five = Int(5);
    const std::vector<double> numbers = Numbered<double>(x);
    const std::vector<int> places{3, -1, 0, 3, -7, 0};
    const double most = std::numeric_limits<double>::max();
    CHECK(Numbered<double>(Run<ops::UnsortedSegmentSum>({}, {x, ids, five})) == Looped(numbers, places, 5, 0, kPlus));
    CHECK(Numbered<double>(Run<ops::UnsortedSegmentProd>({}, {x, ids, five})) == Looped(numbers, places, 5, 1, kTimes));
    CHECK(Numbered<double>(Run<ops::UnsortedSegmentMax>({}, {x, ids, five})) ==
          Looped(numbers, places, 5, -most, kMost));
    CHECK(Numbered<double>(Run<ops::UnsortedSegmentMin>({}, {x, ids, five})) ==
          Looped(numbers, places, 5, most, kLeast));
  }
  TEST_CASE("ids may have more dimensions, or none, and 16 bits") {
    const Tensor x = Make<float>({2, 2, 1}, {1, 2, 4, 8});
    const Tensor ids = MakeTensor<std::int16_t>({2, 2}, {1, 0, 1, 1});
    CHECK(Numbered<float>(Run<ops::UnsortedSegmentSum>({}, {x, ids, Int(2)})) == std::vector<double>{2, 13});
    const Tensor all = Run<ops::UnsortedSegmentSum>({}, {x, Int(1), Int(2)});
    CHECK(all.shape() == TensorShape({2, 2, 2, 1}));
    CHECK(Numbered<float>(all) == std::vector<double>{0, 0, 0, 0, 1, 2, 4, 8});
  }
  TEST_CASE("sums wrap, and means are those of the wrapped sum") {
    const Tensor x = MakeTensor<std::int8_t>({2}, {127, 1}), ids = Ints({0, 0});
    CHECK(Numbered<std::int8_t>(Run<ops::SegmentSum>({}, {x, ids})) == std::vector<double>{-128});
    CHECK(Numbered<std::int8_t>(Run<ops::SegmentMean>({}, {x, ids})) == std::vector<double>{-64});
  }
  TEST_CASE("no rows, no columns, no segments") {
    CHECK(Run<ops::SegmentSum>({}, {Tensor(DataType::kFloat, {0, 3}), Ints({})}).shape() == TensorShape({0, 3}));
    CHECK(Run<ops::SegmentSum>({}, {Tensor(DataType::kFloat, {2, 0}), Ints({0, 4})}).shape() == TensorShape({5, 0}));
    CHECK(Run<ops::UnsortedSegmentMax>({}, {Tensor(DataType::kInt32, {0}), Ints({}), Int(2)}).data<std::int32_t>()[1] ==
          std::numeric_limits<std::int32_t>::min());
    CHECK(Run<ops::UnsortedSegmentSum>({}, {Make<float>({1, 3}, {1}), Ints({-1}), Int(0)}).shape() ==
          TensorShape({0, 3}));
  }
  TEST_CASE("ids ascend, each within the rows") {
    CHECK(Checked({}, 0) == "");
    CHECK(Checked({0, 0, 3}, 4) == "");
    CHECK(Checked({0, 3}, 3) ==
          "Op: Segment id 3 out of range [0, 3), possibly because 'segment_ids' input is not sorted.");
    CHECK(Checked({-1, 0}, 3) ==
          "Op: Segment id -1 out of range [0, 3), possibly because 'segment_ids' input is not sorted.");
    CHECK(Checked({0, 2, 1}, 3) == "Op: segment ids are not increasing: segment_ids[2] = 1 comes after 2");
  }
  TEST_CASE("says which id or shape is wrong") {
    const Tensor x = Make<float>({2, 3}, {1});
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(ErrorOf<ops::SegmentSum>({}, {Tensor::Scalar(1.f), Ints({0})}) ==
          "INVALID_ARGUMENT: SegmentSum: input must be at least rank 1 but is rank 0");
    CHECK(ErrorOf<ops::SegmentSum>({}, {x, Ints({0})}) ==
          "INVALID_ARGUMENT: SegmentSum: segment_ids should be the same size as dimension 0 of input, got 1 and 2");
    CHECK(ErrorOf<ops::SegmentSum>({}, {x, Ints({0, -2})}) ==
          "INVALID_ARGUMENT: SegmentSum: segment ids must be >= 0, the last is -2");
    CHECK(ErrorOf<ops::SegmentSum>({}, {x, Longs({0, most})}) ==
          "INVALID_ARGUMENT: SegmentSum: segment id 9223372036854775807 is too large");
    CHECK(ErrorOf<ops::UnsortedSegmentSum>({}, {x, Ints({0, 5}), Int(5)}) ==
          "INVALID_ARGUMENT: UnsortedSegmentSum: segment_ids[1] = 5 is out of range [0, 5)");
    CHECK(ErrorOf<ops::UnsortedSegmentSum>({}, {x, Ints({0}), Int(5)}) ==
          "INVALID_ARGUMENT: UnsortedSegmentSum: data.shape = [2,3] does not start with segment_ids.shape = [1]");
    CHECK(ErrorOf<ops::UnsortedSegmentSum>({}, {x, Ints({0, 0}), Int(-1)}) ==
          "INVALID_ARGUMENT: UnsortedSegmentSum: Input num_segments == -1 must not be negative.");
    CHECK(ErrorOf<ops::SegmentSumV2>({}, {x, Ints({0, 0}), Int(1)}) ==
          "INVALID_ARGUMENT: no kernel for op 'SegmentSumV2' on CPU, as in TensorFlow; UnsortedSegment ops have "
          "num_segments too");
  }
}
}  // namespace math_segment_test
