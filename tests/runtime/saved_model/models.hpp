// SPDX-License-Identifier: Apache-2.0
#pragma once
// SavedModels of the tests: recorded ones, and changed copies of them.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/saved_model.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>

#include "temp_folder.hpp"

namespace saved_model_test {
using namespace tenon;

inline std::string Recorded(std::string_view name) {
  return std::string(TENON_TEST_DATA "/saved_models/") + std::string(name);
}
inline SavedModel LoadRecorded(std::string_view name) {
  Result<SavedModel> model = SavedModel::Load(Recorded(name), {.session = {.intra_op_threads = 1}});
  REQUIRE_MESSAGE(model.ok(), model.status().ToString());
  return *model;
}

inline void CopyFolder(const std::string& from, const std::string& to) {
  SlimVector<std::string> names;
  REQUIRE(tenon::detail::ListFolder(from + "/", &names) == 0);
  REQUIRE(MakeFoldersOf(to + "/").ok());
  for (const std::string& name : names) {
    const std::string path = from + "/" + name, copy = to + "/" + name;
    if (tenon::detail::KindOf(path) == tenon::detail::PathKind::kFolder) {
      CopyFolder(path, copy);
      continue;
    }
    const Result<MappedFile> file = MappedFile::Open(path);
    REQUIRE(file.ok());
    REQUIRE(WriteFile(copy, wire::AsText(file->bytes())).ok());
  }
}

// A recorded model whose saved_model.pb was changed by `change`.
template <class Change>
void ChangeModel(std::string_view name, const std::string& to, const Change& change) {
  CopyFolder(Recorded(name), to);
  Result<SavedModelDef> def = ReadSavedModelFile(to);
  REQUIRE(def.ok());
  change(&def->meta_graphs[0]);
  REQUIRE(WriteFile(to + "/saved_model.pb", SerializeSavedModelDef(*def)).ok());
}

inline bool Says(const Status& status, std::string_view text) {
  const bool says = status.message().find(text) != std::string_view::npos;
  if (!says) MESSAGE(std::string(status.ToString()));
  return says;
}

}  // namespace saved_model_test
