// SPDX-License-Identifier: Apache-2.0
#pragma once
// KillAtEverySystemCall: does some work in a child process again and again, and kills it before and after each of its
// system calls in turn (ptrace). TENON_TEST_KILLS is 0 where a system or a sanitizer does not allow that.

#include "sanitizers.hpp"

#if defined(__linux__) && !TENON_TEST_TSAN
#define TENON_TEST_KILLS 1

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include <tenon/base/status.hpp>

namespace tenon::test {

// Calls prepare() here, work() -> Status in a child that is killed at its n-th stop, and check() here; n counts from 1
// until the child comes to its end. Returns the number of children that were killed; -1: the system does not let a
// process trace its child, -2: work() failed, and has printed why. prepare and check must not leave files open.
template <class Prepare, class Work, class Check>
int KillAtEverySystemCall(const Prepare& prepare, const Work& work, const Check& check) {
  for (int n = 1;; ++n) {
    prepare();
    const pid_t child = fork();
    if (child == 0) {
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(126);
      raise(SIGSTOP);
      const Status status = work();
      if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
      _exit(status.ok() ? 0 : 125);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    for (int i = 0; i < n && WIFSTOPPED(status); ++i) {
      if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0 || waitpid(child, &status, 0) != child) return -1;
    }
    const bool ended = !WIFSTOPPED(status);
    if (!ended) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 126 ? -1 : -2;
    }
    check();
    if (ended) return n - 1;
  }
}

}  // namespace tenon::test

#else
#define TENON_TEST_KILLS 0
#endif
