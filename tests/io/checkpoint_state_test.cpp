// SPDX-License-Identifier: Apache-2.0
// tenon_golden --checkpoints compares the files that TensorFlow wrote.
#include <tenon/io/checkpoint_state.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <temp_folder.hpp>

namespace checkpoint_state_test {
using namespace tenon;

namespace {

std::string Text(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path, FileAccess::kRead);
  REQUIRE_MESSAGE(file.ok(), file.status().ToString());
  return std::string(wire::AsText(file->bytes()));
}
CheckpointState StateOf(std::initializer_list<std::string> paths) {
  CheckpointState state;
  for (const std::string& path : paths) state.all_model_checkpoint_paths.push_back(state.model_checkpoint_path = path);
  return state;
}

}  // namespace

TEST_SUITE("CheckpointState") {
  TEST_CASE("TensorFlow's file") {
    const std::string folder = TENON_TEST_DATA "/files/checkpoints/object_based";
    const Result<CheckpointState> state = ReadCheckpointState(folder);
    REQUIRE_MESSAGE(state.ok(), state.status().ToString());
    CHECK(state->model_checkpoint_path == folder + "/ckpt-3");
    REQUIRE(state->all_model_checkpoint_paths.size() == 2);
    CHECK(state->all_model_checkpoint_paths[0] == folder + "/ckpt-2");
    REQUIRE(state->all_model_checkpoint_timestamps.size() == 2);
    CHECK(state->all_model_checkpoint_timestamps[1] == 1795235252.7420619);
    CHECK(state->last_preserved_timestamp == 1795235251.7122035);
    CHECK(*LatestCheckpoint(folder) == folder + "/ckpt-3");
    CHECK(LatestCheckpoint(folder + "/").ok());
  }

  TEST_CASE("paths are written as seen from the folder, and read as seen from here") {
    const TempFolder folder;
    for (const auto& [path, written] :
         std::initializer_list<std::pair<std::string, std::string>>{{folder / "ckpt-1", "ckpt-1"},
                                                                    {folder / "deeper/ckpt-1", "deeper/ckpt-1"},
                                                                    {folder.path() + "//./ckpt-1", "ckpt-1"},
                                                                    {"ckpt-1", "ckpt-1"},
                                                                    {folder.path() + "/../ckpt-1", "../ckpt-1"}}) {
      REQUIRE(WriteCheckpointState(folder.path(), StateOf({path})).ok());
      CHECK(Text(folder / "checkpoint") ==
            StrCat("model_checkpoint_path: \"", written, "\"\nall_model_checkpoint_paths: \"", written, "\"\n"));
      CHECK(ReadCheckpointState(folder.path())->model_checkpoint_path == StrCat(folder / "", written));
    }
    REQUIRE(WriteCheckpointState(folder.path(), StateOf({folder / "m"}), "absolute", false).ok());
    CHECK(Text(folder / "absolute") == StrCat("model_checkpoint_path: \"", folder / "m",
                                              "\"\nall_model_checkpoint_paths: \"", folder / "m", "\"\n"));
    CHECK(ReadCheckpointState(folder.path(), "absolute")->model_checkpoint_path == folder / "m");
    CHECK(detail::RelativePath("a/b", "a/c/m") == "../c/m");
    CHECK(detail::RelativePath("a/b", "m") == "../../m");
    CHECK(detail::RelativePath("/a/b", "/a/b/m") == "m");
    CHECK(detail::RelativePath("/a/b", "/c/m") == "../../c/m");
    CHECK(detail::RelativePath("../b", "m") == "m");
    CHECK(detail::RelativePath("", "a/m") == "a/m");
    CHECK(detail::RelativePath(".", "a/m") == "a/m");
  }

  TEST_CASE("the newest path is among all paths, and times are as many") {
    const TempFolder folder;
    CheckpointState state = StateOf({folder / "a", folder / "b"});
    state.model_checkpoint_path = folder / "c";
    REQUIRE(WriteCheckpointState(folder / "new/folder", state).ok());
    CHECK(ReadCheckpointState(folder / "new/folder")->all_model_checkpoint_paths.size() == 3);
    state.all_model_checkpoint_timestamps.push_back(1.5);
    CHECK(WriteCheckpointState(folder.path(), state).code() == Code::kInvalidArgument);
    CHECK(WriteCheckpointState(folder.path(), CheckpointState()).code() == Code::kInvalidArgument);
  }

  TEST_CASE("files that are missing or wrong") {
    const TempFolder folder;
    CHECK(ReadCheckpointState(folder.path()).status().code() == Code::kNotFound);
    CHECK(LatestCheckpoint(folder.path()).status().code() == Code::kNotFound);
    for (const std::string_view text : {"", "all_model_checkpoint_paths: \"a\"", "model_checkpoint_path: a",
                                        "model_checkpoint_path: \"a\" other: 1", "\xff"}) {
      CAPTURE(text);
      REQUIRE(WriteFile(folder / "checkpoint", text).ok());
      const Status status = ReadCheckpointState(folder.path()).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.message().find(folder / "checkpoint") != std::string_view::npos);
    }
    REQUIRE(WriteFile(folder / "checkpoint", "model_checkpoint_path: 'gone'").ok());
    CHECK(LatestCheckpoint(folder.path()).status().ToString() ==
          StrCat("NOT_FOUND: Couldn't match files for checkpoint ", folder / "gone"));
  }
}
}  // namespace checkpoint_state_test
