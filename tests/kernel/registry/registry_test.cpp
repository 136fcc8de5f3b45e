// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/registry.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/register.hpp>

namespace registry_test {
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

// Other kernels for the same op, each with a match of its own.
template <int number>
struct Special {
  static constexpr auto signature = Own::signature;
  static constexpr auto kernel_match = number == 0   ? KernelMatch().Label("fast")
                                       : number == 1 ? KernelMatch().Priority(2).Attr("T", {DataType::kFloat})
                                                     : KernelMatch().Priority(2).Attr("T", {DataType::kFloat});
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T>, Out<T>) const { return OkStatus(); }
  };
};
struct Anywhere {
  static constexpr auto signature =
      Op("RegistryTestAnywhere").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};
NodeDef NodeOf(std::string_view op, DataType type) {
  NodeDef node;
  node.name = "n";
  node.op = op;
  node.attr.Set("T", AttrValue(type));
  return node;
}
bool IsOf(const Result<KernelDef>& def, std::string_view name) {
  return def.ok() && def->row->op->struct_name.find(name) != std::string_view::npos;
}
}  // namespace

TEST_SUITE("Registry: kernels that serve some nodes") {
  TEST_CASE("a label is asked for by _kernel") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Special<0>, Own>{}, Devices<Cpu>{}).ok());
    NodeDef node = NodeOf("RegistryTestOwn", DataType::kFloat);
    CHECK(IsOf(registry.FindForNode(node, "CPU"), "Own"));
    CHECK(registry.Find(KernelKey{"RegistryTestOwn", "CPU", {DataType::kFloat}})->row->op->match == nullptr);
    node.attr.Set("_kernel", AttrValue(std::string("fast")));
    CHECK(IsOf(registry.FindForNode(node, "CPU"), "Special"));
    node.attr.Set("_kernel", AttrValue(std::string("slow")));
    const Status none = registry.FindForNode(node, "CPU").status();
    CHECK(none.code() == Code::kNotFound);
    CHECK(
        none.message() ==
        "no kernel for op 'RegistryTestOwn' on CPU with types {float} and label 'slow'; registered: CPU{float} "
        "(label='fast'), CPU{int32} (label='fast'), CPU{float}, CPU{int32}. No registered 'RegistryTestOwn' OpKernel for "
        "CPU devices compatible with node {{node n}}.  Registered:  device='CPU'; label='fast'; T in [DT_FLOAT]\n"
        "  device='CPU'; label='fast'; T in [DT_INT32]\n  device='CPU'; T in [DT_FLOAT]\n  device='CPU'; T in [DT_INT32]");
    CHECK(registry.KernelsOf("RegistryTestOwn").size() == 4);
  }
  TEST_CASE("the higher priority wins where its constraints hold") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own, Special<1>>{}, Devices<Cpu>{}).ok());
    CHECK(IsOf(registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kFloat), "CPU"), "Special"));
    CHECK(IsOf(registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kInt32), "CPU"), "Own"));
  }
  TEST_CASE("two of one priority are ambiguous") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own, Special<1>, Special<2>>{}, Devices<Cpu>{}).ok());
    const Status status = registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kFloat), "CPU").status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Multiple OpKernel registrations match NodeDef at the same priority '{{node n}}': '") ==
          0);
    CHECK(registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kInt32), "CPU").ok());
  }
  TEST_CASE("says when only attributes differ") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Special<1>>{}, Devices<Cpu>{}).ok());
    const Status status = registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kInt32), "CPU").status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(
        status.message().find("OpKernel for CPU devices compatible with node {{node n}} (OpKernel was found, but "
                              "attributes didn't match) Requested Attributes: T=DT_INT32.  Registered:  device='CPU'; "
                              "T in [DT_FLOAT]; T in [DT_FLOAT]") != std::string::npos);
  }
  TEST_CASE("a kernel for any device serves where there is no other") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Anywhere>{}, Devices<AnyDevice>{}).ok());
    const auto def = registry.FindForNode(NodeOf("RegistryTestAnywhere", DataType::kFloat), "GPU");
    REQUIRE_MESSAGE(def.ok(), def.status().message());
    CHECK(def->row->device == "DEFAULT");
    REQUIRE(Register(registry, Ops<Anywhere>{}, Devices<Cpu>{}).ok());
    CHECK(registry.FindForNode(NodeOf("RegistryTestAnywhere", DataType::kFloat), "CPU")->row->device == "CPU");
  }
  TEST_CASE("two kernels for any device are one too many, whatever their priorities") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own>{}, Devices<AnyDevice>{}).ok());
    REQUIRE(Register(registry, Ops<Own>{}, Devices<AnyDevice>{}).ok());
    CHECK(registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kFloat), "CPU").ok());
    REQUIRE(Register(registry, Ops<Special<1>>{}, Devices<AnyDevice>{}).ok());
    const Status status = registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kInt32), "CPU").status();
    CHECK_MESSAGE(status.ok(), status.ToString());
    const Status two = registry.FindForNode(NodeOf("RegistryTestOwn", DataType::kFloat), "GPU").status();
    CHECK(two.code() == Code::kInvalidArgument);
    CHECK(two.message().find("Multiple Default OpKernel registrations match NodeDef '{{node n}}': '") == 0);
  }
}

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
  TEST_CASE("fewer, more or impossible types find nothing") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own>{}, Devices<Cpu>{}).ok());
    const DataType f = DataType::kFloat;
    for (const SlimVector<DataType>& types :
         {SlimVector<DataType>{}, SlimVector<DataType>{f, f}, SlimVector<DataType>{f, f, f, f, f, f},
          SlimVector<DataType>{f, {}}, SlimVector<DataType>{static_cast<DataType>(static_cast<int>(f) + 256)}}) {
      const Status status = registry.Find(KernelKey{"RegistryTestOwn", "CPU", types}).status();
      CHECK(status.code() == Code::kNotFound);
      CHECK(status.message().find("registered: CPU{float}, CPU{int32}") != std::string::npos);
    }
    CHECK_FALSE(registry.Find(KernelKey{"RegistryTestOwn", "GPU", {f}}).ok());
    CHECK_FALSE(registry.Find(KernelKey{"RegistryTestOwn", "CP", {f}}).ok());
  }
  TEST_CASE("a node without the type, or with another kind of attr, is told so") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Own>{}, Devices<Cpu>{}).ok());
    NodeDef node = NodeOf("RegistryTestOwn", DataType::kFloat);
    node.attr.Set("T", AttrValue(3));
    CHECK(registry.FindForNode(node, "CPU").status().code() == Code::kInvalidArgument);
    node.attr.erase("T");
    CHECK(registry.FindForNode(node, "CPU").status().ToString() ==
          "INVALID_ARGUMENT: OpKernel 'RegistryTestOwn' has constraint on attr 'T' not in NodeDef '{{node n}} = "
          "RegistryTestOwn[]()'");
  }
  TEST_CASE("says when an op has no kernel at all") {
    const Registry registry;
    CHECK(registry.Find(KernelKey{"Nothing", "CPU", {}}).status().message() ==
          "no kernel for op 'Nothing' on CPU with types {}; the op has none: add it to the TENON_REGISTER list");
    CHECK(registry.FindForNode(NodeOf("Nothing", DataType::kFloat), "CPU").status().message() ==
          "no kernel for op 'Nothing' on CPU with types {}; the op has none: add it to the TENON_REGISTER list. No "
          "registered 'Nothing' OpKernel for CPU devices compatible with node {{node n}}.  Registered:  <no registered "
          "kernels>");
  }
  TEST_CASE("a registration that failed is what adding it says") {
    const Status failure = errors::InvalidArgument("no such attr");
    RegistrationBatch batch;
    batch.failure = &failure;
    Registry registry;
    CHECK(registry.Check(batch).message() == "no such attr");
    CHECK(registry.Add(batch).message() == "no such attr");
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
}  // namespace registry_test
