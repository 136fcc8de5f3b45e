// SPDX-License-Identifier: Apache-2.0
// Nodes of a session on a GPU whose tensors are in host memory: what they copy and launch.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <cuda/gpu.hpp>

namespace host_outputs_test {
using namespace tenon;

struct Step {
  std::vector<Tensor> outputs;
  emulation::Counters count;
};
Step RunTwice(const GraphBuilder& b, const Tensor& x, const char* fetch) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  Result<Session> session = Session::FromGraphDef(b.graph_def(), {.devices = {"GPU:0"}});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  Step step;
  for (int run = 0; run < 2; ++run) {
    const emulation::Counters before = emulation::Count();
    auto outputs = session->Run({{"x", x}}, {fetch});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    step = {*std::move(outputs), emulation::Count() - before};
  }
  return step;
}

TEST_SUITE("Host outputs on an emulated GPU") {
  TEST_CASE("the shape of a GPU's tensor is known without a copy back" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output turned = b.Add("Transpose", "turned", {x, b.Const("perm", MakeTensor<std::int32_t>({2}, {1, 0}))});
    b.Add("Shape", "shape", {turned});
    const Step step = RunTwice(b, MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), "shape");
    CHECK(step.outputs[0].SummarizeValue(4) == "3 2");
    CHECK(step.count.launches == 1);
    CHECK(step.count.copies_to_device == 1);
    CHECK(step.count.copies_to_host == 0);
  }
  TEST_CASE("int32 tensors and strings are moved on the host" * doctest::skip(WithoutGpu())) {
    const Tensor inputs[] = {MakeTensor<std::int32_t>({2}, {1, 2}), Tensor::Scalar<tstring>("text")};
    for (const Tensor& in : inputs) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", in.dtype());
      b.Add("Pack", "both", {x, x}, {{"N", 2}, {"axis", 0}});
      const Step step = RunTwice(b, in, "both");
      CHECK(step.outputs[0].NumElements() == 2 * in.NumElements());
      CHECK(step.count.launches == 0);
      CHECK(step.count.copies_to_device == 0);
      CHECK(step.count.copies_to_host == 0);
    }
  }
  TEST_CASE("other tensors are moved on the GPU" * doctest::skip(WithoutGpu())) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("Pack", "both", {x, x}, {{"N", 2}, {"axis", 1}});
    const Step step = RunTwice(b, MakeTensor<float>({2}, {1, 2}), "both");
    CHECK(step.outputs[0].SummarizeValue(8) == "[1 1][2 2]");
    CHECK(step.count.launches == 1);
    CHECK(step.count.copies_to_device == 1);
    CHECK(step.count.copies_to_host == 1);
  }
}

}  // namespace host_outputs_test
