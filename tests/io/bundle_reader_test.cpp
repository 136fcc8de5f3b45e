// SPDX-License-Identifier: Apache-2.0
// checkpoint_test.cpp has TensorFlow's files, sound and damaged.
#include <tenon/io/bundle_reader.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor_util.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/io/bundle_writer.hpp>

#include <io/temp_file.hpp>
#include <memory/needed.hpp>

namespace bundle_reader_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

// A bundle of its own, gone with the object.
class Bundle {
 public:
  Bundle() : index_("b.index"), data_(""), writer_(prefix()) { REQUIRE(writer_.Open().ok()); }
  ~Bundle() { std::remove(data_path().c_str()); }
  std::string prefix() const { return index_.path().substr(0, index_.path().size() - 6); }
  std::string data_path() const { return detail::BundleDataName(prefix(), 0, 1); }
  BundleWriter& writer() { return writer_; }
  BundleReader Read() {
    REQUIRE(writer_.Finish().ok());
    Result<BundleReader> reader = BundleReader::Open(prefix());
    REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
    return *std::move(reader);
  }

 private:
  TempFile index_, data_;
  BundleWriter writer_;
};
void CheckSame(const Result<Tensor>& got, const Tensor& want) {
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  const Status same = tensor::CheckEqual(*got, want, tensor::Equality::kBits);
  CHECK_MESSAGE(same.ok(), same.ToString());
}
struct Point {
  static constexpr const char* kTypeName = "Point";
  std::int32_t x = 0;
  std::string TypeName() const { return kTypeName; }
  void Encode(VariantTensorData* data) const { data->SetMetadata(x); }
  bool Decode(VariantTensorData data) { return data.GetMetadata(&x); }
};

}  // namespace

TEST_SUITE("BundleReader") {
  TEST_CASE("mapped: views of what is stored whole and aligned, copies of the rest") {
    Bundle bundle;
    const Tensor floats = Tensor::From<float>({1, 2, 3}, TensorShape({3}));
    REQUIRE(bundle.writer().Add("a/floats", floats).ok());
    REQUIRE(bundle.writer().Add("b/byte", Tensor::Scalar(std::uint8_t{7})).ok());
    REQUIRE(bundle.writer().Add("c/misaligned", floats).ok());
    REQUIRE(bundle.writer().Add("d/none", Tensor(DataType::kFloat, TensorShape({0}))).ok());
    Tensor read;
    {
      REQUIRE(bundle.writer().Finish().ok());
      Result<BundleReader> reader = BundleReader::Open(bundle.prefix(), FileAccess::kMap);
      REQUIRE(reader.ok());
      read = *reader->Read("a/floats");
      CHECK(read.buffer()->root()->is_mapped_file());
      CHECK_FALSE(read.RefCountIsOne());
      const Tensor copy = *reader->Read("c/misaligned");
      CHECK_FALSE(copy.buffer()->root()->is_mapped_file());
      CheckSame(copy, floats);
      CHECK(reader->Read("b/byte")->data<std::uint8_t>()[0] == 7);
      CHECK(reader->Read("d/none")->NumElements() == 0);
    }
    CheckSame(read, floats);  // the view keeps the mapping
  }
  TEST_CASE("set_pool: large tensors are summed on its threads, and every damaged part is found") {
    constexpr Index kElements = Index{5} << 18;  // 5 MB and three bytes: six parts
    Tensor large(DataType::kUint8, TensorShape({4 * kElements + 3}));
    testing::Needed(large.raw_data());
    for (Index i = 0; i < large.NumElements(); ++i)
      large.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * i >> 7 ^ i);
    Bundle bundle;
    REQUIRE(bundle.writer().Add("large", large).ok());
    REQUIRE(bundle.writer().Finish().ok());
    ThreadPool pool(3, "sums");
    const auto read = [&](FileAccess access, ThreadPoolInterface* threads) -> Result<Tensor> {
      TENON_ASSIGN_OR_RETURN(BundleReader reader, BundleReader::Open(bundle.prefix(), access));
      reader.set_pool(threads);
      return reader.Read("large");
    };
    for (const FileAccess access : {FileAccess::kRead, FileAccess::kMap}) {
      CheckSame(read(access, nullptr), large);
      CheckSame(read(access, &pool), large);
    }
    std::string stored(large.tensor_data());
    for (std::size_t at = 0; at < stored.size(); at += stored.size() / 6 - 1) {
      stored[at] ^= 1;
      REQUIRE(WriteFile(bundle.data_path(), stored).ok());
      for (const FileAccess access : {FileAccess::kRead, FileAccess::kMap}) {
        const Status alone = read(access, nullptr).status(), together = read(access, &pool).status();
        CHECK(alone.code() == Code::kDataLoss);
        CHECK(together == alone);
      }
      stored[at] ^= 1;
    }
  }
  TEST_CASE("scalars, empty tensors, texts") {
    Bundle bundle;
    const Tensor scalar = Tensor::Scalar(1.5), empty(DataType::kFloat, {0, 4}), no_texts(DataType::kString, {0});
    const Tensor texts = MakeTensor<tstring>({2, 2}, {"", std::string(300, 'x'), "a\0b"s, "z"});
    REQUIRE(bundle.writer().Add("scalar", scalar).ok());
    REQUIRE(bundle.writer().Add("empty", empty).ok());
    REQUIRE(bundle.writer().Add("no_texts", no_texts).ok());
    REQUIRE(bundle.writer().Add("texts", texts).ok());
    BundleReader reader = bundle.Read();
    CheckSame(reader.Read("scalar"), scalar);
    CheckSame(reader.Read("empty"), empty);
    CheckSame(reader.Read("no_texts"), no_texts);
    CheckSame(reader.Read("texts"), texts);
    CHECK(*reader.Contains("texts"));
    CHECK(!*reader.Contains("text"));
    CHECK(reader.Read("text").status().ToString() == "NOT_FOUND: Key text not found in checkpoint");
    // The header is no tensor.
    CHECK(reader.Read("").status().code() == Code::kDataLoss);
  }

  TEST_CASE("slices: the whole, a part, one that leaves the tensor, types that are not cut") {
    Bundle bundle;
    const Tensor matrix = MakeTensor<std::int64_t>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const Tensor texts = MakeTensor<tstring>({3}, {"a", "b", "c"});
    REQUIRE(bundle.writer().Add("m", matrix).ok());
    REQUIRE(bundle.writer().Add("t", texts).ok());
    BundleReader reader = bundle.Read();
    const auto slice = [&](const char* name, const char* text) {
      return reader.ReadSlice(name, *TensorSlice::Parse(text));
    };
    CheckSame(slice("m", "-:-"), matrix);
    CheckSame(slice("m", "0,3:0,4"), matrix);
    CheckSame(slice("m", "1,2:1,2"), MakeTensor<std::int64_t>({2, 2}, {5, 6, 9, 10}));
    CheckSame(slice("m", "2,1:-"), MakeTensor<std::int64_t>({1, 4}, {8, 9, 10, 11}));
    CheckSame(slice("m", "-:3,1"), MakeTensor<std::int64_t>({3, 1}, {3, 7, 11}));
    CHECK(slice("m", "1,3:-").status().code() == Code::kInternal);
    CHECK(slice("m", "-").status().code() == Code::kInternal);
    TensorSlice negative;
    negative.Add(-1, 2);
    negative.Add(0, TensorSlice::kFull);
    CHECK(reader.ReadSlice("m", negative).status().code() == Code::kInternal);
    CheckSame(slice("t", "-"), texts);
    CHECK(slice("t", "1,2").status().ToString() == "INVALID_ARGUMENT: Dtype string not supported.");
    CHECK(slice("x", "-").status().code() == Code::kNotFound);
  }

  TEST_CASE("parts that do not cover the tensor") {
    Bundle bundle;
    const Tensor half = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
    REQUIRE(bundle.writer().AddSlice("w", {5, 2}, *TensorSlice::Parse("0,2:-"), half).ok());
    REQUIRE(bundle.writer().AddSlice("w", {5, 2}, *TensorSlice::Parse("3,2:-"), half).ok());
    BundleReader reader = bundle.Read();
    CHECK(reader.Read("w").status().ToString() ==
          "INVALID_ARGUMENT: Does not have sufficient slices for partitioned tensor w to restore in slice_spec: -:-");
    CheckSame(reader.ReadSlice("w", *TensorSlice::Parse("3,2:-")), half);
    CheckSame(reader.ReadSlice("w", *TensorSlice::Parse("4,1:1,1")), MakeTensor<float>({1, 1}, {4}));
    CHECK(reader.ReadSlice("w", *TensorSlice::Parse("1,2:-")).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("no memory for a tensor whose parts are not stored") {
    // An index that tells of 2^41 values in two parts, one of which is there.
    Bundle bundle;
    const Tensor part = MakeTensor<float>({1, 2}, {1, 2});
    REQUIRE(bundle.writer().AddSlice("w", {2, 2}, *TensorSlice::Parse("0,1:-"), part).ok());
    REQUIRE(bundle.writer().AddSlice("w", {2, 2}, *TensorSlice::Parse("1,1:-"), part).ok());
    CheckSame(bundle.Read().Read("w"), MakeTensor<float>({2, 2}, {1, 2, 1, 2}));
    const Index many = Index{1} << 40;
    TableWriter table;
    BundleHeader header;
    header.shards = 1;
    header.version.producer = 1;
    REQUIRE(table.Add("", header.Serialize()).ok());
    BundleEntry whole, half;
    whole.dtype = half.dtype = static_cast<std::uint64_t>(DataType::kFloat);
    whole.SetShape({2, many});
    whole.slices.push_back(*TensorSlice::Parse("0,1:-"));
    whole.slices.push_back(*TensorSlice::Parse("1,1:-"));
    half.SetShape({1, many});
    half.size = many * 4;
    SlimVector<std::string> keys;
    for (const TensorSlice& slice : whole.slices) keys.push_back(ordered_code::SliceKey("w", slice));
    REQUIRE(table.Add(keys[0], half.Serialize()).ok());
    REQUIRE(table.Add(keys[1], half.Serialize()).ok());
    REQUIRE(table.Add("w", whole.Serialize()).ok());
    REQUIRE(WriteFile(bundle.prefix() + ".index", table.Finish()).ok());
    // Gives nothing, and must not be asked.
    struct NoMemory final : Allocator {
      std::string_view Name() const override { return "none"; }
      void* AllocateRaw(std::size_t, std::size_t, const AllocationAttributes&) override {
        ++asked;
        return nullptr;
      }
      void DeallocateRaw(void*, std::size_t, std::size_t) override {}
      int asked = 0;
    } none;
    Result<BundleReader> reader = BundleReader::Open(bundle.prefix());
    REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
    const Status status = reader->Read("w", &none).status();
    CHECK_MESSAGE(status.code() == Code::kOutOfRange, status.ToString());
    CHECK(reader->ReadSlice("w", *TensorSlice::Parse("0,1:-"), &none).status().code() == Code::kOutOfRange);
    CHECK(none.asked == 0);
  }

  TEST_CASE("variants come back serialised") {
    Bundle bundle;
    Tensor variants = *Tensor::Make(DataType::kVariant, {3});
    variants.data<Variant>()[0] = Point{7};
    variants.data<Variant>()[2] = Point{-1};
    REQUIRE(bundle.writer().Add("v", variants).ok());
    BundleReader reader = bundle.Read();
    Result<Tensor> read = reader.Read("v");
    REQUIRE_MESSAGE(read.ok(), read.status().ToString());
    Variant& first = read->data<Variant>()[0];
    CHECK(first.is_serialized());
    CHECK(first.TypeName() == "Point");
    const Result<Point*> point = GetVariantValue<Point>(&first);
    REQUIRE(point.ok());
    CHECK((*point)->x == 7);
    CHECK(read->data<Variant>()[1].is_empty());
  }

  TEST_CASE("data that is cut or changed") {
    Bundle bundle;
    const Tensor texts = MakeTensor<tstring>({2}, {"one", "three"});
    REQUIRE(bundle.writer().Add("t", texts).ok());
    Tensor variants = *Tensor::Make(DataType::kVariant, {1});
    variants.data<Variant>()[0] = Point{7};
    REQUIRE(bundle.writer().Add("v", variants).ok());
    CheckSame(bundle.Read().Read("t"), texts);
    std::string bytes;
    {
      const Result<MappedFile> file = MappedFile::Open(bundle.data_path());
      REQUIRE(file.ok());
      bytes = std::string(wire::AsText(file->bytes()));
    }
    for (std::size_t keep = 0; keep < bytes.size(); ++keep) {
      REQUIRE(WriteFile(bundle.data_path(), std::string_view(bytes).substr(0, keep)).ok());
      BundleReader reader = *BundleReader::Open(bundle.prefix());
      CHECK(reader.Read("t").ok() == (keep >= 14));
      CHECK(reader.Read("v").status().code() == Code::kOutOfRange);
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x81);
      REQUIRE(WriteFile(bundle.data_path(), changed).ok());
      BundleReader reader = *BundleReader::Open(bundle.prefix());
      const Status t = reader.Read("t").status(), v = reader.Read("v").status();
      CHECK(t.ok() != v.ok());
      const Status& bad = t.ok() ? v : t;
      CHECK_MESSAGE((bad.code() == Code::kDataLoss || bad.code() == Code::kOutOfRange), bad.ToString());
    }
  }

  TEST_CASE("no such bundle") { CHECK(BundleReader::Open("/nowhere/b").status().code() == Code::kNotFound); }
}
}  // namespace bundle_reader_test
