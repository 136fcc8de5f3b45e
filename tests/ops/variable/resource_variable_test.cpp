// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/resource_variable.hpp>

#include "ops/state/state_test.hpp"

namespace state_resource_variable_test {
using namespace state_test;

TEST_SUITE("resource variables") {
  TEST_CASE("a value that was read never changes") {
    Machine m;
    const Output v = m.Handle("v", MakeTensor<float>({2}, {1, 2}));
    m.b.Add("AssignAddVariableOp", "add", {v, m.b.Placeholder("d", DataType::kFloat)});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    const Tensor before = m.Get({"v/read"})[0];
    Tensor d = MakeTensor<float>({2}, {10, 20});
    REQUIRE(m.Do("add", {{"d", d}}).ok());
    CHECK(Machine::ToVector(before) == Floats{1, 2});
    CHECK(m.Floats("v/read") == Floats{11, 22});
    REQUIRE(m.Do("v/init").ok());
    CHECK(m.Floats("v/read") == Floats{1, 2});  // the constant did not change either
  }
  TEST_CASE("what was fed is copied: the caller may fill it again") {
    Machine m;
    const Output v = m.Handle("v", MakeTensor<float>({2}, {0, 0}));
    m.b.Add("AssignVariableOp", "set", {v, m.b.Placeholder("x", DataType::kFloat)});
    m.Start();
    Tensor x = MakeTensor<float>({2}, {3, 4});
    REQUIRE(m.Do("set", {{"x", x}}).ok());
    x.data<float>()[0] = 99;
    CHECK(m.Floats("v/read") == Floats{3, 4});
  }
  TEST_CASE("a computed value is the variable's, unless a node or the caller reads it, too") {
    Machine m;
    const Output v = m.Handle("v", MakeTensor<float>({2}, {0, 0})), w = m.Handle("w", MakeTensor<float>({2}, {0, 0}));
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    const Output twice = m.b.Add("AddV2", "twice", {x, x}), square = m.b.Add("Mul", "square", {x, x});
    m.b.Add("AssignVariableOp", "set", {v, twice});
    m.b.Add("AssignVariableOp", "set_w", {w, square});
    m.b.Add("AssignVariableOp", "set_v", {v, square});
    m.b.Add("AssignAddVariableOp", "add", {v, m.b.Placeholder("d", DataType::kFloat)});
    m.Start();
    const Tensor d = MakeTensor<float>({2}, {10, 20});
    for (const float first : {3.0f, 5.0f, 7.0f, 9.0f}) {
      const Tensor fed = MakeTensor<float>({2}, {first, 4});
      REQUIRE(m.Do("set", {{"x", fed}}).ok());
      REQUIRE(m.Do("add", {{"d", d}}).ok());
      CHECK(m.Floats("v/read") == Floats{2 * first + 10, 28});
      REQUIRE(m.Do("set_w", {{"x", fed}}).ok());
      const auto both = m.session.Run({{"x", fed}}, {"square"}, {"set_w", "set_v"});
      REQUIRE_MESSAGE(both.ok(), both.status().message());
      REQUIRE(m.Do("add", {{"d", d}}).ok());
      CHECK(Machine::ToVector((*both)[0]) == Floats{first * first, 16});
      CHECK(m.Floats("w/read") == Floats{first * first, 16});
      CHECK(m.Floats("v/read") == Floats{first * first + 10, 36});
      CHECK(Machine::ToVector(fed) == Floats{first, 4});
    }
  }
  TEST_CASE("callables of one session share its variables, other sessions have their own") {
    Machine m;
    m.Handle("v", MakeTensor<float>({1}, {7}));
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    Result<Callable> read = m.session.MakeCallable({.fetches = {"v/read"}});
    REQUIRE(read.ok());
    std::vector<Tensor> out(1);
    REQUIRE(read->Run(std::vector<Tensor>(), out).ok());
    CHECK(Machine::ToVector(out[0]) == Floats{7});
    Result<Session> other = Session::FromGraph(m.b);
    REQUIRE(other.ok());
    const Status status = other->Run({}, {"v/read"}).status();
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find("Could not find variable v. This could mean that the variable has been deleted.") !=
          std::string::npos);
  }
  TEST_CASE("destroyed and asked for") {
    Machine m;
    const Output v = m.Handle("v", MakeTensor<float>({1}, {7}));
    m.b.Add("VarIsInitializedOp", "is", {v});
    m.b.Add("DestroyResourceOp", "destroy", {v}, {{"ignore_lookup_error", false}});
    m.b.Add("VariableShape", "shape", {v});
    m.Start();
    CHECK_FALSE(m.Get({"is"})[0].data<bool>()[0]);
    CHECK(m.Do("destroy").code() == Code::kNotFound);
    CHECK(m.Try({"shape"}).code() == Code::kNotFound);
    REQUIRE(m.Do("v/init").ok());
    CHECK(m.Get({"is"})[0].data<bool>()[0]);
    CHECK(m.Get({"shape"})[0].data<std::int32_t>()[0] == 1);
    CHECK(m.Do("destroy").ok());
    CHECK_FALSE(m.Get({"is"})[0].data<bool>()[0]);
  }
  TEST_CASE("DisableCopyOnRead does nothing to a variable that exists") {
    Machine m;
    m.b.Add("DisableCopyOnRead", "off", {m.Handle("v", MakeTensor<float>({1}, {7}))});
    m.Start();
    const Status status = m.Do("off");
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find("Could not find variable v") != std::string::npos);
    REQUIRE(m.Do("v/init").ok());
    CHECK(m.Do("off").ok());
    CHECK(m.Floats("v/read") == Floats{7});
  }
  TEST_CASE("refusals") {
    Machine m;
    const Output v = m.Handle("v", MakeTensor<float>({2}, {1, 2}));
    const Output i = m.b.Add("VarHandleOp", "i", {},
                             {{"dtype", DataType::kInt32}, {"shape", PartialTensorShape()}, {"shared_name", "v"}});
    m.b.Add("ReadVariableOp", "wrong", {i}, {{"dtype", DataType::kInt32}});
    m.b.Add("AssignVariableOp", "strict", {v, m.b.Placeholder("x", DataType::kFloat)}, {{"validate_shape", true}});
    m.b.Add("AssignSubVariableOp", "sub", {v, m.b.Placeholder("y", DataType::kFloat)});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    CHECK(m.Try({"wrong"}).message().find("Trying to read variable with wrong dtype. Expected int32 got float") !=
          std::string::npos);
    const Tensor three = MakeTensor<float>({3}, {1, 2, 3});
    CHECK(m.Do("strict", {{"x", three}}).code() == Code::kInvalidArgument);
    const Status status = m.Do("sub", {{"y", three}});
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Cannot update variable with shape [2] using a Tensor with shape [3]") !=
          std::string::npos);
  }
}
}  // namespace state_resource_variable_test
