// expect: undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME
// without: minimal
// with: whole
// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/session.hpp>

int main() {
  const auto outputs = tenon::Session().Run({}, {"y"}, {}, tenon::RunOptions());
  return outputs.ok() ? 1 : 0;
}
