// expect: undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME
// without: minimal
// with: whole
// SPDX-License-Identifier: Apache-2.0
#include <tenon/eager.hpp>

int main() { return tenon::eager::Call("NoSuchOp", {}).ok() ? 1 : 0; }
