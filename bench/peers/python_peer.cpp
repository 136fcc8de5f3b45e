// SPDX-License-Identifier: Apache-2.0
// Runtimes that a Python program runs, bench/peers/python_peer.py: a process at the other end of two pipes. One message
// asks for many runs, so its cost is outside of what a run takes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>

#include "peers/peer.hpp"

namespace tenon::bench {
namespace {

struct NamedType {
  DataType dtype;
  std::string_view name;  // NumPy's
};
constexpr NamedType kTypes[] = {
    {DataType::kFloat, "float32"}, {DataType::kDouble, "float64"},      {DataType::kInt32, "int32"},
    {DataType::kInt64, "int64"},   {DataType::kComplex64, "complex64"}, {DataType::kComplex128, "complex128"},
    {DataType::kBool, "bool"}};
std::string_view NameOf(DataType dtype) {
  for (const NamedType& type : kTypes)
    if (type.dtype == dtype) return type.name;
  return {};
}
DataType TypeOf(std::string_view name) {
  for (const NamedType& type : kTypes)
    if (type.name == name) return type.dtype;
  return DataType::kInvalid;
}

class PythonPeer final : public PeerSession {
 public:
  PythonPeer() = default;
  ~PythonPeer() override {
    if (to_ != nullptr) std::fclose(to_);
    if (from_ != nullptr) std::fclose(from_);
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  Status Start(const char* kind, const std::string& graph_file, const Tensor& feed, int threads) {
    if (NameOf(feed.dtype()).empty()) return errors::NotFound("it is not given text");
    const char* named = std::getenv("TENON_TENSORFLOW_PYTHON");
    const std::string python = named != nullptr ? named : "python3";
    const std::string script = TENON_TEST_DATA "/../../bench/peers/python_peer.py", count = StrCat(threads);
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) return errors::Internal("no pipe");
    child_ = fork();
    if (child_ < 0) return errors::Internal("no second process");
    if (child_ == 0) {
      dup2(down[0], 0);
      dup2(up[1], 1);
      for (const int end : {down[0], down[1], up[0], up[1]}) close(end);
      execlp(python.c_str(), python.c_str(), script.c_str(), kind, graph_file.c_str(), count.c_str(), nullptr);
      _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_ = fdopen(down[1], "wb");
    from_ = fdopen(up[0], "rb");
    std::signal(SIGPIPE, SIG_IGN);
    std::fputs(NameOf(feed.dtype()).data(), to_);
    for (int i = 0; i < feed.dims(); ++i) std::fprintf(to_, " %lld", static_cast<long long>(feed.dim_size(i)));
    std::fputc('\n', to_);
    std::fwrite(feed.raw_data(), 1, feed.TotalBytes(), to_);
    std::fflush(to_);
    // A peer that cannot run the graph takes no part.
    const std::string line = ReadLine();
    const std::size_t end_of_type = std::min(line.find(' ', 3), line.size());
    const DataType type = line.starts_with("ok ") ? TypeOf(line.substr(3, end_of_type - 3)) : DataType::kInvalid;
    if (type == DataType::kInvalid) return errors::NotFound(line.empty() ? "the process has ended" : line);
    std::vector<Index> dims;
    for (const char* at = line.c_str() + end_of_type; *at == ' ';) {
      char* end = nullptr;
      dims.push_back(std::strtoll(at, &end, 10));
      at = end;
    }
    first_ = Tensor(type, TensorShape(std::span<const Index>(dims)));
    const bool whole = std::fread(first_.raw_data(), 1, first_.TotalBytes(), from_) == first_.TotalBytes();
    return whole ? OkStatus() : errors::Internal("the process has ended");
  }
  Status Run(std::int64_t times) override {
    std::fprintf(to_, "%lld\n", static_cast<long long>(times));
    std::fflush(to_);
    const std::string line = ReadLine();
    if (!line.starts_with("ok ")) return errors::Internal("the process has ended");
    processor_ns_ = std::strtod(line.c_str() + 3, nullptr);
    return OkStatus();
  }
  double processor_ns() const override { return processor_ns_; }
  Result<std::vector<Tensor>> Fetch() override { return std::vector<Tensor>{first_}; }

 private:
  std::string ReadLine() {
    std::string line;
    for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return line;
  }

  pid_t child_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  Tensor first_;
  double processor_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<PeerSession>> MakePythonPeer(const char* kind, const std::string& graph_file, const Tensor& feed,
                                                    int threads) {
  auto peer = std::make_unique<PythonPeer>();
  TENON_RETURN_IF_ERROR(peer->Start(kind, graph_file, feed, threads));
  return std::unique_ptr<PeerSession>(std::move(peer));
}

}  // namespace tenon::bench
