// SPDX-License-Identifier: Apache-2.0
// Requests for memory are refused in a program without exceptions, each once. Refused buffers of tensors give
// ResourceExhausted, and the session works afterwards. A refused operator new ends the process and says so on stderr,
// or calls the program's own handler.
#include "zero_out.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/runtime.hpp>

TENON_REGISTER(ZeroOut, tenon::ops::Placeholder, tenon::ops::Const);

namespace {

long requests = 0, refused = 0;  // of operator new; one thread

// Fails as the standard library's operator new does without exceptions.
void* New(std::size_t size) {
  while (++requests == refused) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) std::abort();
    handler();
  }
  void* const block = std::malloc(size);
  if (block == nullptr) std::abort();
  return block;
}

}  // namespace

void* operator new(std::size_t size) { return New(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace {

using tenon::Code;
using tenon::Status;

class Refuses final : public tenon::AllocationObserver {
 public:
  bool MayAllocate(std::size_t, std::size_t) override { return ++asked != refused_buffer; }
  void Allocated(void*, std::size_t, std::size_t) override {}
  void Deallocated(void*, std::size_t, std::size_t) override {}
  void MissingMemory(std::string_view) override {}
  long asked = 0, refused_buffer = 0;
};

tenon::Result<tenon::Session> MakeSession() {
  tenon::GraphBuilder b;
  const auto x = b.Placeholder("x", tenon::DataType::kFloat);
  const auto c = b.Const("c", tenon::MakeTensor<float>({3}, {7, 8, 9}));
  b.Add("ZeroOut", "y", {x}, {{"preserve_index", 1}});
  b.Add("ZeroOut", "z", {c}, {{"preserve_index", 2}});
  return tenon::Session::FromGraph(b, {.intra_op_threads = 1});
}
Status RunOnce(const tenon::Session& session, const tenon::Tensor& x) {
  TENON_ASSIGN_OR_RETURN(const auto out, session.Run({{"x:0", x}}, {"y:0", "z:0"}));
  const auto y = out[0].flat<float>(), z = out[1].flat<float>();
  if (y[1] == 8 && z[2] == 9) return tenon::OkStatus();
  return tenon::errors::Internal("wanted 8 and 9, got ", out[0].DebugString(), " and ", out[1].DebugString());
}

int Fail(const char* what, long request, const Status& status) {
  std::printf("%s, request %ld: %s\n", what, request, status.ToString().c_str());
  return 1;
}

int SweepBuffers() {
  const tenon::Tensor x = tenon::MakeTensor<float>({3}, {7, 8, 9});
  Refuses observer;
  long failed = 0;
  for (long k = 1;; ++k) {
    observer.asked = 0;
    observer.refused_buffer = k;
    tenon::CpuAllocator()->SetObserver(&observer);
    const tenon::Result<tenon::Session> session = MakeSession();
    Status status = session.status();
    for (int i = 0; i < 4 && status.ok(); ++i) status = RunOnce(*session, x);
    const bool is_over = observer.asked < k;
    observer.refused_buffer = 0;
    if (status.code() != Code::kOk && status.code() != Code::kResourceExhausted) return Fail("buffers", k, status);
    if (session.ok()) {
      const Status after = RunOnce(*session, x);
      if (!after.ok()) return Fail("buffers, afterwards", k, after);
    }
    tenon::CpuAllocator()->SetObserver(nullptr);
    failed += status.ok() ? 0 : 1;
    if (is_over) break;
  }
  if (failed == 0) return Fail("buffers", 0, tenon::errors::Internal("none was refused"));
  std::printf("%ld refused buffers: ResourceExhausted\n", failed);
  return 0;
}

// The end of a process in which request k of operator new is refused, and what it writes to stderr.
int EndWithout(long k, bool own_handler, std::string* text) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    (void)dup2(ends[1], STDERR_FILENO);
    if (own_handler) std::set_new_handler([] { std::_Exit(42); });
    const tenon::Tensor x = tenon::MakeTensor<float>({3}, {7, 8, 9});
    (void)MakeSession();  // the handler is set by the first session
    requests = 0;
    refused = k;
    const tenon::Result<tenon::Session> session = MakeSession();
    const Status status = session.ok() ? RunOnce(*session, x) : session.status();
    std::_Exit(!status.ok() ? 1 : requests < k ? 2 : 0);
  }
  close(ends[1]);
  text->clear();
  char part[512];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text->append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  (void)waitpid(child, &status, 0);
  return status;
}

int SweepObjects() {
  std::string text;
  for (long k = 1;; ++k) {
    const int end = EndWithout(k, false, &text);
    if (WIFEXITED(end) && WEXITSTATUS(end) == 2) {  // there are no more requests
      if (k < 10) return Fail("operator new", k, tenon::errors::Internal("too few requests"));
      std::printf("%ld refused requests of operator new: the process says so and ends\n", k - 1);
      return 0;
    }
    if (!WIFSIGNALED(end) || WTERMSIG(end) != SIGABRT || text.find("operator new has no memory") == text.npos)
      return Fail("operator new", k, tenon::errors::Internal("the process ends by ", end, " and writes '", text, "'"));
    const int own = EndWithout(k, true, &text);
    if (!WIFEXITED(own) || WEXITSTATUS(own) != 42)
      return Fail("own handler", k, tenon::errors::Internal("the process ends by ", own, " and writes '", text, "'"));
  }
}

}  // namespace

int main() { return SweepBuffers() != 0 || SweepObjects() != 0 ? 1 : 0; }
