// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/io/text_graph.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

#include "graph/function_graphs.hpp"
#include "growth.hpp"
#include "runtime/graphs.hpp"
#include "io/temp_file.hpp"

namespace session_impl_test {
using namespace tenon;
using namespace runtime_test;

void CheckSays(const Status& status, Code code, std::string_view part) {
  CHECK(status.code() == code);
  CHECK_MESSAGE(Contains(status.message(), part), StrCat("'", part, "' is not in: ", status.message()));
}

TEST_SUITE("Session") {
  TEST_CASE("runs what a fetch needs, and only that") {
    GraphBuilder b = SmallGraph();
    b.Placeholder("never_fed", DataType::kInt32);
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto out = session->Run({{"x:0", MakeTensor<float>({2}, {1, 2})}}, {"z:0", "y:0", "z"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<float>()(1) == 9);
    CHECK((*out)[1].flat<float>()(0) == 2);
    CHECK((*out)[2].flat<float>()(0) == 4);
  }
  TEST_CASE("lists its inputs and outputs") {
    const auto session = Session::FromGraph(SmallGraph());
    REQUIRE(session->inputs().size() == 1);
    CHECK(session->inputs()[0].name == "x:0");
    CHECK(session->inputs()[0].shape == "[?]");
    REQUIRE(session->outputs().size() == 1);
    CHECK(session->outputs()[0].name == "z:0");
    CHECK(session->devices() == std::vector<std::string>{"/job:localhost/replica:0/task:0/device:CPU:0"});
  }
  TEST_CASE("an input with a default is optional") {
    GraphBuilder b = SmallGraph();
    const Output half = b.Const("half", Tensor::Scalar(.5f));
    const Output keep = b.Add("PlaceholderWithDefault", "keep", {half},
                              {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({})}});
    b.Add("Identity", "kept", {keep});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<Endpoint> inputs = session->inputs();
    REQUIRE(inputs.size() == 2);
    CHECK(inputs[0].name == "x:0");
    CHECK_FALSE(inputs[0].optional);
    CHECK(inputs[1].name == "keep:0");
    CHECK(inputs[1].dtype == DataType::kFloat);
    CHECK(inputs[1].optional);
    for (const Endpoint& output : session->outputs()) CHECK_FALSE(output.optional);
    CHECK((*session->Run({}, {"kept"}))[0].flat<float>()(0) == .5f);
    CHECK((*session->Run({{"keep", Tensor::Scalar(2.0f)}}, {"kept"}))[0].flat<float>()(0) == 2);
  }
  TEST_CASE("prepared signatures are bounded, and forgotten ones are prepared again") {
    const auto session = Session::FromGraph(WideGraph(3, 3), {.max_cached_signatures = 2});
    for (int round = 0; round < 3; ++round)
      for (const char* fetch : {"c0_0", "c1_1", "c2_2", "sum1"}) {
        const auto out = session->Run({{"x", Tensor::Scalar(1.0f)}}, {fetch});
        REQUIRE(out.ok());
      }
  }
  TEST_CASE("what a node asks for is a device name, though one device runs all nodes") {
    GraphDef def = SmallGraph().graph_def();
    def.node.back().device = "/job:other/task:3/device:TPU:7";
    Result<Session> session = Session::FromGraphDef(def);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    GraphDef more;
    more.versions = def.versions;
    more.node.push_back(def.node.back());
    more.node[0].name = "more";
    more.node[0].device = def.node.back().device = "/job:foo/bar:::";
    for (const Status& status : {Session::FromGraphDef(def).status(), session->Extend(more)})
      CheckSays(status, Code::kInvalidArgument, "Malformed device specification '/job:foo/bar:::' in node: ");
    CHECK(session->Run({{"x", MakeTensor<float>({1}, {1})}}, {"z"}).ok());
  }
  TEST_CASE("what a node of a function asks for is a device name, too") {
    for (const GraphPass lower : {GraphPass(nullptr), GraphPass(&LowerFunctionalOps)}) {
      FunctionDef f = function_test::Floats(
          "f", {"x"}, {function_test::MakeNode("n", "Neg", {"x"}, {{"T", AttrValue(DataType::kFloat)}})}, "n:y:0");
      f.node_def[0].device = "/job:foo/bar:::";
      GraphBuilder b = SmallGraph();
      GraphDef def = b.graph_def();
      def.library.function.push_back(f);
      CHECK(Session::FromGraphDef(def, {.lower_control_flow = lower}).ok());  // nothing calls it
      NodeDef& call = def.node.emplace_back();
      call = function_test::MakeNode("call", "f", {"x"}, {});
      Status status;
      if (const Result<Session> session = Session::FromGraphDef(def, {.lower_control_flow = lower}); session.ok())
        status = session->Run({{"x", MakeTensor<float>({1}, {1})}}, {"call"}).status();
      else
        status = session.status();
      CheckSays(status, Code::kInvalidArgument, "Malformed device specification '/job:foo/bar:::' in node: ");
    }
  }
#if defined(__linux__)
  TEST_CASE("a feed has more elements than 31 bits count") {
    constexpr std::int64_t kMany = std::int64_t{1} << 31;
    void* const zeros = mmap(nullptr, static_cast<std::size_t>(kMany), PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);  // none of it is touched
    REQUIRE(zeros != MAP_FAILED);
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kInt8, PartialTensorShape({-1}));
    const Output y = b.Add("Identity", "y", {x});
    b.Add("Reshape", "rows", {y, b.Const("shape", MakeTensor<std::int32_t>({2}, {-1, 1024}))});
    b.Add("Shape", "shape64", {x}, {{"out_type", DataType::kInt64}});
    b.Add("Shape", "shape32", {x});
    b.Add(
        "StridedSlice", "last",
        {y, b.Const("begin", MakeTensor<std::int64_t>({1}, {kMany - 3})),
         b.Const("end", MakeTensor<std::int64_t>({1}, {kMany})), b.Const("step", MakeTensor<std::int64_t>({1}, {1}))});
    const Tensor feed = Tensor::FromMemory(DataType::kInt8, TensorShape({kMany}), zeros);
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const Result<Session> session = Session::FromGraph(b, {.executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (int run = 0; run < 4; ++run) {
        const auto out = session->Run({{"x", feed}}, {"y", "rows", "shape64", "last"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        CHECK((*out)[0].SharesBufferWith(feed));
        CHECK((*out)[1].shape() == TensorShape({kMany / 1024, 1024}));
        CHECK((*out)[2].vec<std::int64_t>()(0) == kMany);
        CHECK((*out)[3].NumElements() == 3);
      }
      CheckSays(session->Run({{"x", feed}}, {"shape32"}).status(), Code::kInvalidArgument, "dim 0 is 2147483648");
      // A callable, without a caller that waits.
      const Result<Callable> callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"rows", "last"}});
      REQUIRE_MESSAGE(callable.ok(), callable.status().message());
      Notification done;
      callable->RunAsync({&feed, 1}, {}, [&](Result<std::vector<Tensor>> out) {
        CHECK_MESSAGE(out.ok(), out.status().message());
        if (out.ok()) CHECK((*out)[0].dim_size(0) == kMany / 1024);
        if (out.ok()) CHECK((*out)[1].NumElements() == 3);
        done.Notify();
      });
      done.WaitForNotification();
    }
    // To another device and back.
    for (const int threads : {0, 2}) {
      b.SetDevice(y, "/device:CPU:1");
      const Result<Session> session =
          Session::FromGraph(b, {.inter_op_threads = threads, .devices = {"CPU:0", "CPU:1"}});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (int run = 0; run < 2; ++run) {
        const auto out = session->Run({{"x", feed}}, {"y", "rows", "last"});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        CHECK((*out)[0].SharesBufferWith(feed));
        CHECK((*out)[1].shape() == TensorShape({kMany / 1024, 1024}));
        CHECK((*out)[2].NumElements() == 3);
      }
    }
    munmap(zeros, static_cast<std::size_t>(kMany));
  }
#endif
  TEST_CASE("an empty Session says that it has no graph") {
    const Session session;
    CHECK(session.Run({}, {"x"}).status().code() == Code::kInvalidArgument);
    CHECK(session.MakeCallable({.fetches = {"x"}}).status().code() == Code::kInvalidArgument);
    CHECK(session.inputs().empty());
  }
}

TEST_SUITE("Bad input to a session") {
  TEST_CASE("a missing file") {
    CheckSays(Session::FromGraphFile("no/such/file.pb").status(), Code::kNotFound,
              "'no/such/file.pb': No such file or directory");
    CheckSays(Session::FromGraphFile("").status(), Code::kNotFound, "'': No such file or directory");
    CheckSays(Session::FromGraphFile("/").status(), Code::kFailedPrecondition, "'/': Is a directory");
  }
  TEST_CASE("an empty, a truncated and a random file") {
    const TempFile temp("bad_graph.pb");
    const std::string& path = temp.path();
    const auto load = [&](const std::string& bytes) {
      std::FILE* file = std::fopen(path.c_str(), "wb");
      std::fwrite(bytes.data(), 1, bytes.size(), file);
      std::fclose(file);
      return Session::FromGraphFile(path).status();
    };
    CheckSays(load(""), Code::kInvalidArgument, StrCat("'", path, "' is empty; a binary GraphDef is wanted"));
    const std::string good = SerializeGraphDef(SmallGraph().graph_def());
    CHECK(load(good).ok());
    CheckSays(load(good.substr(0, good.size() - 3)), Code::kDataLoss,
              StrCat("Can't parse '", path, "' as binary proto: GraphDef: cannot parse the bytes at offset "));
    for (std::size_t size = 1; size < good.size(); ++size) {  // cut between two nodes it is a smaller graph
      const Status cut = load(good.substr(0, size));
      if (!cut.ok()) CheckSays(cut, Code::kDataLoss, "it is truncated or not a GraphDef");
    }
    CheckSays(load("node { name: 'x' op: 'NoOp' nme: 1 }"), Code::kInvalidArgument,
              StrCat(path, ":1:29: NodeDef has no field 'nme'; did you mean 'name'?"));
    CHECK(load(ToText(SmallGraph().graph_def())).ok());
    CheckSays(load(std::string(100, '\0')), Code::kDataLoss, "at offset 0: field number 0 is not in 1 to 536870911");
    const Status high = load(std::string(100, '\xff'));
    CheckSays(high, Code::kDataLoss, "at offset 0: ");
    CHECK(!Contains(high.message(), "text"));
    std::uint32_t seed = 1;
    for (int i = 0; i < 100; ++i) {
      std::string noise(1000, '\0');
      for (char& c : noise) c = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
      const Status s = load(noise);
      CAPTURE(s.message());
      CHECK((s.code() == Code::kDataLoss || s.code() == Code::kInvalidArgument));
      CHECK(Contains(s.message(), StrCat("'", path, "'")));
    }
  }
  TEST_CASE("unknown ops are listed all at once, with the nodes that use them and the nearest names") {
    GraphDef graph = SmallGraph().graph_def();
    graph.node[2].op = "AddV3";
    graph.node[3].op = "Mull";
    for (int i = 0; i < 4; ++i) {
      NodeDef node = graph.node[3];
      node.name = StrCat("more", i);
      if (i == 3) node.op = "SomethingOfMyOwn";
      graph.node.push_back(node);
    }
    const Status s = Session::FromGraphDef(graph, {.check_ops = true}).status();
    CheckSays(s, Code::kNotFound, "Op type not registered 'AddV3' in binary running on this machine");
    CheckSays(s, Code::kNotFound, "used by node 'y'; did you mean 'AddV2'");
    CheckSays(s, Code::kNotFound, "'Mull'");
    CheckSays(s, Code::kNotFound, "'z', 'more0', 'more1'");
    CheckSays(s, Code::kNotFound, "'Mul'");
    CheckSays(s, Code::kNotFound, "'SomethingOfMyOwn'");
    CheckSays(s, Code::kNotFound, "'more3'");
  }
  TEST_CASE("an unknown op is an error of the signatures that need it") {
    GraphDef graph = SmallGraph().graph_def();
    NodeDef reader = graph.node[3], summary = graph.node[3];
    reader.name = "reader";
    reader.op = "OldReader";
    reader.input = {"z"};
    summary.name = "summary";
    summary.input = {"z", "reader"};
    graph.node.push_back(reader);
    graph.node.push_back(summary);
    NodeDef beside = graph.node[3];  // colocated with a node that is left out
    beside.name = "beside";
    beside.attr.Insert("_class", AttrValue(SlimVector<std::string>{"loc:@reader", "loc:@z"}));
    graph.node.push_back(beside);
    auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    CHECK(session->Run({{"x", x}}, {"z", "beside"}).ok());
    for (const char* const name : {"summary", "reader:0"}) {
      const Status s = session->Run({{"x", x}}, {"z", name}).status();
      CheckSays(s, Code::kNotFound, "Op type not registered 'OldReader' in binary running on this machine");
      CheckSays(s, Code::kNotFound, "used by node 'reader'");
    }
    CHECK(session->Run({{"x", x}}, {"z"}, {"summary"}).status().code() == Code::kNotFound);
    CHECK(session->Run({{"x", x}}, {"none"}).status().code() == Code::kInvalidArgument);

    GraphDef more;
    more.versions = graph.versions;
    NodeDef later = reader;
    later.name = "later";
    later.op = "Neg";
    more.node.push_back(later);
    later.name = "last";
    later.input = {"summary"};
    more.node.push_back(later);
    later.name = "strange";
    later.op = "NewReader";
    more.node.push_back(later);
    REQUIRE(session->Extend(more).ok());
    CHECK(session->Run({{"x", x}}, {"later"}).ok());
    CheckSays(session->Run({{"x", x}}, {"last"}).status(), Code::kNotFound, "'OldReader'");
    const Status s = session->Run({{"x", x}}, {"strange"}).status();
    CheckSays(s, Code::kNotFound, "'OldReader'");
    CheckSays(s, Code::kNotFound, "\nOp type not registered 'NewReader'; used by node 'strange'");
  }
  TEST_CASE("a missing kernel names the types there are") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kQint8);
    b.Add("Relu", "y", {x});
    b.Add("Identity", "i", {x});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Status s = session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}}).status();
    CheckSays(s, Code::kInvalidArgument, "no kernel for op 'Relu' on CPU with types {qint8}; registered: CPU{float}");
    CheckSays(s, Code::kInvalidArgument, "[node 'y']");
    CHECK(session->MakeCallable({.feeds = {"x"}, .fetches = {"i"}}).ok());
  }
  TEST_CASE("names with an output that is none") {
    const auto session = Session::FromGraph(SmallGraph());
    const Tensor x = MakeTensor<float>({1}, {1});
    const auto fetch = [&](const char* name) { return session->Run({{"x", x}}, {name}).status(); };
    for (const char* name : {"y:1", "y:2147483647", "y:99999999999999999999"})
      CheckSays(fetch(name), Code::kOutOfRange, "Node 'y' (type: 'AddV2', num of outputs: 1) does not have output ");
    for (const char* name : {"y:-1", "y:0:0", "y:", ":0", "", "^y", "y "})
      CheckSays(fetch(name), Code::kInvalidArgument, StrCat("was not found in the Graph: fetch '", name, "'"));
    CheckSays(session->Run({{"x:1", x}}, {"y"}).status(), Code::kOutOfRange, "Node 'x' (type: 'Placeholder'");
    CheckSays(session->Run({{"^x", x}}, {"y"}).status(), Code::kInvalidArgument, "not found in the Graph: feed '^x'");
    CHECK(fetch("y:0").ok());
    CHECK(fetch("z").ok());
  }
  // Each is refused before and after runs that succeed, through Run and through a Callable.
  TEST_CASE("the session stays usable") {
    const auto session = Session::FromGraph(SmallGraph());
    const Tensor x = MakeTensor<float>({1}, {2});
    const Tensor number = MakeTensor<std::int32_t>({1}, {1}), word = Tensor::Zeros<tstring>({1});
    struct Mistake {
      std::vector<NamedTensor> feeds;
      std::vector<std::string> fetches, targets;
      Code code;
      const char* text;
    };
    const Mistake mistakes[] = {
        {{{"x", number}},
         {"y"},
         {},
         Code::kInvalidArgument,
         "Expects arg[0] to be float but int32 is provided: feed 'x:0'"},
        {{{"x", word}}, {"y"}, {}, Code::kInvalidArgument, "Expects arg[0] to be float but string is provided"},
        {{{"x", MakeTensor<float>({1, 1}, {1})}},
         {"y"},
         {},
         Code::kInvalidArgument,
         "Cannot feed value of shape [1,1] for tensor 'x:0', which has shape [?]"},
        {{{"x", Tensor::Scalar(1.0f)}},
         {"y"},
         {},
         Code::kInvalidArgument,
         "Cannot feed value of shape [] for tensor 'x:0', which has shape [?]"},
        {{{"X", x}}, {"y"}, {}, Code::kInvalidArgument, "was not found in the Graph: feed 'X'; did you mean 'x'"},
        {{{"input", x}},
         {"y"},
         {},
         Code::kInvalidArgument,
         "was not found in the Graph: feed 'input'; the graph's inputs and outputs are 'x', 'z'"},
        {{{"x", x}}, {"yy"}, {}, Code::kInvalidArgument, "was not found in the Graph: fetch 'yy'; did you mean 'y'"},
        {{{"x", x}},
         {},
         {"output", "z", "yy", "logits"},
         Code::kNotFound,
         "PruneForTargets: Some target nodes not found: \"output\" \"yy\" \"logits\"; the graph's inputs and outputs "
         "are 'x', 'z'; did you mean 'y'?"},
        {{{"x", x}, {"one", number}},
         {"y"},
         {},
         Code::kInvalidArgument,
         "Expects arg[1] to be float but int32 is provided: feed 'one:0'"},
        {{{"x", x}, {"x", x}}, {"y"}, {}, Code::kInvalidArgument, "Endpoint \"x\" fed more than once."},
        {{{"x", x}}, {"x"}, {}, Code::kInvalidArgument, "x is both fed and fetched."},
        {{{"x", x}}, {}, {}, Code::kInvalidArgument, "Must specify at least one target to fetch or execute."},
        {{},
         {"y"},
         {},
         Code::kInvalidArgument,
         "You must feed a value for placeholder tensor 'x' with dtype float and shape [?] [node 'x', CPU:0]"},
        {{}, {}, {"z"}, Code::kInvalidArgument, "You must feed a value for placeholder tensor 'x'"},
    };
    for (const Mistake& m : mistakes) {
      for (int i = 0; i < 2; ++i) {
        CheckSays(session->Run(m.feeds, m.fetches, m.targets).status(), m.code, m.text);
        CallableOptions names{.feeds = {}, .fetches = m.fetches, .targets = m.targets};
        std::vector<Tensor> values, outputs(m.fetches.size());
        for (const NamedTensor& feed : m.feeds) {
          names.feeds.push_back(feed.name);
          values.push_back(feed.tensor);
        }
        const auto callable = session->MakeCallable(names);
        CheckSays(callable.ok() ? callable->Run(values, outputs) : callable.status(), m.code, m.text);
        const auto good = session->Run({{"x", x}}, {"y"});
        REQUIRE_MESSAGE(good.ok(), good.status().message());
        CHECK((*good)[0].flat<float>()(0) == 3);
      }
    }
  }
  TEST_CASE("a constant may be fed, with another shape, too") {
    const auto session = Session::FromGraph(SmallGraph());
    const Tensor x = MakeTensor<float>({1}, {2});
    const auto sum = [&](std::vector<NamedTensor> feeds) {
      const auto out = session->Run(feeds, std::vector<std::string>{"z"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      return (*out)[0];
    };
    CHECK(sum({{"x", x}}).flat<float>()(0) == 9);
    CHECK(sum({{"x", x}, {"one", Tensor::Scalar(2.0f)}}).flat<float>()(0) == 16);
    const Tensor wide = sum({{"x", x}, {"one:0", MakeTensor<float>({3}, {0, 1, 2})}});
    CHECK(wide.shape() == TensorShape({3}));
    CHECK(wide.flat<float>()(2) == 16);
    CHECK(sum({{"x", x}}).flat<float>()(0) == 9);
    const Status s = session->Run({{"x", MakeTensor<float>({2}, {1, 2})}, {"one", wide}}, {"z"}).status();
    CheckSays(s, Code::kInvalidArgument, "[node 'y', CPU:0]");
  }

  TEST_CASE("prepares a run with many feeds and fetches in linear time") {
    const double growth = growth_test::Growth(1000, [](int n) {
      GraphBuilder b;
      std::vector<NamedTensor> feeds;
      std::vector<std::string> fetches;
      for (int i = 0; i < n; ++i) {
        b.Add("Identity", StrCat("y", i), {b.Placeholder(StrCat("x", i), DataType::kFloat)});
        feeds.push_back({StrCat("x", i), Tensor::Scalar(static_cast<float>(i))});
        fetches.push_back(StrCat("y", i));
      }
      const auto session = Session::FromGraph(b);
      const auto out = session->Run(feeds, fetches);
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK(out->back().scalar<float>()() == static_cast<float>(n - 1));
    });
    CHECK(growth < growth_test::kLinear);
  }
  TEST_CASE("a node has more inputs or outputs than 16 bits count") {
    for (const int many : {65'535, 65'536, 70'000}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat);
      std::vector<GraphBuilder::Input> all;
      all.emplace_back(std::vector<Output>(static_cast<std::size_t>(many), x));
      b.AddNode("AddN", "sum", all);
      b.AddNode("IdentityN", "same", all);
      const Output row = b.Placeholder("row", DataType::kFloat);
      b.Add("Split", "parts", {b.Const("axis", Tensor::Scalar(std::int32_t{0})), row}, {{"num_split", many}});
      Tensor fed(DataType::kFloat, TensorShape({many}));
      for (int i = 0; i < many; ++i) fed.flat<float>()(i) = static_cast<float>(i);
      for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
        const Result<Session> session = Session::FromGraphDef(b.graph_def(), {.executor = executor});
        REQUIRE_MESSAGE(session.ok(), session.status().message());
        for (int run = 0; run < 3; ++run) {
          const auto out =
              session->Run({{"x", Tensor::Scalar(0.5f)}, {"row", fed}},
                           {"sum", "same", StrCat("same:", many - 1), "parts:1", StrCat("parts:", many - 1)});
          REQUIRE_MESSAGE(out.ok(), out.status().message());
          CHECK((*out)[0].scalar<float>()() == 0.5f * static_cast<float>(many));
          CHECK((*out)[1].scalar<float>()() == 0.5f);
          CHECK((*out)[2].scalar<float>()() == 0.5f);
          CHECK((*out)[3].flat<float>()(0) == 1);
          CHECK((*out)[4].flat<float>()(0) == static_cast<float>(many - 1));
        }
        CheckSays(session->Run({{"x", Tensor::Scalar(0.5f)}}, {StrCat("same:", many)}).status(), Code::kOutOfRange,
                  StrCat("num of outputs: ", many, ") does not have output ", many));
      }
    }
  }
  TEST_CASE("a node with more outputs than are allowed is refused with its name, their number and the limit") {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    const auto import = [](std::int64_t outputs) {
      GraphBuilder b;
      b.Add("Split", "parts",
            {b.Const("axis", Tensor::Scalar(std::int32_t{0})), b.Placeholder("row", DataType::kFloat)},
            {{"num_split", 1}});
      GraphDef def = b.graph_def();
      def.node.back().attr.Set("num_split", AttrValue(outputs));
      return Session::FromGraphDef(def).status();
    };
    const Status most = import(kMost);
    CHECK_MESSAGE(most.ok(), most.message());
    CheckSays(import(kMost + 1), Code::kInvalidArgument,
              "Number of outputs is too big: 1048577 (at most 1048576 are allowed); NodeDef: {{node parts}}");
  }
  TEST_CASE("refuses graphs beyond the limits of its options") {
    const Status s = Session::FromGraph(SmallGraph(), {.import_limits = {.max_nodes = 2}}).status();
    CheckSays(s, Code::kResourceExhausted, "nodes; 2 are allowed by ImportLimits::max_nodes");
  }
}
}  // namespace session_impl_test
