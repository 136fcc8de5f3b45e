// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/match.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "optimize/optimizing.hpp"

namespace match_test {
using namespace optimize_test;

namespace {

// y = Mul(Neg(m), 2) + m with m = Exp(x); n = Neg(m)
class Fixture {
 public:
  Fixture() {
    x = b.Placeholder("x", DataType::kFloat, {2});
    m = b.Add("Exp", "m", {x});
    n = b.Add("Neg", "n", {m});
    b.Add("AddV2", "y", {b.Add("Mul", "p", {b.Const("two", Tensor::Scalar(2.0f)), n}), m});
  }
  // "": it fits; "no", or why not.
  std::string Try(const Pattern& pattern, const char* root = "y", const RunEnds& signature = {{"x"}, {"y"}}) {
    Result<Graph> source = ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    REQUIRE(source.ok());
    GraphEnds ends;
    for (const std::string& name : signature.feeds) ends.feeds.push_back(EdgeOf(*source, name));
    for (const std::string& name : signature.fetches) ends.fetches.push_back(EdgeOf(*source, name));
    OpInfoCache ops(Registry::Global().ops());
    Result<IndexedGraph> made = IndexedGraph::Make(*source, ends, {}, &ops, nullptr);
    REQUIRE(made.ok());
    IndexedGraph graph = *std::move(made);
    int id = -1;
    for (int i = 0; i < graph.num_nodes(); ++i)
      if (graph.node(i).name() == root) id = i;
    Match match(&graph, &pattern);
    if (!match.Fits({id, 0})) return match.refused().empty() ? "no" : std::string(match.refused());
    CHECK(match.root() == id);
    if (match.has("q")) found = std::string(match.node("q").name());
    return "";
  }
  GraphBuilder b;
  Output x, m, n;
  std::string found;
};

}  // namespace

TEST_SUITE("Match") {
  TEST_CASE("ops, orders of inputs, constants and names") {
    constexpr Pattern kSum = "AddV2(Mul(2, Neg(q)), q)", kSwapped = "AddV2~(q, Mul~(Neg(q), c:2))",
                      kOrder = "AddV2(q, Mul(_, _))", kThree = "AddV2(Mul(3, _), _)", kTwice = "AddV2(q, q)",
                      kFewer = "AddV2(_)", kMore = "AddV2(_, ...)", kOne = "Sub|AddV2|Div(_, _)",
                      kAttr = "AddV2[T=DT_FLOAT|DT_HALF](_, _)", kOther = "AddV2[T=DT_HALF](_, _)",
                      kMissing = "AddV2[no=1](_, _)", kConstant = "AddV2(Mul~(Neg(q), #c), _)",
                      kVariable = "AddV2(_, #c)";
    Fixture f;
    CHECK(f.Try(kSum) == "");
    CHECK(f.found == "m");
    CHECK(f.Try(kSwapped) == "");
    CHECK(f.Try(kMore) == "");
    CHECK(f.Try(kConstant) == "");
    CHECK(f.Try(kOne) == "");
    CHECK(f.Try(kAttr) == "");
    for (const Pattern* pattern : {&kOrder, &kThree, &kTwice, &kFewer, &kOther, &kMissing, &kVariable}) {
      CAPTURE(pattern->text());
      CHECK(f.Try(*pattern) == "no");
    }
  }

  TEST_CASE("a node that only the match reads") {
    constexpr Pattern kRead = "Mul(_, !Neg(_))", kTwice = "Neg(!Exp(_))";
    CHECK(Fixture().Try(kRead, "p") == "");
    CHECK(Fixture().Try(kTwice, "n") == "another node reads it");
    CHECK(Fixture().Try(kRead, "p", {{"x"}, {"y", "n"}}) == "its name must stay");
    CHECK(Fixture().Try(kRead, "p", {{"x", "n"}, {"y"}}) == "no");  // its inputs are not in the run
    Fixture waits;
    waits.b.AddControlInput(waits.n, waits.b.Add("Sin", "s", {waits.x}));
    CHECK(waits.Try(kRead, "p") == "waits for a node");
    Fixture waited;
    const Output z = waited.b.Add("Sin", "z", {waited.x});
    waited.b.AddControlInput(z, waited.n);
    CHECK(waited.Try(kRead, "p", {{"x"}, {"y", "z"}}) == "a node waits for it");
  }

  TEST_CASE("AllElementsAre compares every element of every number type") {
    CHECK(AllElementsAre(Tensor::From<float>({0.5f, 0.5f}, {2}), 0.5));
    CHECK_FALSE(AllElementsAre(Tensor::From<float>({0.5f, 1}, {2}), 0.5));
    CHECK_FALSE(AllElementsAre(Tensor(DataType::kFloat, {0}), 0.5));
    CHECK(AllElementsAre(Tensor::Scalar(-0.0), 0));
    CHECK_FALSE(AllElementsAre(Tensor::Scalar(std::numeric_limits<float>::quiet_NaN()), 0));
    CHECK(AllElementsAre(Tensor::Scalar<std::int32_t>(-1), -1));
    CHECK_FALSE(AllElementsAre(Tensor::Scalar<std::int32_t>(0), 0.5));
    CHECK(AllElementsAre(Tensor::Scalar(half(2.0f)), 2));
    CHECK_FALSE(AllElementsAre(Tensor::Scalar(tstring("1")), 1));
    CHECK(AllElementsAre(Tensor::Scalar(true), 1));
    CHECK_FALSE(AllElementsAre(Tensor::Scalar(true), 0));
  }

  TEST_CASE("AttrIs compares attrs with text") {
    CHECK(AttrIs(AttrValue(true), "true"));
    CHECK(AttrIs(AttrValue(std::int64_t{-3}), "-3"));
    CHECK(AttrIs(AttrValue(DataType::kInt32), "DT_INT32"));
    CHECK(AttrIs(AttrValue("NHWC"), "NHWC"));
    CHECK_FALSE(AttrIs(AttrValue("NHWC"), "NCHW"));
    CHECK_FALSE(AttrIs(AttrValue(1.5f), "1.5"));
  }
}

}  // namespace match_test
