// SPDX-License-Identifier: Apache-2.0
// The main function of every test executable, compiled once.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <string_view>

int FailureSweep();

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--failure-sweep") return FailureSweep();
  return doctest::Context(argc, argv).run();
}
