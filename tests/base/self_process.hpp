// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs this test program again, with other environment variables: for what is decided once in a process.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

struct SelfResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string output;  // all it wrote
};

// Runs the test cases whose name is `test_case` and that are marked skip(), in a process of their own.
inline SelfResult RunSelf(const std::string& test_case, const std::vector<std::string>& environment) {
  SelfResult result;
  int ends[2];
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
    const std::string filter = "--test-case=" + test_case;
    execl("/proc/self/exe", "tests", filter.c_str(), "--no-skip", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  char buffer[512];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    result.output.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}
