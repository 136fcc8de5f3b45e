// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/variable_gather.hpp>

#include <thread>

#include "kernel/any_node.hpp"
#include "ops/outputs.hpp"
#include "ops/state/state_test.hpp"

namespace state_variable_gather_test {
using namespace state_test;
using tenon::testing::Ints;
using tenon::testing::Make;
using tenon::testing::Random;
using tenon::testing::ShapesOf;

namespace {

constexpr auto kSignature = Op("SvgRead").Output("y: float");
constexpr OpView kOp = kSignature.view();

// A variable "v" with nodes "rows" (ResourceGather), "parts" (ResourceGatherNd), both fed "at", and "add" (x).
struct Gathers : Machine {
  explicit Gathers(const Tensor& value, std::int64_t batch_dims = 0) {
    const Output v = Handle("v", value), at = b.Placeholder("at", DataType::kInt32);
    b.Add("ResourceGather", "rows", {v, at}, {{"dtype", value.dtype()}, {"batch_dims", batch_dims}});
    b.Add("ResourceGatherNd", "parts", {v, at}, {{"dtype", value.dtype()}});
    b.Add("AssignAddVariableOp", "add", {v, b.Placeholder("x", value.dtype())});
    Start();
  }
  std::string Shown(const char* node, const Tensor& at) const {
    const Result<std::vector<Tensor>> out = session.Run({{"at", at}}, {node});
    return out.ok() ? StrCat((*out)[0].shape(), " ", (*out)[0].SummarizeValue(30))
                    : std::string(out.status().message());
  }
};

}  // namespace

TEST_SUITE("parts of a variable's value") {
  TEST_CASE("the value is shared, not copied, and of the type that the op says") {
    kernel_test::AnyNode<> node(kOp, {}, {}, {DataType::kFloat});
    const auto variable = Ref<Var>::Adopt(new Var(DataType::kFloat));
    variable->tensor = Make<float>({2}, {1, 2});
    variable->is_initialized = true;
    REQUIRE(node.resources.Create<Var>("box", "v", variable).ok());
    const Tensor handle = HandleTensor(MakeResourceHandle<Var>(node.context.device_name(), "box", "v"));
    Tensor value;
    REQUIRE(ops::detail::ValueOf(node.context, handle, &value).ok());
    CHECK(value.SharesBufferWith(variable->tensor));
    variable->tensor = Ints({1});
    CHECK(ops::detail::ValueOf(node.context, handle, &value).ToString() ==
          "INVALID_ARGUMENT: Trying to use variable v with wrong dtype. Expected int32 got float");
    variable->is_initialized = false;
    CHECK(ops::detail::ValueOf(node.context, handle, &value).ToString() ==
          "FAILED_PRECONDITION: Attempting to use uninitialized value v");
  }
  TEST_CASE("batches against a plain loop") {
    const Tensor value = Random<float>({3, 4, 2}, 5), at = MakeTensor<std::int32_t>({3, 2}, {3, 0, 1, 1, 2, 3});
    const Gathers m(value, 1);
    REQUIRE(m.Do("v/init").ok());
    const Tensor out = m.Get({"rows"}, {{"at", at}})[0];
    REQUIRE(out.shape() == TensorShape({3, 2, 2}));
    int wrong = 0;
    for (Index i = 0; i < 12; ++i) {
      const Index row = i / 4 * 4 + at.data<std::int32_t>()[i / 2];
      wrong += out.data<float>()[i] != value.data<float>()[row * 2 + i % 2] ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
  TEST_CASE("before the variable has a value, and with an index outside") {
    const Gathers m(Make<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
    CHECK(m.Try({"rows"}, {{"at", Ints({0})}}).code() == Code::kNotFound);
    REQUIRE(m.Do("v/init").ok());
    CHECK(m.Shown("rows", Ints({2, 0})) == "[2,2] [5 6][1 2]");
    CHECK(m.Shown("rows", Ints({0, 3})) == "Gather: indices[1] = 3 is not in [0, 3) [node 'rows', CPU:0]");
    CHECK(m.Shown("parts", MakeTensor<std::int32_t>({1, 2}, {2, 1})) == "[1] 6");
    CHECK(m.Shown("parts", MakeTensor<std::int32_t>({2, 2}, {2, 1, 0, -1})) ==
          "GatherNd: indices[1] = [0, -1] does not index into param shape [3,2] [node 'parts', CPU:0]");
    CHECK(m.Shown("rows", Ints({})) == "[0,2] ");
  }
  TEST_CASE("readers beside a writer see one value of the variable, not parts of two") {
    constexpr Index kRows = 1000;
    const Gathers m(Make<float>({kRows}, {0}));
    REQUIRE(m.Do("v/init").ok());
    Tensor all(DataType::kInt32, {kRows});
    for (Index i = 0; i < kRows; ++i) all.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
    std::thread writer([&] {
      const Tensor ones = Make<float>({kRows}, {1});
      for (int i = 0; i < 50; ++i)
        if (!m.Do("add", {{"x", ones}}).ok()) return;
    });
    int mixed = 0;
    for (int i = 0; i < 50; ++i) {
      const Floats got = m.Floats("rows", {{"at", all}});
      for (const float x : got) mixed += x != got[0] ? 1 : 0;
    }
    writer.join();
    CHECK(mixed == 0);
    CHECK(m.Floats("v/read")[0] == 50);
  }
  TEST_CASE("shapes, where nothing is known of the variable") {
    CHECK(ShapesOf<ops::ResourceGather>({{}, {4, 5}}, {{"dtype", DataType::kFloat}}) == "?");
    CHECK(ShapesOf<ops::ResourceGather>({{}, {4, 5}}, {{"dtype", DataType::kFloat}, {"batch_dims", -1}}) ==
          "INVALID_ARGUMENT: batch_dims is negative (-1)");
    CHECK(ShapesOf<ops::ResourceGather>({{}, {4, 5}}, {{"dtype", DataType::kFloat}, {"batch_dims", 3}}) ==
          "INVALID_ARGUMENT: Shape must be at least rank 3 but is rank 2");
    InferenceContext c(ops::ResourceGather::signature.view(), {{}, {4, 5}},
                       {{"dtype", DataType::kFloat}, {"batch_dims", 1}});
    SlimVector<ShapeAndType> held;
    const std::int64_t sizes[] = {4, 9, 7};
    held.push_back({c.MakeShape(std::span<const std::int64_t>(sizes)), DataType::kFloat});
    c.set_input_handle_shapes_and_types(0, held);
    REQUIRE(RunShapeFn(&c, ops::ResourceGather::signature.shape_fn).ok());
    CHECK(c.DebugString(c.output(0)) == "[4,5,7]");
  }
}
}  // namespace state_variable_gather_test
