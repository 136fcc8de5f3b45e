// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/switch.hpp>

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kernel_call.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace flow_switch_test {
using namespace tenon;
using namespace runtime_test;

namespace {
FlowGraph Switched(DataType type, DataType index, const std::string& op,
                   SlimVector<std::pair<std::string, AttrValue>> attrs = {}) {
  FlowGraph g(type);
  g.Feed("x").Feed("i", index).Node("s", op, {"x", "i"});
  for (const auto& [key, value] : attrs) g.def.node.back().attr.Insert(key, value);
  return g;
}
}  // namespace

TEST_SUITE("Switch") {
  TEST_CASE("gives its input to the output that the condition names") {
    const FlowGraph g = Switched(DataType::kFloat, DataType::kBool, "Switch");
    for (const bool p : {false, true}) {
      const NamedTensor x{"x", MakeTensor<float>({2}, {1, 2})}, i{"i", Tensor::Scalar(p)};
      const auto out = g.Run({x, i}, {p ? "s:1" : "s"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].vec<float>()(1) == 2);
      CHECK(Contains(g.Run({x, i}, {p ? "s" : "s:1"}).status().message(), "Retval[0] does not have value"));
      const auto alone = flow_test::Compute(g.def, "s", {x.tensor, i.tensor});
      REQUIRE(alone.ok());
      CHECK((*alone)[p ? 1 : 0].SharesBufferWith(x.tensor));
      CHECK((*alone)[p ? 0 : 1].dtype() == DataType::kInvalid);
    }
  }
  TEST_CASE("serves the types that TensorFlow does") {
    for (const DataType type : {DataType::kQint8, DataType::kQuint8, DataType::kQint32, DataType::kResource,
                                DataType::kVariant, DataType::kString, DataType::kBfloat16})
      CHECK(Switched(type, DataType::kBool, "Switch")
                .Run({{"i", Tensor::Scalar(true)}, {"x", Tensor(type, {2})}}, {"s:1"})
                .ok());
    for (const DataType type : {DataType::kQint16, DataType::kQuint16, DataType::kFloat8E5M2})
      CHECK(Switched(type, DataType::kBool, "Switch")
                .Run({{"i", Tensor::Scalar(true)}, {"x", Tensor(type, {2})}}, {"s:1"})
                .status()
                .code() == Code::kInvalidArgument);
  }
  TEST_CASE("wants a scalar") {
    const FlowGraph g = Switched(DataType::kFloat, DataType::kBool, "Switch");
    const Tensor vector = MakeTensor<bool>({1}, {true});
    const auto out = g.Run({{"x", Tensor::Scalar(1.0f)}, {"i", vector}}, {"s:1"});
    CHECK(out.status().code() == Code::kInvalidArgument);
    CHECK(Contains(out.status().message(), "The second input must be a scalar, but it has shape [1]"));
    CHECK(!flow_test::Compute(g.def, "s", {Tensor::Scalar(1.0f), vector}).ok());
    FlowGraph known = g;
    known.def.node[1].attr.Insert("shape", AttrValue(PartialTensorShape({1})));
    CHECK(Contains(known.Load().status().message(), "Shape must be rank 0 but is rank 1"));
  }
}

TEST_SUITE("RefSwitch") {
  TEST_CASE("hands the variable itself to the branch that is taken, with or without a value") {
    FlowGraph g;
    g.Feed("x").Feed("p", DataType::kBool).Variable("v");
    g.Node("s", "RefSwitch", {"v", "p"}).Node("add", "AssignAdd", {"s", "x"}).Node("set", "Assign", {"s:1", "x"});
    const auto fed = [](float x, bool p) {
      return std::vector<NamedTensor>{{"x", Tensor::Scalar(x)}, {"p", Tensor::Scalar(p)}};
    };
    const std::vector<std::string> none, both{"add", "set"};
    for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kDataflow}) {
      const auto session = g.Load({.inter_op_threads = 2, .executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const Status early = session->Run(fed(1, false), none, both).status();
      CHECK(early.code() == Code::kFailedPrecondition);
      CHECK(Contains(early.message(), "Attempting to use uninitialized value"));
      float expected = 0;
      for (const auto& [x, p] : {std::pair(5.0f, true), {2.0f, false}, {1.0f, false}, {4.0f, true}, {3.0f, false}}) {
        const Status status = session->Run(fed(x, p), none, both).status();
        REQUIRE_MESSAGE(status.ok(), status.message());
        expected = p ? x : expected + x;
        CHECK((*session->Run({}, {"v"}))[0].scalar<float>()() == expected);
      }
    }
  }
}

TEST_SUITE("_SwitchN") {
  TEST_CASE("takes the last output for numbers that no output has") {
    const FlowGraph g =
        Switched(DataType::kFloat, DataType::kInt32, "_SwitchN", {{"num_outs", AttrValue(std::int64_t{3})}});
    for (const int i : {0, 1, 2, 3, -1, 1000000000, -1000000000}) {
      const int want = i < 0 || i > 2 ? 2 : i;
      const Tensor x = Tensor::Scalar(4.0f), index = Tensor::Scalar(i);
      for (int output = 0; output < 3; ++output)
        CHECK(g.Run({{"x", x}, {"i", index}}, {StrCat("s:", output)}).ok() == (output == want));
      const auto alone = flow_test::Compute(g.def, "s", {x, index});
      REQUIRE(alone.ok());
      CHECK((*alone)[static_cast<std::size_t>(want)].dtype() == DataType::kFloat);
    }
  }
}
}  // namespace flow_switch_test
