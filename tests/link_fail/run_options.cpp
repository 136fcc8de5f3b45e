// expect: undefined_symbol_means_include_tenon_runtime_run_with_options_hpp_in_one_source_file
// without: lean
// with: full
// SPDX-License-Identifier: Apache-2.0
#include <tenon/session.hpp>

int main() {
  const auto outputs = tenon::Session().Run({}, {"y"}, {}, tenon::RunOptions());
  return outputs.ok() ? 1 : 0;
}
