// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/state/session_tensor.hpp>

#include "ops/state/state_test.hpp"

namespace state_session_tensor_test {
using namespace state_test;

TEST_SUITE("session tensors") {
  TEST_CASE("a value stays in the session under its handle") {
    Machine m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("GetSessionHandle", "keep", {x});
    m.b.Add("GetSessionHandleV2", "keep2", {x});
    const Output h = m.b.Placeholder("h", DataType::kString);
    m.b.Add("GetSessionTensor", "get", {h}, {{"dtype", DataType::kFloat}});
    m.b.Add("GetSessionTensor", "get_int", {h}, {{"dtype", DataType::kInt32}});
    m.b.Add("DeleteSessionTensor", "delete", {h});
    m.b.Add("AddV2", "y", {x, x});
    m.Start();
    const Tensor value = MakeTensor<float>({2}, {3, 4});
    const Tensor first = m.Get({"keep"}, {{"x", value}})[0];
    CHECK(std::string_view(first.scalar<tstring>()()) == "keep;0;/job:localhost/replica:0/task:0/device:CPU:0");
    CHECK(m.Floats("get", {{"h", first}}) == Floats{3, 4});
    const Status wrong = m.Try({"get_int"}, {{"h", first}});
    CHECK(wrong.code() == Code::kInvalidArgument);
    // A handle that nobody fetched keeps nothing.
    REQUIRE(m.Do("keep", {{"x", value}}).ok());
    const Tensor third = m.Get({"keep"}, {{"x", value}})[0];
    CHECK(std::string_view(third.scalar<tstring>()()) == "keep;2;/job:localhost/replica:0/task:0/device:CPU:0");
    REQUIRE(m.Do("delete", {{"h", first}}).ok());
    const Status gone = m.Try({"get"}, {{"h", first}});
    CHECK(gone.code() == Code::kInvalidArgument);
    CHECK(gone.message().find("The tensor with handle 'keep;0;/job:localhost/replica:0/task:0/device:CPU:0' is not in "
                              "the session store.") != std::string::npos);
    CHECK(m.Do("delete", {{"h", first}}).code() == Code::kInvalidArgument);
    // The handle of the second version is fed where its tensor is wanted.
    const Tensor resource = m.Get({"keep2"}, {{"x", value}})[0];
    CHECK(resource.dtype() == DataType::kResource);
    CHECK(m.Floats("y", {{"x", resource}}) == Floats{6, 8});
  }
}
}  // namespace state_session_tensor_test
