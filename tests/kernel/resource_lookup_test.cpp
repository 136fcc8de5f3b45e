// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/resource_lookup.hpp>

#include <string>

#include <doctest/doctest.h>

#include "kernel/one_node.hpp"

namespace resource_lookup_test {
using namespace tenon;
using kernel_test::OneNode;

namespace {

struct Box : Resource {
  static constexpr std::string_view kTypeName = "test::Box";
  explicit Box(int v) : value(v) {}
  std::string DebugString() const override { return "a box"; }
  int value;
};
struct Bag : Resource {
  static constexpr std::string_view kTypeName = "test::Bag";
  std::string DebugString() const override { return "a bag"; }
};

// "INVALID_ARGUMENT: text" of a lookup of a Box.
std::string LookUp(const OneNode& node, const Tensor& handle, int* value = nullptr) {
  Ref<Box> box;
  const Status status = LookupResource<Box>(node.context, handle, &box);
  if (status.ok() && value != nullptr) *value = box->value;
  return status.ToString();
}

// What a node with these attrs gets.
Result<ContainerInfo> Info(std::string_view container, std::string_view shared_name, bool use_node_name) {
  static constexpr auto kSignature =
      Op("KtNamed").Output("y: float").Attr("container: string = ''").Attr("shared_name: string = ''");
  static constexpr OpView kOp = kSignature.view();
  NodeDef def;
  def.name = "scope/node";
  def.op = "KtNamed";
  def.attr["container"] = AttrValue(container);
  def.attr["shared_name"] = AttrValue(shared_name);
  return ContainerInfo::From(OpKernelConstruction(&def, &kOp, "CPU", {}, {}, CpuAllocator()), use_node_name);
}
std::string RefusalOf(std::string_view container, std::string_view shared_name) {
  return Info(container, shared_name, false).status().ToString();
}

}  // namespace

TEST_SUITE("resources of a kernel") {
  TEST_CASE("a handle names its resource, and nothing else") {
    OneNode node({}, {}, DataType::kFloat);
    REQUIRE(node.resources.Create("", "a", Ref<Box>::Adopt(new Box(7))).ok());
    int value = 0;
    CHECK(LookUp(node, HandleTensor(MakeResourceHandle<Box>("CPU:0", "", "a")), &value) == "OK");
    CHECK(value == 7);
    CHECK(LookUp(node, HandleTensor(MakeResourceHandle<Box>("CPU:0", "localhost", "a"))) == "OK");
    CHECK(LookUp(node, HandleTensor(MakeResourceHandle<Box>("CPU:0", "", "b"))) ==
          "NOT_FOUND: Resource localhost/b/test::Box does not exist.");
    CHECK(LookUp(node, HandleTensor(MakeResourceHandle<Box>("GPU:0", "", "a"))) ==
          "INVALID_ARGUMENT: Trying to access resource a located in device GPU:0 from device CPU:0");
    const std::string wrong = LookUp(node, HandleTensor(MakeResourceHandle<Bag>("CPU:0", "", "a")));
    CHECK(wrong.find("INVALID_ARGUMENT: Trying to access a handle's resource using the wrong type. The handle points "
                     "to a resource (name 'a') of type 'test::Bag'") == 0);
    CHECK(wrong.find("as type 'test::Box'") != std::string::npos);
  }
  TEST_CASE("a handle may keep its resource itself") {
    OneNode node({}, {}, DataType::kFloat);
    const ResourceHandle first = MakeRefCountingHandle("CPU:0", Ref<Box>::Adopt(new Box(1)));
    const ResourceHandle second = MakeRefCountingHandle("CPU:0", Ref<Box>::Adopt(new Box(2)));
    CHECK(first.container == "Anonymous");
    CHECK(first.name != second.name);
    int value = 0;
    CHECK(LookUp(node, HandleTensor(first), &value) == "OK");
    CHECK(value == 1);
    CHECK(LookUp(node, HandleTensor(second), &value) == "OK");
    CHECK(value == 2);
    ResourceHandle named = first;  // as one that was written to a file: the manager has no such resource
    named.object = {};
    CHECK(LookUp(node, HandleTensor(named)).find("NOT_FOUND") == 0);
    CHECK(LookUp(node, HandleTensor(MakeRefCountingHandle("GPU:0", Ref<Box>::Adopt(new Box(3)))))
              .find("INVALID_ARGUMENT: Trying to access resource Resource-") == 0);
    Ref<Bag> bag;
    CHECK(LookupResource<Bag>(node.context, HandleTensor(first), &bag).code() == Code::kInvalidArgument);
    Ref<Box> box;
    const auto never = [](Ref<Box>*) { return errors::Internal("there is one"); };
    REQUIRE(LookupOrCreateResource<Box>(node.context, HandleTensor(first), &box, never).ok());
    CHECK(box->value == 1);
  }
  TEST_CASE("what is no handle") {
    OneNode node({}, {}, DataType::kFloat);
    CHECK(LookUp(node, Tensor::Scalar(1.0f)).find("INVALID_ARGUMENT: A resource handle must be one element") == 0);
    CHECK(LookUp(node, Tensor(DataType::kResource, {0})).find("of shape [0]") != std::string::npos);
  }
  TEST_CASE("outside of a session's run there are none") {
    OneNode node({}, {}, DataType::kFloat);
    StepEnvironment none = *node.frame.env;
    none.services = nullptr;
    node.frame.env = &none;
    CHECK(
        LookUp(node, HandleTensor(MakeResourceHandle<Box>("CPU:0", "", "a"))).find("FAILED_PRECONDITION: KtOneNode") ==
        0);
  }
  TEST_CASE("made once when it is missing") {
    OneNode node({}, {}, DataType::kFloat);
    const Tensor handle = HandleTensor(MakeResourceHandle<Box>("CPU:0", "c", "a"));
    int made = 0;
    const auto make = [&](Ref<Box>* to) {
      *to = Ref<Box>::Adopt(new Box(++made));
      return OkStatus();
    };
    Ref<Box> box;
    REQUIRE(LookupOrCreateResource<Box>(node.context, handle, &box, make).ok());
    REQUIRE(LookupOrCreateResource<Box>(node.context, handle, &box, make).ok());
    CHECK(made == 1);
    CHECK(box->value == 1);
    CHECK(node.resources.Lookup("c", "a", &box).ok());
    CHECK(
        LookupOrCreateResource<Box>(node.context, HandleTensor(MakeResourceHandle<Bag>("CPU:0", "c", "a")), &box, make)
            .code() == Code::kInvalidArgument);
    CHECK(made == 1);
  }
  TEST_CASE("container and name of a node") {
    const Result<ContainerInfo> shared = Info("my.box/1-2", "name", false);
    REQUIRE(shared.ok());
    CHECK(shared->container == "my.box/1-2");
    CHECK(shared->name == "name");
    CHECK_FALSE(shared->private_to_kernel);
    const Result<ContainerInfo> own = Info("", "", true);
    REQUIRE(own.ok());
    CHECK(own->container == "localhost");
    CHECK(own->name == "scope/node");
    CHECK_FALSE(own->private_to_kernel);
    const Result<ContainerInfo> first = Info("", "", false), second = Info("", "", false);
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK(first->private_to_kernel);
    CHECK(first->name.front() == '_');
    CHECK(first->name.find("_scope/node") != std::string::npos);
    CHECK(first->name != second->name);
    CHECK(RefusalOf("-a", "") == "INVALID_ARGUMENT: container contains invalid characters: -a");
    CHECK(RefusalOf("a b", "").find("container contains invalid characters") != std::string::npos);
    CHECK(RefusalOf("", "_x") == "INVALID_ARGUMENT: shared_name cannot start with '_':_x");
  }
}
}  // namespace resource_lookup_test
