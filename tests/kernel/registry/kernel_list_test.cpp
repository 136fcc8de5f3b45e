// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/kernel_list.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/register.hpp>

namespace kernel_list_test {
using namespace tenon;

namespace {

struct Plain {
  static constexpr auto signature = Op("KlPlain")
                                        .Input("x: T")
                                        .Input("dims: int32")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T>, HostIn<std::int32_t>, Late<T>&) const { return OkStatus(); }
  };
};
struct RawKernel : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};
struct Raw {
  static constexpr auto signature = Op("KlRaw")
                                        .Input("x: N * T")
                                        .Input("size: int64")
                                        .Output("y: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: {float, int32}")
                                        .Attr("mode: string = 'a'")
                                        .Attr("flag: bool = false")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr auto kernel_match = KernelMatch()
                                           .Label("fast")
                                           .Priority(-3)
                                           .Attr("T", {DataType::kFloat, DataType::kInt32})
                                           .Attr("mode", {"a", "b"})
                                           .Attr("N", {2})
                                           .Attr("flag", {true})
                                           .HostMemory("size")
                                           .HostMemory("x")
                                           .HostMemory("y");
  template <class Device>
  struct kernel final : RawKernel {
    using RawKernel::RawKernel;
  };
};
NodeDef RawNode() {
  NodeDef node;
  node.name = "here";
  node.op = "KlRaw";
  node.attr.Set("N", AttrValue(std::int64_t{2}));
  node.attr.Set("T", AttrValue(DataType::kFloat));
  node.attr.Set("mode", AttrValue(std::string("a")));
  node.attr.Set("flag", AttrValue(true));
  node.attr.Set("_kernel", AttrValue(std::string("fast")));
  return node;
}

}  // namespace

TEST_SUITE("KernelList") {
  TEST_CASE("says what was registered") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Plain>{}, Devices<Cpu>{}).ok());
    REQUIRE(Register(registry, Ops<Raw>{}, Devices<Cpu>{}).ok());
    const KernelList list = GetAllRegisteredKernels(registry);
    REQUIRE(list.kernel.size() == 3);
    const KernelDescription& plain = list.kernel[1];
    CHECK(plain.op == "KlPlain");
    CHECK(plain.device_type == "CPU");
    REQUIRE(plain.constraint.size() == 1);
    CHECK(plain.constraint[0].name == "T");
    CHECK(plain.constraint[0].allowed_values.list().type[0] == DataType::kInt32);
    REQUIRE(plain.host_memory_arg.size() == 1);
    CHECK(plain.host_memory_arg[0] == "dims");
    CHECK(plain.label.empty());
    const KernelDescription& raw = list.kernel[2];
    CHECK(raw.label == "fast");
    CHECK(raw.priority == -3);
    REQUIRE(raw.constraint.size() == 4);
    CHECK(raw.constraint[0].allowed_values.list().type.size() == 2);
    CHECK(raw.constraint[1].allowed_values.list().s[1] == "b");
    CHECK(raw.constraint[2].allowed_values.list().i[0] == 2);
    CHECK(raw.constraint[3].allowed_values.list().b[0]);
    CHECK(raw.host_memory_arg.size() == 3);
    CHECK(GetRegisteredKernelsForOp("KlRaw", registry).kernel.size() == 1);
    CHECK(GetRegisteredKernelsForOp("Nothing", registry).kernel.empty());
    CHECK(GetAllRegisteredKernels().kernel.size() > 100);  // of the program
  }
  TEST_CASE("a message out and in") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Plain>{}, Devices<Cpu>{}).ok());
    const std::string one = SerializeKernelList(GetRegisteredKernelsForOp("KlPlain", registry));
    // kernel { op: "KlPlain" device_type: "CPU" constraint { name: "T" allowed_values { list { type: DT_FLOAT } } }
    //          host_memory_arg: "dims" }, and the same for int32
    constexpr std::string_view kFirst(
        "\n \n\aKlPlain\x12\x03"
        "CPU\x1a\n\n\x01T\x12\x05\n\x03\x32\x01\x01\"\x04"
        "dims",
        34);
    CHECK(one.substr(0, kFirst.size()) == kFirst);
    REQUIRE(Register(registry, Ops<Raw>{}, Devices<Cpu>{}).ok());
    const std::string bytes = SerializeKernelList(GetAllRegisteredKernels(registry));
    const auto parsed = ParseKernelList(std::as_bytes(std::span(bytes)));
    REQUIRE_MESSAGE(parsed.ok(), parsed.status().message());
    REQUIRE(parsed->kernel.size() == 3);
    CHECK(parsed->kernel[2].priority == -3);
    CHECK(parsed->kernel[2].host_memory_arg[1] == "x");
    CHECK(SerializeKernelList(*parsed) == bytes);
    const std::string bad = bytes.substr(0, bytes.size() - 1);
    CHECK(!ParseKernelList(std::as_bytes(std::span(bad))).ok());
  }
}

TEST_SUITE("HostMemory") {
  TEST_CASE("of a raw kernel: arguments, and lists of them") {
    Registry registry;
    REQUIRE(Register(registry, Ops<Raw>{}, Devices<Cpu>{}).ok());
    const NodeDef node = RawNode();
    const auto def = registry.FindForNode(node, "CPU");
    REQUIRE_MESSAGE(def.ok(), def.status().message());
    const DataType in[] = {DataType::kFloat, DataType::kFloat, DataType::kInt64}, out[] = {DataType::kFloat};
    OpKernelConstruction construction(&node, registry.FindOp("KlRaw"), "GPU", in, out, CpuAllocator());
    const auto kernel = CreateKernel(*def->row, &construction);
    REQUIRE_MESSAGE(kernel.ok(), kernel.status().message());
    for (int i = 0; i < 3; ++i) CHECK((*kernel)->input_memory_type(i) == MemoryType::kHost);
    CHECK((*kernel)->output_memory_type(0) == MemoryType::kHost);
  }
  TEST_CASE("names that the op does not have are refused at the registration") {
    constexpr std::string_view kHave =
        " not found in OpDef: op 'KlRaw' has the arguments 'x', 'size', 'y' and the attrs 'N', 'T', 'mode', 'flag'";
    constexpr KernelMatch kWrongArgument = KernelMatch().HostMemory("sizes");
    constexpr KernelMatch kWrongAttr = KernelMatch().Attr("moed", {"a"});
    constexpr KernelMatch kRight = KernelMatch().Attr("_mode", {"a"}).Attr("mode", {"a"}).HostMemory("y");
    static constexpr OpView kOp = Raw::signature.view();
    CHECK(CheckMatch(kWrongArgument, kOp).ToString() == StrCat("INVALID_ARGUMENT: HostMemory arg 'sizes'", kHave));
    CHECK(CheckMatch(kWrongAttr, kOp).ToString() == StrCat("INVALID_ARGUMENT: kernel constraint attr 'moed'", kHave));
    CHECK(CheckMatch(kRight, kOp).ok());
  }
}
}  // namespace kernel_list_test
