// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/load_library.hpp>

#include <doctest/doctest.h>

#include <string>

namespace load_library_test {
using namespace tenon;

// tests/shared has libraries to load; here are files that are none.
TEST_SUITE("LoadLibrary of no library") {
  TEST_CASE("a missing file is NotFound, with the system's reason") {
    Registry registry;
    const Status status = LoadLibrary("/nowhere/ops.so", registry).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().starts_with("LoadLibrary: '/nowhere/ops.so': "));
    CHECK(registry.ops().size() == 0);
  }
  TEST_CASE("a file that is no library is NotFound too, as in TensorFlow") {
    Registry registry;
    CHECK(LoadLibrary(__FILE__, registry).status().code() == Code::kNotFound);
  }
  TEST_CASE("a name that cannot be one is refused") {
    Registry registry;
    CHECK(LoadLibrary("", registry).status().message() == "LoadLibrary: '' is no file name");
    CHECK(LoadLibrary(std::string("a\0.so", 5), registry).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("a library without the entry point is refused and closed") {
    Registry registry;
    const Status status = LoadLibrary("libdl.so.2", registry).status();
    CHECK((status.code() == Code::kInvalidArgument || status.code() == Code::kNotFound));
  }
}
}  // namespace load_library_test
