// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/table.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <io/temp_file.hpp>

namespace table_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries Many(int count) {
  Entries entries;
  entries.emplace_back("", "first");
  for (int i = 0; i < count; ++i) {
    std::string key = "layer_" + std::to_string(100000 + 3 * i) + (i % 5 == 0 ? "/weights" : "");
    entries.emplace_back(key, std::string(static_cast<std::size_t>(i % 40), static_cast<char>(i)));
  }
  return entries;
}
std::string Table(const Entries& entries, std::size_t block_bytes) {
  TableWriter writer(block_bytes);
  for (const auto& [key, value] : entries) REQUIRE(writer.Add(key, value).ok());
  return writer.Finish();
}
Result<TableReader> Open(std::string_view bytes) {
  const TempFile temp("table", bytes);
  return TableReader::Open(temp.path());
}
Entries All(const TableReader& table) {
  Entries entries;
  const Status status = table.ForEach(
      [](void* state, std::string_view key, std::string_view value) -> Status {
        static_cast<Entries*>(state)->emplace_back(key, value);
        return OkStatus();
      },
      &entries);
  CHECK_MESSAGE(status.ok(), status.ToString());
  return entries;
}
// A block's trailer: not compressed, and its check sum.
std::string Sealed(std::string block) {
  block += '\0';
  const std::uint32_t sum = MaskCrc(Crc32c(block));
  return block.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}
std::string Varint(std::uint64_t value) {
  std::string bytes;
  detail::AppendVarint(&bytes, value);
  return bytes;
}
// A table of the one block, which its index names `times` times.
std::string TableOf(const std::string& entries, int times) {
  const std::string restarts = "\0\0\0\0\1\0\0\0"s;
  std::string bytes = Sealed(entries + restarts), index;
  for (int i = 0; i < times; ++i)
    index +=
        "\0\1"s + static_cast<char>(1 + Varint(entries.size() + 8).size()) + "z" + '\0' + Varint(entries.size() + 8);
  index += restarts;
  std::string footer = "\0\0"s + Varint(bytes.size()) + Varint(index.size());
  footer.resize(40);
  bytes += Sealed(index);
  return bytes + footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb"s;
}
Status Walk(const TableReader& table) {
  return table.ForEach([](void*, std::string_view, std::string_view) { return OkStatus(); }, nullptr);
}
// The byte string with its block at [0, size) made valid again.
void Reseal(std::string* bytes, std::size_t size) {
  const std::uint32_t sum = MaskCrc(Crc32c(std::string_view(*bytes).substr(0, size + 1)));
  std::memcpy(bytes->data() + size + 1, &sum, sizeof sum);
}

}  // namespace

TEST_SUITE("Table") {
  TEST_CASE("what is written is read, in blocks of any size") {
    for (const std::size_t block : {std::size_t{1}, std::size_t{100}, std::size_t{1000}, std::size_t{262144}}) {
      for (const int count : {0, 1, 2, 15, 16, 17, 300}) {
        CAPTURE(block);
        CAPTURE(count);
        const Entries entries = Many(count);
        const Result<TableReader> table = Open(Table(entries, block));
        REQUIRE_MESSAGE(table.ok(), table.status().ToString());
        CHECK(All(*table) == entries);
        std::string value;
        REQUIRE(table->First(&value).ok());
        CHECK(value == "first");
        for (const auto& [key, wanted] : entries) {
          const Result<bool> found = table->Find(key, &value);
          REQUIRE(found.ok());
          CHECK(*found);
          CHECK(value == wanted);
          CHECK(!*table->Find(key + "~", &value));
        }
        CHECK(!*table->Find("zzz", &value));
      }
    }
  }

  TEST_CASE("a table without entries") {
    const std::string bytes = TableWriter().Finish();
    CHECK(bytes.size() == 74);
    const Result<TableReader> table = Open(bytes);
    REQUIRE(table.ok());
    std::string value;
    CHECK(All(*table).empty());
    CHECK(!*table->Find("", &value));
    CHECK(table->First(&value).code() == Code::kDataLoss);
  }

  TEST_CASE("keys must come in order") {
    TableWriter writer;
    CHECK(writer.Add("b", "1").ok());
    CHECK(writer.Add("b", "2").code() == Code::kInvalidArgument);
    CHECK(writer.Add("a", "2").message() == "TableWriter: keys must come in order: 'a' after 'b'");
    CHECK(writer.Add("b\xff", "2").ok());
    CHECK(writer.Add("c", "2").ok());
  }

  TEST_CASE("files that are no tables") {
    const std::string bytes = Table(Many(50), 200);
    CHECK(Open("").status().message().find("file is too short to be an sstable") == 0);
    CHECK(Open(bytes.substr(0, 47)).status().code() == Code::kDataLoss);
    const TempFile longer("table", bytes + "x");
    CHECK(TableReader::Open(longer.path()).status().message() ==
          StrCat("not an sstable (bad magic number): '", longer.path(), "'"));
    for (std::size_t keep = 0; keep < bytes.size(); ++keep)
      CHECK(Open(bytes.substr(0, keep)).status().code() == Code::kDataLoss);
    CHECK(TableReader::Open("/nowhere/t").status().code() == Code::kNotFound);
  }

  TEST_CASE("one byte changed is found, wherever it is") {
    const Entries entries = Many(50);
    const std::string bytes = Table(entries, 200);
    int harmless = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x21);
      const Result<TableReader> table = Open(changed);
      if (!table.ok()) continue;
      Entries read;
      const Status status = table->ForEach(
          [](void* state, std::string_view key, std::string_view value) -> Status {
            static_cast<Entries*>(state)->emplace_back(key, value);
            return OkStatus();
          },
          &read);
      if (status.ok()) {
        CHECK(read == entries);
        ++harmless;
      }
    }
    // The empty block of meta data, where it lies, and the footer's padding.
    CHECK(harmless <= 13 + 48);
  }

  TEST_CASE("entries that lie about their sizes, under a right check sum") {
    const Entries entries{{"", "head"}, {"a", "1"}, {"ab", "22"}};
    const std::string bytes = Table(entries, 262144);
    const std::size_t block = 4 + 3 + 3 + 1 + 1 + 3 + 1 + 2 + 8;
    REQUIRE(Open(bytes).ok());
    for (std::size_t at = 0; at < block; ++at) {
      for (const int byte : {0x00, 0x01, 0x05, 0x7f, 0x80, 0xff}) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(byte);
        Reseal(&changed, block);
        const Result<TableReader> table = Open(changed);
        if (!table.ok()) continue;
        std::string value;
        for (const char* key : {"", "a", "ab", "z"}) {
          const Result<bool> found = table->Find(key, &value);
          CHECK((found.ok() || found.status().code() == Code::kDataLoss));
        }
      }
    }
  }

  TEST_CASE("a short file that stands for much: one block many times, keys of one another's bytes") {
    const std::string entry = "\0\1\1"s + "kv";
    const Result<TableReader> once = Open(TableOf(entry, 1)), twice = Open(TableOf(entry, 2));
    REQUIRE(once.ok());
    CHECK(All(*once) == Entries{{"k", "v"}});
    REQUIRE(twice.ok());
    const Status again = Walk(*twice);
    CHECK(again.code() == Code::kDataLoss);
    CHECK(again.message().find(StrCat("sstable index: the block at offset 0 begins before the end of the one before "
                                      "it, which is ",
                                      entry.size() + 8 + 5, ": '", twice->path(), "'")) == 0);
    std::string value;
    CHECK(once->Find("x", &value).ok());
    CHECK(twice->Find("x", &value).status().code() == Code::kDataLoss);
    CHECK(twice->First(&value).ok());

    std::string keys = "\0"s + Varint(10000) + '\0' + std::string(10000, 'k');
    for (int i = 0; i < 5000; ++i) keys += Varint(10000) + "\0\0"s;
    const Result<TableReader> many = Open(TableOf(keys, 1));
    REQUIRE(many.ok());
    const Status too_many = Walk(*many);
    CHECK(too_many.code() == Code::kResourceExhausted);
    CHECK(too_many.message().find(StrCat("sstable: its keys have more than 1024 times the ", many->file_bytes(),
                                         " bytes of the file: '")) == 0);
  }

  TEST_CASE("a compressed block, and a type of block that nobody knows") {
    // One block of one entry, as Snappy stores it: a literal.
    const std::string plain = "\0\1\1"s + "kv" + "\0\0\0\0\1\0\0\0"s;
    std::string bytes =
        static_cast<char>(plain.size()) + std::string(1, static_cast<char>((plain.size() - 1) << 2)) + plain;
    const std::size_t size = bytes.size();
    const auto seal = [](std::string* file, std::size_t from) {
      const std::uint32_t sum = MaskCrc(Crc32c(std::string_view(*file).substr(from)));
      file->append(reinterpret_cast<const char*>(&sum), sizeof sum);
    };
    bytes += '\1';
    seal(&bytes, 0);
    const std::size_t index_at = bytes.size();
    const std::string index = "\0\1\2"s + "k" + '\0' + static_cast<char>(size) + "\0\0\0\0\1\0\0\0"s;
    bytes += index + '\0';
    seal(&bytes, index_at);
    std::string footer = "\0\0"s + static_cast<char>(index_at) + static_cast<char>(index.size());
    footer.resize(40);
    bytes += footer + "\x57\xfb\x80\x8b\x24\x75\x47\xdb"s;
    const Result<TableReader> table = Open(bytes);
    REQUIRE_MESSAGE(table.ok(), table.status().ToString());
    CHECK(All(*table) == Entries{{"k", "v"}});

    bytes[size] = 7;
    const std::uint32_t sum = MaskCrc(Crc32c(std::string_view(bytes).substr(0, size + 1)));
    std::memcpy(bytes.data() + size + 1, &sum, sizeof sum);
    std::string value;
    CHECK(Open(bytes)->Find("k", &value).status().message().find("bad block type 7") == 0);
  }
}
}  // namespace table_test
