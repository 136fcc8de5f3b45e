// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/kernels.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace kernels_test {
using namespace optimize_test;

TEST_SUITE("OptimizerKernels") {
  TEST_CASE("it knows which nodes have a kernel, and computes them") {
    GraphBuilder b;
    const Output c = b.Const("c", Floats({1, -2}, {2}));
    b.Add("Neg", "y", {c});
    b.Add("FloorDiv", "bad",
          {b.Const("one", Tensor::Scalar<std::int32_t>(1)), b.Const("zero", Tensor::Scalar<std::int32_t>(0))});
    const Graph graph = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    CpuDevice cpu("/job:localhost/replica:0/task:0/device:CPU:0", DefaultAllocator(), nullptr);
    OptimizerKernels kernels(&Registry::Global(), &cpu, &cpu, graph.versions().producer);
    const Node& neg = *graph.Find("y");
    CHECK(kernels.CanRun(neg.def));
    NodeDef strings = neg.def;
    strings.attr.Set("T", DataType::kBool);
    CHECK_FALSE(kernels.CanRun(strings));
    NodeDef nothing;
    nothing.op = "NoOp";
    CHECK(kernels.CanRun(nothing));

    SlimVector<Tensor> outputs;
    const Tensor values[] = {Floats({1, -2}, {2})};
    REQUIRE(kernels.Evaluate(neg, Span<const Tensor>(values, 1), &outputs));
    CHECK(SameTensor(outputs[0], Floats({-1, 2}, {2})));
    const Tensor numbers[] = {Tensor::Scalar<std::int32_t>(1), Tensor::Scalar<std::int32_t>(0)};
    CHECK_FALSE(kernels.Evaluate(*graph.Find("bad"), Span<const Tensor>(numbers, 2), &outputs));
  }
}

}  // namespace kernels_test
