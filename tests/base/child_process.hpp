// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a piece of a test in a child process, for what ends the process or writes to stderr.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

struct ChildResult {
  bool aborted = false;  // ended by SIGABRT
  std::string errors;    // all it wrote to stderr
};

// `body` must not start threads. A child that returns from `body` ends at once, without destructors of static objects.
template <class Body>
ChildResult RunInChild(Body body) {
  ChildResult result;
  int ends[2];
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // doctest's handler would report a failed test
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    body();
    _exit(0);
  }
  close(ends[1]);
  char buffer[512];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    result.errors.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return result;
}

inline bool Contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
