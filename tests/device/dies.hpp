// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dies(work): does work, done in a process of its own, end that with SIGSEGV?

#include <csignal>
#include <cstdlib>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace device_test {

template <class Work>
bool Dies(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // no report of a sanitizer or of doctest
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

}  // namespace device_test
