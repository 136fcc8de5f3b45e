// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/summary/writer.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/io/folders.hpp>
#include <tenon/io/record_reader.hpp>

#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace summary_writer_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct Writers {
  GraphBuilder b;
  Output writer = b.Add("SummaryWriter", "writer", {}, {{"shared_name", "w"}});
  Result<Session> session = errors::Internal("not started");

  Output Const(const Tensor& value) { return b.Const(StrCat("c", next++), value); }
  Output Text(std::string_view text) { return Const(Tensor::Scalar(text)); }
  void Start() {
    session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
  }
  Status Do(const std::string& target) {
    return session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{}, std::vector<std::string>{target})
        .status();
  }
  int next = 0;
};

}  // namespace

TEST_SUITE("event files") {
  TEST_CASE("each op writes an event; closed files are whole") {
    const TempFolder folder;
    Writers w;
    const Output step = w.Const(Tensor::Scalar<std::int64_t>(7)), tag = w.Text("tag");
    w.b.Add("CreateSummaryFileWriter", "create",
            {w.writer, w.Text(folder.path()), w.Const(Int(10)), w.Const(Int(1000000)), w.Text(".v2")});
    w.b.Add("WriteScalarSummary", "scalar", {w.writer, step, tag, w.Const(Make<half>({2}, {5, 6}))});
    w.b.Add("WriteSummary", "tensor", {w.writer, step, w.Const(Ints({1, 2})), tag, w.Text("")});
    w.b.Add("WriteHistogramSummary", "histogram", {w.writer, step, tag, w.Const(Make<bool>({3}, {1, 0, 1}))});
    w.b.Add("WriteAudioSummary", "audio",
            {w.writer, step, tag, w.Const(Make<float>({1, 4}, {0.5})), w.Const(Tensor::Scalar(8000.0f))});
    w.b.Add("WriteRawProtoSummary", "raw", {w.writer, step, w.Text({"\x0a\x08\x0a\x01\x61\x15\0\0\x80\x3f", 10})});
    w.b.Add("WriteGraphSummary", "graph", {w.writer, step, w.Text("")});
    w.b.Add("ImportEvent", "import", {w.writer, w.Text("\x10\x09")});
    w.b.Add("FlushSummaryWriter", "flush", {w.writer});
    w.b.Add("CloseSummaryWriter", "close", {w.writer});
    w.b.Add("WriteGraphSummary", "bad_graph", {w.writer, step, w.Text("abc")});
    w.b.Add("ImportEvent", "bad_event", {w.writer, w.Text("abc")});
    w.b.Add("WriteRawProtoSummary", "bad_raw", {w.writer, step, w.Text("abc")});
    w.b.Add("WriteScalarSummary", "no_number", {w.writer, step, tag, w.Const(Make<float>({0}, {0}))});
    w.b.Add("WriteHistogramSummary", "nan", {w.writer, step, tag, w.Const(Make<float>({1}, {kNaN}))});
    w.Start();
    CHECK(w.Do("scalar").code() == Code::kNotFound);
    CHECK(w.Do("close").code() == Code::kNotFound);
    REQUIRE(w.Do("create").ok());
    REQUIRE(w.Do("create").ok());  // the writer has a file
    int events = 1;
    for (const char* op : {"scalar", "tensor", "histogram", "audio", "raw", "graph", "import"}) {
      const Status status = w.Do(op);
      CHECK_MESSAGE(status.ok(), op, status.message());
      ++events;
    }
    for (const char* op : {"bad_graph", "bad_event", "bad_raw"}) CHECK(w.Do(op).code() == Code::kDataLoss);
    for (const char* op : {"no_number", "nan"}) CHECK(w.Do(op).code() == Code::kInvalidArgument);
    CHECK(w.Do("flush").ok());
    CHECK(w.Do("close").ok());
    CHECK(w.Do("flush").code() == Code::kNotFound);
    const Result<SlimVector<std::string>> files = MatchFiles(folder / "events.out.tfevents.*.v2");
    REQUIRE(files.ok());
    REQUIRE(files->size() == 1);
    Result<RecordReader> reader = RecordReader::Open((*files)[0]);
    REQUIRE(reader.ok());
    std::string last;
    int found = 0;
    for (std::string_view record; reader->Next(&record); ++found) last = record;
    CHECK(found == events);
    CHECK(last == "\x10\x09");
  }
#ifdef TENON_WITH_IMAGE
  TEST_CASE("pictures") {
    const TempFolder folder;
    Writers w;
    const Output step = w.Const(Tensor::Scalar<std::int64_t>(7)), color = w.Const(Make<std::uint8_t>({3}, {1}));
    w.b.Add("CreateSummaryFileWriter", "create",
            {w.writer, w.Text(folder.path()), w.Const(Int(0)), w.Const(Int(0)), w.Text("x")});
    w.b.Add("WriteImageSummary", "image",
            {w.writer, step, w.Text("i"), w.Const(Make<float>({1, 2, 2, 3}, {1})), color});
    w.b.Add("WriteImageSummary", "more_channels",
            {w.writer, step, w.Text("i"), w.Const(Make<float>({1, 2, 2, 4}, {1})), color});
    w.Start();
    REQUIRE(w.Do("create").ok());
    CHECK(w.Do("image").ok());
    CHECK(w.Do("more_channels").code() == Code::kInvalidArgument);
  }
#endif
}
}  // namespace summary_writer_test
