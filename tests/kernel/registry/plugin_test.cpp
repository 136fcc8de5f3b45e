// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/registry/plugin.hpp>

#include <doctest/doctest.h>

#include <string>

namespace plugin_test {
using namespace tenon;

TEST_SUITE("CheckPlugin") {
  TEST_CASE("takes a header of the same headers") {
    const PluginHeader header = MakePluginHeader(nullptr);
    CHECK(CheckPlugin(header, "a.so").ok());
    CHECK(header.dtype_sizes[static_cast<int>(DataType::kComplex128)] == 16);
    CHECK(header.dtype_sizes[static_cast<int>(DataType::kString)] == sizeof(tstring));
    CHECK(header.dtype_sizes[63] == kNoSuchDataType);
  }
  TEST_CASE("another patch level is no other version, another minor one is") {
    PluginHeader header = MakePluginHeader(nullptr);
    header.version[2] += 1;
    CHECK(CheckPlugin(header, "a.so").ok());
    header.version[1] += 1;
    const Status status = CheckPlugin(header, "a.so");
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find("'a.so' was built against Tenon ") != std::string_view::npos);
  }
  TEST_CASE("refuses what is no header, another ABI, another dtype table, another layout") {
    PluginHeader header = MakePluginHeader(nullptr);
    header.magic[0] = 'x';
    CHECK(CheckPlugin(header, "a.so").message().find("is no plug-in header") != std::string_view::npos);
    header = MakePluginHeader(nullptr);
    header.abi = "something else";
    CHECK(CheckPlugin(header, "a.so").message().find("has the ABI 'something else'") != std::string_view::npos);
    header = MakePluginHeader(nullptr);
    header.dtype_sizes[34] = 4;
    CHECK(CheckPlugin(header, "a.so").message().find("number 34 is 4 bytes there and unknown here") !=
          std::string_view::npos);
    header = MakePluginHeader(nullptr);
    header.layout ^= 1;
    CHECK(CheckPlugin(header, "a.so").message().find("lays out Tenon's types in another way") !=
          std::string_view::npos);
  }
}
}  // namespace plugin_test
