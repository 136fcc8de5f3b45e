// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/ref_variable.hpp>

#include "ops/state/state_test.hpp"

namespace state_ref_variable_test {
using namespace state_test;

TEST_SUITE("variables by reference") {
  TEST_CASE("a reference used as a value is read when its reader starts") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      Machine m;
      const Output v = m.Reference("v", MakeTensor<float>({2}, {1, 2}));
      const Output add = m.b.Add("AssignAdd", "add", {v, m.b.Const("one", MakeTensor<float>({2}, {1, 1}))});
      const Output after = m.b.Add("Neg", "after", {v});
      m.b.AddControlInput(after, add);
      m.Start({.executor = executor});
      const Status status = m.Try({"after"});
      CHECK(status.code() == Code::kFailedPrecondition);
      CHECK(status.message().find("Attempting to use uninitialized value v") != std::string::npos);
      CHECK(m.Try({"v"}).code() == Code::kFailedPrecondition);
      REQUIRE(m.Do("v/init").ok());
      CHECK(m.Floats("after") == Floats{-2, -3});
      CHECK(m.Floats("add") == Floats{3, 4});
    }
  }
  TEST_CASE("a fetched value does not change later") {
    Machine m;
    const Output v = m.Reference("v", MakeTensor<float>({2}, {1, 2}));
    m.b.Add("Identity", "same", {v});
    m.b.Add("AssignAdd", "add", {v, m.b.Const("one", MakeTensor<float>({2}, {1, 1}))});
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    const std::vector<Tensor> before = m.Get({"v", "same"});
    REQUIRE(m.Do("add").ok());
    CHECK(Machine::ToVector(before[0]) == Floats{1, 2});
    CHECK(Machine::ToVector(before[1]) == Floats{1, 2});
    CHECK(m.Floats("v") == Floats{2, 3});
  }
  TEST_CASE("within a run a value read by reference follows the variable, as in TensorFlow") {
    Machine m;
    const Output v = m.Reference("v", MakeTensor<float>({2}, {1, 2}));
    const Output same = m.b.Add("Identity", "same", {v});
    const Output set = m.b.Add("Assign", "set", {v, m.b.Const("five", MakeTensor<float>({2}, {5, 6}))});
    m.b.AddControlInput(set, same);
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    const std::vector<Tensor> out = m.Get({"same", "set"});
    CHECK(Machine::ToVector(out[0]) == Floats{5, 6});
    CHECK(Machine::ToVector(out[1]) == Floats{5, 6});
  }
  TEST_CASE("shapes") {
    Machine m;
    const Output v = m.Reference("v", MakeTensor<float>({2}, {1, 2}));
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("Assign", "strict", {v, x});
    m.b.Add("Assign", "loose", {v, x}, {{"validate_shape", false}});
    m.b.Add("IsVariableInitialized", "is", {v});
    m.Start();
    CHECK_FALSE(m.Get({"is"})[0].data<bool>()[0]);
    const Tensor three = MakeTensor<float>({3}, {1, 2, 3});
    CHECK(m.Do("strict", {{"x", three}}).message().find("Assign requires shapes of both tensors to match.") !=
          std::string::npos);
    CHECK(m.Floats("loose", {{"x", three}}) == Floats{1, 2, 3});
    CHECK(m.Get({"is"})[0].data<bool>()[0]);
    CHECK(m.Floats("v") == Floats{1, 2, 3});
    CHECK(m.Try({"strict"}, {{"x", three}, {"v", three}}).code() ==
          Code::kInvalidArgument);  // a reference cannot be fed
  }
  TEST_CASE("RefIdentity is the variable itself, with a value or without") {
    Machine m;
    const Output v = m.Reference("v", MakeTensor<float>({2}, {1, 2}));
    const Output same = m.b.Add("RefIdentity", "same", {v});
    m.b.Add("AssignAdd", "add", {same, m.b.Const("one", MakeTensor<float>({2}, {1, 1}))});
    m.b.Add("IsVariableInitialized", "is", {same});
    m.Start();
    CHECK_FALSE(m.Get({"is"})[0].data<bool>()[0]);
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Do("add").ok());
    CHECK(m.Floats("v") == Floats{2, 3});
  }
  TEST_CASE("a temporary variable is gone after its run") {
    Machine m;
    const Output t = m.b.Add("TemporaryVariable", "t", {},
                             {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}, {"var_name", "tmp"}});
    const Output set = m.b.Add("Assign", "set", {t, m.b.Const("c", MakeTensor<float>({2}, {1, 2}))});
    m.b.Add("DestroyTemporaryVariable", "last", {set}, {{"var_name", "tmp"}});
    m.b.Add("DestroyTemporaryVariable", "other", {set}, {{"var_name", "another"}});
    m.Start();
    CHECK(m.Floats("last") == Floats{1, 2});
    CHECK(m.Floats("last") == Floats{1, 2});
    CHECK(m.Try({"other"}).code() == Code::kNotFound);
  }
  TEST_CASE("strings are held as well") {
    Machine m;
    m.Reference("v", MakeTensor<tstring>({2}, {tstring("one"), tstring("a text too long to be kept inline")}));
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    REQUIRE(m.Do("v/init").ok());
    CHECK(std::string_view(m.Get({"v"})[0].data<tstring>()[1]) == "a text too long to be kept inline");
  }
}
}  // namespace state_ref_variable_test
