// SPDX-License-Identifier: Apache-2.0
// Codes, texts and values are TensorFlow 2.21's for the same calls.
#include <tenon/ops/io/file.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "io/temp_file.hpp"
#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace file_test {
using namespace tenon;
using namespace tenon::testing;
using namespace std::string_literals;

namespace {

Tensor Text(std::string_view value) { return Tensor::Scalar(value); }
Tensor Texts(std::initializer_list<std::string_view> values) {
  Tensor tensor(DataType::kString, {static_cast<Index>(values.size())});
  Index i = 0;
  for (const std::string_view value : values) tensor.data<tstring>()[i++].assign(value);
  return tensor;
}
Status Written(const Tensor& path, const Tensor& bytes) { return CallOp("WriteFile", {}, {path, bytes}, 0).status(); }
std::string FileName(std::string_view name, std::int32_t shard, std::int32_t shards) {
  return std::string(Run<ops::ShardedFilename>({}, {Text(name), Int(shard), Int(shards)}).data<tstring>()->view());
}
std::string FileSpec(std::string_view name, std::int32_t shards) {
  return std::string(Run<ops::ShardedFilespec>({}, {Text(name), Int(shards)}).data<tstring>()->view());
}

const std::string kAny(5, '?');  // "??-" is a trigraph

}  // namespace

TEST_SUITE("ReadFile, WriteFile") {
  TEST_CASE("any bytes, none too") {
    for (const std::string& bytes : {""s, "text"s, "a\0b\xff\n"s, std::string(100000, 'x')}) {
      const TempFile temp("file");
      REQUIRE(Written(Text(temp.path()), Text(bytes)).ok());
      CHECK(temp.Read() == bytes);
      CHECK(Run<ops::ReadFile>({}, {Text(temp.path())}).data<tstring>()->view() == bytes);
    }
  }
  TEST_CASE("folders are made") {
    const TempFolder temp;
    const std::string path = temp / "new/a/b";
    REQUIRE(Written(Text(path), Text("x")).ok());
    CHECK(Run<ops::ReadFile>({}, {Text(path)}).data<tstring>()->view() == "x");
  }
  TEST_CASE("what is refused") {
    CHECK(CallOp("ReadFile", {}, {Text("/nowhere/x")}, 1).status().code() == Code::kNotFound);
    CHECK(CallOp("ReadFile", {}, {Text("")}, 1).status().code() == Code::kNotFound);
    CHECK(CallOp("ReadFile", {}, {Text("/")}, 1).status().code() == Code::kFailedPrecondition);
    CHECK(Written(Text("/proc/none/x"), Text("x")).code() != Code::kOk);
    CHECK(ErrorOf<ops::ReadFile>({}, {Texts({"a"})}) ==
          "INVALID_ARGUMENT: ReadFile: Shape must be rank 0 but is rank 1");
    CHECK(Written(Texts({"a"}), Text("x")).code() == Code::kInvalidArgument);
    CHECK(Written(Text("a"), Texts({"x", "y"})).message().find("Contents tensor must be scalar, but had shape: [2]") ==
          0);
  }
}

TEST_SUITE("MatchingFiles") {
  TEST_CASE("one pattern and several, in order") {
    const TempFile b("b.one", "x"), a("a.one", "x"), c("c.two", "x");
    const std::string folder = b.path().substr(0, b.path().rfind('/') + 1);
    const std::string mine = StrCat(folder, "tenon_test_", static_cast<std::int64_t>(::getpid()), "_*");
    const Tensor ones = Run<ops::MatchingFiles>({}, {Text(mine + ".one")});
    REQUIRE(ones.shape() == TensorShape({2}));
    CHECK(ones.data<tstring>()[0].view() == b.path());  // its number is smaller
    CHECK(ones.data<tstring>()[1].view() == a.path());
    const Tensor all = Run<ops::MatchingFiles>({}, {Texts({mine + ".two", mine + ".one", mine + ".two"})});
    REQUIRE(all.shape() == TensorShape({4}));
    CHECK(all.data<tstring>()[0].view() == b.path());
    CHECK(all.data<tstring>()[2].view() == c.path());
    CHECK(all.data<tstring>()[3].view() == c.path());
    CHECK(Run<ops::MatchingFiles>({}, {Text(mine + ".none")}).shape() == TensorShape({0}));
    CHECK(Run<ops::MatchingFiles>({}, {Texts({})}).shape() == TensorShape({0}));
    CHECK(Run<ops::MatchingFiles>({}, {Text("")}).shape() == TensorShape({0}));
  }
  TEST_CASE("a matrix of patterns is refused") {
    CHECK(ErrorOf<ops::MatchingFiles>({}, {Tensor(DataType::kString, {1, 1})}) ==
          "INVALID_ARGUMENT: Input patterns tensor must be scalar or vector, but had shape: [1,1]");
  }
}

TEST_SUITE("ShardedFilename, ShardedFilespec") {
  TEST_CASE("names") {
    CHECK(FileName("b", 0, 1) == "b-00000-of-00001");
    CHECK(FileName("", 5, 3) == "-00005-of-00003");
    CHECK(FileName("b", -1, 3) == "b--0001-of-00003");
    CHECK(FileName("b", -123456, 7) == "b--123456-of-00007");
    CHECK(FileName("dir/model", 99999, 100000) == "dir/model-99999-of-100000");
    CHECK(FileName("b", 123456, 1234567) == "b-123456-of-1234567");
    CHECK(FileName("b", std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()) ==
          "b--2147483648-of-2147483647");
    CHECK(FileSpec("b", 1) == StrCat("b-", kAny, "-of-00001"));
    CHECK(FileSpec("b", 1234567) == StrCat("b-", kAny, "-of-1234567"));
    CHECK(FileSpec("", 0) == StrCat("-", kAny, "-of-00000"));
  }
  TEST_CASE("file systems have no settings") {
    CHECK(ErrorOf<ops::FileSystemSetConfiguration>({}, {Text("ram"), Text("k"), Text("v")})
              .find("UNIMPLEMENTED: FileSystemSetConfiguration: the file system of scheme 'ram' has no setting 'k'") ==
          0);
    CHECK(ErrorOf<ops::FileSystemSetConfiguration>({}, {Text("ram"), Texts({"k"}), Text("v")}) ==
          "INVALID_ARGUMENT: key must be a scalar, got shape [1]");
  }
  TEST_CASE("vectors are refused") {
    CHECK(ErrorOf<ops::ShardedFilename>({}, {Texts({"b", "c"}), Int(1), Int(2)}) ==
          "INVALID_ARGUMENT: ShardedFilename: Shape must be rank 0 but is rank 1");
    CHECK(ErrorOf<ops::ShardedFilename>({}, {Text("b"), Ints({1}), Int(2)}) ==
          "INVALID_ARGUMENT: ShardedFilename: Shape must be rank 0 but is rank 1");
    CHECK(ErrorOf<ops::ShardedFilename>({}, {Text("b"), Int(1), Ints({})}) ==
          "INVALID_ARGUMENT: ShardedFilename: Shape must be rank 0 but is rank 1");
    CHECK(ErrorOf<ops::ShardedFilespec>({}, {Text("b"), Ints({1})}) ==
          "INVALID_ARGUMENT: ShardedFilespec: Shape must be rank 0 but is rank 1");
    CHECK(ErrorOf<ops::ShardedFilespec>({}, {Texts({}), Int(1)}) ==
          "INVALID_ARGUMENT: ShardedFilespec: Shape must be rank 0 but is rank 1");
  }
}
}  // namespace file_test
