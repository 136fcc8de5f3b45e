// expect: undefined_symbol_means_include_tenon_runtime_session_counters_hpp_in_one_source_file
// without: lean
// with: full
// SPDX-License-Identifier: Apache-2.0
#include <tenon/session.hpp>

int main() { return tenon::Session().GetCounters(nullptr) ? 1 : 0; }
