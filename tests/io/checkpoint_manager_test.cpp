// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/checkpoint_manager.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/io/bundle_reader.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/slice_checkpoint.hpp>

#include <kill_sweep.hpp>
#include <temp_folder.hpp>

namespace checkpoint_manager_test {
using namespace tenon;

namespace {

Status SaveValue(const std::string& prefix, int value) {
  BundleWriter writer(prefix);
  TENON_RETURN_IF_ERROR(writer.Open());
  TENON_RETURN_IF_ERROR(writer.Add("value", Tensor::Scalar(value)));
  return writer.Finish();
}
bool Save(const std::string& prefix, int value) { return SaveValue(prefix, value).ok(); }
CheckpointManager Open(const std::string& folder, CheckpointManagerOptions options, double now) {
  Result<CheckpointManager> manager = CheckpointManager::Open(folder, std::move(options), now);
  REQUIRE_MESSAGE(manager.ok(), manager.status().ToString());
  return *std::move(manager);
}
// Numbers of the checkpoints that are there.
std::vector<int> Numbers(const std::string& folder) {
  std::vector<int> numbers;
  for (int i = 0; i < 30; ++i)
    if (BundleReader::Open(StrCat(folder, "/ckpt-", i)).ok()) numbers.push_back(i);
  return numbers;
}

}  // namespace

TEST_SUITE("CheckpointManager") {
  TEST_CASE("the newest stay, and a second manager goes on") {
    const TempFolder folder;
    {
      CheckpointManager manager = Open(folder.path(), {.max_to_keep = 2}, 100);
      CHECK(manager.latest() == "");
      CHECK(manager.NextNumber() == 1);
      CHECK(manager.PrefixOf(7) == folder / "ckpt-7");
      CHECK(manager.Add(folder / "ckpt-1").code() == Code::kNotFound);
      for (int i = 1; i <= 3; ++i) {
        REQUIRE(Save(manager.PrefixOf(i), i));
        REQUIRE(manager.Add(manager.PrefixOf(i), 100 + i).ok());
      }
      CHECK(Numbers(folder.path()) == std::vector<int>{2, 3});
      CHECK(MatchFiles(folder / "*")->size() == 5);
    }
    CheckpointManager manager = Open(folder.path(), {.max_to_keep = 2}, 200);
    CHECK(manager.latest() == folder / "ckpt-3");
    CHECK(manager.checkpoints().size() == 2);
    CHECK(manager.NextNumber() == 4);
    REQUIRE(Save(manager.PrefixOf(4), 4));
    REQUIRE(manager.Add(manager.PrefixOf(4), 201).ok());
    CHECK(Numbers(folder.path()) == std::vector<int>{3, 4});
    // A checkpoint that is written again becomes the newest.
    REQUIRE(manager.Add(manager.PrefixOf(3), 202).ok());
    CHECK(Numbers(folder.path()) == std::vector<int>{3, 4});
    const Result<CheckpointState> state = ReadCheckpointState(folder.path());
    REQUIRE(state.ok());
    CHECK(state->model_checkpoint_path == folder / "ckpt-3");
    CHECK(state->all_model_checkpoint_paths[0] == folder / "ckpt-4");
    CHECK(state->all_model_checkpoint_timestamps[0] == 201);
    CHECK(*LatestCheckpoint(folder.path()) == folder / "ckpt-3");
  }

  TEST_CASE("one of so many hours stays for good") {
    const TempFolder folder;
    CheckpointManager manager = Open(folder.path(), {.max_to_keep = 1, .keep_checkpoint_every_n_hours = 2}, 0);
    for (int hour = 0; hour <= 7; ++hour) {
      REQUIRE(Save(manager.PrefixOf(hour), hour));
      REQUIRE(manager.Add(manager.PrefixOf(hour), hour * 3600).ok());
    }
    // Last preserved: -1 s, then the hours 2, 4 and 6.
    CHECK(Numbers(folder.path()) == std::vector<int>{2, 4, 6, 7});
    CHECK(manager.checkpoints().size() == 1);
    CHECK(ReadCheckpointState(folder.path())->last_preserved_timestamp == 6 * 3600);
  }

  TEST_CASE("all stay; a clock that was set back; options and files that are wrong") {
    const TempFolder folder;
    CheckpointManager manager = Open(folder.path(), {.max_to_keep = 0}, 1000);
    for (int i = 1; i <= 7; ++i) {
      REQUIRE(Save(manager.PrefixOf(i), i));
      REQUIRE(manager.Add(manager.PrefixOf(i), 1000).ok());
    }
    CHECK(Numbers(folder.path()).size() == 7);
    CheckpointManager back = Open(folder.path(), {}, 10);
    REQUIRE(back.Add(back.PrefixOf(7), 11).ok());
    CHECK(back.checkpoints().size() == 5);
    CHECK(ReadCheckpointState(folder.path())->all_model_checkpoint_timestamps[0] == 10);
    CHECK(CheckpointManager::Open(folder.path(), {.max_to_keep = -1}).status().code() == Code::kInvalidArgument);
    REQUIRE(WriteFile(folder / "checkpoint", "rubbish").ok());
    CHECK(CheckpointManager::Open(folder.path()).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("all files of a checkpoint go, and no other file") {
    const TempFolder folder;
    for (const char* name : {"a*-1", "a*-10", "a*-1x"}) REQUIRE(Save(folder / name, 1));
    for (const char* name : {"a*-1.meta", "a*-1.data-00001-of-00002", "a*-1-00000-of-00002", "a*-1.data-1", "a-1"})
      REQUIRE(WriteFile(folder / name, "x").ok());
    SliceCheckpointWriter first_format;
    REQUIRE(first_format.Finish(folder / "a*-1").ok());
    REQUIRE(RemoveCheckpoint(folder / "a*-1").ok());
    SlimVector<std::string> names;
    REQUIRE(detail::ListFolder(folder / "", &names) == 0);
    std::sort(names.begin(), names.end());
    CHECK(names == SlimVector<std::string>{"a*-1.data-1", "a*-10.data-00000-of-00001", "a*-10.index",
                                           "a*-1x.data-00000-of-00001", "a*-1x.index", "a-1"});
    CHECK(RemoveCheckpoint(folder / "none/m").ok());
    CHECK(RemoveCheckpoint(folder / "none").ok());
    const InTempFolder here;
    REQUIRE(Save("m", 1));
    REQUIRE(RemoveCheckpoint("m").ok());
    CHECK(MatchFiles("*")->empty());
  }

#if TENON_TEST_KILLS
  TEST_CASE("killed at every system call: the newest checkpoint of the file is whole") {
    const TempFolder parent;
    std::string folder;
    int round = 0, olds = 0, news = 0;
    const auto add = [&](int number) -> Status {
      TENON_ASSIGN_OR_RETURN(CheckpointManager manager, CheckpointManager::Open(folder, {.max_to_keep = 1}, 100));
      TENON_RETURN_IF_ERROR(SaveValue(manager.PrefixOf(number), number));
      return manager.Add(manager.PrefixOf(number), 100 + number);
    };
    const int kills = test::KillAtEverySystemCall(
        [&] {
          folder = StrCat(parent / "", ++round);
          REQUIRE(add(1).ok());
        },
        [&] { return add(2); },
        [&] {
          const Result<std::string> latest = LatestCheckpoint(folder);
          REQUIRE_MESSAGE(latest.ok(), latest.status().ToString());
          Result<BundleReader> reader = BundleReader::Open(*latest);
          REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
          const Result<Tensor> value = reader->Read("value");
          REQUIRE_MESSAGE(value.ok(), value.status().ToString());
          const int number = value->scalar<int>()();
          CHECK(*latest == StrCat(folder, "/ckpt-", number));
          ++(number == 2 ? news : olds);
        });
    if (kills == -1) {
      MESSAGE("the system does not let a process trace its child");
      return;
    }
    CHECK(kills > 20);
    CHECK(olds > 10);
    CHECK(news > 5);
  }
#endif
}
}  // namespace checkpoint_manager_test
