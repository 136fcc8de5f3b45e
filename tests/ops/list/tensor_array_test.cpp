// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_array.hpp>

#include "ops/state/state_test.hpp"

namespace state_tensor_array_test {
using namespace state_test;

namespace {

using tenon::ops::detail::TensorArray;

Ref<TensorArray> NewArray(Index size, bool dynamic = false) {
  TensorArray::Options options;
  options.name = "a";
  options.dtype = DataType::kFloat;
  options.dynamic_size = dynamic;
  return Ref<TensorArray>::Adopt(new TensorArray(options, size));
}
const Tensor kOne = MakeTensor<float>({1}, {1}), kTwo = MakeTensor<float>({1}, {2});

}  // namespace

TEST_SUITE("tensor arrays") {
  TEST_CASE("written once, read once") {
    const Ref<TensorArray> a = NewArray(2);
    Tensor out;
    REQUIRE(a->Write(1, kTwo).ok());
    CHECK(a->Write(1, kOne).message() ==
          "TensorArray a: Could not write to TensorArray index 1 because it has already been written to.");
    CHECK(a->Write(2, kOne).message() ==
          "TensorArray a: Tried to write to index 2 but array is not resizeable and size is: 2");
    CHECK(a->Write(-1, kOne).code() == Code::kInvalidArgument);
    REQUIRE(a->Read(1, &out).ok());
    CHECK(Machine::ToVector(out) == Floats{2});
    CHECK(a->Read(1, &out).message().find("Could not read index 1 twice because it was cleared") != std::string::npos);
    CHECK(a->Read(0, &out).message().find("the element shape is not fully defined") != std::string::npos);
    CHECK(a->Read(7, &out).message() == "TensorArray a: Tried to read from index 7 but array size is: 2");
    a->Close();
    CHECK(a->Write(0, kOne).message() == "TensorArray a has already been closed.");
  }
  TEST_CASE("one that grows has its limit") {
    const Ref<TensorArray> a = NewArray(0, true);
    Index size = 0;
    REQUIRE(a->Write(5, kOne).ok());
    REQUIRE(a->Size(&size).ok());
    CHECK(size == 6);
    CHECK(a->Write(std::numeric_limits<std::int32_t>::max(), kOne).code() == Code::kResourceExhausted);
  }
  TEST_CASE("gradients add up, and what was written has a zero gradient") {
    const Ref<TensorArray> a = NewArray(3);
    REQUIRE(a->Write(0, kOne).ok());
    REQUIRE(a->Write(1, kOne).ok());
    Ref<TensorArray> g;
    REQUIRE(a->MakeGradient("a@g", &g).ok());
    REQUIRE(g->Write(0, kOne).ok());
    REQUIRE(g->Write(0, kTwo).ok());
    Tensor out;
    REQUIRE(g->Read(0, &out).ok());
    CHECK(Machine::ToVector(out) == Floats{3});
    CHECK(Machine::ToVector(kOne) == Floats{1});
    REQUIRE(g->Read(1, &out).ok());
    CHECK(Machine::ToVector(out) == Floats{0});
    CHECK(g->Read(2, &out).code() == Code::kInvalidArgument);
  }
  TEST_CASE("in a graph: split, gather, concat; each run has its own") {
    Machine m;
    const Output ta = m.b.Add("TensorArrayV3", "ta", {m.b.Const("n", Tensor::Scalar(2))},
                              {{"dtype", DataType::kFloat}, {"clear_after_read", false}});
    const Output flow =
        m.b.Add("TensorArraySplitV3", "split",
                {ta, m.b.Placeholder("x", DataType::kFloat), m.b.Placeholder("lengths", DataType::kInt64), ta[1]});
    m.b.Add("TensorArrayConcatV3", "all", {ta, flow}, {{"dtype", DataType::kFloat}});
    m.b.Add("TensorArrayGatherV3", "swapped", {ta, m.b.Const("at", MakeTensor<std::int32_t>({2}, {1, 0})), flow},
            {{"dtype", DataType::kFloat}});
    m.Start();
    const Tensor x = MakeTensor<float>({3}, {1, 2, 3});
    const auto lengths = [](std::int64_t a, std::int64_t b) { return MakeTensor<std::int64_t>({2}, {a, b}); };
    for (int run = 0; run < 2; ++run) CHECK(m.Floats("all", {{"x", x}, {"lengths", lengths(1, 2)}}) == Floats{1, 2, 3});
    CHECK(m.Try({"swapped"}, {{"x", x}, {"lengths", lengths(1, 2)}})
              .message()
              .find("TensorArray has inconsistent shapes.  Index 0 has shape: [2] but index 1 has shape: [1]") !=
          std::string::npos);
    CHECK(m.Floats("swapped", {{"x", MakeTensor<float>({2}, {8, 9})}, {"lengths", lengths(1, 1)}}) == Floats{9, 8});
    CHECK(m.Try({"all"}, {{"x", x}, {"lengths", lengths(4, -1)}}).code() == Code::kInvalidArgument);
    CHECK(m.Try({"all"}, {{"x", x}, {"lengths", lengths(1, 1)}}).code() == Code::kInvalidArgument);
  }
  TEST_CASE("gradients with dimensions before those of the elements; unwritten ones are zeros") {
    Machine m;
    const Output ta =
        m.b.Add("TensorArrayV3", "ta", {m.b.Const("n", Tensor::Scalar(2))}, {{"dtype", DataType::kFloat}});
    const Output write = m.b.Add("TensorArrayWriteV3", "write",
                                 {ta, m.b.Const("at", Tensor::Scalar(0)), m.b.Const("x", Tensor::Scalar(1.0f)), ta[1]});
    const Output g = m.b.Add("TensorArrayGradWithShape", "g", {ta, write, m.b.Placeholder("more", DataType::kInt32)},
                             {{"source", "s"}});
    m.b.Add("TensorArrayReadV3", "read", {g, m.b.Const("first", Tensor::Scalar(0)), g[1]},
            {{"dtype", DataType::kFloat}});
    m.Start();
    CHECK(m.Floats("read", {{"more", MakeTensor<std::int32_t>({1}, {3})}}) == Floats{0, 0, 0});
    CHECK(m.Floats("read", {{"more", MakeTensor<std::int32_t>({0}, {})}}) == Floats{0});
    CHECK(m.Try({"read"}, {{"more", MakeTensor<std::int32_t>({1}, {-3})}}).message().find("must be >= 0") !=
          std::string::npos);
  }
  TEST_CASE("a stack is last in, first out") {
    Machine m;
    const Output s = m.b.Add("StackV2", "s", {m.b.Const("most", Tensor::Scalar(1))}, {{"elem_type", DataType::kFloat}});
    const Output push = m.b.Add("StackPushV2", "push", {s, m.b.Const("x", Tensor::Scalar(3.0f))});
    const Output again = m.b.Add("StackPushV2", "again", {s, push});
    const Output pop = m.b.Add("StackPopV2", "pop", {s}, {{"elem_type", DataType::kFloat}});
    m.b.AddControlInput(pop, push);
    const Output early = m.b.Add("StackPopV2", "early", {s}, {{"elem_type", DataType::kFloat}});
    static_cast<void>(again), static_cast<void>(early);
    m.Start();
    CHECK(m.Floats("pop") == Floats{3});
    CHECK(m.Try({"again"}).message().find("overflowed its max_size (1)") != std::string::npos);
    CHECK(m.Try({"early"}).message().find("is empty when calling Pop().") != std::string::npos);
  }
}
}  // namespace state_tensor_array_test
