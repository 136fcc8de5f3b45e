// SPDX-License-Identifier: Apache-2.0
// A training step that bench/peers/training_peer.py runs: a process at the other end of two pipes, which is stopped
// while others are measured.
#include "peers/training_peer.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>

namespace tenon::bench {
namespace {

class TrainingPeer final : public PeerSession {
 public:
  TrainingPeer() = default;
  ~TrainingPeer() override {
    if (to_ != nullptr) std::fclose(to_);
    if (from_ != nullptr) std::fclose(from_);
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  Status Start(const char* kind, const std::string& model, const std::string& values, int threads) {
    const char* const named = std::getenv("TENON_TENSORFLOW_PYTHON");
    const std::string python = named != nullptr ? named : "python3", count = StrCat(threads);
    const std::string script = TENON_TEST_DATA "/../../bench/peers/training_peer.py";
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) return errors::Internal("no pipe");
    child_ = fork();
    if (child_ < 0) return errors::Internal("no second process");
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(down[0], 0);
      dup2(up[1], 1);
      for (const int end : {down[0], down[1], up[0], up[1]}) close(end);
      execlp(python.c_str(), python.c_str(), script.c_str(), kind, model.c_str(), values.c_str(), count.c_str(),
             nullptr);
      _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to_ = fdopen(down[1], "wb");
    from_ = fdopen(up[0], "rb");
    std::signal(SIGPIPE, SIG_IGN);
    const std::string line = ReadLine();
    if (!line.starts_with("ok ")) return errors::NotFound(line.empty() ? "the process has ended" : line);
    std::vector<float> losses;
    for (const char* at = line.c_str() + 2; *at == ' ';) {
      char* end = nullptr;
      losses.push_back(std::strtof(at, &end));
      at = end;
    }
    losses_ = Tensor(DataType::kFloat, {static_cast<Index>(losses.size())});
    for (std::size_t i = 0; i < losses.size(); ++i) losses_.data<float>()[i] = losses[i];
    kill(child_, SIGSTOP);
    return OkStatus();
  }
  Status Run(std::int64_t times) override {
    kill(child_, SIGCONT);
    std::fprintf(to_, "%lld\n", static_cast<long long>(times));
    std::fflush(to_);
    const std::string line = ReadLine();
    if (!line.starts_with("ok ")) return errors::Internal("the process has ended");
    processor_ns_ = std::strtod(line.c_str() + 3, nullptr);
    kill(child_, SIGSTOP);
    return OkStatus();
  }
  double processor_ns() const override { return processor_ns_; }
  Result<std::vector<Tensor>> Fetch() override { return std::vector<Tensor>{losses_}; }

 private:
  std::string ReadLine() {
    std::string line;
    for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) line += static_cast<char>(c);
    return line;
  }

  pid_t child_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  Tensor losses_;
  double processor_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<PeerSession>> MakeTrainingPeer(const char* kind, const std::string& model,
                                                      const std::string& values, int threads) {
  auto peer = std::make_unique<TrainingPeer>();
  TENON_RETURN_IF_ERROR(peer->Start(kind, model, values, threads));
  return std::unique_ptr<PeerSession>(std::move(peer));
}

}  // namespace tenon::bench
