// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/bundle_writer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor_util.hpp>
#include <tenon/io/bundle_reader.hpp>

#include <kill_sweep.hpp>
#include <temp_folder.hpp>

namespace bundle_writer_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

std::size_t NumFiles(const TempFolder& folder) { return MatchFiles(folder / "*")->size(); }
std::string Bytes(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  REQUIRE_MESSAGE(file.ok(), file.status().ToString());
  return std::string(wire::AsText(file->bytes()));
}
void CheckSame(const Result<Tensor>& got, const Tensor& want) {
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  const Status same = tensor::CheckEqual(*got, want, tensor::Equality::kBits);
  CHECK_MESSAGE(same.ok(), same.ToString());
}
Tensor Matrix() { return MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }
void Save(const std::string& prefix, std::string_view name, const Tensor& tensor, const char* slice = nullptr) {
  BundleWriter writer(prefix);
  REQUIRE(writer.Open().ok());
  REQUIRE(writer.Add(name, tensor).ok());
  if (slice != nullptr) REQUIRE(writer.AddSlice("w", {4, 3}, *TensorSlice::Parse(slice), Matrix()).ok());
  REQUIRE(writer.Finish().ok());
}

// While it lives, no file can get more than 4096 bytes.
class FullDisk {
 public:
  FullDisk() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit small = before_;
    small.rlim_cur = 4096;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// Reads a bundle and writes it again, tensors and slices in the order in which they lie in the data.
void Rewrite(const std::string& from, const std::string& to) {
  Result<BundleReader> reader = BundleReader::Open(from);
  REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
  struct Piece {
    std::string name;
    TensorSlice slice;
    TensorShape full;
    std::int64_t offset, at;
    bool whole;
  };
  std::vector<Piece> pieces;
  const SlimVector<std::string> names = *reader->Names();
  for (const std::string& name : names) {
    const Result<BundleEntry> entry = reader->Entry(name);
    REQUIRE(entry.ok());
    TensorShape full;
    REQUIRE(entry->GetShape(name, &full).ok());
    const auto count = static_cast<std::int64_t>(pieces.size());
    if (entry->slices.empty()) pieces.push_back({name, TensorSlice(full.dims()), full, entry->offset, count, true});
    for (const TensorSlice& slice : entry->slices) {
      const Result<BundleEntry> part = reader->Entry(ordered_code::SliceKey(name, slice));
      REQUIRE(part.ok());
      pieces.push_back({name, slice, full, part->offset, static_cast<std::int64_t>(pieces.size()), false});
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.offset != b.offset ? a.offset < b.offset : a.at < b.at; });
  BundleWriter writer(to);
  REQUIRE(writer.Open().ok());
  for (const Piece& piece : pieces) {
    const Result<Tensor> tensor = reader->ReadSlice(piece.name, piece.slice);
    REQUIRE_MESSAGE(tensor.ok(), tensor.status().ToString());
    const Status added =
        piece.whole ? writer.Add(piece.name, *tensor) : writer.AddSlice(piece.name, piece.full, piece.slice, *tensor);
    REQUIRE_MESSAGE(added.ok(), added.ToString());
  }
  REQUIRE(writer.Finish().ok());
}

}  // namespace

TEST_SUITE("BundleWriter") {
  TEST_CASE("the files are TensorFlow's, byte by byte") {
    const std::string checkpoints = TENON_TEST_DATA "/files/checkpoints/";
    for (const char* prefix : {"single/model", "dtypes/model", "empty/model", "empty_table/model", "many_names/model",
                               "object_based/ckpt-2", "partitioned/model", "tf1_adam/model-1"}) {
      CAPTURE(prefix);
      const TempFolder folder;
      Rewrite(checkpoints + prefix, folder / "model");
      CHECK(Bytes(folder / "model.index") == Bytes(checkpoints + prefix + ".index"));
      CHECK(Bytes(folder / "model.data-00000-of-00001") == Bytes(checkpoints + prefix + ".data-00000-of-00001"));
    }
  }

  TEST_CASE("nothing stays of a bundle that is not finished, and what was there before does") {
    const TempFolder folder;
    BundleWriter before(folder / "m");
    REQUIRE(before.Open().ok());
    REQUIRE(before.Add("a", Matrix()).ok());
    REQUIRE(before.Finish().ok());
    {
      BundleWriter writer(folder / "m");
      REQUIRE(writer.Open().ok());
      REQUIRE(writer.Add("b", Matrix()).ok());
    }
    CHECK(NumFiles(folder) == 2);
    CheckSame(BundleReader::Open(folder / "m")->Read("a"), Matrix());
  }

  TEST_CASE("an index that cannot be written leaves the checkpoint that was there") {
    const TempFolder folder;
    Save(folder / "m", "a", Matrix());
    BundleWriter writer(folder / "m");
    REQUIRE(writer.Open().ok());
    REQUIRE(writer.Add(std::string(10000, 'x'), Matrix()).ok());
    Status finished;
    {
      const FullDisk disk;
      finished = writer.Finish();
    }
    CHECK(!finished.ok());
    CHECK(finished.message().find(folder / "m.index") != finished.message().npos);
    CheckSame(BundleReader::Open(folder / "m")->Read("a"), Matrix());
  }

  TEST_CASE("a disk that was full for a while: Finish fails, too") {
    const TempFolder folder;
    BundleWriter writer(folder / "m");
    REQUIRE(writer.Open().ok());
    Status added;
    {
      const FullDisk disk;
      added = writer.Add("a", *Tensor::Make(DataType::kFloat, {1 << 16}));
    }
    CHECK(!added.ok());
    CHECK(added.message().find(folder / "m.data-00000-of-00001") != added.message().npos);
    CHECK(writer.Finish().ToString() == added.ToString());
    CHECK(NumFiles(folder) == 0);
  }

  TEST_CASE("a checkpoint that is written over has TensorFlow's names again") {
    const TempFolder folder;
    for (const float value : {1.0f, 2.0f, 3.0f}) {
      Save(folder / "m", "a", Tensor::Scalar(value));
      CheckSame(BundleReader::Open(folder / "m")->Read("a"), Tensor::Scalar(value));
      CHECK(NumFiles(folder) == 2);
      CHECK(detail::FileExists(folder / "m.data-00000-of-00001"));
    }
  }

#if TENON_TEST_KILLS
  TEST_CASE("killed at every system call: the old checkpoint or the new one, whole") {
    const Tensor old_a = Matrix(), new_a = MakeTensor<float>({2, 3}, {6, 5, 4, 3, 2, 1});
    const Tensor both = Tensor::Scalar(std::string_view("in both"));
    for (const int before : {0, 1, 2}) {  // data files of the checkpoint that is there
      CAPTURE(before);
      const TempFolder parent;
      std::string prefix;
      int round = 0, olds = 0, news = 0;
      const int kills = test::KillAtEverySystemCall(
          [&] {
            prefix = StrCat(parent / "", ++round, "/m");
            if (before == 1) {
              BundleWriter writer(prefix);
              REQUIRE(writer.Open().ok());
              REQUIRE(writer.Add("both", both).ok());
              REQUIRE(writer.Add("a", old_a).ok());
              REQUIRE(writer.Finish().ok());
            } else if (before == 2) {
              Save(prefix + "1", "both", both);
              Save(prefix + "2", "a", old_a);
              const std::string parts[] = {prefix + "1", prefix + "2"};
              REQUIRE(MergeBundles(parts, prefix).ok());
            }
          },
          [&]() -> Status {
            BundleWriter writer(prefix);
            TENON_RETURN_IF_ERROR(writer.Open());
            TENON_RETURN_IF_ERROR(writer.Add("both", both));
            TENON_RETURN_IF_ERROR(writer.Add("a", new_a));
            return writer.Finish();
          },
          [&] {
            Result<BundleReader> reader = BundleReader::Open(prefix);
            if (before == 0 && !reader.ok()) {
              ++olds;
              CHECK(reader.status().code() == Code::kNotFound);
              return;
            }
            REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
            CheckSame(reader->Read("both"), both);
            const Result<Tensor> a = reader->Read("a");
            REQUIRE_MESSAGE(a.ok(), a.status().ToString());
            const bool is_new = tensor::CheckEqual(*a, new_a, tensor::Equality::kBits).ok();
            CheckSame(a, is_new ? new_a : old_a);
            CHECK((is_new || news == 0));
            ++(is_new ? news : olds);
          });
      if (kills == -1) {
        MESSAGE("the system does not let a process trace its child");
        return;
      }
      CHECK(kills > 10);
      CHECK(olds > 5);
      CHECK(news > 0);
    }
  }
#endif

  TEST_CASE("two at once with one name: either is whole") {
    const TempFolder folder;
    BundleWriter one(folder / "m"), two(folder / "m");
    REQUIRE(one.Open().ok());
    REQUIRE(two.Open().ok());
    REQUIRE(one.Add("a", Matrix()).ok());
    REQUIRE(two.Add("b", Matrix()).ok());
    REQUIRE(one.Finish().ok());
    CheckSame(BundleReader::Open(folder / "m")->Read("a"), Matrix());
    REQUIRE(two.Finish().ok());
    CheckSame(BundleReader::Open(folder / "m")->Read("b"), Matrix());
    BundleWriter again(folder / "m");
    REQUIRE(again.Open().ok());
    REQUIRE(again.Open().ok());
    REQUIRE(again.Finish().ok());
    CHECK(NumFiles(folder) == 2);
  }

  TEST_CASE("before Open and after Finish there is no file to write to") {
    const TempFolder folder;
    BundleWriter writer(folder / "m");
    CHECK(writer.Add("a", Matrix()).code() == Code::kFailedPrecondition);
    CHECK(writer.Finish().code() == Code::kFailedPrecondition);
    REQUIRE(writer.Open().ok());
    REQUIRE(writer.Finish().ok());
    CHECK(writer.Finish().code() == Code::kFailedPrecondition);
    CHECK(writer.Add("a", Matrix()).code() == Code::kFailedPrecondition);
  }

  TEST_CASE("what cannot be added") {
    const TempFolder folder;
    BundleWriter writer(folder / "new/folders/m");
    REQUIRE(writer.Open().ok());
    REQUIRE(writer.Add("a", Matrix()).ok());
    CHECK(writer.Add("a", Matrix()).ToString() == "INVALID_ARGUMENT: Adding duplicate key: a");
    CHECK(writer.Add("", Matrix()).code() == Code::kInvalidArgument);
    CHECK(writer.Add("handle", Tensor(DataType::kResource, TensorShape())).code() == Code::kInvalidArgument);
    CHECK(writer.Add("nothing", Tensor(DataType::kFloat, TensorShape({2}), nullptr)).code() ==
          Code::kFailedPrecondition);
    const TensorSlice top = *TensorSlice::Parse("0,2:-"), rest = *TensorSlice::Parse("2,2:-");
    CHECK(writer.AddSlice("w", {5, 3}, top, Matrix()).ok());
    CHECK(writer.AddSlice("w", {5, 3}, top, Matrix()).code() == Code::kInvalidArgument);
    CHECK(writer.AddSlice("w", {6, 3}, rest, Matrix()).code() == Code::kInvalidArgument);
    CHECK(writer.AddSlice("w", {5, 3}, rest, MakeTensor<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6})).code() ==
          Code::kInvalidArgument);
    CHECK(writer.AddSlice("w", {5, 4}, rest, Matrix()).code() == Code::kInvalidArgument);
    CHECK(writer.AddSlice("w", {3, 3}, rest, Matrix()).code() == Code::kInternal);
    CHECK(writer.AddSlice("a", {5, 3}, top, Matrix()).code() == Code::kInvalidArgument);
    CHECK(writer.Add("w", Matrix()).code() == Code::kInvalidArgument);
    REQUIRE(writer.Finish().ok());
    CHECK(BundleReader::Open(folder / "new/folders/m")->Names()->size() == 2);
    CHECK(BundleWriter("/proc/none/m").Open().code() != Code::kOk);
  }
}

namespace {}  // namespace

TEST_SUITE("MergeBundles") {
#if TENON_TEST_KILLS
  TEST_CASE("killed at every system call: the old checkpoint or the new one, whole") {
    for (const bool before : {false, true}) {
      CAPTURE(before);
      const TempFolder parent;
      std::string prefix;
      int round = 0, olds = 0, news = 0;
      const auto save_parts = [&prefix](int turn) {
        Save(prefix + "1", "a", Tensor::Scalar(turn));
        Save(prefix + "2", "b", Tensor::Scalar(2 * turn));
      };
      const auto merge = [&prefix] {
        const std::string parts[] = {prefix + "1", prefix + "2"};
        return MergeBundles(parts, prefix);
      };
      const int kills = test::KillAtEverySystemCall(
          [&] {
            prefix = StrCat(parent / "", ++round, "/m");
            save_parts(1);
            if (!before) return;
            REQUIRE(merge().ok());
            save_parts(2);
          },
          merge,
          [&] {
            Result<BundleReader> reader = BundleReader::Open(prefix);
            if (!before && !reader.ok()) {
              ++olds;
              CHECK(reader.status().code() == Code::kNotFound);
              CHECK(news == 0);
              return;
            }
            REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
            const Result<Tensor> a = reader->Read("a");
            REQUIRE_MESSAGE(a.ok(), a.status().ToString());
            const int turn = *a->data<std::int32_t>();
            CHECK((turn == 1 || turn == 2));
            CheckSame(reader->Read("b"), Tensor::Scalar(2 * turn));
            const bool is_new = !before || turn == 2;
            CHECK((is_new || news == 0));
            ++(is_new ? news : olds);
          });
      if (kills == -1) {
        MESSAGE("the system does not let a process trace its child");
        return;
      }
      CHECK(kills > 10);
      CHECK(olds > 5);
      CHECK(news > 0);
    }
  }
#endif

  TEST_CASE("tensors and slices of several") {
    const TempFolder folder;
    Save(folder / "one", "a", Matrix(), "0,2:-");
    Save(folder / "two", "b", Tensor::Scalar(std::string_view("text")), "2,2:-");
    const std::string prefixes[] = {folder / "one", folder / "missing", folder / "two"};
    CHECK(MergeBundles(prefixes, folder / "all").code() == Code::kInvalidArgument);
    CHECK(NumFiles(folder) == 4);
    REQUIRE(MergeBundles(prefixes, folder / "all", true).ok());
    CHECK(NumFiles(folder) == 3);
    Result<BundleReader> reader = BundleReader::Open(folder / "all");
    REQUIRE(reader.ok());
    CHECK(reader->Names()->size() == 3);
    CheckSame(reader->Read("a"), Matrix());
    CheckSame(reader->Read("b"), Tensor::Scalar(std::string_view("text")));
    CheckSame(reader->Read("w"), MakeTensor<float>({4, 3}, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  }

  TEST_CASE("over a checkpoint with as many data files, and one with other ones") {
    const TempFolder folder;
    for (const int turn : {1, 2}) {
      Save(folder / "one", "a", Tensor::Scalar(turn));
      Save(folder / "two", "b", Tensor::Scalar(2 * turn));
      const std::string prefixes[] = {folder / "one", folder / "two"};
      REQUIRE(MergeBundles(prefixes, folder / "all").ok());
      CHECK(NumFiles(folder) == 3);
      CHECK(detail::FileExists(folder / "all.data-00001-of-00002"));
      CheckSame(BundleReader::Open(folder / "all")->Read("b"), Tensor::Scalar(2 * turn));
    }
    Save(folder / "all", "c", Matrix());
    CHECK(NumFiles(folder) == 2);
    CheckSame(BundleReader::Open(folder / "all")->Read("c"), Matrix());
  }

  TEST_CASE("what is refused, with every file where it was") {
    const TempFolder folder;
    Save(folder / "one", "a", Matrix());
    Save(folder / "two", "a", Matrix());
    const std::string both[] = {folder / "one", folder / "two"};
    const Status twice = MergeBundles(both, folder / "all");
    CHECK(twice.ToString() ==
          StrCat("INVALID_ARGUMENT: Duplicate tensor keyed by a encountered, when merging prefix: ", folder / "two"));
    const std::string none[] = {folder / "x"};
    CHECK(MergeBundles(none, folder / "all", true).ToString() ==
          "INVALID_ARGUMENT: At least one prefix checkpoint file must exist, but none existed.");
    CHECK(MergeBundles({}, folder / "all").code() == Code::kInvalidArgument);
    REQUIRE(WriteFile(folder / "bad.index", "abc").ok());
    const std::string bad[] = {folder / "one", folder / "bad"};
    CHECK(MergeBundles(bad, folder / "all").code() == Code::kDataLoss);
    CheckSame(BundleReader::Open(folder / "one")->Read("a"), Matrix());
  }

  TEST_CASE("indexes that name data files that are not there, or that are no index of a checkpoint") {
    const TempFolder folder;
    Save(folder / "one", "a", Matrix());
    const std::string prefixes[] = {folder / "one", folder / "bad"};
    const auto merge = [&](const detail::BundleEntries& entries, std::int64_t shards) {
      REQUIRE(WriteFile(folder / "bad.index", *entries.MakeIndex(shards)).ok());
      return MergeBundles(prefixes, folder / "all").ToString();
    };
    detail::BundleEntries entries;
    CHECK(merge(entries, INT32_MAX) == StrCat("NOT_FOUND: MergeBundles: '", folder / "bad.index",
                                              "' is of 2147483647 data files and names number ", "0, but there is no '",
                                              folder / "bad.data-00000-of-2147483647", "'"));
    entries.Add("b")->shard = 7;
    CHECK(merge(entries, 0) == StrCat("NOT_FOUND: MergeBundles: '", folder / "bad.index",
                                      "' is of 0 data files and names number 7, but ", "there is no '",
                                      folder / "bad.data-00007-of-00000", "'"));
    const std::string no_header =
        StrCat("DATA_LOSS: MergeBundles: '", folder / "bad.index",
               "' does not begin with the entry of the key '', as every checkpoint's index does");
    TableWriter empty, headless;
    REQUIRE(WriteFile(folder / "bad.index", empty.Finish()).ok());
    CHECK(MergeBundles(prefixes, folder / "all").ToString() == no_header);
    REQUIRE(headless.Add("b", "").ok());
    REQUIRE(WriteFile(folder / "bad.index", headless.Finish()).ok());
    CHECK(MergeBundles(prefixes, folder / "all").ToString() == no_header);
    CheckSame(BundleReader::Open(folder / "one")->Read("a"), Matrix());
    CHECK(NumFiles(folder) == 3);
  }

  TEST_CASE("an index that cannot be written: every file is where it was") {
    const TempFolder folder;
    Save(folder / "one", std::string(3000, 'a'), Matrix());
    Save(folder / "two", std::string(3000, 'b'), Matrix());
    const std::string both[] = {folder / "one", folder / "two"};
    Status merged;
    {
      const FullDisk disk;
      merged = MergeBundles(both, folder / "all");
    }
    CHECK(!merged.ok());
    CHECK(merged.message().find(folder / "all.index") != merged.message().npos);
    CHECK(NumFiles(folder) == 4);
    CheckSame(BundleReader::Open(folder / "one")->Read(std::string(3000, 'a')), Matrix());
    CheckSame(BundleReader::Open(folder / "two")->Read(std::string(3000, 'b')), Matrix());
  }

  TEST_CASE("one bundle to its own name") {
    const TempFolder folder;
    Save(folder / "one", "a", Matrix());
    const std::string one[] = {folder / "one"};
    REQUIRE(MergeBundles(one, folder / "one").ok());
    CheckSame(BundleReader::Open(folder / "one")->Read("a"), Matrix());
  }
}
}  // namespace bundle_writer_test
