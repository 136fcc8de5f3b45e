// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/register.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/shape/shape_fns.hpp>

namespace register_test {
using namespace tenon;

namespace {

// Kernels for float, double and int32.
template <class Op>
struct Copies {
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T> x, Out<T> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return OkStatus();
    }
  };
};
constexpr auto OfThreeTypes(const auto& op) {
  return op.Input("x: T").Output("y: T").Attr("T: {float, double, int32}").SetShapeFn(shape_inference::UnchangedShape);
}
struct TopTestA : Copies<TopTestA> {
  static constexpr auto signature = OfThreeTypes(Op("TopTestA"));
};
struct TopTestB : Copies<TopTestB> {
  static constexpr auto signature = OfThreeTypes(Op("TopTestB"));
};
struct TopTestC : Copies<TopTestC> {
  static constexpr auto signature = OfThreeTypes(Op("TopTestC"));
};
struct TopTestGlobal : Copies<TopTestGlobal> {
  static constexpr auto signature = OfThreeTypes(Op("TopTestGlobal"));
};
// TopTestA's name, with another argument.
struct OtherA {
  static constexpr auto signature =
      Op("TopTestA").Input("x: float").Output("z: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};
// One kernel for all types.
struct TopTestAnyType {
  static constexpr auto signature = Op("TopTestAnyType")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& x, Tensor& y) const {
      y = x;
      return OkStatus();
    }
  };
};
// A description without a kernel.
struct TopTestNoKernel {
  static constexpr auto signature = Op("TopTestNoKernel").SetShapeFn(shape_inference::NoOutputs);
};

// A kernel for any device beside that for the CPU.
struct TopTestEverywhere {
  static constexpr auto signature = Op("TopTestEverywhere")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, const Tensor& x, Tensor& y) const {
      y = x;
      return OkStatus();
    }
  };
};

// "A{float} A{int32} B": the kernels for the CPU of the registry's ops, or the op's name alone. Without "TopTest".
std::string Contents(const Registry& registry) {
  std::string all;
  for (const OpView* op : registry.ops().ops()) {
    const std::string_view name = op->name.substr(7);
    std::string kernels;
    for (const DataType type : {DataType::kFloat, DataType::kDouble, DataType::kInt32})
      if (registry.Find(KernelKey{op->name, "CPU", {type}}).ok()) StrAppend(&kernels, " ", name, "{", type, "}");
    if (registry.Find(KernelKey{op->name, "CPU", {}}).ok()) StrAppend(&kernels, " ", name, "{}");
    StrAppend(&all, kernels.empty() ? StrCat(" ", name) : kernels);
  }
  return all.empty() ? all : all.substr(1);
}
template <class... Item>
std::string ContentsOf() {
  Registry registry;
  const Status status = Register(registry, Ops<Item...>{}, Devices<Cpu>{});
  return status.ok() ? Contents(registry) : status.ToString();
}

constexpr const char* kAll3 = "A{float} A{double} A{int32} B{float} B{double} B{int32} C{float} C{double} C{int32}";

}  // namespace

TENON_REGISTER(Types<std::int32_t>, OpList<TopTestGlobal>, TopTestNoKernel);
TENON_REGISTER(Types<std::int32_t>, OpList<TopTestGlobal>, TopTestNoKernel);  // again: no other effect

TENON_REGISTER(TypeList<float>, TopTestEverywhere, Devices<Cpu, AnyDevice>);

TEST_SUITE("Register") {
  TEST_CASE("opens lists, also lists in lists and empty ones") {
    CHECK(ContentsOf<TopTestA, TopTestB, TopTestC>() == kAll3);
    CHECK(ContentsOf<OpList<TopTestA, TopTestB, TopTestC>>() == kAll3);
    CHECK(ContentsOf<OpList<OpList<>, OpList<TopTestB, OpList<TopTestC>>>, TopTestA>() == kAll3);
    CHECK(ContentsOf<>() == "");
    CHECK(ContentsOf<OpList<>>() == "");
  }

  TEST_CASE("an op that is listed twice is there once") {
    CHECK(ContentsOf<TopTestA, OpList<TopTestA>>() == "A{float} A{double} A{int32}");
  }

  TEST_CASE("Types narrows every op of the list, wherever it stands") {
    CHECK(ContentsOf<Types<float>, TopTestA, TopTestB>() == "A{float} B{float}");
    CHECK(ContentsOf<TopTestA, Types<float>, TopTestB>() == "A{float} B{float}");
    CHECK(ContentsOf<TopTestA, OpList<TopTestB, Types<float, std::int32_t>>>() ==
          "A{float} A{int32} B{float} B{int32}");
  }

  TEST_CASE("the last Types counts") {
    CHECK(ContentsOf<Types<float, double>, TopTestA, Types<std::int32_t>>() == "A{int32}");
  }

  TEST_CASE("an op that has none of the types is known all the same") {
    CHECK(ContentsOf<Types<bool>, TopTestA, TopTestAnyType>() == "A AnyType{}");
    CHECK(ContentsOf<Types<bool, float>, TopTestA>() == "A{float}");
  }

  TEST_CASE("a kernel for every type stays whatever the types") {
    CHECK(ContentsOf<TopTestAnyType>() == "AnyType{}");
    CHECK(ContentsOf<Types<bool>, TopTestAnyType>() == "AnyType{}");
  }

  TEST_CASE("an op may have no kernel, a registration no device") {
    CHECK(ContentsOf<TopTestNoKernel, TopTestA>() == "A{float} A{double} A{int32} NoKernel");
    Registry registry;
    CHECK(Register(registry, Ops<TopTestA>{}, Devices<>{}).ok());
    CHECK(Contents(registry) == "");
  }

  TEST_CASE("another op of the same name is refused; what was there stays") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Types<float>, TopTestA>{}, Devices<Cpu>{}).ok());
    const Status status = Register(registry, Ops<OtherA, Types<float>, TopTestB>{}, Devices<Cpu>{});
    CHECK(status.ToString() == "ALREADY_EXISTS: Op with name TopTestA");
    CHECK(Contents(registry) == "A{float} B{float}");
    CHECK(registry.FindOp("TopTestA")->outputs[0].name() == "y");
    CHECK(Register(registry, Ops<TopTestA>{}, Devices<Cpu>{}).ok());
    CHECK(Contents(registry) == "A{float} A{double} A{int32} B{float}");
  }

  TEST_CASE("in one list, the first op of a name stays") {
    CHECK(ContentsOf<TopTestA, OtherA>() == "ALREADY_EXISTS: Op with name TopTestA");
  }
}

TEST_SUITE("TENON_REGISTER") {
  TEST_CASE("takes the same list, for the registry of the process") {
    const Registry& global = Registry::Global();
    CHECK(global.status().ToString() == "OK");
    CHECK(global.FindOp("TopTestNoKernel") != nullptr);
    CHECK(global.Find(KernelKey{"TopTestGlobal", "CPU", {DataType::kInt32}}).ok());
    CHECK(!global.Find(KernelKey{"TopTestGlobal", "CPU", {DataType::kFloat}}).ok());
    CHECK(global.FindOp("TopTestA") == nullptr);  // only in registries of these tests
  }
  TEST_CASE("takes a TypeList and Devices among the ops") {
    const Registry& global = Registry::Global();
    for (const std::string_view device : {"CPU", "DEFAULT"}) {
      CHECK(global.Find(KernelKey{"TopTestEverywhere", device, {DataType::kFloat}}).ok());
      CHECK(!global.Find(KernelKey{"TopTestEverywhere", device, {DataType::kInt32}}).ok());
    }
  }
}

}  // namespace register_test
