// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/clipping.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gradients/training/trained.hpp"

namespace clipping_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// make(t) of a placeholder t.
template <class Make>
std::vector<double> Clipped(const std::vector<float>& t, Make make) {
  return Numbers(Evaluate({Floats(t, {static_cast<Index>(t.size())})},
                          [&](GraphEditor&, const std::vector<Symbol>& x) { return make(x[0]); }));
}
constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> kTensor{3, -4, 0.5f, 0};
}  // namespace

TEST_SUITE("clipping") {
  // Numbers of tools/training_numbers.py clipping.
  TEST_CASE("by value and by norm as tf.clip_by_value and tf.clip_by_norm") {
    const auto value = [](Symbol t) { return ClippedByValue(t, -1, 2); };
    const auto norm = [](double limit) { return [limit](Symbol t) { return ClippedByNorm(t, limit); }; };
    CheckNear(Clipped(kTensor, value), {2, -1, 0.5, 0});
    const auto odd = Clipped({kNan, kInf, -kInf}, value);
    CHECK(std::isnan(odd[0]));
    CHECK(odd[1] == 2);
    CHECK(odd[2] == -1);
    CheckNear(Clipped(kTensor, norm(2)), {1.19404471, -1.59205961, 0.199007452, 0});
    CheckNear(Clipped(kTensor, norm(20)), {3, -4, 0.5, 0});
    CheckNear(Clipped({0, 0}, norm(2)), {0, 0});
    const auto infinite = Clipped({1, kInf}, norm(2));
    CHECK(infinite[0] == 0);
    CHECK(std::isnan(infinite[1]));
  }
  TEST_CASE("by global norm as tf.clip_by_global_norm") {
    const auto global = [](Symbol t) {
      const Symbol all[] = {t, t.editor->Const(Tensor::From<float>({3, 4}, {2, 1}))};
      return t * GlobalNormScale(GlobalNorm(all), 2);
    };
    CheckNear(Clipped(kTensor,
                      [](Symbol t) {
                        const Symbol all[] = {t, t.editor->Const(Tensor::From<float>({3, 4}, {2, 1}))};
                        return GlobalNorm(all);
                      }),
              {7.08872366});
    CheckNear(Clipped(kTensor, global), {0.846414685, -1.12855291, 0.141069114, 0});
    for (const double one : Clipped({1, kInf}, global)) CHECK(std::isnan(one));
    for (const double one : Clipped({1, kNan}, global)) CHECK(std::isnan(one));
    CheckNear(Clipped({0, 0}, [](Symbol t) { return t * GlobalNormScale(GlobalNorm({&t, 1}), 2); }), {0, 0});
  }
  // Numbers of tools/training_numbers.py optimizers.
  TEST_CASE("as parts of an optimizer") {
    const auto trained = [](const auto& clip) {
      Trained model(Chain{clip, Sgd{.learning_rate = 0.1}});
      model.Steps(5);
      return model.Variable("w");
    };
    CheckNear(trained(ClipByNorm{1.5}), {1.49827278, -1.43944287, 0.5});
    CheckNear(trained(ClipByGlobalNorm{1.5}), {1.49827278, -1.43944287, 0.5});
    CheckNear(trained(ClipByValue{-1.5, 1.5}), {1.74999988, -1.25000012, 0.5});
  }
  TEST_CASE("slices are clipped by their values before rows are summed") {
    GraphBuilder b;
    const Output e = b.Add("VarHandleOp", "e", {},
                           {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3, 1})}, {"shared_name", "e"}});
    b.Add("AssignVariableOp", "init", {e, b.Const("start", Tensor::From<float>({1, 2, 3}, {3, 1}))});
    const Output rows = b.Const("rows", Tensor::From<std::int32_t>({1, 1}, {2}));
    const Output read = b.Add("ResourceGather", "read", {e, rows}, {{"dtype", DataType::kFloat}});
    const Output weighted = b.Add("Mul", "m", {read, b.Const("weights", Tensor::From<float>({3, 4}, {2, 1}))});
    b.Add("Sum", "loss", {weighted, b.Const("axes", Tensor::From<std::int32_t>({0, 1}, {2}))});
    b.Add("ReadVariableOp", "value", {e}, {{"dtype", DataType::kFloat}});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> variables{"e"};
    const auto names = AddTraining(&graph, "loss", variables, Chain{ClipByNorm{1}, Sgd{.learning_rate = 1}});
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    const auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    REQUIRE(session->Run({}, {}, {"init"}).ok());
    REQUIRE(session->Run({}, {}, {names->step}).ok());
    const auto value = session->Run({}, {"value"}, {});
    REQUIRE(value.ok());
    CheckNear({(*value)[0].data<float>(), (*value)[0].data<float>() + 3}, {1, 2 - 0.600000024 - 0.800000012, 3});
  }
}

}  // namespace clipping_test
