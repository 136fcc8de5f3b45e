// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/npz.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <string_view>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>

#include <io/temp_file.hpp>

namespace npz_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

bool Has(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }
bool Same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.SummarizeValue(-1) == b.SummarizeValue(-1);
}
SlimVector<NamedArray> Some() {
  SlimVector<NamedArray> tensors;
  tensors.push_back({"dense/kernel:0", MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  tensors.push_back({"zeros", Tensor::Zeros<std::int32_t>(TensorShape({1000}))});
  tensors.push_back({"names", MakeTensor<tstring>({2}, {"one", "a longer name than 22 bytes"})});
  tensors.push_back({"empty", Tensor(DataType::kDouble, TensorShape({0, 4}))});
  return tensors;
}
std::span<const NamedArray> All(const SlimVector<NamedArray>& tensors) { return {tensors.data(), tensors.size()}; }

}  // namespace

TEST_SUITE("NpzFile") {
  TEST_CASE("what WriteNpz writes is read, stored as aligned views of the file") {
    for (const bool compressed : {false, true}) {
      const TempFile temp("a.npz");
      const auto tensors = Some();
      const Status written = WriteNpz(temp.path(), All(tensors), compressed);
      REQUIRE_MESSAGE(written.ok(), written.message());
      const Result<NpzFile> file = NpzFile::Open(temp.path());
      REQUIRE_MESSAGE(file.ok(), file.status().message());
      REQUIRE(file->size() == 4);
      for (const NamedArray& named : tensors) {
        CHECK(file->Contains(named.name));
        const Result<Tensor> t = file->Read(named.name);
        REQUIRE_MESSAGE(t.ok(), t.status().message());
        CHECK(Same(*t, named.tensor));
        CHECK(t->IsAligned());
        if (!compressed && t->dtype() == DataType::kFloat) CHECK(!t->buffer()->OwnsMemory());
      }
      const Result<SlimVector<NamedArray>> all = ReadNpz(temp.path());
      REQUIRE_MESSAGE(all.ok(), all.status().message());
      for (std::size_t i = 0; i < 4; ++i) {
        CHECK((*all)[i].name == tensors[i].name);
        CHECK(file->name(i) == tensors[i].name);
        CHECK(file->Names()[i] == tensors[i].name);
        CHECK(Same((*all)[i].tensor, tensors[i].tensor));
      }
    }
  }
  TEST_CASE("a tensor keeps the file's memory when the NpzFile is gone") {
    const TempFile temp("a.npz");
    REQUIRE(WriteNpz(temp.path(), All(Some())).ok());
    Tensor kept;
    {
      const Result<NpzFile> file = NpzFile::Open(temp.path());
      REQUIRE(file.ok());
      kept = *file->Read("dense/kernel:0");
    }
    CHECK(kept.flat<float>()[5] == 6.0f);
  }
  TEST_CASE("names that are not there") {
    const TempFile temp("a.npz");
    REQUIRE(WriteNpz(temp.path(), All(Some())).ok());
    const Result<NpzFile> file = NpzFile::Open(temp.path());
    REQUIRE(file.ok());
    CHECK_FALSE(file->Contains("zero"));
    CHECK(file->Read("zeroes").status().code() == Code::kNotFound);
    CHECK(Has(file->Read("zeroes").status(), temp.path() + "' has no array 'zeroes'; did you mean 'zeros'?"));
    CHECK(NpzFile::Open("/no/such/file.npz").status().code() == Code::kNotFound);
  }
  TEST_CASE("limits of memory") {
    const TempFile temp("a.npz");
    REQUIRE(WriteNpz(temp.path(), All(Some()), true).ok());
    const auto code = [&](const NpzOptions& options) { return ReadNpz(temp.path(), options).status().code(); };
    NpzOptions options;
    options.max_member_bytes = 4127;
    CHECK(code(options) == Code::kResourceExhausted);
    options.max_member_bytes = 4128;
    CHECK(code(options) == Code::kOk);
    options.max_total_bytes = 4128;
    CHECK(code(options) == Code::kResourceExhausted);
    options = {};
    options.max_ratio = 3;
    CHECK(code(options) == Code::kResourceExhausted);
    options = {};
    options.npy.max_bytes = 47;  // two strings
    const Status s = ReadNpz(temp.path(), options).status();
    CHECK(s.code() == Code::kResourceExhausted);
    CHECK(Has(s, "member 'names.npy': shape [2] of type string needs 2 times 24 bytes of memory, and the limit is 47"));
  }
  TEST_CASE("damaged files") {
    const TempFile temp("a.npz");
    REQUIRE(WriteNpz(temp.path(), All(Some())).ok());
    const std::string good = temp.Read();
    std::string bad = good;
    bad[good.find("\x93NUMPY") + 130] ^= 1;
    temp.Write(bad);
    const Status s = ReadNpz(temp.path()).status();
    CHECK(s.code() == Code::kDataLoss);
    CHECK(Has(s, "member 'dense/kernel:0.npy' at byte 64 is damaged"));
    NpzOptions options;
    options.check_crc = false;
    CHECK(ReadNpz(temp.path(), options).ok());
    for (std::size_t n = 0; n < good.size(); n += 17) {
      temp.Write(good.substr(0, n));
      CHECK(ReadNpz(temp.path()).status().code() == Code::kDataLoss);
    }
    ZipWriter writer;
    REQUIRE(writer.Add("a.npy", "", "hello", false).ok());
    REQUIRE(writer.Add("readme.txt", "", "hello", false).ok());
    std::string file;
    const auto pieces = writer.Pieces();
    for (const std::string_view piece : *pieces) file += piece;
    temp.Write(file);
    CHECK(Has(ReadNpz(temp.path()).status(), "': member 'a.npy' is not a .npy file"));
    CHECK(NpzFile::Open(temp.path())->size() == 1);
  }
  TEST_CASE("from a buffer") {
    const TempFile temp("a.npz");
    REQUIRE(WriteNpz(temp.path(), All(Some())).ok());
    std::string bytes = temp.Read();
    Buffer* buffer = Buffer::Wrap(bytes.data(), bytes.size(), nullptr, nullptr);
    {
      const Result<NpzFile> file = NpzFile::FromBuffer(buffer, "here");
      REQUIRE(file.ok());
      CHECK(Same(*file->Read("zeros"), Some()[1].tensor));
    }
    CHECK(buffer->RefCountIsOne() == false);  // not its own memory
    buffer->Unref();
  }
}

#if defined(TENON_TEST_DATA)
TEST_SUITE("ReadNpz, files of NumPy") {
  TEST_CASE("each type in each byte order and order of dimensions") {
    const Result<SlimVector<NamedArray>> all = ReadNpz(TENON_TEST_DATA "/npy/types.npz");
    REQUIRE_MESSAGE(all.ok(), all.status().message());
    REQUIRE(all->size() == 14 * 4);
    for (std::size_t i = 0; i < all->size(); ++i) {
      const NamedArray &named = (*all)[i], &plain = (*all)[i / 4 * 4];
      CHECK(named.tensor.dtype() == plain.tensor.dtype());
      CHECK(DataTypeFromName(plain.name.substr(0, plain.name.find('/'))) == named.tensor.dtype());
      CHECK(named.tensor.shape() == TensorShape({2, 3}));
      CHECK_MESSAGE(named.tensor.tensor_data() == plain.tensor.tensor_data(), named.name);
      if (named.tensor.dtype() == DataType::kComplex64)
        CHECK(named.tensor.flat<complex64>()[1] == complex64(1, 4));
      else if (named.tensor.dtype() == DataType::kComplex128)
        CHECK(named.tensor.flat<complex128>()[1] == complex128(1, 4));
      else if (named.tensor.dtype() != DataType::kBool)
        CHECK(named.tensor.SummarizeValue(-1, true) == "[[0 1 2]\n [3 4 5]]");
    }
  }
  TEST_CASE("deflated arrays") {
    const Result<NpzFile> file = NpzFile::Open(TENON_TEST_DATA "/npy/deflated.npz");
    REQUIRE_MESSAGE(file.ok(), file.status().message());
    CHECK(Same(*file->Read("zeros"), Tensor::Zeros<float>(TensorShape({64, 1024}))));
    const Tensor range = *file->Read("range");
    REQUIRE(range.shape() == TensorShape({5000}));
    for (Index i = 0; i < 5000; ++i) CHECK(range.flat<std::int32_t>()[i] == i);
    CHECK(file->Read("noise")->shape() == TensorShape({3000}));
    CHECK(file->Read("text")->flat<tstring>()[2] == "h\u00e9llo"s);
    CHECK(file->Read("scalar")->scalar<double>()() == 2.5);
    CHECK(file->Read("empty")->shape() == TensorShape({0, 3}));
  }
}
#endif

TEST_SUITE("WriteNpz") {
  TEST_CASE("refuses names and tensors, and says which") {
    const TempFile temp("a.npz");
    const auto write = [&](std::initializer_list<NamedArray> tensors) {
      return WriteNpz(temp.path(), {tensors.begin(), tensors.size()});
    };
    const Status outside = write({{"../a", Tensor::Scalar(1.0f)}});
    CHECK(outside.code() == Code::kInvalidArgument);
    CHECK(Has(outside, temp.path() + "': the name '../a.npy' is refused: it has '..', which leaves the folder"));
    const Status twice = write({{"a", Tensor::Scalar(1.0f)}, {"a", Tensor::Scalar(2.0f)}});
    CHECK(twice.code() == Code::kAlreadyExists);
    const Status type = write({{"a", MakeTensor<int4>({1}, {int4(1)})}});
    CHECK(type.code() == Code::kUnimplemented);
    CHECK(Has(type, "': array 'a': NumPy has no type for elements of type int4"));
    CHECK(write({}).ok());
    CHECK(ReadNpz(temp.path())->empty());
  }
}
}  // namespace npz_test
