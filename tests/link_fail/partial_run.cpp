// expect: undefined_symbol_means_include_tenon_runtime_partial_run_hpp_in_one_source_file
// without: lean
// with: full
// SPDX-License-Identifier: Apache-2.0
#include <tenon/session.hpp>

int main() { return tenon::Session().PRunSetup({"x"}, {"y"}).ok() ? 1 : 0; }
