// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/accumulator_resource.hpp>

#include <map>

#include "kernel/any_node.hpp"
#include "ops/support.hpp"

namespace state_accumulator_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::DenseAccumulator;
using ops::detail::GradientAccumulator;
using ops::detail::SparseAccumulator;

namespace {

constexpr auto kSignature = Op("SarTake").Output("y: float");
constexpr OpView kOp = kSignature.view();

template <class Accumulator>
Ref<Accumulator> New(const PartialTensorShape& shape, bool mean, DataType dtype = DataType::kFloat) {
  return Ref<Accumulator>::Adopt(new Accumulator("a", dtype, shape, mean));
}
// What a take of `required` gradients ends with, when it is given up where it would wait.
std::string Taken(const Ref<GradientAccumulator>& accumulator, std::int32_t required) {
  std::vector<DataType> types{DataType::kFloat};
  if (accumulator->sparse()) types = {DataType::kInt64, DataType::kFloat, DataType::kInt64};
  kernel_test::AnyNode<> node(kOp, {}, {}, types);
  CancellationManager cancellation;
  node.services.cancellation = &cancellation;
  Status end = errors::Internal("never");
  accumulator->Start(Owned<ops::detail::WaitedResource::Attempt>(new GradientAccumulator::Take(
      &node.context, Done([](void* to, Status status) { *static_cast<Status*>(to) = std::move(status); }, &end),
      accumulator, required)));
  cancellation.StartCancel();
  if (!end.ok()) return end.ToString();
  std::string text;
  for (const Tensor& t : node.outputs) StrAppend(&text, &t == &node.outputs[0] ? "" : " | ", t.SummarizeValue(20));
  return text;
}
Tensor Floats(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}
Tensor Rows(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}

}  // namespace

TEST_SUITE("gradient accumulators") {
  TEST_CASE("dense: a sum or a mean, then from nothing again") {
    for (const bool mean : {false, true}) {
      const Ref<DenseAccumulator> a = New<DenseAccumulator>(PartialTensorShape({2}), mean);
      for (const double x : {1, 2, 6}) REQUIRE(a->Add(0, Floats({x, -x})).ok());
      CHECK(a->NumAccumulated() == 3);
      CHECK(Taken(a, 3) == (mean ? "3 -3" : "9 -9"));
      CHECK(a->NumAccumulated() == 0);
      REQUIRE(a->Add(1, Floats({5, 7})).ok());
      CHECK(Taken(a, 1) == "5 7");
    }
  }
  TEST_CASE("a gradient of a step that is over is dropped without a word") {
    const Ref<DenseAccumulator> a = New<DenseAccumulator>(PartialTensorShape(), false);
    a->SetGlobalStep(3);
    CHECK(a->Add(2, Floats({1})).ok());
    CHECK(a->NumAccumulated() == 0);
    REQUIRE(a->Add(3, Floats({1})).ok());
    REQUIRE(a->Add(std::numeric_limits<std::int64_t>::max(), Floats({2})).ok());
    CHECK(Taken(a, 2) == "3");
    CHECK(a->Add(3, Floats({1})).ok());  // a take begins step 4
    CHECK(a->NumAccumulated() == 0);
    struct Lines : LogSink {
      void Send(const LogEntry& entry) override { text += entry.text; }
      std::string text;
    } lines;
    SetLogSink(&lines);
    a->SetGlobalStep(1);  // goes back
    SetLogSink(nullptr);
    CHECK(lines.text ==
          "Attempt to set current_global_step_ to smaller value: current_global_step_ = 4 >= 1 = new_global_step.");
    CHECK(a->Add(1, Floats({1})).ok());
    CHECK(a->NumAccumulated() == 1);
  }
  TEST_CASE("a take that must wait is cancelled by name and takes nothing") {
    const Ref<DenseAccumulator> a = New<DenseAccumulator>(PartialTensorShape({1}), true);
    REQUIRE(a->Add(0, Floats({4})).ok());
    CHECK(Taken(a, 2) == "CANCELLED: TakeGrad operation was cancelled");
    CHECK(a->NumAccumulated() == 1);
    CHECK(Taken(a, 1) == "4");
  }
  TEST_CASE("dense: a shape that does not fit changes nothing, not what was given either") {
    const Ref<DenseAccumulator> a = New<DenseAccumulator>(PartialTensorShape({-1, 2}), false);
    CHECK(a->Add(0, Floats({1, 2})).ToString() == "INVALID_ARGUMENT: Shape mismatch: expected [?,2], got [2]");
    const Tensor first = Rows({1, 2});
    REQUIRE(a->Add(0, first).ok());
    CHECK(a->Add(0, Rows({1, 2, 3, 4})).ToString() == "INVALID_ARGUMENT: Shape mismatch: expected [1,2], got [2,2]");
    CHECK(a->NumAccumulated() == 1);
    REQUIRE(a->Add(0, first).ok());  // the same tensor twice
    CHECK(Taken(a, 2) == "[2 4]");
    CHECK(first.SummarizeValue(2) == "[1 2]");
    REQUIRE(a->Add(1, Rows({1, 2, 3, 4})).ok());  // the next step has a shape of its own
  }
  TEST_CASE("sparse: rows of many gradients, each the mean of those that had it, against a map") {
    const Ref<SparseAccumulator> a = New<SparseAccumulator>(PartialTensorShape({10, 1}), true);
    Numbers numbers(17);
    std::map<std::int64_t, std::pair<double, int>> rows;
    for (int k = 0; k < 8; ++k) {
      std::vector<std::int64_t> at;
      for (std::int64_t i = 0; i < 10; ++i)
        if (numbers.Below(3) == 0) at.push_back(i);
      Tensor indices(DataType::kInt64, {static_cast<Index>(at.size())}),
          values(DataType::kFloat, {indices.NumElements(), 1});
      for (std::size_t i = 0; i < at.size(); ++i) {
        const auto x = static_cast<float>(numbers.Below(64));
        indices.data<std::int64_t>()[i] = at[i];
        values.data<float>()[i] = x;
        rows[at[i]].first += static_cast<double>(x);
        ++rows[at[i]].second;
      }
      REQUIRE(a->Add(0, indices, values, nullptr).ok());
    }
    std::string indices, means;
    for (const auto& [at, sum] : rows) {
      StrAppend(&indices, indices.empty() ? "" : " ", at);
      StrAppend(&means, "[", static_cast<float>(sum.first / sum.second), "]");
    }
    CHECK(Taken(a, 8) == StrCat(indices, " | ", means, " | 10 1"));
  }
  TEST_CASE("sparse: gradients without rows, and of an unknown first dimension") {
    const Ref<SparseAccumulator> a = New<SparseAccumulator>(PartialTensorShape(), false);
    REQUIRE(a->Add(0, Longs({}), Rows({}), nullptr).ok());
    REQUIRE(a->Add(0, Longs({4}), Rows({1, 2}), nullptr).ok());
    CHECK(Taken(a, 2) == "4 | [1 2] | -1 2");
    REQUIRE(a->Add(1, Longs({}), Rows({}), nullptr).ok());
    CHECK(Taken(a, 1) == " |  | -1 2");
  }
  TEST_CASE("sparse: what does not fit is said with the numbers, and changes nothing") {
    const Ref<SparseAccumulator> a = New<SparseAccumulator>(PartialTensorShape({5, 2}), false);
    const auto refused = [&](const Tensor& indices, const Tensor& values, const Tensor* shape = nullptr) {
      return std::string(a->Add(0, indices, values, shape).message());
    };
    const Tensor one = Rows({1, 2}), rank1 = Longs({5}), other = Longs({5, 3});
    CHECK(refused(Tensor::Scalar<std::int64_t>(0), one) == "Input indices should be vector but received shape: []");
    CHECK(refused(Longs({0}), Tensor::Scalar<float>(1)) == "Values cannot be 0-dimensional.");
    CHECK(refused(Longs({0, 1}), one) == "Expected 2 non-empty input values, got 1");
    CHECK(refused(Longs({0}), one, &rank1) == "Shape mismatch: expected shape rank at least 2, got 1");
    CHECK(refused(Longs({0}), one, &other) == "Shape mismatch: expected shape dim 1 to be 2, got 3");
    CHECK(refused(Longs({5}), one) ==
          "Shape mismatch: index of slice 0 exceeded limits of shape; index is 5 exceeded 5");
    CHECK(refused(Longs({0}), Floats({1})) == "Shape mismatch: expected values rank at least 2, got 1");
    CHECK(refused(Longs({0}), Make<float>({1, 3}, {1})) == "Shape mismatch: expected values dim 1 to be 2, got 3");
    CHECK(a->NumAccumulated() == 0);
    REQUIRE(a->Add(0, Longs({0}), one, nullptr).ok());
    CHECK(refused(Longs({0}), Make<float>({1, 2, 1}, {1})) == "Shape mismatch: expected values rank 2, got 3");
    CHECK(Taken(a, 1) == "0 | [1 2] | 5 2");
  }
}
}  // namespace state_accumulator_resource_test
