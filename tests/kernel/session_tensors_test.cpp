// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/session_tensors.hpp>

#include <doctest/doctest.h>

#include <string_view>

#include <tenon/kernel/resource_lookup.hpp>

namespace session_tensors_test {
using namespace tenon;
using tenon::detail::SessionTensors;
using tenon::detail::StepTensors;

TEST_SUITE("SessionTensors") {
  TEST_CASE("hold a tensor under its handle until it is deleted") {
    ResourceMgr resources;
    Ref<SessionTensors> tensors, again;
    REQUIRE(SessionTensors::Of(&resources, &tensors).ok());
    REQUIRE(SessionTensors::Of(&resources, &again).ok());
    CHECK(tensors.get() == again.get());
    const std::int64_t id = tensors->NewId();
    CHECK(tensors->NewId() == id + 1);
    CHECK(tensors->Add("a;0;d", Tensor::Scalar(3.0f)).ok());
    CHECK(tensors->Add("a;0;d", Tensor::Scalar(3.0f)).message() ==
          "Failed to add a tensor with handle 'a;0;d' to the session store.");
    Tensor value;
    REQUIRE(tensors->Get("a;0;d", &value).ok());
    CHECK(value.scalar<float>()() == 3);
    CHECK(tensors->MemoryUsed() == 4);
    CHECK(tensors->Delete("a;0;d").ok());
    CHECK(tensors->Get("a;0;d", &value).message() == "The tensor with handle 'a;0;d' is not in the session store.");
    CHECK(tensors->Delete("a;0;d").code() == Code::kInvalidArgument);
  }
  TEST_CASE("keep of a run what was fetched of it") {
    ResourceMgr resources;
    Ref<SessionTensors> session;
    REQUIRE(SessionTensors::Of(&resources, &session).ok());
    {
      StepContainer run(&resources, 1);
      Ref<StepTensors> step;
      REQUIRE(StepTensors::Of(&run, &step).ok());
      step->Add("a", "a;0;d", Tensor::Scalar(1.0f));
      step->Add("b", "b;1;d", Tensor::Scalar(2.0f));
      const std::string_view fetched[] = {"x:0", "b:0"};
      REQUIRE(run.keeps_fetched());
      CHECK(run.KeepFetched(fetched).ok());
    }
    Tensor value;
    CHECK_FALSE(session->Get("a;0;d", &value).ok());
    CHECK(session->Get("b;1;d", &value).ok());
  }
  TEST_CASE("a fed handle gives way to its tensor; other resources stay") {
    ResourceMgr resources;
    Ref<SessionTensors> session;
    REQUIRE(SessionTensors::Of(&resources, &session).ok());
    REQUIRE(session->Add("a;0;d", Tensor::Scalar(3.0f)).ok());
    const auto read = tenon::detail::extensions.read_fed_handle.load();
    REQUIRE((read != nullptr));
    Tensor fed = HandleTensor(ResourceHandle{"d", "TensorHandle", "a;0;d", 0, "TensorHandle", {}});
    REQUIRE(read(&resources, &fed).ok());
    CHECK(fed.dtype() == DataType::kFloat);
    Tensor gone = HandleTensor(ResourceHandle{"d", "TensorHandle", "b;0;d", 0, "TensorHandle", {}});
    CHECK(read(&resources, &gone).code() == Code::kInvalidArgument);
    Tensor variable = HandleTensor(ResourceHandle{"d", "localhost", "v", 0, "Var", {}});
    REQUIRE(read(&resources, &variable).ok());
    CHECK(variable.dtype() == DataType::kResource);
  }
}
}  // namespace session_tensors_test
