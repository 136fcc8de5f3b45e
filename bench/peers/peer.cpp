// SPDX-License-Identifier: Apache-2.0
// What both peers need: finding their libraries, comparing their answers.
#include "peers/peer.hpp"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>

namespace tenon::bench {
namespace {

// What a shell command prints, without the line end.
std::string OutputOf(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char part[512];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Status Compare(const Tensor& got, const Tensor& wanted, double relative_error) {
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape())
    return errors::Internal("gives ", got.dtype(), got.shape(), " where Tenon gives ", wanted.dtype(), wanted.shape());
  if (wanted.dtype() != DataType::kFloat) return OkStatus();
  const auto a = got.flat<float>();
  const auto b = wanted.flat<float>();
  for (Index i = 0; i < b.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-5 + relative_error * std::abs(b[i])))
      return errors::Internal("gives ", a[i], " in element ", i, " where Tenon gives ", b[i]);
  return OkStatus();
}

}  // namespace

Result<std::string> FindPythonPackage(std::string_view package) {
  const char* named = std::getenv("TENON_TENSORFLOW_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  const std::string script = StrCat("import importlib.util as u; s = u.find_spec('", package,
                                    "'); print(s.submodule_search_locations[0] if s else '')");
  std::string folder = OutputOf(StrCat(ShellQuoted(python), " -c ", ShellQuoted(script), " 2>/dev/null"));
  if (folder.empty())
    return errors::NotFound("no package '", package, "' in the Python '", python,
                            "' (TENON_TENSORFLOW_PYTHON names another one)");
  return folder;
}

Result<Library> Library::Open(const std::string& path) {
  Library library;
  // Local: its symbols must not take the place of ours, nor of another peer's.
  library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle_ == nullptr) return errors::NotFound(dlerror());
  return library;
}
void* Library::Find(const char* name) const { return dlsym(handle_, name); }

void AddPeer(State& state, std::string name, Result<std::unique_ptr<PeerSession>> session,
             std::span<const Tensor> wanted, double relative_error) {
  if (!state.options().peers) return;
  if (!session.ok()) {
    if (session.status().code() != Code::kNotFound)
      return state.Fail(session.status().WithAppended(StrCat(" [", name, "]")));
    Note(StrCat(name.substr(0, name.find(',')), " is absent: ", session.status().message()));
    return state.Absent(std::move(name), std::string(session.status().message()));
  }
  const Result<std::vector<Tensor>> got = (*session)->Fetch();
  if (!state.Check(got.status())) return;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (const Status same = Compare((*got)[i], wanted[i], relative_error); !same.ok())
      return state.Fail(same.WithAppended(StrCat(" [", name, "]")));
  state.PeerBatch(std::move(name),
                  [session = *std::move(session), &state](std::int64_t times) { state.Check(session->Run(times)); });
}

void AddTensorFlowInCaller(State& state, const PeerGraph& graph, bool optimize, bool single_threaded,
                           std::span<const Tensor> wanted, double relative_error) {
  if (!state.options().peers) return;
  using Executor = TensorFlowOptions::Executor;
  TensorFlowOptions options{.intra_op_threads = state.options().threads, .optimize = optimize};
  Result<std::unique_ptr<PeerSession>> in_caller = MakeTensorFlow(graph, options);
  if (in_caller.status().code() == Code::kNotFound)
    return AddPeer(state, "TensorFlow", std::move(in_caller), wanted, relative_error);
  AddPeer(state, "TensorFlow, in caller", std::move(in_caller), wanted, relative_error);
  if (!single_threaded) return;
  options.executor = Executor::kSingleThreaded;
  AddPeer(state, "TensorFlow, single-threaded executor", MakeTensorFlow(graph, options), wanted, relative_error);
}

}  // namespace tenon::bench
