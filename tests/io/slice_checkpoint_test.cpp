// SPDX-License-Identifier: Apache-2.0
// checkpoint_test.cpp has TensorFlow's files, sound and damaged.
#include <tenon/io/slice_checkpoint.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include <io/temp_file.hpp>
#include <kill_sweep.hpp>

namespace slice_checkpoint_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

void CheckSame(const Result<Tensor>& got, const Tensor& want) {
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  const Status same = tensor::CheckEqual(*got, want, tensor::Equality::kBits);
  CHECK_MESSAGE(same.ok(), same.ToString());
}
Tensor Matrix() { return MakeTensor<float>({2, 2}, {1, 2, 3, 4}); }
SliceCheckpointReader Open(const std::string& path) {
  Result<SliceCheckpointReader> reader = SliceCheckpointReader::Open(path);
  REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
  return *std::move(reader);
}
TensorSlice Slice(const char* text) { return *TensorSlice::Parse(text); }

}  // namespace

TEST_SUITE("SliceCheckpoint") {
  TEST_CASE("the files are TensorFlow's, byte by byte") {
    for (const char* name : {"v1_partitioned/model", "v1_saver/model-7"}) {
      CAPTURE(name);
      const std::string path = StrCat(TENON_TEST_DATA "/files/checkpoints/", name);
      const SliceCheckpointReader reader = Open(path);
      SliceCheckpointWriter writer;
      for (const std::string& tensor : reader.Names()) {
        const detail::SlicedTensor& stored = *reader.Find(tensor);
        for (const TensorSlice& slice : stored.slices) {
          const Result<Tensor> part = reader.ReadSlice(tensor, slice);
          REQUIRE_MESSAGE(part.ok(), part.status().ToString());
          REQUIRE(writer.Add(tensor, stored.shape, slice, *part).ok());
        }
      }
      const TempFile temp("v1");
      REQUIRE(writer.Finish(temp.path()).ok());
      const Result<MappedFile> want = MappedFile::Open(path);
      REQUIRE(want.ok());
      CHECK(temp.Read() == wire::AsText(want->bytes()));
    }
  }

#if TENON_TEST_KILLS
  TEST_CASE("killed at every system call: the old file or the new one, whole") {
    const TempFolder parent;
    const Tensor old_w = Matrix(), new_w = MakeTensor<float>({2, 2}, {4, 3, 2, 1});
    const auto save = [](const std::string& to, const Tensor& w) -> Status {
      SliceCheckpointWriter writer;
      TENON_RETURN_IF_ERROR(writer.Add("w", {2, 2}, TensorSlice(2), w));
      return writer.Finish(to);
    };
    std::string path;
    int round = 0, olds = 0, news = 0;
    const int kills = test::KillAtEverySystemCall(
        [&] {
          path = StrCat(parent / "", ++round, "/model");
          REQUIRE(save(path, old_w).ok());
        },
        [&] { return save(path, new_w); },
        [&] {
          const Result<Tensor> w = Open(path).Read("w");
          REQUIRE_MESSAGE(w.ok(), w.status().ToString());
          const bool is_new = tensor::CheckEqual(*w, new_w, tensor::Equality::kBits).ok();
          CheckSame(w, is_new ? new_w : old_w);
          ++(is_new ? news : olds);
        });
    if (kills == -1) {
      MESSAGE("the system does not let a process trace its child");
      return;
    }
    CHECK(kills > 4);
    CHECK(olds > 2);
    CHECK(news > 0);
  }
#endif

  TEST_CASE("every type that the format has, and those that it lacks") {
    for (int type = 1; type < kDataTypeCount; ++type) {
      const auto dtype = static_cast<DataType>(type);
      CAPTURE(Name(dtype));
      Tensor tensor = *Tensor::Make(dtype, {3});
      if (SizeOf(dtype) != 0) {
        auto* const bytes = static_cast<unsigned char*>(tensor.raw_data());
        for (std::size_t i = 0; i < tensor.TotalBytes(); ++i)
          bytes[i] = dtype == DataType::kBool ? static_cast<unsigned char>(i % 2) : static_cast<unsigned char>(i * 37);
      } else if (dtype == DataType::kString) {
        tensor.data<tstring>()[1].assign("text");
      }
      SliceCheckpointWriter writer;
      const Status added = writer.Add("x", {3}, TensorSlice(1), tensor);
      if (!detail::kSliceCheckpointTypes.contains(dtype)) {
        CHECK_MESSAGE(added.code() == (dtype == DataType::kUint32 || dtype == DataType::kUint64 ? Code::kInvalidArgument
                                                                                                : Code::kUnimplemented),
                      added.ToString());
        continue;
      }
      REQUIRE_MESSAGE(added.ok(), added.ToString());
      const TempFile temp("v1");
      REQUIRE(writer.Finish(temp.path()).ok());
      CheckSame(Open(temp.path()).Read("x"), tensor);
      CheckSame(Open(temp.path()).ReadSlice("x", Slice("1,2")), tensor.Slice(1, 3));
    }
  }

  TEST_CASE("slices in one file and in several") {
    const TempFile first("shard-0"), second("shard-1");
    SliceCheckpointWriter a, b;
    REQUIRE(a.Add("x", {4, 2}, Slice("0,2:-"), Matrix()).ok());
    REQUIRE(a.Finish(first.path()).ok());
    REQUIRE(b.Add("x", {4, 2}, Slice("2,2:-"), Matrix()).ok());
    REQUIRE(b.Add("y", {}, TensorSlice(0), Tensor::Scalar(2.5f)).ok());
    REQUIRE(b.Finish(second.path()).ok());
    const Status half = Open(first.path()).Read("x").status();
    CHECK(half.code() == Code::kInvalidArgument);
    CHECK(half.message().find("Error copying slice data") == 0);
    const std::string folder(detail::FolderOf(first.path()));
    const std::string name = first.path().substr(folder.size() + 1);
    // Both names but for the number that TempFile gives and the last character.
    const std::string pattern = StrCat(folder, "/", name.substr(0, name.find('_', 12) + 1), "*shard-[01]");
    const SliceCheckpointReader both = Open(pattern);
    CheckSame(both.Read("x"), MakeTensor<float>({4, 2}, {1, 2, 3, 4, 1, 2, 3, 4}));
    CheckSame(both.ReadSlice("x", Slice("1,2:0,1")), MakeTensor<float>({2, 1}, {3, 1}));
    CheckSame(both.Read("y"), Tensor::Scalar(2.5f));
    CHECK(both.Names().size() == 2);
    CHECK(both.Read("z").status().ToString() ==
          StrCat("NOT_FOUND: Tensor name \"z\" not found in checkpoint files ", pattern));
  }

  TEST_CASE("what cannot be added") {
    SliceCheckpointWriter writer;
    REQUIRE(writer.Add("x", {4, 2}, Slice("0,2:-"), Matrix()).ok());
    CHECK(writer.Add("x", {5, 2}, Slice("2,2:-"), Matrix()).ToString() ==
          "INTERNAL: Mismatching shapes: existing tensor = [4,2], trying to add name x, shape = [5,2]");
    CHECK(writer.Add("x", {4, 2}, Slice("2,2:-"), MakeTensor<std::int32_t>({2, 2}, {1, 2, 3, 4})).code() ==
          Code::kInternal);
    CHECK(writer.Add("y", {4, 2}, Slice("0,3:-"), Matrix()).code() == Code::kInternal);
    CHECK(writer.Add("x", {4, 2}, Slice("0,2:-"), Matrix()).ok());
    CHECK(writer.Add("e", {0, 3}, TensorSlice(2), Tensor(DataType::kFloat, {0, 3})).ok());
  }

  TEST_CASE("shapes of more elements than there are values") {
    for (const Index rows : {Index{30}, Index{1} << 40}) {
      CAPTURE(rows);
      const TempFile temp("v1");
      SliceCheckpointWriter writer;
      REQUIRE(writer.Add("w", {2}, TensorSlice(1), MakeTensor<std::int8_t>({2}, {1, 2})).ok());
      REQUIRE(writer.Finish(temp.path()).ok());
      // The same values under a meta entry that says otherwise.
      const Result<TableReader> table = TableReader::Open(temp.path());
      std::string values;
      const std::string key = ordered_code::SliceKey("w", TensorSlice(1));
      REQUIRE(*table->Find(key, &values));
      wire::Writer meta;
      detail::WriteSlice(meta, TensorSlice(1));
      meta.BytesTag(4, meta.size());
      meta.Varint(static_cast<std::uint64_t>(DataType::kInt8));
      meta.FieldTag(3, wire::WireType::kVarint);
      const std::size_t behind = meta.size();
      const Index sizes[] = {rows};
      wire::detail::WriteShape(meta, sizes, false);
      meta.BytesTag(2, meta.size() - behind);
      meta.Bytes("w");
      meta.BytesTag(1, 1);
      meta.BytesTag(1, meta.size());
      meta.BytesTag(1, meta.size());
      TableWriter changed;
      REQUIRE(changed.Add("", meta.view()).ok());
      REQUIRE(changed.Add(key, values).ok());
      const TempFile lie("v1", changed.Finish());
      const Status status = Open(lie.path()).Read("w").status();
      CHECK_MESSAGE(status.code() == Code::kDataLoss, status.ToString());
      CHECK_MESSAGE(status.message().find(rows == 30 ? "too few for the shape [30]"
                                                     : "cannot hold the values of 'w' [") != status.message().npos,
                    status.ToString());
    }
  }

  TEST_CASE("files that are no checkpoints") {
    CHECK(SliceCheckpointReader::Open("/nowhere/x").status().ToString() ==
          "NOT_FOUND: Unsuccessful TensorSliceReader constructor: Failed to find any matching files for /nowhere/x");
    const TempFile rubbish("rubbish", std::string(100, 'x'));
    const Status status = SliceCheckpointReader::Open(rubbish.path()).status();
    CHECK(status.code() == Code::kDataLoss);
    CHECK(status.message().find("not an sstable (bad magic number)") != status.message().npos);
    TableWriter table;
    REQUIRE(table.Add("a", "b").ok());
    const TempFile other("table", table.Finish());
    CHECK(SliceCheckpointReader::Open(other.path()).status().code() == Code::kInternal);
    TableWriter bad;
    REQUIRE(bad.Add("", "\xff").ok());
    const TempFile unparsable("table", bad.Finish());
    CHECK(SliceCheckpointReader::Open(unparsable.path()).status().code() == Code::kInternal);
  }
}
}  // namespace slice_checkpoint_test
