// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/kernel_constraints.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "kernel/run_op.hpp"

namespace match_test {
using namespace tenon;

namespace {
constexpr KernelMatch kMatch = KernelMatch()
                                   .Label("fast")
                                   .Priority(3)
                                   .Attr("padding", {"SAME", "VALID"})
                                   .Attr("n", {1, 2})
                                   .Attr("flag", {true})
                                   .Attr("types", {DataType::kFloat, DataType::kInt32});
static_assert(kMatch.label == "fast" && kMatch.priority == 3 && kMatch.count == 4);

// Integers of any width; what attrs take them.
constexpr KernelMatch kWide = KernelMatch().Attr("n", {std::int64_t{1} << 40, std::int64_t{2}});
static_assert(kWide.constraints[0].kind == KernelMatch::Kind::kInt &&
              kWide.constraints[0].values[0].number == 1LL << 40);
static_assert(kWide.constraints[0].Takes(AttrKind::kInt, false) && !kWide.constraints[0].Takes(AttrKind::kInt, true));
static_assert(!kWide.constraints[0].Takes(AttrKind::kBool, false));
static_assert(kMatch.constraints[3].Takes(AttrKind::kType, false) &&
              kMatch.constraints[3].Takes(AttrKind::kType, true));

NodeDef MatchNode() {
  NodeDef node;
  node.name = "n";
  node.op = "SomeOp";
  node.attr.Set("padding", AttrValue(std::string("SAME")));
  node.attr.Set("n", AttrValue(std::int64_t{2}));
  node.attr.Set("flag", AttrValue(true));
  node.attr.Set("types", AttrValue(DataType::kFloat));
  return node;
}
bool Fits(const NodeDef& node) {
  bool fits = false;
  CHECK(Satisfies(kMatch, node, &fits).ok());
  return fits;
}
}  // namespace

// What one KernelMatch takes, and the same lists in other memory.
constexpr KernelMatch kMany =
    KernelMatch().Attr("n", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).HostMemory("x");
static_assert(kMany.constraints[0].count == KernelMatch::kMaxValues);
constexpr KernelMatch Elsewhere(const KernelMatch& from, const KernelMatch::Constraint& constraint) {
  KernelMatch match = from;
  match.external_constraints = &constraint;
  match.external_host_arguments = from.host_arguments;
  match.constraints[0] = {};
  return match;
}
constexpr KernelMatch::Value kNumbers[] = {{1, {}}, {2, {}}, {3, {}}};
constexpr KernelMatch::Constraint kThree{"n", KernelMatch::Kind::kInt, 3, {}, kNumbers};

TEST_SUITE("AnyDevice") {
  TEST_CASE("its kernels run where the device has none") {
    const auto out = kernel_test::RunOp("KtAnywhere", {}, {MakeTensor<float>({2}, {1, 2})});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].flat<float>()(1) == 3);
  }
}

TEST_SUITE("KernelMatch") {
  TEST_CASE("every constraint must hold") {
    NodeDef node = MatchNode();
    CHECK(Fits(node));
    node.attr.Set("n", AttrValue(std::int64_t{3}));
    CHECK(!Fits(node));
    node = MatchNode();
    node.attr.Set("padding", AttrValue(std::string("EXPLICIT")));
    CHECK(!Fits(node));
    node = MatchNode();
    node.attr.Set("flag", AttrValue(false));
    CHECK(!Fits(node));
    node = MatchNode();
    node.attr.Set("types", AttrValue(DataType::kBool));
    CHECK(!Fits(node));
  }
  TEST_CASE("of a list of types, all; an empty one fits") {
    NodeDef node = MatchNode();
    node.attr.Set("types", AttrValue(SlimVector<DataType>{DataType::kFloat, DataType::kInt32}));
    CHECK(Fits(node));
    node.attr.Set("types", AttrValue(SlimVector<DataType>{DataType::kFloat, DataType::kBool}));
    CHECK(!Fits(node));
    node.attr.Set("types", AttrValue(SlimVector<DataType>{}));
    CHECK(Fits(node));
  }
  TEST_CASE("lists may lie elsewhere, and be longer") {
    const KernelMatch match = Elsewhere(kMany, kThree);
    NodeDef node = MatchNode();
    bool fits = false;
    CHECK((Satisfies(match, node, &fits).ok() && fits));
    node.attr.Set("n", AttrValue(std::int64_t{4}));
    CHECK((Satisfies(match, node, &fits).ok() && !fits));
    CHECK((Satisfies(kMany, node, &fits).ok() && fits));
    CHECK(match.all_host_arguments()[0] == "x");
    CHECK(SameMatch(kMany, Elsewhere(kMany, kMany.constraints[0])));
    CHECK(!SameMatch(kMany, match));
    constexpr KernelMatch kOthers[] = {kMany.HostMemory("y"), kMany.Priority(1), kMany.Label("a")};
    for (const KernelMatch& other : kOthers) CHECK(!SameMatch(kMany, other));
  }
  TEST_CASE("a constraint that allows nothing is Unimplemented") {
    bool fits = false;
    constexpr KernelMatch kNothing = KernelMatch().Attr<int>("n", {});
    const Status status = Satisfies(kNothing, MatchNode(), &fits);
    CHECK(status.ToString() ==
          "UNIMPLEMENTED: KernelDef of op SomeOp has constraint on attr 'n' with unsupported type: []");
  }
  TEST_CASE("an attr that is missing or of another kind is an error") {
    NodeDef node = MatchNode();
    bool fits = false;
    node.attr.erase("flag");
    CHECK(Satisfies(kMatch, node, &fits)
              .message()
              .find("OpKernel 'SomeOp' has constraint on attr 'flag' not in NodeDef") == 0);
    node = MatchNode();
    node.attr.Set("n", AttrValue(1.5f));
    CHECK(Satisfies(kMatch, node, &fits).code() == Code::kInvalidArgument);
    node = MatchNode();
    node.attr.Set("padding", AttrValue(true));
    CHECK(Satisfies(kMatch, node, &fits).message().find("has constraint on attr 'padding' that has type 'string'") !=
          std::string::npos);
  }
}
}  // namespace match_test
