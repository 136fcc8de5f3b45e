// SPDX-License-Identifier: Apache-2.0
// Variables of a session on a GPU: where their values lie, and what a step copies.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/runtime/session/saved_variables.hpp>

#include <cuda/gpu.hpp>
#include <temp_folder.hpp>

namespace gpu_variables_test {
using namespace tenon;

struct Model {
  GraphBuilder b;
  Output w = Variable("w", DataType::kFloat, {3});

  Output Variable(const std::string& name, DataType dtype, const PartialTensorShape& shape) {
    return b.Add("VarHandleOp", name, {}, {{"dtype", dtype}, {"shape", shape}, {"shared_name", name}});
  }
  Output Read(const std::string& name, const Output& handle, DataType dtype = DataType::kFloat) {
    return b.Add("ReadVariableOp", name, {handle}, {{"dtype", dtype}});
  }
  Session Make() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    Result<Session> session = Session::FromGraphDef(b.graph_def(), {.devices = {"GPU:0"}});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    return *std::move(session);
  }
};
Tensor Row(float first) { return MakeTensor<float>({3}, {first, first + 1, first + 2}); }
emulation::Counters CountRun(const Session& session, std::vector<NamedTensor> feeds, std::vector<std::string> fetches,
                             std::vector<std::string> targets, std::vector<Tensor>* outputs) {
  const emulation::Counters before = emulation::Count();
  auto ran = session.Run(feeds, fetches, targets);
  REQUIRE_MESSAGE(ran.ok(), ran.status().ToString());
  *outputs = *std::move(ran);
  return emulation::Count() - before;
}

TEST_SUITE("Variables on an emulated GPU") {
  TEST_CASE("a step reads, trains and reads again on the GPU" * doctest::skip(WithoutGpu())) {
    Model m;
    m.b.Add("AssignVariableOp", "init", {m.w, m.b.Const("start", Row(10))});
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    const Output sum = m.b.Add("Add", "sum", {m.Read("read", m.w), x});
    m.b.Add("ResourceApplyGradientDescent", "train", {m.w, m.b.Const("rate", Tensor::Scalar(0.5f)), sum});
    const Session session = m.Make();
    std::vector<Tensor> outputs;
    CountRun(session, {}, {}, {"init"}, &outputs);
    float w = 10;
    for (int step = 0; step < 4; ++step) {
      const emulation::Counters did = CountRun(session, {{"x", Row(1)}}, {"sum"}, {"train"}, &outputs);
      CHECK(outputs[0].data<float>()[0] == w + 1);
      w -= 0.5f * (w + 1);
      if (step == 0) continue;
      CHECK(did.launches == 2);
      CHECK(did.copies_to_device == 1);  // the feed
      CHECK(did.copies_to_host == 1);    // the fetch
    }
    CountRun(session, {}, {"read"}, {}, &outputs);
    CHECK(outputs[0].data<float>()[0] == w);
  }
  TEST_CASE("what was read before an update keeps its values" * doctest::skip(WithoutGpu())) {
    Model m;
    m.b.Add("AssignVariableOp", "init", {m.w, m.b.Const("start", Row(10))});
    const Output before = m.Read("before", m.w);
    const Output add = m.b.Add("AssignAddVariableOp", "add", {m.w, m.b.Const("two", Row(2))});
    m.b.AddControlInput(add, before);
    const Session session = m.Make();
    std::vector<Tensor> outputs;
    CountRun(session, {}, {}, {"init"}, &outputs);
    CountRun(session, {}, {"before"}, {"add"}, &outputs);
    CHECK(outputs[0].SummarizeValue(3) == "10 11 12");
    CountRun(session, {}, {"before"}, {}, &outputs);
    CHECK(outputs[0].SummarizeValue(3) == "12 14 16");
  }
  TEST_CASE("an op without a GPU kernel changes the variable on the host" * doctest::skip(WithoutGpu())) {
    Model m;
    m.b.Add("AssignVariableOp", "init", {m.w, m.b.Const("start", Row(10))});
    const Output rows = m.b.Const("rows", MakeTensor<std::int32_t>({2}, {0, 2}));
    m.b.Add("ResourceScatterAdd", "scatter", {m.w, rows, m.b.Const("more", MakeTensor<float>({2}, {5, 6}))},
            {{"dtype", DataType::kFloat}});
    m.Read("read", m.w);
    m.b.Add("ResourceGather", "gather", {m.w, m.b.Const("last", MakeTensor<std::int32_t>({1}, {2}))},
            {{"dtype", DataType::kFloat}});
    m.b.Add("VarIsInitializedOp", "has_value", {m.w});
    const Session session = m.Make();
    std::vector<Tensor> outputs;
    CountRun(session, {}, {"has_value"}, {}, &outputs);
    CHECK(outputs[0].SummarizeValue(1) == "0");
    CHECK(session.Run({}, {"read"}).status().code() == Code::kFailedPrecondition);
    CountRun(session, {}, {}, {"init"}, &outputs);
    for (int run = 1; run <= 2; ++run) {
      CountRun(session, {}, {}, {"scatter"}, &outputs);
      CountRun(session, {}, {"read", "gather", "has_value"}, {}, &outputs);
      CHECK(outputs[0].SummarizeValue(3) == (run == 1 ? "15 11 18" : "20 11 24"));
      CHECK(outputs[1].SummarizeValue(1) == (run == 1 ? "18" : "24"));
      CHECK(outputs[2].SummarizeValue(1) == "1");
    }
  }
  TEST_CASE("an int32 variable stays on the host" * doctest::skip(WithoutGpu())) {
    Model m;
    const Output n = m.Variable("n", DataType::kInt32, {});
    m.b.Add("AssignVariableOp", "init", {n, m.b.Const("start", Tensor::Scalar(std::int32_t{7}))});
    m.Read("read", n, DataType::kInt32);
    const Session session = m.Make();
    std::vector<Tensor> outputs;
    CountRun(session, {}, {}, {"init"}, &outputs);
    const emulation::Counters did = CountRun(session, {}, {"read"}, {}, &outputs);
    CHECK(outputs[0].SummarizeValue(1) == "7");
    CHECK(did.copies_to_host == 0);
  }
  TEST_CASE("values are saved from the GPU and restored to it" * doctest::skip(WithoutGpu())) {
    Model m;
    m.b.Add("AssignVariableOp", "init", {m.w, m.b.Const("start", Row(10))});
    m.Read("read", m.w);
    const TempFolder folder;
    const std::string prefix = folder.path() + "/v";
    {
      const Session session = m.Make();
      std::vector<Tensor> outputs;
      CountRun(session, {}, {}, {"init"}, &outputs);
      const Status saved = SaveVariables(session, prefix);
      REQUIRE_MESSAGE(saved.ok(), saved.ToString());
    }
    const Session session = m.Make();
    const Status restored = RestoreVariables(session, prefix);
    REQUIRE_MESSAGE(restored.ok(), restored.ToString());
    std::vector<Tensor> outputs;
    for (int run = 0; run < 2; ++run) {
      const emulation::Counters did = CountRun(session, {}, {"read"}, {}, &outputs);
      CHECK(outputs[0].SummarizeValue(3) == "10 11 12");
      if (run > 0) CHECK(did.copies_to_device == 0);
    }
  }
}
}  // namespace gpu_variables_test
