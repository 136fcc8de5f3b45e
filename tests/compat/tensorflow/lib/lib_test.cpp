// SPDX-License-Identifier: Apache-2.0
// TensorFlow's small library: distributions, coding, streams, containers.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/lib/containers.hpp>
#include <tenon/compat/tensorflow/lib/io.hpp>
#include <tenon/compat/tensorflow/lib/platform.hpp>
#include <tenon/compat/tensorflow/lib/random_distributions.hpp>
#include <tenon/compat/tensorflow/lib/records.hpp>
#include <tenon/compat/tensorflow/lib/strong_hash.hpp>

namespace compat_lib_test {
using namespace tensorflow;
using random::PhiloxRandom;

TEST_SUITE("TensorFlow's library") {
  TEST_CASE("hashes with a key are those of StringToHashBucketStrong") {
    constexpr uint64 kKey[2] = {123, 456}, kBuckets = (uint64{1} << 63) - 1;
    CHECK(StrongKeyedHash(kKey, "input string") % kBuckets == 5923696793016453524);
    CHECK(StrongKeyedHash(kKey, "") % kBuckets == 887865449656487407);
    const Fprint128 a = Fingerprint128("alpha"), b = Fingerprint128("beta");
    CHECK_FALSE(a == b);
    CHECK(a == Fingerprint128("alpha"));
    CHECK(FingerprintCat128(a, b) ==
          Fprint128{FingerprintCat64(a.low64, b.low64), FingerprintCat64(a.high64, b.high64)});
    CHECK(FingerprintCat128(a, 7).low64 == FingerprintCat64(a.low64, 7));
    CHECK(Fprint128Hasher()(a) == static_cast<std::size_t>(a.low64));
  }
  TEST_CASE("guarded generators start from a counter and a key") {
    PhiloxRandom::ResultType counter;
    PhiloxRandom::Key key;
    counter[0] = 1, counter[1] = 2, counter[2] = 3, counter[3] = 4, key[0] = 5, key[1] = 6;
    PhiloxRandom expected(counter, key);
    GuardedPhiloxRandom guarded;
    guarded.Init(counter, key);
    CHECK(guarded.ReserveSamples128(1)()[2] == expected()[2]);
  }
  TEST_CASE("distributions: ranges and means") {
    PhiloxRandom words(1, 2);
    random::UniformDistribution<PhiloxRandom, float> uniform;
    random::UniformDistribution<PhiloxRandom, std::int64_t> integers(-2, 3);
    random::NormalDistribution<PhiloxRandom, double> normal;
    random::SingleSampleAdapter<PhiloxRandom> single(&words);
    random::TruncatedNormalDistribution<random::SingleSampleAdapter<PhiloxRandom>, float> truncated;
    double mean = 0, square = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto u = uniform(&words);
      for (int k = 0; k < u.size(); ++k) {
        CHECK(u[k] >= 0);
        CHECK(u[k] < 1);
      }
      const auto n = integers(&words);
      CHECK(n[0] >= -2);
      CHECK(n[1] < 3);
      const auto g = normal(&words);
      mean += g[0] + g[1];
      square += g[0] * g[0] + g[1] * g[1];
      const auto t = truncated(&single);
      for (int k = 0; k < 4; ++k) CHECK(std::abs(t[k]) < 2);
    }
    CHECK(std::abs(mean / 2000) < 0.1);
    CHECK(std::abs(square / 2000 - 1) < 0.15);
    const PhiloxRandom copy(words.counter(), words.key());
    PhiloxRandom a = words, b = copy;
    CHECK(a()[3] == b()[3]);
  }
  TEST_CASE("samplers") {
    PhiloxRandom words(5);
    random::SimplePhilox simple(&words);
    const random::DistributionSampler sampler({1, 0, 3});
    int counts[3] = {};
    for (int i = 0; i < 4000; ++i) ++counts[sampler.Sample(&simple)];
    CHECK(counts[1] == 0);
    CHECK(counts[2] > 2700);
    CHECK(counts[2] < 3300);
    random::WeightedPicker picker(3);
    picker.set_weight(0, 0);
    CHECK(picker.total_weight() == 2);
    CHECK(picker.PickAt(0) == 1);
    CHECK(picker.PickAt(2) == -1);
  }
  TEST_CASE("numbers as bytes and texts") {
    std::string bytes;
    core::PutVarint64(&bytes, 300);
    core::PutFixed32(&bytes, 7);
    StringPiece in = bytes;
    std::uint64_t value = 0;
    CHECK(core::GetVarint64(&in, &value));
    CHECK(value == 300);
    CHECK(core::DecodeFixed32(in.data()) == 7);
    in = "\xff";
    CHECK_FALSE(core::GetVarint64(&in, &value));
    CHECK(strings::HumanReadableNum(1234567) == "1.23M");
    CHECK(strings::HumanReadableNumBytes(1536) == "1.5KiB");
    CHECK(strings::HumanReadableElapsedTime(0.25) == "250 ms");
    std::string text;
    CHECK(Base64Encode("\xff\xfe?", &text).ok());
    CHECK(text == "__4_");
    CHECK(Base64Decode(text, &bytes).ok());
    CHECK(bytes == "\xff\xfe?");
    CHECK(Base64Decode("*", &bytes).code() == error::INVALID_ARGUMENT);
    CHECK(Log2Ceiling(5) == 3);
    CHECK(NextPowerOfTwo(5) == 8);
    void* const memory = port::AlignedMalloc(100, 64);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
    port::AlignedFree(memory);
  }
  TEST_CASE("streams: pieces, lines and records") {
    const std::string path = io::JoinPath(std::filesystem::temp_directory_path().string(), "tenon_compat_lib_test");
    REQUIRE(WriteStringToFile(Env::Default(), path, "one\r\ntwo\n\nlast").ok());
    std::unique_ptr<RandomAccessFile> file;
    REQUIRE(Env::Default()->NewRandomAccessFile(path, &file).ok());
    io::BufferedInputStream stream(file.get(), 3);
    std::string line;
    std::vector<std::string> lines;
    while (stream.ReadLine(&line).ok()) lines.push_back(line);
    CHECK(lines == std::vector<std::string>{"one", "two", "", "last"});
    CHECK(errors::IsOutOfRange(stream.ReadLine(&line)));
    CHECK(stream.Seek(5).ok());
    tstring piece;
    CHECK(stream.ReadNBytes(3, &piece).ok());
    CHECK(piece == "two");
    CHECK(errors::IsOutOfRange(stream.ReadNBytes(100, &piece)));
    CHECK(piece == "\n\nlast");
    std::unique_ptr<WritableFile> out;
    REQUIRE(Env::Default()->NewWritableFile(path, &out).ok());
    io::RecordWriter writer(out.get());
    CHECK(writer.WriteRecord("first").ok());
    CHECK(writer.WriteRecord("").ok());
    CHECK(out->Close().ok());
    REQUIRE(Env::Default()->NewRandomAccessFile(path, &file).ok());
    io::SequentialRecordReader reader(file.get());
    CHECK(reader.ReadRecord(&line).ok());
    CHECK(line == "first");
    CHECK(reader.ReadRecord(&line).ok());
    CHECK(line.empty());
    CHECK(errors::IsOutOfRange(reader.ReadRecord(&line)));
    FileStatistics statistics;
    CHECK(Env::Default()->Stat(path, &statistics).ok());
    CHECK(statistics.length == 37);
    std::vector<std::string> paths;
    CHECK(Env::Default()->GetMatchingPaths(path + "*", &paths).ok());
    CHECK(paths.size() == 1);
    CHECK(Env::Default()->DeleteFile(path).ok());
    CHECK(crc32c::Unmask(crc32c::Mask(77)) == 77);
  }
  TEST_CASE("containers") {
    gtl::TopN<int> top(2);
    for (const int x : {3, 9, 1, 7}) top.push(x);
    const std::unique_ptr<std::vector<int>> best(top.Extract());
    CHECK(*best == std::vector<int>{9, 7});
    TF_LIB_GTL_DEFINE_INT_TYPE(NodeId, int64);
    CHECK((NodeId(2) + NodeId(3)).value() == 5);
    CHECK(MathUtil::CeilOfRatio(7, 2) == 4);
    CHECK(MathUtil::FloorOfRatio(-7, 2) == -4);
    CHECK(MathUtil::GCD(12, 18) == 6);
    core::Bitmap bits(3);
    bits.set(0);
    CHECK(bits.FirstUnset(0) == 1);
    auto* const counter = monitoring::Counter<1>::New("/a", "b", "c");
    counter->GetCell("x")->IncrementBy(2);
    CHECK(counter->GetCell("x")->value() == 2);
    delete counter;
  }
}
}  // namespace compat_lib_test
