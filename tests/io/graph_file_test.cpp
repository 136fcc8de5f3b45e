// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/graph_file.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <io/temp_file.hpp>
#include <without.hpp>

namespace graph_file_test {
using namespace tenon;

namespace {
const std::string kModel = std::string(TENON_TEST_DATA) + "/models/mlp_digits/graph.pb";
bool Has(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }
}  // namespace

TEST_SUITE("ReadGraphFile") {
  TEST_CASE("reads a model; aligned constants are views of the file, and stay when it is closed") {
    Tensor view;
    int views = 0, copies = 0;
    {
      const Result<GraphDef> graph = ReadGraphFile(kModel);
      REQUIRE_MESSAGE(graph.ok(), graph.status().message());
      for (const NodeDef& node : graph->node) {
        const AttrValue* value = node.attr.Find("value");
        if (value == nullptr || value->tensor().TotalBytes() < 64) continue;
        const bool is_view = !value->tensor().buffer()->OwnsMemory();
        (is_view ? views : copies) += 1;
        if (is_view) view = value->tensor();
        CHECK(reinterpret_cast<std::uintptr_t>(value->tensor().raw_data()) % sizeof(float) == 0);
      }
    }
    CHECK(views + copies > 0);
    if (views > 0) {
      double sum = 0;
      for (const float x : view.flat<float>()) sum += static_cast<double>(x);
      CHECK(sum == sum);
      CHECK(!view.RefCountIsOne());
    }
  }
  TEST_CASE("long strings of constants are views of the file, and stay when it is closed") {
    const TempFile temp("strings.pb");
    const std::string text(1000, 's');
    {
      GraphDef graph;
      NodeDef node;
      node.name = "c";
      node.op = "Const";
      node.attr.Set("dtype", AttrValue(DataType::kString));
      node.attr.Set("value", AttrValue(MakeTensor<tstring>({3}, {"short", text, "behind"})));
      graph.node.push_back(std::move(node));
      REQUIRE(WriteGraphFile(temp.path(), graph).ok());
    }
    Tensor kept;
    {
      const Result<GraphDef> graph = ReadGraphFile(temp.path());
      REQUIRE_MESSAGE(graph.ok(), graph.status().message());
      kept = graph->node[0].attr.Find("value")->tensor();
    }
    REQUIRE(kept.NumElements() == 3);
    const tstring* const texts = kept.data<tstring>();
    CHECK_FALSE(texts[0].is_view());
    CHECK(texts[1].is_view());
    CHECK(texts[1] == text);
    CHECK(texts[2] == "behind");
    CHECK_FALSE(kept.RefCountIsOne());
  }
  TEST_CASE("constants of a file that is read stay when it is overwritten, cut short, removed") {
    const Result<GraphDef> graph = ReadGraphFile(kModel);
    REQUIRE(graph.ok());
    const TempFile temp("read.pb");
    REQUIRE(WriteGraphFile(temp.path(), *graph).ok());
    const Result<GraphDef> read = ReadGraphFile(temp.path(), FileAccess::kRead);
    REQUIRE_MESSAGE(read.ok(), read.status().message());
    CHECK(*read == *graph);
    temp.Write(std::string(temp.Read().size(), 'x'));
    CHECK(*read == *graph);
    temp.Write("");
    CHECK(*read == *graph);
    CHECK(ReadGraphFile(temp.path(), FileAccess::kRead).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("what was written is the same when read, even over the file it came from") {
    const Result<GraphDef> graph = ReadGraphFile(kModel);
    REQUIRE(graph.ok());
    const TempFile temp("model.pb");
    CHECK(WriteGraphFile(temp.path(), *graph).ok());
    const Result<GraphDef> back = ReadGraphFile(temp.path());
    REQUIRE(back.ok());
    CHECK(*back == *graph);
    CHECK(WriteGraphFile(temp.path(), *back).ok());
    CHECK(*ReadGraphFile(temp.path()) == *graph);
    CHECK(*back == *graph);
  }
  TEST_CASE("a missing file is NotFound, a folder FailedPrecondition; both name the path") {
    const Status missing = ReadGraphFile("/no/such/graph.pb").status();
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message() == "MappedFile: '/no/such/graph.pb': No such file or directory");
    CHECK(ReadGraphFile("/").status().code() == Code::kFailedPrecondition);
  }
  TEST_CASE("an empty file is InvalidArgument") {
    const Without no_advice(&detail::extensions.describe_file);
    const TempFile temp("empty.pb", "");
    const Status s = ReadGraphFile(temp.path()).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == "ReadGraphFile: '" + temp.path() + "' is empty; a binary GraphDef is wanted");
  }
  TEST_CASE("a file that is cut short is DataLoss, with the byte's offset") {
    const Without no_advice(&detail::extensions.describe_file);
    const TempFile temp("cut.pb", std::string_view("\x0a\x03\x0a\x01x\x0a\x20", 7));
    const Status s = ReadGraphFile(temp.path()).status();
    CHECK(s.code() == Code::kDataLoss);
    CHECK(
        s.message() ==
        "Can't parse '" + temp.path() +
            "' as binary proto: GraphDef: cannot parse the bytes at offset 6: a field of 32 bytes goes beyond the end of "
            "its message; it is truncated or not a GraphDef; include <tenon/io/recognize.hpp> to see what the file is");
  }
  TEST_CASE("random bytes are DataLoss or InvalidArgument") {
    std::uint64_t state = 88172645463325252u;
    for (int round = 0; round < 200; ++round) {
      std::string bytes;
      for (int i = 0; i < 1 + round; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes += static_cast<char>(state);
      }
      const TempFile temp("random.pb", bytes);
      const Result<GraphDef> graph = ReadGraphFile(temp.path());
      if (graph.ok()) continue;  // by chance a graph after all
      CHECK((graph.status().code() == Code::kDataLoss || graph.status().code() == Code::kInvalidArgument));
      CHECK(Has(graph.status(), temp.path()));
    }
  }
  TEST_CASE("text is told from bytes, in a program without the header that reads it") {
    const Without no_advice(&detail::extensions.describe_file);
    const Without no_reader(&detail::extensions.read_graph_text);
    const TempFile temp("graph.pbtxt", "node {\n  name: \"x\"\n  op: \"NoOp\"\n}\n");
    const Status s = ReadGraphFile(temp.path()).status();
    CHECK(s.code() == Code::kDataLoss);
    CHECK(Has(s, "; the file looks like text, and a binary GraphDef is wanted: include <tenon/io/text_graph.hpp>"));
  }
  TEST_CASE("bytes with nothing of a graph in them are InvalidArgument") {
    const TempFile temp("other.pb", "\xf8\x07\x01");
    const Status s = ReadGraphFile(temp.path()).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(Has(
        s,
        "has 3 bytes but nothing of a graph in them; a binary GraphDef is wanted, not a SavedModel or a checkpoint"));
  }
}
}  // namespace graph_file_test
