// SPDX-License-Identifier: Apache-2.0
// TensorLists of a session on a GPU: elements stay there.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <cuda/gpu.hpp>

namespace gpu_lists_test {
using namespace tenon;

struct Model {
  GraphBuilder b;

  Output Number(const std::string& name, std::int32_t value) { return b.Const(name, Tensor::Scalar(value)); }
  std::vector<Tensor> Run(const Tensor& x, const std::vector<std::string>& fetches, emulation::Counters* did) {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    Result<Session> session = Session::FromGraphDef(b.graph_def(), {.devices = {"GPU:0"}});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const std::vector<NamedTensor> feeds{{"x", x}};
    std::vector<Tensor> outputs;
    for (int run = 0; run < 2; ++run) {
      const emulation::Counters before = emulation::Count();
      auto ran = session->Run(feeds, fetches);
      REQUIRE_MESSAGE(ran.ok(), ran.status().ToString());
      outputs = *std::move(ran);
      *did = emulation::Count() - before;
    }
    return outputs;
  }
};

TEST_SUITE("TensorLists on an emulated GPU") {
  TEST_CASE("rows of a tensor become elements, change, and are stacked again without a copy to the host" *
            doctest::skip(WithoutGpu())) {
    Model m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    const Output shape = m.b.Const("shape", MakeTensor<std::int32_t>({1}, {2}));
    const Output list = m.b.Add("TensorListFromTensor", "list", {x, shape});
    const Output first = m.b.Add("TensorListGetItem", "first", {list, m.Number("zero", 0), shape},
                                 {{"element_dtype", DataType::kFloat}});
    const Output sum = m.b.Add("Add", "sum", {first, first});
    const Output changed = m.b.Add("TensorListSetItem", "changed", {list, m.Number("two", 2), sum});
    const Output longer = m.b.Add("TensorListPushBack", "longer", {changed, first});
    m.b.Add("TensorListStack", "stack", {longer, shape}, {{"element_dtype", DataType::kFloat}});
    m.b.Add("TensorListLength", "length", {longer});
    emulation::Counters did{};
    const Tensor rows = MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
    const std::vector<Tensor> outputs = m.Run(rows, {"stack", "length"}, &did);
    CHECK(outputs[0].SummarizeValue(8) == "[1 2][3 4][2 4][1 2]");
    CHECK(outputs[0].shape() == TensorShape({4, 2}));
    CHECK(outputs[1].SummarizeValue(1) == "4");
    CHECK(did.copies_to_device == 1);
    CHECK(did.copies_to_host == 1);
  }
  TEST_CASE("elements that were never set are zeros; rows are scattered and gathered" * doctest::skip(WithoutGpu())) {
    Model m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    const Output shape = m.b.Const("shape", MakeTensor<std::int32_t>({1}, {2}));
    const Output places = m.b.Const("places", MakeTensor<std::int32_t>({2}, {3, 1}));
    const Output list = m.b.Add("TensorListScatterV2", "list", {x, places, shape, m.Number("five", 5)});
    m.b.Add("TensorListGetItem", "unset", {list, m.Number("zero", 0), shape}, {{"element_dtype", DataType::kFloat}});
    m.b.Add("TensorListGather", "gather", {list, m.b.Const("which", MakeTensor<std::int32_t>({3}, {1, 2, 3})), shape},
            {{"element_dtype", DataType::kFloat}});
    const Output popped = m.b.Add("TensorListPopBack", "popped", {list, shape}, {{"element_dtype", DataType::kFloat}});
    m.b.Add("TensorListLength", "length", {popped});
    emulation::Counters did{};
    const std::vector<Tensor> outputs =
        m.Run(MakeTensor<float>({2, 2}, {1, 2, 3, 4}), {"unset", "gather", "popped:1", "length"}, &did);
    CHECK(outputs[0].SummarizeValue(2) == "0 0");
    CHECK(outputs[1].SummarizeValue(6) == "[3 4][0 0][1 2]");
    CHECK(outputs[2].SummarizeValue(2) == "0 0");
    CHECK(outputs[3].SummarizeValue(1) == "4");
  }
  TEST_CASE("the host reads elements of the GPU where an op has no kernel there" * doctest::skip(WithoutGpu())) {
    Model m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    const Output shape = m.b.Const("shape", MakeTensor<std::int32_t>({1}, {2}));
    const Output list = m.b.Add("TensorListFromTensor", "list", {x, shape});
    m.b.Add("TensorListConcat", "concat", {list}, {{"element_dtype", DataType::kFloat}});
    emulation::Counters did{};
    const std::vector<Tensor> outputs = m.Run(MakeTensor<float>({2, 2}, {1, 2, 3, 4}), {"concat:0", "concat:1"}, &did);
    CHECK(outputs[0].SummarizeValue(4) == "1 2 3 4");
    CHECK(outputs[1].SummarizeValue(2) == "2 2");
  }
}
}  // namespace gpu_lists_test
