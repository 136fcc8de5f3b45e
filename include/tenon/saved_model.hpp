// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's SavedModels: SavedModel::Load and the runs of their signatures. One source file of the program includes
// this; other files may include <tenon/runtime/api/saved_model.hpp>, which only declares. So does this header, too,
// where the program links the CMake target tenon::saved_model, which compiles the definitions once. The program needs a
// whole runtime too: <tenon/runtime.hpp> in one source file, or the CMake target tenon::runtime. Errors of all ways to
// open a file say then what the file is (<tenon/io/recognize.hpp>).

#include <tenon/tenon.hpp>
#include <tenon/runtime/api/saved_model.hpp>

#if !defined(TENON_DETAIL_SAVED_MODEL_IS_LINKED)
#include <tenon/io/recognize.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/runtime/saved_model/functions.hpp>
#include <tenon/runtime/saved_model/load.hpp>
#include <tenon/runtime/saved_model/model_impl.hpp>
#include <tenon/runtime/saved_model/save.hpp>
#include <tenon/runtime/saved_model/signature_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
template struct detail::undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<void>;
TENON_DETAIL_NAMESPACE_END
#endif  // !TENON_DETAIL_SAVED_MODEL_IS_LINKED
