// expect: undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file
// without: whole
// with: saved_model
// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/saved_model.hpp>

int main() { return tenon::SavedModel::Load("no/such/folder").ok() ? 1 : 0; }
