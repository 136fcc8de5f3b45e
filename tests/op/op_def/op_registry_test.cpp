// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/op_registry.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace op_registry_test {
namespace {
using namespace tenon;

constexpr auto kReluSignature = Op("Relu").Input("features: T").Output("activations: T").Attr("T: {float, double}");
constexpr auto kSameSignature = Op("Relu").Input("features: T").Output("activations: T").Attr("T: {float, double}");
constexpr auto kOtherSignature = Op("Relu").Input("features: T").Output("activations: T").Attr("T: {float}");
constexpr auto kStatefulSignature =
    Op("Relu").Input("features: T").Output("activations: T").Attr("T: {float, double}").SetIsStateful();
constexpr auto kAddSignature = Op("Add").Input("x: T").Input("y: T").Output("z: T").Attr("T: {float}");
constexpr auto kBadNameSignature = Op("bad");

constexpr OpView kRelu = kReluSignature.view(), kSame = kSameSignature.view(), kOther = kOtherSignature.view(),
                 kStateful = kStatefulSignature.view(), kAdd = kAddSignature.view(),
                 kBadName = kBadNameSignature.view();

TEST_SUITE("OpRegistry") {
  TEST_CASE("finds ops by name, sorted") {
    OpRegistry registry;
    CHECK(registry.Register(kRelu).ok());
    CHECK(registry.Register(kAdd).ok());
    CHECK(registry.Find("Relu") == &kRelu);
    CHECK(registry.Find("Rel") == nullptr);
    CHECK(registry.Find("") == nullptr);
    CHECK(registry.size() == 2);
    CHECK(registry.ops() == std::vector<const OpView*>{&kAdd, &kRelu});
    const OpView* op = nullptr;
    CHECK(registry.LookUp("Add", &op).ok());
    CHECK(op == &kAdd);
  }
  TEST_CASE("takes the same declaration again, and no other of that name") {
    OpRegistry registry;
    CHECK(registry.Register(kRelu).ok());
    CHECK(registry.Register(kSame).ok());
    CHECK(registry.Find("Relu") == &kRelu);
    const Status other = registry.Register(kOther);
    CHECK(other.code() == Code::kAlreadyExists);
    CHECK(other.message() == "Op with name Relu");
    CHECK(registry.Register(kStateful).code() == Code::kAlreadyExists);
    CHECK(registry.size() == 1);
  }
  TEST_CASE("has one watcher, who hears of every registration and has the last word") {
    OpRegistry registry;
    std::string heard;
    const auto watch = [&](const Status& status, const OpView& op) {
      StrAppend(&heard, op.name, registry.Find(op.name) == nullptr ? " no " : " yes ", status.message(), "|");
      return op.name == "Add" ? errors::Internal("no additions") : status;
    };
    CHECK(registry.SetWatcher(nullptr).ok());
    CHECK(registry.SetWatcher(watch).ok());
    const Status second = registry.SetWatcher(watch);
    CHECK(second.code() == Code::kAlreadyExists);
    CHECK(second.message() == "Cannot over-write a valid watcher with another.");
    CHECK(registry.Register(kRelu).ok());
    CHECK(registry.Register(kOther).message() == "Op with name Relu");
    CHECK(registry.Register(kAdd).message() == "no additions");
    CHECK(registry.Find("Add") == &kAdd);
    CHECK_FALSE(registry.Register(kBadName).ok());
    CHECK(heard == "Relu yes |Relu yes Op with name Relu|Add yes |bad no Invalid name: bad (Did you use CamelCase?)|");
    CHECK(registry.SetWatcher(nullptr).ok());
    CHECK(registry.Register(kAdd).ok());
    CHECK(registry.SetWatcher(watch).ok());
  }
  TEST_CASE("refuses names that are no op names") {
    OpRegistry registry;
    CHECK(registry.Register(kBadName).message() == "Invalid name: bad (Did you use CamelCase?)");
  }
  TEST_CASE("names the nearest ops when there is none") {
    OpRegistry registry;
    const OpView* op = &kRelu;
    const Status empty = registry.LookUp("Relu", &op);
    CHECK(empty.code() == Code::kNotFound);
    CHECK(op == nullptr);
    CHECK(empty.message() ==
          "Op type not registered 'Relu' in binary running on this machine. Make sure the Op and Kernel are "
          "registered in the binary running in this process; no op is registered at all.");
    REQUIRE(registry.Register(kRelu).ok());
    CHECK(registry.LookUp("Relv", &op).message().find("; did you mean 'Relu'?") != std::string_view::npos);
  }
  TEST_CASE("looks up while another thread registers") {
    static std::vector<std::string> names;
    static std::vector<OpView> views;
    for (int i = 0; i < 500; ++i) names.push_back("Op" + std::to_string(i));
    for (const std::string& name : names) {
      views.push_back(kRelu);
      views.back().name = name;
    }
    OpRegistry registry;
    std::atomic<int> registered{0};
    std::thread writer([&] {
      for (const OpView& view : views) {
        CHECK(registry.Register(view).ok());
        registered.fetch_add(1, std::memory_order_release);
      }
    });
    bool all_found = true;
    for (int n = 0; n < 500;) {
      n = registered.load(std::memory_order_acquire);
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        all_found = all_found && registry.Find(names[at]) == &views[at];
      }
    }
    writer.join();
    CHECK(all_found);
    CHECK(registry.size() == 500);
    CHECK(registry.ops().front()->name == "Op0");
    CHECK(registry.ops().back()->name == "Op99");
  }
}
}  // namespace
}  // namespace op_registry_test
