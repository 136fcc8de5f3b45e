// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/npz.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  TEST_CASE("names as TensorFlow's tensors have them, one letter before the colon too") {
    const TempFile temp("a.npz");
    SlimVector<NamedArray> tensors;
    for (const char* name : {"x:0", "C:1", "scope/w:0", "a..b", ":0", "c:"})
      tensors.push_back({name, Tensor::Scalar(static_cast<float>(tensors.size()))});
    REQUIRE(WriteNpz(temp.path(), All(tensors)).ok());
    const auto file = NpzFile::Open(temp.path());
    REQUIRE_MESSAGE(file.ok(), file.status().message());
    for (const NamedArray& named : tensors) {
      CHECK(file->Contains(named.name));
      CHECK(Same(*file->Read(named.name), named.tensor));
    }
    for (const char* name : {"c:/x", "/x", "../x", "a/../../x", "..\\x"}) {
      const NamedArray one[] = {{name, Tensor::Scalar(1.0f)}};
      const Status s = WriteNpz(temp.path(), one);
      CHECK_MESSAGE(s.code() == Code::kInvalidArgument, name);
      CHECK(Has(s, "' is refused: it "));
    }
  }
  TEST_CASE("zip64: an array behind 4 GiB, and one of more") {
    constexpr std::uint64_t kBig = (std::uint64_t{9} << 29) + 3;  // elements: 4.5 GiB of holes in the file
    const TempFile temp("large.npz");
    const auto put = [](std::string* out, std::initializer_list<std::pair<std::uint64_t, int>> numbers) {
      for (const auto& [value, bytes] : numbers)
        for (int i = 0; i < bytes; ++i) out->push_back(i < 8 ? static_cast<char>(value >> (8 * i)) : '\0');
    };
    const auto npy = [](const std::string& shape, std::string_view dtype) {
      std::string text = "{'descr': '" + std::string(dtype) + "', 'fortran_order': False, 'shape': " + shape + ", }";
      text.resize(117, ' ');
      return "\x93NUMPY\x01"s + '\0' + "\x76"s + '\0' + text + '\n';
    };
    const std::string big = npy("(" + std::to_string(kBig) + ",)", "|u1");
    const std::string small = npy("(2,)", "<f4") + std::string("\0\0\x80\x3f\0\0\0\x40", 8);
    REQUIRE(big.size() == 128);
    const std::uint64_t big_bytes = big.size() + kBig;
    std::string head, tail;
    put(&head, {{0x04034b50, 4}, {45, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {~0u, 4}, {~0u, 4}, {7, 2}, {20, 2}});
    head += "big.npy";
    put(&head, {{1, 2}, {16, 2}, {big_bytes, 8}, {big_bytes, 8}});
    const std::uint64_t second = head.size() + big_bytes;  // where the next member is, and what follows in `tail`
    head += big;
    const std::uint32_t crc = Crc32(small);
    put(&tail, {{0x04034b50, 4}, {20, 2}, {0, 2}, {0, 2}, {0, 4}, {crc, 4}, {small.size(), 4}, {small.size(), 4}});
    put(&tail, {{9, 2}, {0, 2}});
    tail += "small.npy" + small;
    const std::uint64_t list = second + tail.size();
    put(&tail,
        {{0x02014b50, 4}, {45, 2}, {45, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}, {~0u, 4}, {~0u, 4}, {7, 2}, {20, 2}});
    put(&tail, {{0, 10}, {0, 4}});
    tail += "big.npy";
    put(&tail, {{1, 2}, {16, 2}, {big_bytes, 8}, {big_bytes, 8}});
    put(&tail, {{0x02014b50, 4}, {45, 2}, {45, 2}, {0, 2}, {0, 2}, {0, 4}, {crc, 4}, {small.size(), 4}});
    put(&tail, {{small.size(), 4}, {9, 2}, {12, 2}, {0, 10}, {~0u, 4}});
    tail += "small.npy";
    put(&tail, {{1, 2}, {8, 2}, {second, 8}});
    const std::uint64_t record = second + tail.size();
    put(&tail, {{0x06064b50, 4}, {44, 8}, {45, 2}, {45, 2}, {0, 8}, {2, 8}, {2, 8}, {record - list, 8}, {list, 8}});
    put(&tail, {{0x07064b50, 4}, {0, 4}, {record, 8}, {1, 4}});
    put(&tail, {{0x06054b50, 4}, {0, 4}, {2, 2}, {2, 2}, {record - list, 4}, {~0u, 4}, {0, 2}});
    temp.Write(head);
    std::FILE* const out = std::fopen(temp.path().c_str(), "r+b");
    REQUIRE(out != nullptr);
    if (ftruncate(fileno(out), static_cast<off_t>(second)) != 0 ||
        fseeko(out, static_cast<off_t>(second), SEEK_SET) != 0 ||
        std::fwrite(tail.data(), 1, tail.size(), out) != tail.size()) {
      MESSAGE("no room for a file with holes");
      std::fclose(out);
      return;
    }
    std::fclose(out);
    NpzOptions options;
    const auto checked = NpzFile::Open(temp.path(), options);
    REQUIRE_MESSAGE(checked.ok(), checked.status().message());
    CHECK(checked->Names() == SlimVector<std::string>{"big", "small"});
    const Result<Tensor> behind = checked->Read("small");  // its check sum is that of bytes beyond 4 GiB
    REQUIRE_MESSAGE(behind.ok(), behind.status().message());
    CHECK(Same(*behind, MakeTensor<float>({2}, {1, 2})));
    options.check_crc = false;  // it would read all of the big one
    const auto file = NpzFile::Open(temp.path(), options);
    REQUIRE(file.ok());
    const Result<Tensor> large = file->Read("big");
    REQUIRE_MESSAGE(large.ok(), large.status().message());
    CHECK(large->shape() == TensorShape{static_cast<Index>(kBig)});
    CHECK(large->data<std::uint8_t>()[kBig - 1] == 0);
    CHECK(large->buffer()->root()->size() == record + 56 + 20 + 22);
  }
  TEST_CASE("bombs of many arrays: all together stay below the limit") {
    const TempFile temp("bomb.npz");
    SlimVector<NamedArray> tensors;
    for (int i = 0; i < 20; ++i)
      tensors.push_back(
          {StrCat("zeros", i), Tensor::Zeros<float>(TensorShape({1 << 16}))});  // 256 KiB, of about 300 bytes
    REQUIRE(WriteNpz(temp.path(), All(tensors), true).ok());
    CHECK(temp.Read().size() < 50000);
    NpzOptions options;
    options.max_total_bytes = std::uint64_t{20} * ((1 << 18) + 128);
    CHECK(ReadNpz(temp.path(), options)->size() == 20);
    options.max_total_bytes -= 1;
    const Status s = ReadNpz(temp.path(), options).status();
    CHECK(s.code() == Code::kResourceExhausted);
    CHECK_MESSAGE(Has(s, "member 'zeros19.npy' has 262272 bytes, and the limit is 262271"), s.message());
    CHECK(NpzFile::Open(temp.path(), options)->Read("zeros19").ok());  // one by one they are not too many
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
    const Status type = write({{"a", Tensor(DataType::kResource, TensorShape({1}))}});
    CHECK(type.code() == Code::kUnimplemented);
    CHECK(Has(type, "': array 'a': NumPy has no type for elements of type resource"));
    CHECK(write({}).ok());
    CHECK(ReadNpz(temp.path())->empty());
  }
}
}  // namespace npz_test
