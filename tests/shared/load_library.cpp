// SPDX-License-Identifier: Apache-2.0
// Loads the plug-ins beside this program and runs what they bring. TENON_PLUGINS is their folder.
#include <tenon/io/load_library.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <string>
#include <thread>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

using namespace tenon;

namespace {

std::string Plugin(const std::string& name) { return std::string(TENON_PLUGINS) + "/" + name + ".so"; }

std::string Names(const LoadedLibrary& library) {
  std::string names;
  for (const OpView* op : library.ops) StrAppend(&names, names.empty() ? "" : " ", op->name);
  return names;
}
// The error, without the plug-ins' folder.
std::string Refusal(const std::string& name, Registry& registry = Registry::Global()) {
  const auto library = LoadLibrary(Plugin(name), registry);
  if (library.ok()) return "loaded";
  std::string text = library.status().ToString();
  const std::string folder = std::string(TENON_PLUGINS) + "/";
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.erase(at, folder.size());
  return text;
}

Result<Session> ScaleSession() {
  GraphBuilder b;
  const auto x = b.Placeholder("x", DataType::kFloat);
  b.Add("PluginScale", "y", {x}, {{"factor", 5}});
  return Session::FromGraph(b);
}

}  // namespace

TEST_SUITE("LoadLibrary") {
  TEST_CASE("an op of a library runs in a session, and its errors arrive") {
    const auto library = LoadLibrary(Plugin("scale"));
    REQUIRE_MESSAGE(library.ok(), library.status().message());
    CHECK(library->path == Plugin("scale"));
    CHECK(Names(*library) == "PluginScale PluginGreet");
    CHECK(Registry::Global().FindOp("PluginScale") == library->ops[0]);
    const auto session = ScaleSession();
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto outputs = session->Run({{"x", MakeTensor<float>({3}, {1, 2, 3})}}, {"y"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK((*outputs)[0].flat<float>()[2] == 15.0f);
    const auto refused = session->Run({{"x", Tensor::Zeros<float>({1001})}}, {"y"});
    CHECK(refused.status().ToString() == "INVALID_ARGUMENT: PluginScale: 1001 elements are too many [node 'y', CPU:0]");
  }
  TEST_CASE("strings cross in both directions") {
    REQUIRE(LoadLibrary(Plugin("scale")).ok());
    GraphBuilder b;
    const auto name = b.Placeholder("name", DataType::kString);
    b.Add("PluginGreet", "text", {name});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto outputs =
        session->Run({{"name", MakeTensor<tstring>({1}, {"a name that is on the heap too"})}}, {"text"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK(std::string((*outputs)[0].flat<tstring>()[0]) ==
          "Hello from a library that was loaded, a name that is on the heap too!");
  }
  TEST_CASE("a second time nothing changes") {
    const auto first = LoadLibrary(Plugin("scale"));
    const auto second = LoadLibrary(Plugin("scale"));
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK(Names(*second) == "PluginScale PluginGreet");
    CHECK(second->ops[0] == first->ops[0]);
    CHECK(Registry::Global().KernelsOf("PluginScale").size() == 2);
    CHECK(Registry::Global().status().ok());
  }
  TEST_CASE("a library may be loaded into several registries") {
    Registry registry;
    REQUIRE(LoadLibrary(Plugin("scale")).ok());
    const auto library = LoadLibrary(Plugin("scale"), registry);
    REQUIRE_MESSAGE(library.ok(), library.status().message());
    CHECK(registry.ops().size() == 2);
  }
  TEST_CASE("two libraries with the same op: the first one's runs") {
    REQUIRE(LoadLibrary(Plugin("scale")).ok());
    const OpView* const first = Registry::Global().FindOp("PluginScale");
    for (const char* name : {"scale_again", "scale_visible"}) {
      const auto again = LoadLibrary(Plugin(name));
      REQUIRE_MESSAGE(again.ok(), again.status().message());
      CHECK(Names(*again) == "PluginScale PluginGreet");
      CHECK(Registry::Global().FindOp("PluginScale") == first);
    }
    CHECK(Registry::Global().KernelsOf("PluginScale").size() == 2);
    const auto session = ScaleSession();
    REQUIRE(session.ok());
    CHECK(session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"y"}).ok());
  }
  TEST_CASE("symbols that are visible do no harm") {
    Registry registry;
    const auto library = LoadLibrary(Plugin("scale_visible"), registry);
    REQUIRE_MESSAGE(library.ok(), library.status().message());
    CHECK(registry.ops().size() == 2);
    CHECK(registry.Find(KernelKey{"PluginScale", "CPU", {DataType::kInt32}}).ok());
  }
  TEST_CASE("a library that is refused registers nothing, even into a list that it shares") {
    CHECK(Refusal("no_plugin").find("INVALID_ARGUMENT: LoadLibrary: 'no_plugin.so' is no plug-in of Tenon") == 0);
    CHECK(Registry::Global().FindOp("PluginOfNobody") == nullptr);
    CHECK(Registry::Global().FindOp("PluginScale") != nullptr);
    CHECK(Registry::Global().status().ok());
  }
  TEST_CASE("another op of the same name keeps the whole library out") {
    REQUIRE(LoadLibrary(Plugin("scale")).ok());
    CHECK(Refusal("other_scale") == "ALREADY_EXISTS: LoadLibrary: 'other_scale.so': Op with name PluginScale");
    CHECK(Registry::Global().FindOp("PluginOnlyHere") == nullptr);
    CHECK(Registry::Global().status().ok());
    Registry registry;  // where there is no other one
    CHECK(LoadLibrary(Plugin("other_scale"), registry).ok());
    CHECK(registry.FindOp("PluginOnlyHere") != nullptr);
  }
  TEST_CASE("REGISTER_OP with a mistake keeps the whole library out") {
    // What the macros make is never freed: the library stays, though it is refused.
    REQUIRE(dlopen(Plugin("mistaken").c_str(), RTLD_NOW | RTLD_NODELETE) != nullptr);
    CHECK(
        Refusal("mistaken") ==
        "INVALID_ARGUMENT: LoadLibrary: 'mistaken.so': REGISTER_OP(\"PluginMistaken\"): SetShapeFn called twice for Op "
        "PluginMistaken");
    CHECK(Registry::Global().FindOp("PluginMistaken") == nullptr);
    CHECK(Registry::Global().status().ok());
  }
  TEST_CASE("a library of several files") {
    const auto library = LoadLibrary(Plugin("two_files"));
    REQUIRE_MESSAGE(library.ok(), library.status().message());
    CHECK(Names(*library) == "PluginSecondFile");
    CHECK(Registry::Global().Find(KernelKey{"PluginSecondFile", "CPU", {}}).ok());
  }
  TEST_CASE("stays while a session runs, whoever closes it") {
    REQUIRE(LoadLibrary(Plugin("scale")).ok());
    const auto session = ScaleSession();
    REQUIRE(session.ok());
    bool right = true;
    std::thread runner([&] {
      for (int i = 0; i < 200; ++i) {
        const auto outputs = session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"y"});
        right = right && outputs.ok() && (*outputs)[0].flat<float>()[0] == 10.0f;
      }
    });
    void* const handle = dlopen(Plugin("scale").c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    for (int i = 0; i < 5; ++i) dlclose(handle);
    runner.join();
    CHECK(right);
    CHECK(std::string(Registry::Global().FindOp("PluginScale")->name) == "PluginScale");
  }
  TEST_CASE("threads may load at once") {
    std::vector<std::thread> threads;
    std::vector<int> loaded(4, 0);
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&loaded, t] {
        for (const char* name : {"scale", "two_files", "scale_again"})
          loaded[t] += LoadLibrary(Plugin(name)).ok() ? 1 : 0;
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(loaded == std::vector<int>(4, 3));
  }

  TEST_CASE("says what is wrong with a library") {
    Registry registry;
    CHECK(Refusal("foreign_0", registry) ==
          "INVALID_ARGUMENT: LoadLibrary: 'foreign_0.so' is no plug-in of Tenon: it has no function 'tenon_plugin'; "
          "TENON_PLUGIN(ops...) in one of its files defines it");
    const std::string version = StrCat("Tenon ", kVersionMajor, ".", kVersionMinor, ".", kVersionPatch);
    const std::string newer = StrCat("Tenon ", kVersionMajor, ".", kVersionMinor + 1, ".", kVersionPatch);
    CHECK(Refusal("foreign_1", registry) ==
          StrCat("FAILED_PRECONDITION: LoadLibrary: 'foreign_1.so' was built against ", newer,
                 ", this program against ", version, "; build it again with these headers"));
    CHECK(Refusal("foreign_2", registry) ==
          StrCat("FAILED_PRECONDITION: LoadLibrary: 'foreign_2.so' has the ABI 'tenon v7, itanium, libc++ abi 1', this "
                 "program '",
                 detail::kPluginAbi, "'; build it again with these headers"));
    CHECK(
        Refusal("foreign_3", registry) ==
        "FAILED_PRECONDITION: LoadLibrary: 'foreign_3.so' has another table of dtypes: number 24 is 2 bytes there and "
        "1 bytes here; build it again with these headers");
    CHECK(Refusal("foreign_4", registry) ==
          "INVALID_ARGUMENT: LoadLibrary: 'foreign_4.so': its function 'tenon_plugin' returns nothing");
    CHECK(registry.ops().size() == 0);
  }
  TEST_CASE("passes the system's reason on") {
    const Status missing = LoadLibrary("/nowhere/ops.so").status();
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message().starts_with("LoadLibrary: '/nowhere/ops.so': /nowhere/ops.so: cannot open shared object"));
    const Status no_library = LoadLibrary(__FILE__).status();
    CHECK(no_library.code() == Code::kNotFound);
    CHECK(LoadLibrary("").status().code() == Code::kInvalidArgument);
    CHECK(LoadLibrary(std::string("a\0b", 3)).status().code() == Code::kInvalidArgument);
  }
}
