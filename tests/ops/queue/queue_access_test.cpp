// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/queue_access.hpp>

#include "kernel/any_node.hpp"
#include "ops/support.hpp"

namespace state_queue_access_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::CheckComponents;
using ops::detail::JoinRows;
using ops::detail::QueueKind;
using ops::detail::TensorQueue;

namespace {

constexpr auto kSignature = Op("SqaQueue").Output("y: float");
constexpr OpView kOp = kSignature.view();

TensorQueue::Options Options(QueueKind kind, SlimVector<PartialTensorShape> shapes = {}) {
  TensorQueue::Options options;
  options.kind = kind;
  options.name = "q";
  options.types = {DataType::kFloat, DataType::kFloat};
  options.shapes = std::move(shapes);
  return options;
}
std::string Checked(const TensorQueue::Options& options, const std::vector<Tensor>& components, bool many) {
  const Ref<TensorQueue> queue = Ref<TensorQueue>::Adopt(new TensorQueue(options));
  return std::string(CheckComponents(*queue, components, many).message());
}
Tensor Zeros(const TensorShape& shape) { return Make<float>(shape, {0}); }
// Rows of one component, joined.
std::string Joined(const std::vector<Tensor>& values, const PartialTensorShape& declared) {
  SlimVector<TensorQueue::Row> rows;
  for (const Tensor& value : values) rows.push_back({value});
  Tensor out;
  const Status status = JoinRows(rows, 0, DataType::kFloat, declared, CpuAllocator(), &out);
  return status.ok() ? StrCat(out.shape(), " ", out.SummarizeValue(50)) : status.ToString();
}

}  // namespace

TEST_SUITE("rows of queues") {
  TEST_CASE("components fit the shapes that the queue declares, if any") {
    const TensorQueue::Options declared =
        Options(QueueKind::kPadding, {PartialTensorShape({2}), PartialTensorShape({-1, 3})});
    CHECK(Checked(declared, {Zeros({2}), Zeros({9, 3})}, false) == "");
    CHECK(Checked(declared, {Zeros({2}), Zeros({9, 4})}, false) ==
          "Shape mismatch in tuple component 1. Expected [?,3], got [9,4]");
    CHECK(Checked(declared, {Zeros({5, 2}), Zeros({5, 0, 3})}, true) == "");
    CHECK(Checked(declared, {Zeros({5, 2}), Zeros({4, 1, 3})}, true) ==
          "Shape mismatch in tuple component 1. Expected [5,?,3], got [4,1,3]");
    CHECK(Checked(declared, {Zeros({}), Zeros({4, 1, 3})}, true) ==
          "Shape mismatch in tuple component 0. QueueEnqueueMany needs at least a vector, got []");
    const TensorQueue::Options any = Options(QueueKind::kFifo);
    CHECK(Checked(any, {Zeros({}), Zeros({7})}, false) == "");
    CHECK(Checked(any, {Zeros({2, 1}), Zeros({2})}, true) == "");
    CHECK(Checked(any, {Zeros({2}), Zeros({3, 1})}, true) ==
          "Shape mismatch in tuple component 1. Expected [2, ...], got [3,1]");
  }
  TEST_CASE("a priority is one number for each row") {
    const TensorQueue::Options by_priority = Options(QueueKind::kPriority);
    CHECK(Checked(by_priority, {Zeros({}), Zeros({2})}, false) == "");
    CHECK(Checked(by_priority, {Zeros({1}), Zeros({2})}, false) ==
          "Expected priority element to be a scalar, but received shape: [1]");
    CHECK(Checked(by_priority, {Zeros({2, 1}), Zeros({2})}, true) ==
          "Expected priority element to be a vector, but received shape: [2,1]");
  }
  TEST_CASE("many rows are cut from their components, each with memory of its own") {
    kernel_test::AnyNode<> node(kOp, {}, {}, {});
    const std::vector<Tensor> components{Make<float>({2}, {1, 2}), Make<float>({2, 2}, {3, 4, 5, 6})};
    SlimVector<TensorQueue::Row> rows;
    REQUIRE(ops::detail::MakeRows(node.context, components, true, &rows).ok());
    REQUIRE(rows.size() == 2);
    CHECK(rows[1][0].SummarizeValue(1) == "2");
    CHECK(rows[1][0].shape() == TensorShape());
    CHECK(rows[1][1].SummarizeValue(2) == "5 6");
    CHECK(!rows[1][1].SharesBufferWith(components[1]));
    rows.clear();
    REQUIRE(ops::detail::MakeRows(node.context, components, false, &rows).ok());
    CHECK(rows[0][1].SharesBufferWith(components[1]));  // one row is handed on as it is
    rows.clear();
    const std::vector<Tensor> none{Zeros({0}), Zeros({0, 2})};
    REQUIRE(ops::detail::MakeRows(node.context, none, true, &rows).ok());
    CHECK(rows.empty());
  }
  TEST_CASE("rows of different sizes are padded with zeros to the greatest of each dimension") {
    CHECK(Joined({Make<float>({1, 2}, {1, 2}), Make<float>({2, 1}, {3, 4}), Zeros({0, 3})},
                 PartialTensorShape({-1, -1})) == "[3,2,3] [[1 2 0][0 0 0]][[3 0 0][4 0 0]][[0 0 0][0 0 0]]");
    CHECK(Joined({Make<float>({2}, {1, 2}), Make<float>({1}, {3})}, PartialTensorShape({-1})) == "[2,2] [1 2][3 0]");
    CHECK(Joined({Zeros({0}), Zeros({0})}, PartialTensorShape({-1})) == "[2,0] ");
    CHECK(Joined({Make<float>({}, {7}), Make<float>({}, {8})}, PartialTensorShape(TensorShape())) == "[2] 7 8");
    CHECK(Joined({}, PartialTensorShape({2, -1})) == "[0,2,0] ");
    // A declared size counts where no row has it: padding is zeros there, too.
    CHECK(Joined({Make<float>({2, 1}, {5, 6})}, PartialTensorShape({2, -1})) == "[1,2,1] [[5][6]]");
  }
  TEST_CASE("four dimensions, against a plain loop") {
    const Tensor small = Random<float>({2, 1, 3, 2}, 3), large = Random<float>({1, 2, 2, 4}, 4);
    SlimVector<TensorQueue::Row> rows{{small}, {large}};
    Tensor out;
    REQUIRE(JoinRows(rows, 0, DataType::kFloat, PartialTensorShape({-1, -1, -1, -1}), CpuAllocator(), &out).ok());
    REQUIRE(out.shape() == TensorShape({2, 2, 2, 3, 4}));
    int wrong = 0;
    for (Index i = 0; i < out.NumElements(); ++i) {
      const Index r = i / 48, a = i / 24 % 2, b = i / 12 % 2, c = i / 4 % 3, d = i % 4;
      const Tensor& from = r == 0 ? small : large;
      const bool inside = a < from.dim_size(0) && b < from.dim_size(1) && c < from.dim_size(2) && d < from.dim_size(3);
      const Index at = ((a * from.dim_size(1) + b) * from.dim_size(2) + c) * from.dim_size(3) + d;
      wrong += out.data<float>()[i] != (inside ? from.data<float>()[at] : 0.0f) ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
  TEST_CASE("types and times that a queue does not have") {
    const Ref<TensorQueue> queue = Ref<TensorQueue>::Adopt(new TensorQueue(Options(QueueKind::kFifo)));
    const DataType types[] = {DataType::kFloat, DataType::kInt32};
    CHECK(ops::detail::CheckQueueTypes(*queue, types).message() ==
          "Signature mismatch, have: resource, float, int32-> expected: resource, float, float->");
    CHECK(ops::detail::CheckQueueTypes(*queue, {types, 1}).code() == Code::kInvalidArgument);
    CHECK(ops::detail::NoTimeout(-1).ok());
    CHECK(ops::detail::NoTimeout(5).message() == "Timeout not supported yet: timeout_ms must be -1, got 5");
  }
}
}  // namespace state_queue_access_test
