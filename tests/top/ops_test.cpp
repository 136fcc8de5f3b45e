// SPDX-License-Identifier: Apache-2.0
// ops::All as a list to register. That each op is TensorFlow's and has a kernel is in tests/ops/op_list_test.cpp.
#include <tenon/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tenon/kernel/registry/registry.hpp>

using namespace tenon;

namespace {

template <class... Op>
std::vector<std::string_view> NamesOf(OpList<Op...>) {
  return {Op::signature.name...};
}

template <class... Op>
Ops<Op...> OpsOf(OpList<Op...>);

}  // namespace

TEST_SUITE("ops::All") {
  TEST_CASE("names every op once, as TensorFlow spells it") {
    const std::vector<std::string_view> names = NamesOf(ops::All());
    CHECK(std::set<std::string_view>(names.begin(), names.end()).size() == names.size());
    CHECK(std::count(names.begin(), names.end(), "MatMul") == 1);
    CHECK(std::count(names.begin(), names.end(), "Conv2D") == 1);
  }

  TEST_CASE("holds every standard op that this program registers from the ops' own headers") {
    const std::vector<std::string_view> names = NamesOf(ops::All());
    std::size_t standard = 0;
    for (const OpView* op : Registry::Global().ops().ops()) {
      if (op->name.starts_with("TopTest") || op->name == "_EagerInput") continue;
      ++standard;
      CHECK_MESSAGE(std::count(names.begin(), names.end(), op->name) == 1, op->name, " is not in ops::All");
    }
    CHECK(standard == names.size());
  }

  TEST_CASE("is one list of ops, beside others and with types too") {
    using Whole = detail::OpsIn<false, ops::All>::type;
    CHECK(std::is_same_v<Whole, decltype(OpsOf(ops::All()))>);
    CHECK(std::is_same_v<Whole, detail::OpsIn<false, Types<float>, OpList<ops::All>>::type>);
    CHECK(std::is_same_v<detail::NarrowIn<void, false, ops::All, Types<float>>::type, Types<float>>);
    CHECK(std::is_same_v<detail::NarrowIn<void, false, ops::All>::type, void>);
  }

  TEST_CASE("a list of it registers, narrowed to a type") {
    Registry registry;
    const Status status = Register(registry, Ops<Types<float>, ops::Mlp>{}, Devices<Cpu>{});
    REQUIRE_MESSAGE(status.ok(), status.message());
    std::vector<std::string_view> names = NamesOf(ops::Mlp());
    std::sort(names.begin(), names.end());
    REQUIRE(registry.ops().size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i) CHECK(registry.ops().ops()[i]->name == names[i]);
    for (const char* op : {"BiasAdd", "MatMul", "Relu", "Softmax"}) {
      CAPTURE(op);
      CHECK(registry.Find(KernelKey{op, "CPU", {DataType::kFloat}}).ok());
      CHECK(registry.Find(KernelKey{op, "CPU", {DataType::kDouble}}).status().code() == Code::kNotFound);
    }
    CHECK(Register(registry, Ops<Types<float>, ops::Mlp, ops::Mlp>{}, Devices<Cpu>{}).ok());
    CHECK(registry.ops().size() == names.size());
  }
}
