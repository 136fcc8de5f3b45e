// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/op/shape_fns.hpp>
#include <tenon/register.hpp>

using namespace tenon;

namespace {
struct Own {
  static constexpr auto signature = Op("RegistryTestOwn")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T>, Out<T>) const { return OkStatus(); }
  };
};
struct Other {
  static constexpr auto signature = Op("RegistryTestOwn")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T>, Out<T>) const { return OkStatus(); }
  };
};
}  // namespace

TEST_SUITE("Registry") {
  TEST_CASE("finds a kernel by op, device and types") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own>{}, Devices<Cpu>{}).ok());
    const auto def = registry.Find(KernelKey{"RegistryTestOwn", "CPU", {DataType::kFloat}});
    REQUIRE_MESSAGE(def.ok(), def.status().message());
    CHECK(def->row->op->view->name == "RegistryTestOwn");
  }
  TEST_CASE("names the types there are") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own>{}, Devices<Cpu>{}).ok());
    const auto def = registry.Find(KernelKey{"RegistryTestOwn", "CPU", {DataType::kBool}});
    CHECK(def.status().code() == Code::kNotFound);
    CHECK(def.status().message() ==
          "no kernel for op 'RegistryTestOwn' on CPU with types {bool}; registered: CPU{float}, CPU{int32}");
  }
  TEST_CASE("says when an op has no kernel at all") {
    const Registry registry;
    CHECK(registry.Find(KernelKey{"Nothing", "CPU", {}}).status().message() ==
          "no kernel for op 'Nothing' on CPU with types {}; the op has none: add it to the TENON_REGISTER list");
  }
  TEST_CASE("the same struct may register again, another one may not") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own>{}, Devices<Cpu>{}).ok());
    CHECK(Register(registry, Ops<Own>{}, Devices<Cpu>{}).ok());
    const Status clash = Register(registry, Ops<Other>{}, Devices<Cpu>{});
    CHECK(clash.code() == Code::kAlreadyExists);
  }
  TEST_CASE("Types narrows what is instantiated") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Types<float>, Own>{}, Devices<Cpu>{}).ok());
    CHECK(registry.Find(KernelKey{"RegistryTestOwn", "CPU", {DataType::kFloat}}).ok());
    CHECK(!registry.Find(KernelKey{"RegistryTestOwn", "CPU", {DataType::kInt32}}).ok());
  }
  TEST_CASE("what TENON_REGISTER named is in the global registry") {
    CHECK(Registry::Global().FindOp("KtAttrs") != nullptr);
    CHECK(Registry::Global().status().ok());
  }
}
