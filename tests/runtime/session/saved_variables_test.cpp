// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/saved_variables.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tenon/devices.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/io/bundle_writer.hpp>

#include "temp_folder.hpp"

namespace saved_variables_test {
using namespace tenon;

namespace {

Tensor Pair(float a, float b) {
  Tensor pair(DataType::kFloat, {2});
  pair.flat<float>()(0) = a;
  pair.flat<float>()(1) = b;
  return pair;
}
Tensor Texts(std::initializer_list<std::string_view> values) {
  Tensor tensor(DataType::kString, {static_cast<Index>(values.size())});
  Index i = 0;
  for (const std::string_view value : values) tensor.data<tstring>()[i++].assign(value);
  return tensor;
}

// Variables r (by handle, shared_name "resource"), v (by reference) and n (int64); "init" sets them to [1, 2], [3, 4]
// and 5. Reads: "read_r", "v", "n". A saver in the format "V1" or "V2": "save" and "restore".
GraphBuilder Variables(std::string_view format = "V2") {
  GraphBuilder b;
  const Output r =
      b.Add("VarHandleOp", "r", {},
            {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}, {"shared_name", "resource"}});
  const Output v = b.Add("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
  const Output n =
      b.Add("VariableV2", "n", {}, {{"dtype", DataType::kInt64}, {"shape", PartialTensorShape(TensorShape())}});
  const Output set_r = b.Add("AssignVariableOp", "set_r", {r, b.Const("r0", Pair(1, 2))});
  const Output set_v = b.Add("Assign", "set_v", {v, b.Const("v0", Pair(3, 4))});
  const Output set_n = b.Add("Assign", "set_n", {n, b.Const("n0", Tensor::Scalar(std::int64_t{5}))});
  const Output init = b.Add("NoOp", "init", {});
  for (const Output& set : {set_r, set_v, set_n}) b.AddControlInput(init, set);
  const Output read = b.Add("ReadVariableOp", "read_r", {r}, {{"dtype", DataType::kFloat}});
  b.Add("AssignAdd", "add", {v, b.Const("one", Pair(1, 1))});
  const Output prefix = b.Const("prefix", Tensor::Scalar(std::string_view("unset")));
  const Output names = b.Const("names", Texts({"n", "resource", "v"}));
  const Output specs = b.Const("specs", Texts({"", "", ""}));
  const SlimVector<DataType> types{DataType::kInt64, DataType::kFloat, DataType::kFloat};
  const Output write = format == "V2"
                           ? b.Add("SaveV2", "write", {prefix, names, specs, {n, read, v}}, {{"dtypes", types}})
                           : b.Add("SaveSlices", "write", {prefix, names, specs, {n, read, v}}, {{"T", types}});
  const Output save = b.Add("Identity", "save", {prefix});
  b.AddControlInput(save, write);
  const Output values = b.Add("RestoreV2", "values", {prefix, names, specs}, {{"dtypes", types}});
  const Output restore = b.Add("NoOp", "restore", {});
  b.AddControlInput(restore, b.Add("Assign", "restore_n", {n, values[0]}));
  b.AddControlInput(restore, b.Add("AssignVariableOp", "restore_r", {r, values[1]}));
  b.AddControlInput(restore, b.Add("Assign", "restore_v", {v, values[2]}));
  return b;
}
SaverDef Saver() {
  return {.filename_tensor_name = "prefix:0", .save_tensor_name = "save:0", .restore_op_name = "restore"};
}
Session Open(std::string_view format = "V2") {
  Result<Session> session = Session::FromGraph(Variables(format), {.intra_op_threads = 1});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *session;
}
void Run(const Session& session, std::string target) {
  const Status status = session.Run({}, {}, {std::move(target)}).status();
  REQUIRE_MESSAGE(status.ok(), status.ToString());
}
// All values as text; "-" for a variable without one.
std::string Values(const Session& session) {
  std::string text;
  for (const char* name : {"read_r", "v", "n"}) {
    const auto value = session.Run({}, {name});
    StrAppend(&text, text.empty() ? "" : "; ");
    if (!value.ok())
      text += "-";
    else if ((*value)[0].dtype() == DataType::kInt64)
      StrAppend(&text, (*value)[0].scalar<std::int64_t>()());
    else
      StrAppend(&text, (*value)[0].flat<float>()(0), " ", (*value)[0].flat<float>()(1));
  }
  return text;
}
void Write(const std::string& prefix, const std::vector<std::pair<std::string, Tensor>>& tensors) {
  BundleWriter writer(prefix);
  REQUIRE(writer.Open().ok());
  for (const auto& [name, tensor] : tensors) REQUIRE(writer.Add(name, tensor).ok());
  REQUIRE(writer.Finish().ok());
}
void CheckSays(const Status& status, Code code, std::string_view text) {
  CHECK(status.code() == code);
  CHECK_MESSAGE(status.message().find(text) != std::string_view::npos, status.ToString(), " instead of ", text);
}

}  // namespace

TEST_SUITE("SaveVariables and RestoreVariables") {
  TEST_CASE("ReadVariable gives the value of a variable of either kind") {
    const Session session = Session::FromGraph(Variables()).value();
    const Status none = ReadVariable(session, "v").status();
    CHECK(errors::IsFailedPrecondition(none));
    CHECK(none.message() == "Attempting to use uninitialized value v; initialise it first, or leave it out");
    REQUIRE(session.Run({}, {}, {"init"}).ok());
    const Tensor r = ReadVariable(session, "resource").value(), v = ReadVariable(session, "v").value();
    REQUIRE(session.Run({}, {}, {"add"}).ok());
    CHECK(r.data<float>()[1] == 2);
    CHECK(v.data<float>()[1] == 4);
    CHECK(ReadVariable(session, "v").value().data<float>()[1] == 5);
    CHECK(ReadVariable(session, "r").status().message() == "The session has no variable 'r'");
    CHECK(errors::IsInvalidArgument(ReadVariable(Session(), "r").status()));
  }
  TEST_CASE("the variables of a graph") {
    const Result<SlimVector<SessionVariable>> variables = ListVariables(Open());
    REQUIRE(variables.ok());
    REQUIRE(variables->size() == 3);
    CHECK((*variables)[0].name == "resource");
    CHECK((*variables)[0].node == "r");
    CHECK((*variables)[0].is_resource);
    CHECK((*variables)[1].name == "v");
    CHECK((*variables)[1].shape.IsIdenticalTo(PartialTensorShape({2})));
    CHECK((*variables)[2].dtype == DataType::kInt64);
    CHECK(ListVariables(Session()).status().code() == Code::kInvalidArgument);
    CHECK(ListVariables(*Session::Create()).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("both formats, into the session itself and into another one before its first run") {
    for (const SaverDef::Version format : {SaverDef::Version::kV1, SaverDef::Version::kV2}) {
      const TempFolder folder;
      const Session session = Open();
      CheckSays(SaveVariables(session, folder / "m", {.format = format}), Code::kFailedPrecondition,
                "Attempting to use uninitialized value resource");
      CHECK(MatchFiles(folder / "*")->empty());
      Run(session, "init");
      REQUIRE(SaveVariables(session, folder / "m", {.format = format}).ok());
      CHECK(CheckpointReader::Open(folder / "m")->IsBundle() == (format == SaverDef::Version::kV2));
      CHECK(*CheckpointReader::Open(folder / "m")->Names() == SlimVector<std::string>{"n", "resource", "v"});
      Run(session, "add");
      Run(session, "add");
      CHECK(Values(session) == "1 2; 5 6; 5");
      REQUIRE(RestoreVariables(session, folder / "m").ok());
      CHECK(Values(session) == "1 2; 3 4; 5");
      Run(session, "add");
      const Session other = Open();
      const Status restored = RestoreVariables(other, folder / "m");
      REQUIRE_MESSAGE(restored.ok(), restored.ToString());
      CHECK(Values(other) == "1 2; 3 4; 5");
      CHECK(Values(session) == "1 2; 4 5; 5");
    }
  }

  TEST_CASE("chosen variables under other names") {
    const TempFolder folder;
    const Session session = Open();
    Run(session, "init");
    REQUIRE(SaveVariables(session, folder / "m", {.keys = {{"v", "net/v"}, {"n", "step"}}}).ok());
    CHECK(*CheckpointReader::Open(folder / "m")->Names() == SlimVector<std::string>{"net/v", "step"});
    const Session other = Open();
    REQUIRE(RestoreVariables(other, folder / "m", {.keys = {{"v", "net/v"}}}).ok());
    CHECK(Values(other) == "-; 3 4; -");
    CheckSays(SaveVariables(session, folder / "m", {.keys = {{"w", "w"}}}), Code::kNotFound, "no variable 'w'");
    CheckSays(SaveVariables(session, folder / "m", {.keys = {{"v", "x"}, {"n", "x"}}}), Code::kInvalidArgument,
              "Adding duplicate key: x");
    CHECK(CheckpointReader::Open(folder / "m")->Names()->size() == 2);
  }

  TEST_CASE("a checkpoint that does not fit changes nothing") {
    const TempFolder folder;
    const Session session = Open();
    Run(session, "init");
    const Tensor five = Tensor::Scalar(std::int64_t{50});
    const auto restore = [&](const std::vector<std::pair<std::string, Tensor>>& tensors,
                             const RestoreVariablesOptions& options = {}) {
      Write(folder / "m", tensors);
      return RestoreVariables(session, folder / "m", options);
    };
    CheckSays(restore({{"n", five}, {"resource", Pair(10, 20)}}), Code::kNotFound, "Key v not found in checkpoint");
    CheckSays(restore({{"n", five}, {"resource", Pair(10, 20)}, {"v", Pair(30, 40)}, {"w", five}}),
              Code::kInvalidArgument, "1 tensors in");
    CheckSays(restore({{"n", five}, {"resource", Pair(10, 20)}, {"v", five}}), Code::kInvalidArgument,
              "is int64, the variable 'v' float");
    CheckSays(restore({{"n", five}, {"resource", Pair(10, 20)}, {"v", Tensor(DataType::kFloat, {3})}}),
              Code::kInvalidArgument, "has the shape [3], the variable 'v' [2]");
    CheckSays(RestoreVariables(session, folder / "none"), Code::kNotFound, "Failed to find any matching files");
    CheckSays(RestoreVariables(session, folder / "m.index"), Code::kNotFound, "has no '.index': leave it out");
    Write(folder / "m", {{"n", five}, {"resource", Pair(10, 20)}, {"v", Pair(30, 40)}});
    REQUIRE(WriteFile(folder / "m.data-00000-of-00001", std::string(64, 'x')).ok());
    CheckSays(RestoreVariables(session, folder / "m"), Code::kDataLoss, "Checksum does not match");
    CHECK(Values(session) == "1 2; 3 4; 5");
    CHECK(restore({{"v", Pair(30, 40)}, {"w", five}}, {.allow_missing = true, .allow_extra = true}).ok());
    CHECK(Values(session) == "1 2; 30 40; 5");
    Session closed = session;
    REQUIRE(closed.Close().ok());
    CHECK(RestoreVariables(closed, folder / "m").code() == Code::kCancelled);
    CHECK(SaveVariables(Session(), folder / "m").code() == Code::kInvalidArgument);
  }

  TEST_CASE("variables on several devices") {
    const TempFolder folder;
    GraphDef graph = Variables().graph_def();
    for (NodeDef& node : graph.node)
      if (node.name == "v" || node.name == "r") node.device = "/device:CPU:1";
    const SessionOptions options{.devices = {"CPU:0", "CPU:1"}};
    const Result<Session> one = Session::FromGraphDef(graph, options), two = Session::FromGraphDef(graph, options);
    REQUIRE_MESSAGE(one.ok(), one.status().ToString());
    REQUIRE(two.ok());
    Run(*one, "init");
    const Status saved = SaveVariables(*one, folder / "m");
    REQUIRE_MESSAGE(saved.ok(), saved.ToString());
    REQUIRE(RestoreVariables(*two, folder / "m").ok());
    CHECK(Values(*two) == "1 2; 3 4; 5");
  }

  TEST_CASE("two variables of one name") {
    const TempFolder folder;
    GraphBuilder b;
    const PartialTensorShape pair({2});
    b.Add("VariableV2", "a", {}, {{"dtype", DataType::kFloat}, {"shape", pair}, {"shared_name", "x"}});
    b.Add("VariableV2", "b", {}, {{"dtype", DataType::kFloat}, {"shape", pair}, {"shared_name", "x"}});
    Result<Session> session = Session::FromGraph(b);
    REQUIRE(session.ok());
    CHECK(ListVariables(*session)->size() == 1);
    b.Add("VarHandleOp", "c", {}, {{"dtype", DataType::kFloat}, {"shape", pair}, {"shared_name", "x"}});
    session = Session::FromGraph(b);
    REQUIRE(session.ok());
    CheckSays(SaveVariables(*session, folder / "m"), Code::kInvalidArgument, "'a' and 'c' have different variables");
    GraphBuilder none;
    none.Const("x", Pair(1, 2));
    CheckSays(SaveVariables(*Session::FromGraph(none), folder / "m"), Code::kInvalidArgument, "has no variables");
  }

  TEST_CASE("saved while runs change the variables: each value is whole") {
    const TempFolder folder;
    const Session session = Open();
    Run(session, "init");
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      while (!stop) static_cast<void>(session.Run({}, {}, {"add"}));
    });
    for (int i = 0; i < 30; ++i) {
      const Status saved = SaveVariables(session, folder / "m");
      CHECK_MESSAGE(saved.ok(), saved.ToString());
      const Result<Tensor> v = CheckpointReader::Open(folder / "m")->Read("v");
      REQUIRE(v.ok());
      CHECK(v->flat<float>()(1) - v->flat<float>()(0) == 1);
    }
    stop = true;
    writer.join();
  }
}

TEST_SUITE("RunSaver and RunRestorer") {
  TEST_CASE("savers of both formats, and SaveVariables reads each other's files") {
    for (const std::string_view format : {"V1", "V2"}) {
      CAPTURE(format);
      const TempFolder folder;
      const Session session = Open(format);
      Run(session, "init");
      const Result<std::string> saved = RunSaver(session, Saver(), folder / "m");
      REQUIRE_MESSAGE(saved.ok(), saved.status().ToString());
      CHECK(*saved == folder / "m");
      CHECK(CheckpointReader::Open(folder / "m")->IsBundle() == (format == "V2"));
      Run(session, "add");
      const Status restored = RunRestorer(session, Saver(), folder / "m");
      REQUIRE_MESSAGE(restored.ok(), restored.ToString());
      CHECK(Values(session) == "1 2; 3 4; 5");
      const Session other = Open(format);
      REQUIRE(RestoreVariables(other, folder / "m").ok());
      CHECK(Values(other) == "1 2; 3 4; 5");
      Run(other, "add");
      REQUIRE(SaveVariables(other, folder / "n").ok());
      REQUIRE(RunRestorer(session, Saver(), folder / "n").ok());
      CHECK(Values(session) == "1 2; 4 5; 5");
      CHECK(RunRestorer(session, Saver(), folder / "none").code() == Code::kNotFound);
    }
    CHECK(RunSaver(Open(), SaverDef(), "m").status().code() == Code::kFailedPrecondition);
    CHECK(RunRestorer(Open(), SaverDef(), "m").code() == Code::kFailedPrecondition);
  }
}
}  // namespace saved_variables_test
