// SPDX-License-Identifier: Apache-2.0
// What both peers need: finding their libraries, comparing their answers.
#include "peers/peer.hpp"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
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

template <class T>
Status CompareFloats(const Tensor& got, const Tensor& wanted, double relative_error) {
  const std::size_t n = wanted.TotalBytes() / sizeof(T);  // a complex number is two
  const T* const a = static_cast<const T*>(got.raw_data());
  const T* const b = static_cast<const T*>(wanted.raw_data());
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  const double least = 1e-5 + relative_error * largest / 100;  // sums that cancel
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    const bool equal = x == y || (std::isnan(x) && std::isnan(y));  // equal: infinities, too
    if (!equal && !(std::abs(x - y) <= least + relative_error * std::abs(y)))
      return errors::Internal("gives ", x, " in element ", i, " where Tenon gives ", y);
  }
  return OkStatus();
}
Status CompareStrings(const Tensor& got, const Tensor& wanted) {
  for (Index i = 0; i < wanted.NumElements(); ++i)
    if (std::string_view(got.flat<tstring>()[i]) != std::string_view(wanted.flat<tstring>()[i]))
      return errors::Internal("gives another string than Tenon in element ", i);
  return OkStatus();
}

constexpr double kNothing = 1e30;  // a relative error that says: compare types and shapes only

Status Compare(const Tensor& got, const Tensor& wanted, double relative_error) {
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape())
    return errors::Internal("gives ", got.dtype(), got.shape(), " where Tenon gives ", wanted.dtype(), wanted.shape());
  if (relative_error >= kNothing) return OkStatus();
  switch (wanted.dtype()) {
    case DataType::kFloat:
    case DataType::kComplex64: return CompareFloats<float>(got, wanted, relative_error);
    case DataType::kDouble:
    case DataType::kComplex128: return CompareFloats<double>(got, wanted, relative_error);
    case DataType::kHalf: return CompareFloats<half>(got, wanted, relative_error);
    case DataType::kBfloat16: return CompareFloats<bfloat16>(got, wanted, relative_error);
    case DataType::kString: return CompareStrings(got, wanted);
    default: break;
  }
  const auto* const a = static_cast<const char*>(got.raw_data());
  const auto* const b = static_cast<const char*>(wanted.raw_data());
  const std::size_t at = static_cast<std::size_t>(std::mismatch(b, b + wanted.TotalBytes(), a).first - b);
  if (at == wanted.TotalBytes()) return OkStatus();
  const Index element = static_cast<Index>(at) / SizeOf(wanted.dtype());
  return errors::Internal("gives another value than Tenon in element ", element, " of ", wanted.NumElements());
}

// Whether its answers are those of Tenon.
Status Agree(PeerSession& session, std::span<const Tensor> wanted, double relative_error) {
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> got, session.Fetch());
  for (std::size_t i = 0; i < wanted.size(); ++i) TENON_RETURN_IF_ERROR(Compare(got[i], wanted[i], relative_error));
  return OkStatus();
}

// A peer in a process of its own, which runs only while this one waits for it.
class PeerProcess {
 public:
  PeerProcess() = default;
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(socket_);
  }

  // Its notes come back with its status.
  Status Start(const MakePeer& make, std::span<const Tensor> wanted, double relative_error) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return errors::Internal("no socket pair");
    child_ = fork();
    if (child_ < 0) return errors::Internal("no second process");
    close(ends[child_ == 0 ? 0 : 1]);
    socket_ = ends[child_ == 0 ? 1 : 0];
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Serve(make, wanted, relative_error);
      _exit(0);
    }
    TENON_RETURN_IF_ERROR(ReceiveStatus());
    std::string note;
    for (;;) {
      TENON_RETURN_IF_ERROR(ReceiveText(&note));
      if (note.empty()) break;
      Note(note);
    }
    kill(child_, SIGSTOP);
    return OkStatus();
  }
  // Nanoseconds that so many runs took.
  Result<double> Run(std::int64_t times) {
    kill(child_, SIGCONT);
    Send(&times, sizeof times);
    double ns = 0;
    TENON_RETURN_IF_ERROR(Receive(&ns, sizeof ns));
    TENON_RETURN_IF_ERROR(ReceiveStatus());
    kill(child_, SIGSTOP);
    return ns;
  }

 private:
  void Serve(const MakePeer& make, std::span<const Tensor> wanted, double relative_error) {
    Notes().clear();
    Result<std::unique_ptr<PeerSession>> session = make();
    Status status = session.status();
    if (status.ok()) status = Agree(**session, wanted, relative_error);
    SendStatus(status);
    if (!status.ok()) return;
    for (const std::string& note : Notes()) SendText(note);
    SendText("");
    for (std::int64_t times = 0; Receive(&times, sizeof times).ok();) {
      const double start = NowNs();
      status = (*session)->Run(times);
      const double ns = NowNs() - start;
      Send(&ns, sizeof ns);
      SendStatus(status);
    }
  }

  void Send(const void* data, std::size_t bytes) { (void)!write(socket_, data, bytes); }
  void SendText(const std::string& text) {
    const std::size_t size = text.size();
    Send(&size, sizeof size);
    Send(text.data(), size);
  }
  void SendStatus(const Status& status) {
    const int code = static_cast<int>(status.code());
    Send(&code, sizeof code);
    SendText(std::string(status.message()));
  }
  Status Receive(void* data, std::size_t bytes) {
    for (auto* at = static_cast<char*>(data); bytes > 0;) {
      const ssize_t got = read(socket_, at, bytes);
      if (got <= 0) return errors::Internal("the peer's process has ended");
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return OkStatus();
  }
  Status ReceiveText(std::string* text) {
    std::size_t size = 0;
    TENON_RETURN_IF_ERROR(Receive(&size, sizeof size));
    text->resize(size);
    return Receive(text->data(), size);
  }
  Status ReceiveStatus() {
    int code = 0;
    std::string message;
    TENON_RETURN_IF_ERROR(Receive(&code, sizeof code));
    TENON_RETURN_IF_ERROR(ReceiveText(&message));
    return code == 0 ? OkStatus() : Status(static_cast<Code>(code), message);
  }

  pid_t child_ = 0;
  int socket_ = -1;
};

// It takes no part, or ends the case.
void Refuse(State& state, std::string name, const Status& status) {
  if (status.code() != Code::kNotFound) return state.Fail(status.WithAppended(StrCat(" [", name, "]")));
  Note(StrCat(name.substr(0, name.find(',')), " is absent: ", status.message()));
  state.Absent(std::move(name), std::string(status.message()));
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
  library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library.handle_ == nullptr) return errors::NotFound(dlerror());
  return library;
}
void* Library::Find(const char* name) const { return dlsym(handle_, name); }

void AddPeer(State& state, std::string name, const MakePeer& make, std::span<const Tensor> wanted,
             double relative_error) {
  if (!state.options().peers) return;
  if (state.options().threads > 1) {
    auto process = std::make_unique<PeerProcess>();
    if (const Status status = process->Start(make, wanted, relative_error); !status.ok())
      return Refuse(state, std::move(name), status);
    return state.PeerBatch(std::move(name), [process = std::move(process), &state](std::int64_t times) {
      const Result<double> ns = process->Run(times);
      if (state.Check(ns.status())) state.Took(*ns);
    });
  }
  Result<std::unique_ptr<PeerSession>> session = make();
  Status status = session.status();
  if (status.ok()) status = Agree(**session, wanted, relative_error);
  if (!status.ok()) return Refuse(state, std::move(name), status);
  state.PeerBatch(std::move(name), [session = *std::move(session), &state](std::int64_t times) {
    if (!state.Check(session->Run(times))) return;
    if (state.options().now == &NowProcessorNs) state.Took(session->processor_ns());
  });
}

void AddTensorFlowInCaller(State& state, const PeerGraph& graph, bool optimize, bool single_threaded,
                           std::span<const Tensor> wanted, double relative_error) {
  using Executor = TensorFlowOptions::Executor;
  TensorFlowOptions options{.intra_op_threads = state.options().threads, .optimize = optimize};
  const MakePeer make = [&] { return MakeTensorFlow(graph, options); };
  AddPeer(state, "TensorFlow, in caller", make, wanted, relative_error);
  if (!single_threaded) return;
  options.executor = Executor::kSingleThreaded;
  AddPeer(state, "TensorFlow, single-threaded executor", make, wanted, relative_error);
}

}  // namespace tenon::bench
