// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/multi_device_session.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/ops/flow/py_func.hpp>
#include <tenon/runtime/api/session.hpp>

#include "runtime/four_devices.hpp"
#include "graph/function_graphs.hpp"
#include "runtime/looping_graphs.hpp"

namespace multi_device_session_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Call;
using function_test::Floats;

namespace {

using Devices = SlimVector<std::string>;

Result<Ref<MultiDeviceSession>> Place(const GraphDef& graph, const MultiDeviceSessionOptions& options = {},
                                      const Devices& devices = kFour) {
  return MultiDeviceSession::Create(GraphDef(graph), MakeDeviceMgr(devices), options);
}
Ref<MultiDeviceSession> Placed(const GraphDef& graph, const MultiDeviceSessionOptions& options = {},
                               const Devices& devices = kFour) {
  Result<Ref<MultiDeviceSession>> session = Place(graph, options, devices);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}
std::vector<Tensor> Run(const Ref<MultiDeviceSession>& session, std::initializer_list<NamedTensor> feeds,
                        std::initializer_list<std::string> fetches, std::initializer_list<std::string> targets = {}) {
  Result<std::vector<Tensor>> results = session->Run(feeds, fetches, targets);
  REQUIRE_MESSAGE(results.ok(), results.status().ToString());
  return *std::move(results);
}
const PlacementReport::Row& RowOf(const Ref<MultiDeviceSession>& session, std::string_view node) {
  const SlimVector<PlacementReport::Row>& rows = session->placement_report().rows;
  for (const PlacementReport::Row& row : rows)
    if (row.node == node) return row;
  REQUIRE_MESSAGE(false, "no node ", node);
  return rows[0];
}
// "SIM:0"
std::string DeviceOf(const Ref<MultiDeviceSession>& session, std::string_view node) {
  return RowOf(session, node).device.substr(FullName("").size() - 5);
}
int CountOps(const Ref<MultiDeviceSession>& session, std::string_view device, std::string_view op) {
  int count = 0;
  for (const GraphPartition& part : session->partition_graphs())
    if (part.device == FullName(device))
      for (const NodeDef& node : part.graph.node) count += node.op == op ? 1 : 0;
  return count;
}
SimulatedDevice& Sim(const Ref<MultiDeviceSession>& session, const char* name) {
  return static_cast<SimulatedDevice&>(**session->devices().LookupDevice(name));
}
AttrValue With(std::string_view node) { return AttrValue(SlimVector<std::string>{StrCat("loc:@", node)}); }
void CheckSays(const Status& status, Code code, std::string_view part) {
  CHECK(status.code() == code);
  CHECK_MESSAGE(status.message().find(part) != std::string::npos, status.message());
}

// x on CPU:0 -> +1 on SIM:0 -> *2 on SIM:1 -> -x on CPU:1.
GraphBuilder Chain() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  const Output one = b.Const("one", Tensor::Scalar(1.0f)), two = b.Const("two", Tensor::Scalar(2.0f));
  const Output y = b.Add("AddV2", "y", {x, one}), z = b.Add("Mul", "z", {y, two}), w = b.Add("Sub", "w", {z, x});
  b.SetDevice(y, On("SIM:0"));
  b.SetDevice(z, On("SIM:1"));
  b.SetDevice(w, On("CPU:1"));
  return b;
}

const AttrValue kOneFloat(SlimVector<DataType>{DataType::kFloat});

GraphDef WithIf() {
  GraphBuilder b;
  b.Placeholder("p", DataType::kBool);
  b.Placeholder("x", DataType::kFloat);
  GraphDef def = b.graph_def();
  def.node.push_back(function_test::MakeNode("if", "If", {"p", "x"},
                                             {{"Tcond", DataType::kBool},
                                              {"Tin", kOneFloat},
                                              {"Tout", kOneFloat},
                                              {"then_branch", Call("yes")},
                                              {"else_branch", Call("no")},
                                              {"_lower_using_switch_merge", AttrValue(true)}}));
  def.node.push_back(FloatNode("out", "Square", {"if"}, "CPU:1"));
  def.library.function = {
      Floats("yes", {"a"}, {FloatNode("n", "Neg", {"a"}, "SIM:0")}, "n:y:0"),
      Floats("no", {"a"}, {FloatNode("n", "AddV2", {"a", "a"}, "SIM:1"), FloatNode("m", "Neg", {"n:z:0"}, "CPU:0")},
             "m:y:0")};
  return def;
}

}  // namespace

TEST_SUITE("MultiDeviceSession") {
  TEST_CASE("nodes run where they ask to, the others where TensorFlow puts them") {
    const auto session = Placed(Chain().graph_def());
    CHECK(DeviceOf(session, "x") == "CPU:0");
    CHECK(DeviceOf(session, "y") == "SIM:0");
    CHECK(DeviceOf(session, "z") == "SIM:1");
    CHECK(DeviceOf(session, "w") == "CPU:1");
    CHECK(DeviceOf(session, "two") == "SIM:1");
    CHECK(RowOf(session, "two").reason == PlacementReason::kConsumer);
    CHECK(session->partition_graphs().size() == 4);
    CHECK(CountOps(session, "SIM:1", "Mul") == 1);
    for (int round = 0; round < 3; ++round) {
      const auto out = Run(session, {{"x", MakeTensor<float>({2}, {1, static_cast<float>(round)})}}, {"w", "y:0"});
      CHECK(out[0].vec<float>()(0) == 3);
      CHECK(out[0].vec<float>()(1) == static_cast<float>(round + 2));
      CHECK(out[1].vec<float>()(0) == 2);
    }
    CHECK(session->num_cached_signatures() == 1);
  }

  TEST_CASE("the kernels of a device run there, not on the host") {
    const auto session = Placed(Chain().graph_def());
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    Run(session, {{"x", x}}, {"w"});
    Sim(session, "SIM:1").InjectFailure(2, errors::DataLoss("it broke"));  // 1: what comes from SIM:0; 2: z
    CheckSays(session->Run({{"x", x}}, {"w"}).status(), Code::kDataLoss, "[node 'z', SIM:1]");
    CHECK(Run(session, {{"x", x}}, {"w"})[0].vec<float>()(1) == 4);
  }

  TEST_CASE("a signature runs what it needs, and is prepared once") {
    const auto session = Placed(Chain().graph_def(), {.max_cached_signatures = 2});
    const auto callable = *session->MakeCallable({.feeds = {"y"}, .fetches = {"z"}});
    CHECK(callable.num_running_parts() == 2);
    const Tensor five = MakeTensor<float>({1}, {5});
    CHECK(Run(session, {{"y", five}}, {"z"})[0].vec<float>()(0) == 10);
    CHECK(Run(session, {{"y:0", five}}, {"z"})[0].vec<float>()(0) == 10);
    CHECK(session->num_cached_signatures() == 2);
    CHECK(Run(session, {{"y", five}, {"x", five}}, {"z", "w"})[1].vec<float>()(0) == 5);
    CHECK(session->num_cached_signatures() == 2);
    CHECK(Run(session, {{"x", five}}, {}, {"w"}).empty());
  }

  TEST_CASE("threads share a session") {
    const auto session = Placed(Chain().graph_def());
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          const auto value = static_cast<float>(100 * t + i);
          const auto out = session->Run({{"x", MakeTensor<float>({1}, {value})}}, {"w"});
          wrong += !out.ok() || (*out)[0].vec<float>()(0) != 2 * (value + 1) - value;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(session->num_cached_signatures() == 1);
  }

  TEST_CASE("soft placement: what a device cannot do, or is not there, another one does") {
    GraphBuilder b;
    const Output y = b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat)}), z = b.Add("Neg", "z", {y});
    const Output list =
        b.Add("TensorListReserve", "list", {b.Const("s", Tensor::Scalar(-1)), b.Const("n", Tensor::Scalar(2))},
              {{"element_dtype", DataType::kFloat}});
    b.Add("TensorListLength", "length", {list});
    b.SetDevice(y, On("SIM:7"));
    b.SetDevice(z, On("SIM:1"));
    b.SetDevice(list, On("SIM:0"));  // variants are in host memory only
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const auto session = Placed(b.graph_def(), {.allow_soft_placement = true});
    CHECK(RowOf(session, "y").reason == PlacementReason::kSoft);
    CHECK(DeviceOf(session, "z") == "SIM:1");
    CHECK(DeviceOf(session, "list") == "CPU:0");
    CHECK(RowOf(session, "list").reason == PlacementReason::kSoft);
    CHECK(session->placement_report().ToString().find("list: (TensorListReserve): /job:localhost/replica:0/task:0/"
                                                      "device:CPU:0  # soft placement\n") != std::string::npos);
    const auto out = Run(session, {{"x", Tensor::Scalar(3.0f)}}, {"z", "length"});
    CHECK(out[0].scalar<float>()() == 3);
    CHECK(out[1].scalar<std::int32_t>()() == 2);
    CheckSays(Place(b.graph_def()).status(), Code::kInvalidArgument, "");
  }

  TEST_CASE("nodes that ask to be together are") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Add("Neg", "y", {x});
    b.Add("Square", "z", {y}, {{"_class", With("y")}});
    b.SetDevice(y, On("SIM:1"));
    const auto session = Placed(b.graph_def());
    CHECK(DeviceOf(session, "z") == "SIM:1");
    CHECK(RowOf(session, "z").group == RowOf(session, "y").group);
    CHECK(Run(session, {{"x", Tensor::Scalar(3.0f)}}, {"z"})[0].scalar<float>()() == 9);
  }

  TEST_CASE("what uses a resource is where the resource is, for all signatures") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({2}));
    const Output handle =
        b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
    b.SetDevice(handle, On("SIM:0"));
    b.Add("AssignVariableOp", "init", {handle, x});
    b.Add("AssignAddVariableOp", "add", {handle, x});
    const Output read = b.Add("ReadVariableOp", "read", {handle}, {{"dtype", DataType::kFloat}});
    const Output twice = b.Add("AddV2", "twice", {read, read});
    b.SetDevice(read, On("CPU:1"));  // gives way to the resource
    b.SetDevice(twice, On("CPU:1"));
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const auto session = Placed(b.graph_def());
    for (const char* node : {"v", "init", "add", "read"}) CHECK_MESSAGE(DeviceOf(session, node) == "SIM:0", node);
    CHECK(session->placement_report().notes.size() == 1);
    const Tensor ones = MakeTensor<float>({2}, {1, 2});
    CheckSays(session->Run({}, {"twice"}).status(), Code::kFailedPrecondition, "");
    Run(session, {{"x", ones}}, {}, {"init"});
    for (int i = 0; i < 3; ++i) Run(session, {{"x", ones}}, {}, {"add"});
    CHECK(Run(session, {}, {"twice"})[0].vec<float>()(1) == 16);
    REQUIRE(session->resources("SIM:0") != nullptr);
    CHECK(session->resources("SIM:0")->Cleanup("localhost").ok());
    CheckSays(session->Run({}, {"twice"}).status(), Code::kFailedPrecondition, "");
  }

  TEST_CASE("inputs that a kernel wants in host memory are sent there") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), like = b.Placeholder("like", DataType::kFloat);
    const Output shape = b.Add("Shape", "shape", {like}),
                 other = b.Add("Reshape", "other", {b.Add("Neg", "n", {x}), shape});
    const Output fed = b.Placeholder("dims", DataType::kInt32), last = b.Add("Reshape", "last", {other, fed});
    b.Add("Shape", "out_shape", {last});
    for (const Output& node : {shape, other}) b.SetDevice(node, On("SIM:0"));
    b.SetDevice(fed, On("CPU:0"));
    b.SetDevice(last, On("SIM:1"));
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const auto session = Placed(b.graph_def());
    CHECK(CountOps(session, "SIM:1", "_HostRecv") == 1);  // dims; `other` goes to the device
    CHECK(CountOps(session, "SIM:1", "_Recv") == 1);
    const auto out = Run(session,
                         {{"x", MakeTensor<float>({6}, {1, 2, 3, 4, 5, 6})},
                          {"like", Tensor(DataType::kFloat, {2, 3})},
                          {"dims", MakeTensor<std::int32_t>({2}, {3, 2})}},
                         {"last", "other", "out_shape"});
    CHECK(out[0].shape() == TensorShape({3, 2}));
    CHECK(out[1].shape() == TensorShape({2, 3}));
    CHECK(out[0].flat<float>()(5) == -6);
    CHECK(out[2].vec<std::int32_t>()(0) == 3);
  }

  TEST_CASE("tensors that a node's attrs want in host memory stay there") {
    const auto place = [](bool on_host) {
      GraphDef graph = Chain().graph_def();
      for (NodeDef& node : graph.node) {
        if (on_host && node.name == "y") node.attr.Set("_output_hostmem", AttrValue(SlimVector<std::int64_t>{0}));
        if (on_host && node.name == "z") node.attr.Set("_input_hostmem", AttrValue(SlimVector<std::int64_t>{0}));
      }
      return Placed(graph);
    };
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    const auto plain = place(false), host = place(true);
    CHECK(CountOps(plain, "SIM:0", "_HostSend") == 0);
    CHECK(CountOps(plain, "SIM:1", "_HostRecv") == 0);
    CHECK(CountOps(host, "SIM:0", "_HostSend") == 1);
    CHECK(CountOps(host, "SIM:1", "_HostRecv") == 1);
    CHECK(SameBits(Run(host, {{"x", x}}, {"w"})[0], Run(plain, {{"x", x}}, {"w"})[0]));
  }

  TEST_CASE("kernels that print or batch tensors get those of a device in host memory") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    const Output y = b.Add("Neg", "y", {x});
    const Output index = b.Const("index", MakeTensor<std::int64_t>({1, 3}, {7, 0, 2}));
    const Output id = b.Const("id", Tensor::Scalar(std::int64_t{7}));
    const Output text = b.Add("StringFormat", "text", {y}, {{"template", "y = %s"}});
    const Output rows = b.Add("Unbatch", "rows", {y, index, id}, {{"timeout_micros", 1000000}});
    const Output batch = b.Add(
        "Batch", "batch", {y},
        {{"num_batch_threads", 1}, {"max_batch_size", 4}, {"batch_timeout_micros", 0}, {"grad_timeout_micros", 0}});
    const Output sum = b.Add("Neg", "sum", {batch});
    for (const Output& out : {y, text, rows, batch, sum}) b.SetDevice(out, On("SIM:0"));
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const std::vector<Tensor> results =
        Run(Placed(b.graph_def()), {{"x", MakeTensor<float>({2}, {1, 2})}}, {"text", "rows", "sum"});
    CHECK(results[0].scalar<tstring>()() == "y = [-1 -2]");
    CHECK(SameBits(results[1], MakeTensor<float>({2}, {-1, -2})));
    CHECK(SameBits(results[2], MakeTensor<float>({2}, {1, 2})));
  }

  TEST_CASE("a cheap kernel that waits for a node of another device does not hold that node up") {
    ThreadPool pool(3, "test");
    std::atomic<int> sent{0};
    std::atomic<bool> waits{false}, was_late{false};
    RegisterPyFunction("wait_for_other", [&](Span<const Tensor> inputs, SlimVector<Tensor>* outputs) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
      while (waits && sent == 0 && !was_late) was_late = std::chrono::steady_clock::now() > until;
      outputs->push_back(inputs[0]);
      return OkStatus();
    });
    RegisterPyFunction("tell_other", [&](Span<const Tensor> inputs, SlimVector<Tensor>* outputs) {
      ++sent;
      outputs->push_back(inputs[0]);
      return OkStatus();
    });
    for (const char* const op : {"PyFunc", "PyFuncStateless"}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape());
      const auto call = [&](const char* name, const Output& input, const char* token, const char* device) {
        const Output out =
            b.Add(op, name, {input}, {{"token", token}, {"Tout", SlimVector<DataType>{DataType::kFloat}}});
        b.SetDevice(out, On(device));
        return out;
      };
      const Output near = call("near", x, "wait_for_other", "CPU:0");
      call("far", x, "tell_other", "CPU:1");
      call("more", near, "tell_other", "CPU:1");
      REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
      const auto session = Placed(b.graph_def(), {.pool = &pool});
      for (int i = 0; i < 60; ++i) {
        waits = i >= 40;  // its cost is known then
        sent = 0;
        Run(session, {{"x", Tensor::Scalar(1.0f)}}, {"near", "far", "more"});
      }
      CHECK(!was_late);
    }
    UnregisterPyFunction("wait_for_other");
    UnregisterPyFunction("tell_other");
  }

  TEST_CASE("a node waits for one of another device") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}});
    b.SetDevice(v, On("CPU:1"));
    const Output assign = b.Add("AssignVariableOp", "assign", {v, x});
    const Output slow = b.Add("Neg", "slow", {b.Add("Neg", "slower", {x})});
    b.SetDevice(slow, On("SIM:0"));
    b.AddControlInput(slow, assign);
    const Output read = b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
    b.AddControlInput(read, slow);  // back from SIM:0
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const auto session = Placed(b.graph_def());
    for (int i = 0; i < 20; ++i) {
      const auto value = static_cast<float>(i);
      CHECK(Run(session, {{"x", Tensor::Scalar(value)}}, {"read"})[0].scalar<float>()() == value);
    }
  }

  TEST_CASE("a model's layers on two devices") {
    const std::string path = TENON_TEST_DATA "/models/mlp_digits/graph.pb";
    const Session cpu = Session::FromGraphFile(path).value();
    GraphDef def = ReadGraphFile(path).value();
    int moved = 0;
    for (NodeDef& node : def.node) {
      if (node.op != "MatMul" && node.op != "BiasAdd" && node.op != "AddV2") continue;
      node.device = On("SIM:0");
      ++moved;
    }
    REQUIRE(moved > 0);
    const auto session = Placed(def, {}, {"CPU:0", "SIM:0"});
    CHECK(CountOps(session, "SIM:0", "MatMul") > 0);
    CHECK(CountOps(session, "CPU:0", "MatMul") == 0);
    Tensor pixels(DataType::kFloat, {4, 784});
    for (Index i = 0; i < pixels.NumElements(); ++i) pixels.flat<float>()(i) = static_cast<float>(i % 251) / 251;
    const std::string in = cpu.inputs()[0].name, out = cpu.outputs().back().name;
    for (int round = 0; round < 3; ++round) {
      const auto expected = cpu.Run({{in, pixels}}, {out});
      REQUIRE_MESSAGE(expected.ok(), expected.status().ToString());
      CHECK(SameBits(Run(session, {{in, pixels}}, {out})[0], (*expected)[0]));
    }
    CHECK(Sim(session, "SIM:0").num_enqueued() > 0);
  }

  TEST_CASE("50 random graphs give the results of a session on the CPU, bit for bit") {
    const unsigned first = std::random_device{}() % 1'000'000;
    for (unsigned seed = first; seed < first + 50; ++seed) {
      CAPTURE(seed);
      SlimVector<std::string> sinks;
      GraphDef def = RandomGraph(seed, 10 + static_cast<int>(seed % 50), &sinks);
      std::mt19937 random(seed);
      for (NodeDef& node : def.node) {
        if (random() % 4 == 0)
          node.device.clear();  // the placer's choice
        else if (!node.device.empty())
          node.device = On(node.device);
        if (random() % 8 == 0) node.attr.Set("_class", With(def.node[random() % def.node.size()].name));
      }
      const CallableOptions options{.feeds = {"x"}, .fetches = {sinks.begin(), sinks.end()}};
      const Tensor feeds[] = {MakeTensor<float>({5}, {1e-38f, -2.5f, 3.14159f, 1e30f, 0})};
      std::vector<Tensor> expected(sinks.size()), got(sinks.size());
      const Session cpu = Session::FromGraphDef(WithoutDevices(def)).value();
      REQUIRE(cpu.MakeCallable(options)->Run(feeds, expected).ok());
      const auto session = Placed(def, {.allow_soft_placement = true});  // groups may ask for two devices
      const auto callable = session->MakeCallable(options);
      REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
      for (int round = 0; round < 2; ++round) {
        const Status status = callable->Run(feeds, got);
        REQUIRE_MESSAGE(status.ok(), status.ToString());
        for (std::size_t i = 0; i < sinks.size(); ++i) CHECK(SameBits(got[i], expected[i]));
      }
    }
  }
}

TEST_SUITE("MultiDeviceSession with control flow") {
  TEST_CASE("the branches of an If on devices of their own") {
    const auto session = Placed(WithIf());
    CHECK(CountOps(session, "SIM:0", "Neg") == 1);
    CHECK(CountOps(session, "SIM:1", "AddV2") == 1);
    for (int round = 0; round < 6; ++round) {
      const bool p = round % 2 == 0;
      const auto out = Run(session, {{"p", Tensor::Scalar(p)}, {"x", Tensor::Scalar(3.0f)}}, {"out", "if"});
      CHECK(out[0].scalar<float>()() == (p ? 9 : 36));
      CHECK(out[1].scalar<float>()() == (p ? -3 : -6));
    }
  }

  TEST_CASE("a While over three devices") {
    const auto session = Placed(CountingOnFour(20));
    CHECK(CountOps(session, "SIM:0", "AddV2") == 1);
    CHECK(CountOps(session, "SIM:0", "NextIteration") > 0);  // the loop goes round there too
    for (const float start : {0.0f, 7.0f, 20.0f, 21.0f}) {
      const auto out = Run(session, {{"x", Tensor::Scalar(start)}}, {"out"});
      CHECK(out[0].scalar<float>()() == -std::max(start, 20.0f));
    }
    Sim(session, "SIM:0").InjectFailure(25, errors::DataLoss("in the middle"));
    CheckSays(session->Run({{"x", Tensor::Scalar(0.0f)}}, {"out"}).status(), Code::kDataLoss, "in the middle");
    CHECK(Run(session, {{"x", Tensor::Scalar(0.0f)}}, {"out"})[0].scalar<float>()() == -20);
  }

  TEST_CASE("without lowering a While runs whole, where it has a kernel") {
    GraphDef def = CountingOnFour(5);
    const auto session = Placed(def, {.lower_control_flow = nullptr});
    CHECK(DeviceOf(session, "loop") == "CPU:0");
    CHECK(Run(session, {{"x", Tensor::Scalar(0.0f)}}, {"out"})[0].scalar<float>()() == -5);
    def.node[1].device = On("SIM:0");
    CheckSays(Place(def, {.lower_control_flow = nullptr}).status(), Code::kInvalidArgument,
              "no supported kernel for SIM devices is available");
    const auto soft = Placed(def, {.allow_soft_placement = true, .lower_control_flow = nullptr});
    CHECK(Run(soft, {{"x", Tensor::Scalar(0.0f)}}, {"out"})[0].scalar<float>()() == -5);
  }
}

TEST_SUITE("MultiDeviceSession's errors") {
  TEST_CASE("a device that is not there") {
    GraphDef def = Chain().graph_def();
    CheckSays(
        Place(def, {}, {"CPU:0", "CPU:1", "SIM:0"}).status(), Code::kInvalidArgument,
        "Cannot assign a device for operation z: {{node z}} was explicitly assigned to /device:SIM:1 but available "
        "devices are [ ");
    def.node.back().device = "nonsense";
    CheckSays(Place(def).status(), Code::kInvalidArgument, "Malformed device specification 'nonsense' in node: ");
  }

  TEST_CASE("a device without a kernel for the node") {
    GraphBuilder b;
    const Output list =
        b.Add("TensorListReserve", "list", {b.Const("s", Tensor::Scalar(-1)), b.Const("n", Tensor::Scalar(2))},
              {{"element_dtype", DataType::kFloat}});
    b.SetDevice(list, On("SIM:0"));
    CheckSays(Place(b.graph_def()).status(), Code::kInvalidArgument,
              "Could not satisfy explicit device specification '/device:SIM:0' because no supported kernel for SIM "
              "devices is available.");
    Registry registry;  // no kernels, and no ops
    CheckSays(Place(b.graph_def(), {.registry = &registry}).status(), Code::kNotFound, "TensorListReserve");
  }

  TEST_CASE("nodes that cannot be together") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Add("Neg", "y", {x});
    const Output z = b.Add("Neg", "z", {x}, {{"_class", With("y")}});
    b.SetDevice(y, On("SIM:0"));
    b.SetDevice(z, On("SIM:1"));
    CheckSays(Place(b.graph_def()).status(), Code::kInvalidArgument,
              "Cannot colocate nodes {{colocation_node z}} and {{colocation_node y}}: ");
    const auto soft = Placed(b.graph_def(), {.allow_soft_placement = true});
    CHECK(DeviceOf(soft, "y") == DeviceOf(soft, "z"));
    CHECK(Run(soft, {{"x", Tensor::Scalar(2.0f)}}, {"z"})[0].scalar<float>()() == -2);
  }

  TEST_CASE("names and feeds") {
    const auto session = Placed(Chain().graph_def());
    const Tensor x = MakeTensor<float>({1}, {1});
    CheckSays(session->Run({{"x", x}}, {"nothing"}).status(), Code::kInvalidArgument,
              "was not found in the Graph: fetch 'nothing'; the graph's inputs and outputs are 'x', 'w'");
    CheckSays(session->Run({{"xx", x}}, {"w"}).status(), Code::kInvalidArgument, "feed 'xx'; did you mean 'x'");
    CheckSays(session->Run({{"x", x}}, {"w:1"}).status(), Code::kOutOfRange, "does not have output 1");
    CheckSays(
        session->Run({{"x", x}}, {}, {"nothing", "w", "ww"}).status(), Code::kNotFound,
        "Some target nodes not found: \"nothing\" \"ww\"; the graph's inputs and outputs are 'x', 'w'; did you mean 'w'");
    CheckSays(session->Run({{"x", x}}, {}).status(), Code::kInvalidArgument, "at least one target");
    CheckSays(session->Run({{"x", Tensor::Scalar(1)}}, {"w"}).status(), Code::kInvalidArgument, "to be float");
    CheckSays(session->Run({}, {"w"}).status(), Code::kInvalidArgument, "You must feed a value for placeholder");
    CHECK(session->num_cached_signatures() == 2);
  }

  TEST_CASE("a graph beyond the limits") {
    MultiDeviceSessionOptions options;
    options.import_limits.max_nodes = 2;
    CheckSays(MultiDeviceSession::Create(Chain().graph_def(), MakeDeviceMgr(kFour), options).status(),
              Code::kResourceExhausted, "2 are allowed by ImportLimits::max_nodes");
  }
  TEST_CASE("a deadline that is over before the run is prepared") {
    GraphBuilder b;
    Output at = b.Placeholder("x", DataType::kFloat);
    for (int i = 0; i < 20'000; ++i) {
      at = b.Add("Identity", StrCat("n", i), {at});
      b.SetDevice(at, i % 2 == 0 ? "/device:CPU:0" : "/device:CPU:1");
    }
    const auto session = MultiDeviceSession::Create(std::move(b).graph_def(), MakeDeviceMgr({"CPU:0", "CPU:1"}));
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(1.0f)}};
    const std::vector<std::string> fetches{"n19999"};
    CheckSays((*session)->Run(feeds, fetches, {}, {.timeout_in_ms = 1}).status(), Code::kDeadlineExceeded,
              "Preparing the run was cancelled");
    CHECK((*session)->num_cached_signatures() == 0);
    CHECK((*session)->Run(feeds, fetches, {}, {.timeout_in_ms = 1'000'000}).ok());
  }
  TEST_CASE("devices without a CPU") {
    SlimVector<Owned<Device>> devices;
    devices.push_back(FindDeviceFactory("SIM").value()->create(FullName("SIM:0"), 0).value());
    Owned<DeviceMgr> manager(StaticDeviceMgr::Create(std::move(devices)).value().release());
    CheckSays(MultiDeviceSession::Create(Chain().graph_def(), std::move(manager)).status(), Code::kInvalidArgument,
              "there must be a CPU among the devices");
  }
}
}  // namespace multi_device_session_test
