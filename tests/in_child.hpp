// SPDX-License-Identifier: Apache-2.0
#pragma once
// InChild: runs a function in the child of a fork(). The thread sanitizer allows no threads there: TENON_TEST_FORKS is
// 0.

#include "sanitizers.hpp"

#if (defined(__unix__) || defined(__APPLE__)) && !TENON_TEST_TSAN
#define TENON_TEST_FORKS 1

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tenon::test {

// What body() returns in the child, 0 to 125; 126: the child crashed or still ran after `seconds`.
template <class Body>
int InChild(const Body& body, int seconds = 30) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  if (child < 0) return 126;
  int status = 0;
  for (int i = 0; i < 1000 * seconds; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
    usleep(1000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 126;
}

}  // namespace tenon::test

#else
#define TENON_TEST_FORKS 0
#endif
