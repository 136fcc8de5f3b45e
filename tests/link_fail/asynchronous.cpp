// expect: undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls
// without: minimal
// with: whole
// SPDX-License-Identifier: Apache-2.0
#include <tenon/eager.hpp>

int main() {
  tenon::eager::Async calls;
  return calls.Sync().ok() ? 0 : 1;
}
