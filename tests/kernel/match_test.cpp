// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/match.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "run_op.hpp"

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
