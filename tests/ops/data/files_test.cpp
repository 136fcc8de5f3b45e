// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/data/files.hpp>

#include <tenon/io/record_writer.hpp>

#include "ops/data/pipeline.hpp"
#include "temp_folder.hpp"

namespace data_files_test {
using namespace data_test;

namespace {

std::string Write(const std::string& path, std::string_view bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
  std::fclose(file);
  return path;
}
struct Files : Pipeline {
  Files() { type = DataType::kString; }
  Output Names(const std::vector<std::string>& names) {
    Tensor tensor(DataType::kString, TensorShape({static_cast<Index>(names.size())}));
    for (std::size_t i = 0; i < names.size(); ++i) tensor.data<tstring>()[i] = names[i];
    return b.Const("names", tensor);
  }
  Output Text(const std::string& name, const char* text) { return b.Const(name, Tensor::Scalar(text)); }
  void Lines(const std::vector<std::string>& names, const char* compression = "") {
    Iterate(b.Add("TextLineDataset", "lines", {Names(names), Text("compression", compression), Number("size", 0)}));
    Start();
  }
  void Records(const std::vector<std::string>& names) {
    Iterate(b.Add("TFRecordDataset", "records", {Names(names), Text("compression", ""), Number("size", 0)}));
    Start();
  }
  void Fixed(const std::vector<std::string>& names, std::int64_t header, std::int64_t record, std::int64_t footer) {
    Iterate(b.Add("FixedLengthRecordDatasetV2", "fixed",
                  {Names(names), Number("header", header), Number("record", record), Number("footer", footer),
                   Number("size", 0), Text("compression", "")}));
    Start();
  }
  // The next element; its error's code in brackets.
  std::string One() {
    const Result<std::vector<Tensor>> got = Next();
    if (got.ok()) return std::string(std::string_view((*got)[0].data<tstring>()[0]));
    return StrCat("[", static_cast<int>(got.status().code()), "]");
  }
};

}  // namespace

TEST_SUITE("datasets of files") {
  TEST_CASE("lines end at line feeds; carriage returns and an empty last line are left out") {
    const TempFolder folder;
    const std::string a = Write(folder.path() + "/a", "a\r\nb\rc\r\n\r\nd\r"), b = Write(folder.path() + "/b", "\n");
    Files p;
    p.Lines({a, b});
    for (const char* line : {"a", "bc", "", "d", "", "[11]", "[11]"}) CHECK(p.One() == line);
  }
  TEST_CASE("a file that is not there, or not compressed, is an error every time") {
    const TempFolder folder;
    Files p;
    p.Lines({folder.path() + "/none"});
    for (int i = 0; i < 2; ++i) CHECK(p.One() == "[5]");
    Files q;
    q.Lines({Write(folder.path() + "/a", "plain text, not compressed")}, "GZIP");
    for (int i = 0; i < 2; ++i) CHECK(q.One() == "[15]");
  }
  TEST_CASE("records of several files; after a broken one the next file follows") {
    const TempFolder folder;
    const std::string a = folder.path() + "/a", b = folder.path() + "/b";
    for (const std::string& path : {a, b}) {
      Result<RecordWriter> writer = RecordWriter::Open(path);
      REQUIRE(writer.status().message() == "");
      for (const char* record : {"one", "", "three"}) REQUIRE(writer->Write(record).ok());
      REQUIRE(writer->Close().ok());
    }
    std::string bytes;
    std::FILE* const file = std::fopen(a.c_str(), "rb");
    char buffer[256];
    bytes.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
    std::fclose(file);
    Write(a, std::string_view(bytes).substr(0, bytes.size() - 2));
    Files p;
    p.Records({a, b});
    for (const char* record : {"one", "", "[15]", "one", "", "three", "[11]"}) CHECK(p.One() == record);
    // The position in a file is saved, too.
    p.Do("init");
    for (int i = 0; i < 4; ++i) (void)p.One();
    const Result<std::vector<Tensor>> saved = p.session.Run({}, std::vector<std::string>{"save"});
    REQUIRE(saved.status().message() == "");
    (void)p.One();
    (void)p.One();
    p.Do("restore", {{"saved", (*saved)[0]}});
    for (const char* record : {"", "three", "[11]"}) CHECK(p.One() == record);
  }
  TEST_CASE("records of one length stand between a header and a footer") {
    const TempFolder folder;
    const std::string good = Write(folder.path() + "/a", "HHaabbccF"), bad = Write(folder.path() + "/b", "HHaabF");
    Files p;
    p.Fixed({good, good}, 2, 2, 1);
    for (const char* record : {"aa", "bb", "cc", "aa", "bb", "cc", "[11]"}) CHECK(p.One() == record);
    p.Do("init");
    (void)p.One();
    const Result<std::vector<Tensor>> saved = p.session.Run({}, std::vector<std::string>{"save"});
    REQUIRE(saved.status().message() == "");
    (void)p.One();
    p.Do("restore", {{"saved", (*saved)[0]}});
    for (const char* record : {"bb", "cc", "aa", "bb", "cc", "[11]"}) CHECK(p.One() == record);
    Files q;
    q.Fixed({bad}, 2, 2, 1);
    CHECK(q.One() == "[3]");
  }
}

}  // namespace data_files_test
