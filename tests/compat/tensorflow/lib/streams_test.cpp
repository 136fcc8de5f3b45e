// SPDX-License-Identifier: Apache-2.0
// Compressed streams and records, hashes, scanners and small containers of TensorFlow's library.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/lib/containers.hpp>
#include <tenon/compat/tensorflow/lib/gtl.hpp>
#include <tenon/compat/tensorflow/lib/records.hpp>
#include <tenon/compat/tensorflow/lib/scanner.hpp>
#include <tenon/compat/tensorflow/lib/snappy.hpp>
#include <tenon/compat/tensorflow/lib/zlib.hpp>

namespace compat_streams_test {
using namespace tensorflow;
namespace {

std::string PathOf(const std::string& name) {
  return io::JoinPath(std::filesystem::temp_directory_path().string(), "tenon_compat_streams_" + name);
}

}  // namespace

TEST_SUITE("streams of TensorFlow's library") {
  TEST_CASE("hashes are TensorFlow's") {
    const std::string text =
        "the quick brown fox jumps over the lazy dog and then it sleeps for a long time in the sun";
    CHECK(Fingerprint64("hello") == 0xb48be5a931380ce8);
    CHECK(Fingerprint64(text) == 0x44810a06d8edc96a);
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 62) - 1;
    CHECK((Hash64("hello") & kMost) == 0x127bb8b9ebaa7d4a);
    CHECK((Hash64(text.data(), text.size(), 0xdecafcaffe) & kMost) == 0xe1e13dae13afd8f);
    CHECK(Hash64("", 0, 1) != Hash64("", 0, 2));
    CHECK(Hash32("", 0, 7) == 2193385065u);
    CHECK(Hash32("abc", 3, 7) == 957085255u);
    CHECK(Hash32("hello world", 11, 7) == 3745724704u);
    CHECK(Hash64CombineUnordered(3, 5) == Hash64CombineUnordered(5, 3));
    CHECK(FingerprintCat64(1, 2) != FingerprintCat64(2, 1));
    CHECK(StringPieceHasher()("x") == Hash64("x"));
  }
  TEST_CASE("streams of Snappy") {
    const std::string hello("\0\0\0\7\5\x10hello", 11), path = PathOf("snappy");
    std::unique_ptr<WritableFile> out;
    REQUIRE(Env::Default()->NewWritableFile(path, &out).ok());
    {
      io::SnappyOutputBuffer buffer(out.get(), 10, 10);
      CHECK(buffer.Append("hel").ok());
      CHECK(buffer.Write("lo").ok());
      CHECK(buffer.Flush().ok());
      CHECK(buffer.Append(std::string(600000, 'y')).ok());
      CHECK(buffer.Append("end").ok());
    }
    CHECK(out->Append(hello.substr(0, 6)).ok());
    CHECK(out->Close().ok());
    std::string bytes;
    CHECK(ReadFileToString(Env::Default(), path, &bytes).ok());
    CHECK(bytes.substr(0, hello.size()) == hello);
    std::unique_ptr<RandomAccessFile> file;
    REQUIRE(Env::Default()->NewRandomAccessFile(path, &file).ok());
    io::SnappyInputBuffer stream(file.get(), 10, 10);
    tstring text;
    CHECK(stream.ReadNBytes(4, &text).ok());
    CHECK(text == "hell");
    CHECK(stream.ReadNBytes(600001, &text).ok());
    CHECK(StringPiece(text) == "o" + std::string(600000, 'y'));
    CHECK(stream.Tell() == 600005);
    CHECK(stream.ReadNBytes(3, &text).ok());
    CHECK(text == "end");
    CHECK(errors::IsDataLoss(stream.ReadNBytes(1, &text)));
    CHECK(errors::IsInvalidArgument(stream.ReadNBytes(-1, &text)));
    CHECK(stream.Reset().ok());
    io::SnappyInputStream other(new io::RandomAccessInputStream(file.get()), 10, true);
    CHECK(other.ReadNBytes(5, &text).ok());
    CHECK(text == "hello");
    CHECK(Env::Default()->DeleteFile(path).ok());

    std::string block;
    std::size_t length = 0;
    char room[5];
    CHECK(port::Snappy_Compress("hello", 5, &block));
    CHECK(block == hello.substr(4));
    CHECK(port::Snappy_GetUncompressedLength(block.data(), block.size(), &length));
    CHECK(length == 5);
    CHECK(port::Snappy_Uncompress(block.data(), block.size(), room));
    CHECK(StringPiece(room, 5) == "hello");
    CHECK_FALSE(port::Snappy_Uncompress(block.data(), block.size() - 1, room));
    CHECK_FALSE(port::Snappy_GetUncompressedLength("\xff\xff\xff\xff\xff\xff", 6, &length));
  }
  TEST_CASE("compressed records") {
    for (const std::string type : {"", "ZLIB", "GZIP", "SNAPPY"}) {
      const std::string path = PathOf("records" + type);
      std::unique_ptr<WritableFile> out;
      REQUIRE(Env::Default()->NewWritableFile(path, &out).ok());
      io::RecordWriter writer(out.get(), io::RecordWriterOptions::CreateRecordWriterOptions(type));
      CHECK(writer.WriteRecord("first").ok());
      CHECK(writer.WriteRecord(std::string(100000, 'x')).ok());
      CHECK(writer.WriteRecord("").ok());
      CHECK(writer.Flush().ok());
      CHECK(writer.WriteRecord("last").ok());
      CHECK(writer.Close().ok());
      CHECK(out->Close().ok());
      std::unique_ptr<RandomAccessFile> file;
      REQUIRE(Env::Default()->NewRandomAccessFile(path, &file).ok());
      const auto options = io::RecordReaderOptions::CreateRecordReaderOptions(type);
      io::RecordReader reader(file.get(), options);
      uint64_t offset = 0;
      tstring record;
      CHECK(reader.ReadRecord(&offset, &record).ok());
      CHECK(record == "first");
      CHECK(reader.ReadRecord(&offset, &record).ok());
      CHECK(record.size() == 100000);
      int skipped = 0;
      CHECK(reader.SkipRecords(&offset, 1, &skipped).ok());
      CHECK(skipped == 1);
      CHECK(reader.ReadRecord(&offset, &record).ok());
      CHECK(record == "last");
      CHECK(errors::IsOutOfRange(reader.ReadRecord(&offset, &record)));
      offset = 0;
      CHECK(reader.ReadRecord(&offset, &record).ok());
      CHECK(record == "first");
      offset = 3;
      CHECK(errors::IsDataLoss(reader.ReadRecord(&offset, &record)));
      io::SequentialRecordReader records(file.get(), options);
      CHECK(records.SkipRecords(9, &skipped).code() == error::OUT_OF_RANGE);
      CHECK(skipped == 4);
      CHECK(records.SeekOffset(0).code() == error::INVALID_ARGUMENT);
      CHECK(Env::Default()->DeleteFile(path).ok());
    }
  }
  TEST_CASE("zlib streams") {
    const std::string path = PathOf("zlib");
    std::unique_ptr<WritableFile> out;
    REQUIRE(Env::Default()->NewWritableFile(path, &out).ok());
    {
      io::ZlibOutputBuffer buffer(out.get(), 10, 10, io::ZlibCompressionOptions::GZIP());
      CHECK(errors::IsFailedPrecondition(buffer.Append("x")));
      CHECK(buffer.Init().ok());
      CHECK(buffer.Append("hello ").ok());
      CHECK(buffer.Append("world").ok());
      CHECK(buffer.Close().ok());
      CHECK(errors::IsFailedPrecondition(buffer.Append("x")));
    }
    CHECK(out->Close().ok());
    std::unique_ptr<RandomAccessFile> file;
    REQUIRE(Env::Default()->NewRandomAccessFile(path, &file).ok());
    io::ZlibInputStream stream(new io::RandomAccessInputStream(file.get()), 10, 10, io::ZlibCompressionOptions::GZIP(),
                               true);
    tstring piece;
    CHECK(stream.ReadNBytes(5, &piece).ok());
    CHECK(piece == "hello");
    CHECK(stream.Tell() == 5);
    CHECK(errors::IsOutOfRange(stream.ReadNBytes(100, &piece)));
    CHECK(piece == " world");
    CHECK(stream.Reset().ok());
    CHECK(stream.SkipNBytes(6).ok());
    CHECK(stream.ReadNBytes(5, &piece).ok());
    CHECK(piece == "world");
    CHECK_FALSE(stream.ReadNBytes(-1, &piece).ok());
    io::RandomAccessInputStream plain(file.get());
    io::ZlibInputStream other(&plain, 10, 10, io::ZlibCompressionOptions::DEFAULT());
    CHECK(errors::IsDataLoss(other.ReadNBytes(1, &piece)));
    CHECK(Env::Default()->DeleteFile(path).ok());
  }
  TEST_CASE("deflated streams without a header") {
    const std::string path = PathOf("raw");
    std::unique_ptr<WritableFile> out;
    REQUIRE(Env::Default()->NewWritableFile(path, &out).ok());
    io::ZlibOutputBuffer buffer(out.get(), 10, 10, io::ZlibCompressionOptions::RAW());
    CHECK(buffer.Init().ok());
    CHECK(buffer.Append("hello hello hello").ok());
    CHECK(buffer.Close().ok());
    CHECK(out->Close().ok());
    std::unique_ptr<RandomAccessFile> file;
    REQUIRE(Env::Default()->NewRandomAccessFile("file://" + path, &file).ok());
    io::RandomAccessInputStream plain(file.get());
    io::ZlibInputStream stream(&plain, 10, 10, io::ZlibCompressionOptions::RAW());
    tstring piece;
    CHECK(errors::IsOutOfRange(stream.ReadNBytes(100, &piece)));
    CHECK(piece == "hello hello hello");
    CHECK(Env::Default()->DeleteFile(path).ok());
  }
  TEST_CASE("varints of files") {
    const std::string path = PathOf("varints");
    REQUIRE(WriteStringToFile(Env::Default(), path, std::string("\xac\x02\x05", 3) + std::string(11, '\xff')).ok());
    std::unique_ptr<RandomAccessFile> file;
    REQUIRE(Env::Default()->NewRandomAccessFile(path, &file).ok());
    io::InputBuffer buffer(file.release(), 4);
    uint32 narrow = 0;
    std::uint64_t wide = 0;
    CHECK(buffer.ReadVarint32(&narrow).ok());
    CHECK(narrow == 300);
    CHECK(buffer.ReadVarint64(&wide).ok());
    CHECK(wide == 5);
    CHECK(errors::IsDataLoss(buffer.ReadVarint64(&wide)));
    CHECK(errors::IsOutOfRange(buffer.ReadVarint32(&narrow)));
    CHECK(buffer.Hint(4).ok());
    CHECK(Env::Default()->DeleteFile(path).ok());
  }
  TEST_CASE("scanners") {
    using strings::Scanner;
    CHECK(Scanner(">>=").Many(Scanner::RANGLE).OneLiteral("=").GetResult());
    StringPiece name, rest;
    CHECK(Scanner("key_1 = 'a\\'b' end")
              .One(Scanner::LETTER)
              .Any(Scanner::LETTER_DIGIT_UNDERSCORE)
              .StopCapture()
              .AnySpace()
              .OneLiteral("=")
              .GetResult(&rest, &name));
    CHECK(name == "key_1");
    CHECK(rest == " 'a\\'b' end");
    CHECK(Scanner(rest).AnySpace().OneLiteral("'").RestartCapture().ScanEscapedUntil('\'').GetResult(&rest, &name));
    CHECK(name == "a\\'b");
    CHECK(rest == "' end");
    CHECK_FALSE(Scanner("abc").ScanUntil('x').GetResult());
    CHECK_FALSE(Scanner("a1").Many(Scanner::DIGIT).GetResult());
    CHECK_FALSE(Scanner("12x").Many(Scanner::DIGIT).Eos().GetResult());
    CHECK(Scanner("-12").ZeroOrOneLiteral("-").One(Scanner::NON_ZERO_DIGIT).Any(Scanner::DIGIT).Eos().GetResult());
    CHECK(Scanner("").empty());
    CHECK(Scanner("").Peek('?') == '?');
  }
  TEST_CASE("edit distances, places, maps, bits") {
    CHECK(gtl::LevenshteinDistance(std::string("kitten"), std::string("sitting"), std::equal_to<char>()) == 3);
    CHECK(gtl::LevenshteinDistance(std::vector<int>{}, std::vector<int>{1, 2}) == 2);
    const auto turned = gtl::ReverseMap<std::map<int, std::string>>(std::map<std::string, int>{{"a", 1}, {"b", 2}});
    CHECK(turned.at(2) == "b");
    ManualConstructor<std::string> place;
    place.Init(std::size_t{3}, 'x');
    CHECK(*place == "xxx");
    CHECK(place->size() == 3);
    place.Destroy();
    core::Bitmap bits(2);
    bits.set(0);
    CHECK_FALSE(bits.IsAllSet());
    CHECK(bits.CountOnes() == 1);
    core::Arena arena(64);
    for (const std::size_t alignment : {std::size_t{8}, std::size_t{64}, std::size_t{256}})
      CHECK(reinterpret_cast<std::uintptr_t>(arena.AllocAligned(5, alignment)) % alignment == 0);
    auto* const sampler = monitoring::PercentileSampler<0>::New("/a", "b");
    sampler->GetCell()->Add(1.0);
    delete sampler;
  }
}
}  // namespace compat_streams_test
