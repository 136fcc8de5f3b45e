// SPDX-License-Identifier: Apache-2.0
// What TensorFlow's executor does with the same graphs, asked of TensorFlow 2.21.
#include <tenon/runtime/control_flow/executor.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace frame_executor_test {
using namespace tenon;
using namespace runtime_test;

namespace {

constexpr DataType kInt = DataType::kInt32, kBool = DataType::kBool;

int Int(const Result<std::vector<Tensor>>& outputs, std::size_t i = 0) {
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  return (*outputs)[i].scalar<int>()();
}
float Float(const Result<std::vector<Tensor>>& outputs, std::size_t i = 0) {
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  return (*outputs)[i].scalar<float>()();
}
void CheckFails(const Status& status, Code code, std::string_view text) {
  CHECK(status.code() == code);
  CHECK_MESSAGE(Contains(status.message(), text), status.message());
}
NamedTensor N(int value) { return {"n", Tensor::Scalar(value)}; }
NamedTensor X(float value) { return {"x", Tensor::Scalar(value)}; }
NamedTensor P(bool value) { return {"p", Tensor::Scalar(value)}; }

FlowGraph Counting(std::int64_t parallel = 10) {
  FlowGraph g(kInt);
  g.Feed("n").Count("", "n", parallel);
  return g;
}
// s = Switch(x, p), i = Identity(s): dead when p is true.
FlowGraph Branch() {
  FlowGraph g;
  g.Feed("x").Feed("p", kBool).Switch("s", "x", "p").Node("i", "Identity", {"s"});
  return g;
}

// total = sum over i < n of sum over j < m of i.
FlowGraph Nested() {
  FlowGraph g(kInt);
  g.Feed("n").Feed("m").Const("zero", Tensor::Scalar(0)).Const("one", Tensor::Scalar(1));
  g.Enter("oi", "zero", "outer").Enter("ot", "zero", "outer");
  g.Enter("on", "n", "outer", true).Enter("om", "m", "outer", true).Enter("o0", "zero", "outer", true);
  g.Enter("o1", "one", "outer", true);
  g.Merge("omi", {"oi", "oni"}).Merge("omt", {"ot", "ont"});
  g.Node("oless", "Less", {"omi", "on"}).Node("ocond", "LoopCond", {"oless"}, {}, false);
  g.Switch("osi", "omi", "ocond").Switch("ost", "omt", "ocond");
  g.Node("start", "Identity", {"o0", "^osi_true"}).Node("osi_true", "Identity", {"osi:1"});
  g.Enter("ij", "start", "inner").Enter("it", "ost:1", "inner");
  g.Enter("im", "om", "inner", true).Enter("i1", "o1", "inner", true).Enter("ii", "osi:1", "inner", true);
  g.Merge("imj", {"ij", "inj"}).Merge("imt", {"it", "int"});
  g.Node("iless", "Less", {"imj", "im"}).Node("icond", "LoopCond", {"iless"}, {}, false);
  g.Switch("isj", "imj", "icond").Switch("ist", "imt", "icond");
  g.Node("iaddj", "AddV2", {"isj:1", "i1"}).Node("iaddt", "AddV2", {"ist:1", "ii"});
  g.Node("inj", "NextIteration", {"iaddj"}).Node("int", "NextIteration", {"iaddt"});
  g.Node("ixj", "Exit", {"isj"}).Node("ixt", "Exit", {"ist"});
  g.Node("oaddi", "AddV2", {"osi:1", "o1"}).Node("oni", "NextIteration", {"oaddi"});
  g.Node("ont", "NextIteration", {"ixt"}).Node("oxi", "Exit", {"osi"}).Node("total", "Exit", {"ost"});
  return g;
}

}  // namespace

TEST_SUITE("Frames: loops") {
  TEST_CASE("count, whatever the number of iterations under way, and again") {
    for (const std::int64_t parallel : {1, 2, 10, 32}) {
      const auto session = Counting(parallel).Load();
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (const int n : {0, 1, 2, 7, 100, -5, 3}) CHECK(Int(session->Run({N(n)}, {"exit"})) == (n < 0 ? 0 : n));
    }
  }
  TEST_CASE("within loops start anew for every iteration around them") {
    const auto session = Nested().Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (const auto& [n, m] : {std::pair{3, 4}, {0, 4}, {4, 0}, {1, 1}, {12, 30}, {3, 4}}) {
      const auto out = session->Run({N(n), {"m", Tensor::Scalar(m)}}, {"total", "oxi"});
      CHECK(Int(out, 0) == m * n * (n - 1) / 2);
      CHECK(Int(out, 1) == n);
    }
  }
  TEST_CASE("follow each other") {
    FlowGraph g(kInt);
    g.Feed("n").Count("a", "n").Const("two", Tensor::Scalar(2)).Node("twice", "Mul", {"aexit", "two"});
    g.Count("b", "twice");
    CHECK(Int(g.Run({N(21)}, {"bexit"})) == 42);
  }
  TEST_CASE("keep what enters them as a constant, and never write into it") {
    // acc = acc + x, n times; x is a vector whose buffer nobody else holds.
    FlowGraph g;
    g.Feed("x").Feed("n", kInt).Node("neg", "Neg", {"x"}).Const("zeros", Tensor::Zeros<float>({3}));
    g.Enter("ex", "neg", "ff", true).Enter("ea", "zeros", "ff").Merge("ma", {"ea", "na"});
    FlowGraph count(kInt);
    count.Count("", "n");
    for (const NodeDef& node : count.def.node) {
      g.def.node.push_back(node);
      if (AttrValue* name = g.def.node.back().attr.Find("frame_name"); name != nullptr)
        *name = AttrValue(std::string("ff"));
    }
    g.Switch("sa", "ma", "cond").Node("sum", "AddV2", {"sa:1", "ex"}).Node("na", "NextIteration", {"sum"});
    g.Node("result", "Exit", {"sa"});
    const auto session = g.Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (int i = 0; i < 2; ++i) {
      const auto out = session->Run({{"x", MakeTensor<float>({3}, {1, 2, 3})}, N(5)}, {"result", "exit"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      for (int k = 0; k < 3; ++k) CHECK((*out)[0].vec<float>()(k) == -5.0f * static_cast<float>(k + 1));
    }
  }
  TEST_CASE("give the value of an Exit once") {
    FlowGraph g = Counting();
    g.Node("invariant", "Exit", {"lim"}).Node("each", "Exit", {"add"}).Node("sum", "AddV2", {"each", "exit"});
    for (const int n : {1, 3}) {
      const auto out = g.Run({N(n)}, {"exit", "invariant", "each", "sum"});
      CHECK(Int(out, 0) == n);
      CHECK(Int(out, 1) == n);
      CHECK(Int(out, 2) == 1);
      CHECK(Int(out, 3) == n + 1);
    }
    CheckFails(g.Run({N(0)}, {"each"}).status(), Code::kInvalidArgument, "Retval[0] does not have value");
  }
  TEST_CASE("may be left at once, by several that entered") {
    FlowGraph g;
    g.Feed("x").Enter("a", "x", "f").Enter("b", "x", "f").Node("sum", "AddV2", {"a", "b"}).Node("out", "Exit", {"sum"});
    CHECK(Float(g.Run({X(1.5f)}, {"out"})) == 3);
  }
  TEST_CASE("that are not entered give dead values, once") {
    FlowGraph g(kInt);
    g.Feed("n").Feed("p", kBool).Switch("sw", "n", "p").Count("", "sw:1").Merge("m", {"exit", "sw"});
    for (const bool p : {false, true, false}) {
      const auto out = g.Run({N(3), P(p)}, {"m", "m:1"});
      CHECK(Int(out, 0) == 3);
      CHECK(Int(out, 1) == (p ? 0 : 1));
    }
    CheckFails(g.Run({N(3), P(false)}, {"exit"}).status(), Code::kInvalidArgument, "Retval[0] does not have value");
  }
  TEST_CASE("need no LoopCond, and none needs a loop") {
    FlowGraph g = Counting();
    for (NodeDef& node : g.def.node) {
      if (node.name == "switch") node.input[1] = "less";
      if (node.name == "cond") node = NodeDef(), node.name = "cond", node.op = "NoOp";
    }
    CHECK(Int(g.Run({N(3)}, {"exit"})) == 3);
    FlowGraph alone = Branch();
    alone.Node("c", "LoopCond", {"p"}, {}, false).Node("next", "NextIteration", {"s"}).Node("y", "Identity", {"next"});
    const auto out = alone.Run({X(2), P(false)}, {"c", "y"});
    CHECK(Float(out, 1) == 2);
    CHECK(!(*out)[0].scalar<bool>()());
  }
  TEST_CASE("run ahead of a slow chain by at most parallel_iterations") {
    for (const int parallel : {1, 2, 4}) {
      FlowGraph g = Counting(parallel);
      std::string last = "add";
      for (int i = 0; i < 30; ++i) {
        g.Node(StrCat("chain", i), "AddV2", {last, "one"});
        last = StrCat("chain", i);
      }
      g.Node("end", "Neg", {last});
      const auto session = g.Load();
      const auto callable = session->MakeCallable({.feeds = {"n"}, .fetches = {"exit"}, .targets = {"end"}});
      REQUIRE_MESSAGE(callable.ok(), callable.status().message());
      const Tensor n = Tensor::Scalar(20);
      std::vector<Tensor> out(1);
      RunTrace trace;
      REQUIRE(callable->RunTraced({&n, 1}, out, &trace).ok());
      int begun = 0, ended = 0, most = 0;
      for (const NodeTiming& node : trace.nodes) {
        begun += node.name == "add";
        if (node.name == "add") CHECK(node.output_bytes == 4);
        ended += node.name == "end";
        most = std::max(most, begun - ended);
      }
      CHECK(begun == 20);
      CHECK(ended == 20);
      CHECK(most == parallel);
    }
  }
}

TEST_SUITE("Frames: dead values") {
  TEST_CASE("come out of the branch that is not taken") {
    FlowGraph g = Branch();
    g.Node("neg", "Neg", {"i"}).Node("sq", "Square", {"s:1"}).Merge("m", {"neg", "sq"});
    const auto session = g.Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (const bool p : {false, true, true, false}) {
      const auto out = session->Run({X(3), P(p)}, {"m", "m:1"});
      CHECK(Float(out) == (p ? 9.0f : -3.0f));
      CHECK(Int(out, 1) == (p ? 1 : 0));
      CheckFails(session->Run({X(3), P(p)}, {p ? "neg" : "sq"}).status(), Code::kInvalidArgument,
                 "Retval[0] does not have value");
      CHECK(session->Run({X(3), P(p)}, {}, {"neg", "sq"}).ok());
    }
  }
  TEST_CASE("go along control edges, through NoOp and into Const, but not past ControlTrigger") {
    FlowGraph g = Branch();
    g.Node("none", "NoOp", {"^i"}, {}, false)
        .Const("k", Tensor::Scalar(7.0f), {"^none"})
        .Const("j", Tensor::Scalar(5.0f), {"^i"});
    g.Node("trigger", "ControlTrigger", {"^i"}, {}, false).Node("z", "Identity", {"x", "^trigger"});
    g.Merge("m", {"j", "s:1"});
    for (const char* dead : {"k", "j"}) {
      CHECK(Float(g.Run({X(1), P(false)}, {dead})) == (dead[0] == 'k' ? 7 : 5));
      CheckFails(g.Run({X(1), P(true)}, {dead}).status(), Code::kInvalidArgument, "Retval[0] does not have value");
    }
    CHECK(Float(g.Run({X(4), P(true)}, {"z"})) == 4);
    CHECK(Float(g.Run({X(4), P(true)}, {"m"})) == 4);
    CHECK(Float(g.Run({X(4), P(false)}, {"m"})) == 5);
  }
  TEST_CASE("are known to a Merge: the first live input counts, none makes it dead") {
    FlowGraph g = Branch();
    g.Merge("two", {"x", "x"}).Merge("none", {"s", "s"}).Merge("waits", {"x", "s", "^i"});
    const auto two = g.Run({X(1), P(true)}, {"two", "two:1"});
    CHECK(Float(two) == 1);
    CHECK(Int(two, 1) == 0);
    CHECK(Float(g.Run({X(1), P(true)}, {"waits"})) == 1);
    CheckFails(g.Run({X(1), P(true)}, {"two", "none"}).status(), Code::kInvalidArgument,
               "Retval[1] does not have value");
    CheckFails(g.Run({X(1), P(true)}, {"none:1"}).status(), Code::kInvalidArgument, "does not have value");
  }
  TEST_CASE("come out of constants, too") {
    FlowGraph g;
    g.Const("x", Tensor::Scalar(2.0f)).Const("p", Tensor::Scalar(true)).Switch("s", "x", "p");
    g.Node("f", "Neg", {"s"}).Node("t", "Neg", {"s:1"}).Merge("m", {"f", "t"});
    CHECK(Float(g.Run({}, {"m"})) == -2);
    CheckFails(g.Run({}, {"f"}).status(), Code::kInvalidArgument, "Retval[0] does not have value");
  }
  TEST_CASE("do not come out of what is fed") {
    CHECK(Float(Branch().Run({X(1), P(true), {"s", Tensor::Scalar(5.0f)}}, {"i"})) == 5);
  }
  TEST_CASE("leave conditionals within loops and loops within conditionals alone") {
    // even = sum of the even numbers below n: a Switch and a Merge within the loop.
    FlowGraph g = Counting();
    g.Const("two", Tensor::Scalar(2), {"^pivot"}).Const("none", Tensor::Scalar(0), {"^pivot"});
    g.Node("mod", "FloorMod", {"switch:1", "two"}).Node("odd", "NotEqual", {"mod", "none"});
    g.Switch("branch", "switch:1", "odd").Node("zero_of", "Mul", {"branch:1", "none"});
    g.Merge("term", {"branch", "zero_of"});
    g.Enter("es", "zero", "frame").Merge("ms", {"es", "ns"}).Switch("ss", "ms", "cond");
    g.Node("sum", "AddV2", {"ss:1", "term"}).Node("ns", "NextIteration", {"sum"}).Node("even", "Exit", {"ss"});
    CHECK(Int(g.Run({N(11)}, {"even"})) == 30);
  }
}

TEST_SUITE("Frames: mistakes") {
  TEST_CASE("inputs of different frames are refused, whoever they are") {
    FlowGraph g;
    g.Feed("x").Const("k", Tensor::Scalar(2.0f)).Enter("e", "x", "f").Enter("g", "x", "g");
    g.Node("fed", "AddV2", {"e", "x"}).Node("const", "AddV2", {"e", "k"}).Node("two", "AddV2", {"e", "g"});
    g.Node("control", "Identity", {"k", "^e"}).Merge("merge", {"e", "x"});
    for (const char* node : {"fed", "const", "two", "control", "merge"})
      CheckFails(g.Run({X(1)}, {}, {node}).status(), Code::kInvalidArgument,
                 "has inputs from different frames. The input ");
    FlowGraph loop = Counting();
    for (const char* fed : {"add", "merge", "enter"})
      CheckFails(loop.Run({N(3), {fed, Tensor::Scalar(1)}}, {"exit"}).status(), Code::kInvalidArgument,
                 "has inputs from different frames. The input ");
  }
  TEST_CASE("frames must have names, one parent, one condition; exits a loop") {
    FlowGraph g;
    g.Feed("x").Enter("nameless", "x", "").Node("exit", "Exit", {"x"}).Enter("none", "x", "f", false, -1);
    CheckFails(g.Run({X(1)}, {}, {"nameless"}).status(), Code::kInvalidArgument, "must have a frame name");
    CheckFails(g.Run({X(1)}, {"exit"}).status(), Code::kInvalidArgument,
               "Invalid Exit op: Cannot find a corresponding Enter op");
    CheckFails(g.Run({X(1)}, {"none"}).status(), Code::kInvalidArgument, "parallel_iterations");
    FlowGraph same;
    same.Feed("x").Enter("a", "x", "f").Enter("b", "a", "f").Node("q", "Exit", {"b"}).Node("r", "Exit", {"q"});
    CheckFails(same.Run({X(1)}, {"r"}).status(), Code::kInternal, "Invalid loop structure: Mismatched parent frames");
    FlowGraph two = Counting();
    two.Node("cond2", "LoopCond", {"less"}, {}, false).Switch("s2", "merge", "cond2").Node("exit2", "Exit", {"s2"});
    CheckFails(two.Run({N(3)}, {"exit", "exit2"}).status(), Code::kInvalidArgument, "has more than one LoopCond node");
  }
  TEST_CASE("cycles must be loops") {
    FlowGraph g;
    g.Feed("x").Merge("m", {"x", "n"}).Node("n", "Neg", {"m"});
    CheckFails(g.Load().status(), Code::kInvalidArgument, "nodes in a cycle");
    FlowGraph add;
    add.Feed("x").Enter("e", "x", "f").Node("m", "AddV2", {"e", "n"}).Node("n", "NextIteration", {"m"});
    CheckFails(add.Load().status(), Code::kInvalidArgument, "nodes in a cycle");
  }
  TEST_CASE("within a loop may be fetched what happens once") {
    const auto session = Counting().Load();
    REQUIRE(session.ok());
    CHECK(Int(session->Run({N(1)}, {"add"})) == 1);
    CHECK(Int(session->Run({N(0)}, {"merge"})) == 0);
    CHECK(Int(session->Run({N(3)}, {"switch", "exit"})) == 3);
    CHECK(Int(session->Run({N(3)}, {"lim"})) == 3);
    for (const char* name : {"add", "merge", "switch:1", "one"})
      CheckFails(session->Run({N(3)}, {"exit", name}).status(), Code::kInternal, "Retval[1] has already been set");
    CheckFails(session->Run({N(0)}, {"add"}).status(), Code::kInvalidArgument, "Retval[0] does not have value");
    CHECK(session->Run({N(3)}, {}, {"add", "cond"}).ok());
  }
  TEST_CASE("a failing node ends the loop, and the next run begins anew") {
    FlowGraph g = Nested();
    g.Node("check", "Assert", {"oless", "omi"}, {{"T", AttrValue(SlimVector<DataType>{kInt})}}, false);
    const auto session = g.Load();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const NamedTensor m{"m", Tensor::Scalar(2)};
    for (int i = 0; i < 3; ++i) {
      CheckFails(session->Run({N(3), m}, {"total"}, {"check"}).status(), Code::kInvalidArgument,
                 "assertion failed: [3] [node 'check', CPU:0]");
      CHECK(Int(session->Run({N(3), m}, {"total"})) == 6);
    }
  }
  TEST_CASE("a Switch wants a scalar") {
    const auto out = Branch().Run({X(1), {"p", MakeTensor<bool>({2}, {true, false})}}, {"s"});
    CheckFails(out.status(), Code::kInvalidArgument, "The second input must be a scalar, but it has shape [2]");
  }
}

TEST_SUITE("Frames: sessions") {
  TEST_CASE("run the same loop from several threads") {
    const auto session = Nested().Load();
    REQUIRE(session.ok());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 40; ++i) {
          const int n = 1 + (i + t) % 7;
          const auto out = session->Run({N(n), {"m", Tensor::Scalar(3)}}, {"total"});
          if (!out.ok() || (*out)[0].scalar<int>()() != 3 * n * (n - 1) / 2) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}
}  // namespace frame_executor_test
