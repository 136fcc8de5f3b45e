// expect: undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file
// with: minimal
// SPDX-License-Identifier: Apache-2.0
// A file that uses sessions in a program without a file that includes their definitions.
#include <cstdio>

#include <tenon/runtime/api/session.hpp>

int main() {
  const auto session = tenon::Session::FromGraphFile("no/such/file.pb");
  const auto callable = tenon::Session().MakeCallable({});
  const bool right = session.status().code() == tenon::Code::kNotFound && !callable.ok();
  std::printf("%s\n", session.status().ToString().c_str());
  return right ? 0 : 1;
}
