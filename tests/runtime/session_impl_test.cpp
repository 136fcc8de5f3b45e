// SPDX-License-Identifier: Apache-2.0
#include <tenon/session.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <tenon/op/proto_io.hpp>

#include "graphs.hpp"

namespace session_impl_test {
using namespace tenon;
using namespace runtime_test;

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
  TEST_CASE("a callable takes and gives tensors by position") {
    const auto session = Session::FromGraph(SmallGraph());
    REQUIRE(session.ok());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"y", "z"}});
    REQUIRE(callable.ok());
    CHECK(callable->num_feeds() == 1);
    CHECK(callable->num_fetches() == 2);
    const auto out = (*callable)({MakeTensor<float>({1}, {4})});
    REQUIRE(out.ok());
    CHECK((*out)[0].flat<float>()(0) == 5);
    CHECK((*out)[1].flat<float>()(0) == 25);
    std::vector<Tensor> room(1);
    const Tensor x = MakeTensor<float>({1}, {4});
    CHECK(callable->Run({&x, 1}, room).message() == "Expected room for 2 fetched tensors, but got 1");
    CHECK(callable->Run({}, room).message() == "Expected 1 feed tensors, but got 0");
  }
  TEST_CASE("a feed at an address that does not suit its elements is refused") {
    const auto session = Session::FromGraph(SmallGraph());
    REQUIRE(session.ok());
    alignas(64) char bytes[64] = {};
    for (const int shift : {1, 2, 3}) {
      const Tensor odd = Tensor::FromMemory(DataType::kFloat, {2}, bytes + shift);
      const Status s = session->Run({{"x:0", odd}}, {"z:0"}).status();
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(Contains(s.message(), "Feed 'x:0': ptr = "));
      CHECK(Contains(s.message(),
                     " is not a multiple of 4; unaligned_flat and unaligned_shaped see such elements, "
                     "DeepCopy gives them aligned memory"));
      const auto out = session->Run({{"x:0", odd.DeepCopy()}}, {"z:0"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].flat<float>()(1) == 1);
    }
    CHECK(session->Run({{"x:0", Tensor::FromMemory(DataType::kFloat, {2}, bytes + 4)}}, {"z:0"}).ok());
  }
  TEST_CASE("results outlive the session") {
    std::vector<Tensor> kept;
    {
      const auto session = Session::FromGraph(SmallGraph());
      kept = *session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"z"});
    }
    CHECK(kept[0].flat<float>()(0) == 9);
  }
  TEST_CASE("the output of any node can be fed instead of being computed") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto out = session->Run({{"y", MakeTensor<float>({1}, {7})}}, {"z"});
    REQUIRE(out.ok());
    CHECK((*out)[0].flat<float>()(0) == 49);
    const auto constant = session->Run({{"x", MakeTensor<float>({1}, {1})}, {"one", Tensor::Scalar(10.0f)}}, {"y"});
    REQUIRE(constant.ok());
    CHECK((*constant)[0].flat<float>()(0) == 11);
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
  TEST_CASE("runs a target without fetching") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto out = session->Run({{"x", MakeTensor<float>({1}, {1})}}, {}, {"y:0"});
    REQUIRE(out.ok());
    CHECK(out->empty());
  }
  TEST_CASE("many threads may run one session") {
    const auto session = Session::FromGraph(WideGraph(4, 3), {.inter_op_threads = 2});
    REQUIRE(session.ok());
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const float x = static_cast<float>(t * 100 + static_cast<std::size_t>(i));
          const auto out = session->Run({{"x", Tensor::Scalar(x)}}, {"out"});
          wrong[t] += !out.ok() || (*out)[0].scalar<float>()[0] != 17 * x;
        }
      });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == std::vector<int>(4, 0));
  }
  TEST_CASE("prepared signatures are bounded, and forgotten ones are prepared again") {
    const auto session = Session::FromGraph(WideGraph(3, 3), {.max_cached_signatures = 2});
    for (int round = 0; round < 3; ++round)
      for (const char* fetch : {"c0_0", "c1_1", "c2_2", "sum1"}) {
        const auto out = session->Run({{"x", Tensor::Scalar(1.0f)}}, {fetch});
        REQUIRE(out.ok());
      }
  }
  TEST_CASE("an empty Session says that it has no graph") {
    const Session session;
    CHECK(session.Run({}, {"x"}).status().code() == Code::kInvalidArgument);
    CHECK(session.MakeCallable({.fetches = {"x"}}).status().code() == Code::kInvalidArgument);
    CHECK(session.inputs().empty());
  }
}

TEST_SUITE("Bad input to a session") {
  TEST_CASE("a missing file") {
    const auto s = Session::FromGraphFile("no/such/file.pb");
    CHECK(s.status().code() == Code::kNotFound);
    CHECK(Contains(s.status().message(), "no/such/file.pb"));
  }
  TEST_CASE("an empty, a truncated and a random file") {
    const std::string path = "tenon_bad_graph.pb";
    const auto load = [&](const std::string& bytes) {
      std::FILE* file = std::fopen(path.c_str(), "wb");
      std::fwrite(bytes.data(), 1, bytes.size(), file);
      std::fclose(file);
      return Session::FromGraphFile(path).status();
    };
    CHECK(load("").code() == Code::kInvalidArgument);
    const std::string good = SerializeGraphDef(SmallGraph().graph_def());
    CHECK(load(good).ok());
    CHECK(load(good.substr(0, good.size() - 3)).code() == Code::kDataLoss);
    std::string noise(1000, '\0');
    std::uint32_t seed = 1;
    for (char& c : noise) c = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
    CHECK(!load(noise).ok());
    std::remove(path.c_str());
  }
  TEST_CASE("unknown ops are listed all at once, with the nodes that use them and the nearest names") {
    GraphDef graph = SmallGraph().graph_def();
    graph.node[2].op = "AddV3";
    graph.node[3].op = "Mull";
    const Status s = Session::FromGraphDef(graph).status();
    CHECK(s.code() == Code::kNotFound);
    CHECK(Contains(s.message(), "Op type not registered 'AddV3'"));
    CHECK(Contains(s.message(), "'Mull'"));
    CHECK(Contains(s.message(), "did you mean"));
    CHECK(Contains(s.message(), "'z'"));
  }
  TEST_CASE("a missing kernel names the types there are") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kQint8);
    b.Add("Relu", "y", {x});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Status s = session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}}).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(Contains(s.message(), "no kernel for op 'Relu' on CPU with types {qint8}; registered: CPU{float}"));
    CHECK(Contains(s.message(), "[node 'y']"));
  }
  TEST_CASE("feeds of another type or shape") {
    const auto session = Session::FromGraph(SmallGraph());
    const Status type = session->Run({{"x", MakeTensor<std::int32_t>({1}, {1})}}, {"y"}).status();
    CHECK(type.code() == Code::kInvalidArgument);
    CHECK(type.message() == "Expects arg[0] to be float but int32 is provided: feed 'x:0'");
    const Status shape = session->Run({{"x", MakeTensor<float>({1, 1}, {1})}}, {"y"}).status();
    CHECK(shape.code() == Code::kInvalidArgument);
    CHECK(shape.message() == "Cannot feed value of shape [1,1] for tensor 'x:0', which has shape [?]");
  }
  TEST_CASE("names that are not there") {
    const auto session = Session::FromGraph(WideGraph(1, 3));
    const auto run = [&](const char* feed, const char* fetch) {
      return session->Run({{feed, Tensor::Scalar(1.0f)}}, {fetch}).status();
    };
    CHECK(run("y", "out").code() == Code::kInvalidArgument);
    CHECK(Contains(run("x", "c0_9").message(), "was not found in the Graph"));
    CHECK(Contains(run("x", "c0_9").message(), "did you mean 'c0_0'"));
    CHECK(run("x", "out:1").code() == Code::kOutOfRange);
    const Status target = session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"nowhere", "out"}).status();
    CHECK(target.code() == Code::kNotFound);
    CHECK(Contains(target.message(), "Some target nodes not found: \"nowhere\""));
  }
  TEST_CASE("one name twice, and nothing to do") {
    const auto session = Session::FromGraph(SmallGraph());
    const Tensor x = MakeTensor<float>({1}, {1});
    CHECK(session->Run({{"x", x}, {"x", x}}, {"y"}).status().message() == "Endpoint \"x\" fed more than once.");
    CHECK(session->Run({{"x", x}}, {"x"}).status().message() == "x is both fed and fetched.");
    CHECK(session->Run({{"x", x}}, {}).status().message() == "Must specify at least one target to fetch or execute.");
  }
  TEST_CASE("a fetch that needs a placeholder which nobody fed; the session stays usable") {
    const auto session = Session::FromGraph(SmallGraph());
    const Status s = session->Run({}, {"y"}).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "You must feed a value for placeholder tensor 'x' with dtype float and shape [?] [node 'x', CPU:0]");
    CHECK(session->Run({{"x", MakeTensor<float>({1}, {1})}}, {"y"}).ok());
  }
  TEST_CASE("options that make no sense") {
    CHECK(Session::FromGraph(SmallGraph(), {.inter_op_threads = -1}).status().code() == Code::kInvalidArgument);
    const Status device = Session::FromGraph(SmallGraph(), {.devices = {"TPU:0"}}).status();
    CHECK(device.code() == Code::kInvalidArgument);
    CHECK(Contains(device.message(), "no device 'TPU:0'; available: 'CPU:0'"));
  }
}
}  // namespace session_impl_test
