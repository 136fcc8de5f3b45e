// SPDX-License-Identifier: Apache-2.0
#pragma once
// A graph with a queue of file names and a reader, for the tests of readers.

#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace reader_test {
using namespace tenon;
using namespace tenon::testing;

struct Readers {
  // `version`: "V2", or "" for ops that take references.
  Readers(std::string_view reader_op, const AttrArgs& attrs, std::string_view version = "V2", Index most = 2) {
    queue = b.Add(StrCat("FIFOQueue", version), "queue", {},
                  {{"component_types", std::vector<DataType>{DataType::kString}},
                   {"shapes", std::vector<PartialTensorShape>{TensorShape()}}});
    b.Add(StrCat("QueueEnqueueMany", version), "fill", {queue, b.Placeholder("names", DataType::kString)});
    b.Add(StrCat("QueueClose", version), "end", {queue});
    const Output reader = b.Add(StrCat(reader_op, version), "reader", std::vector<Output>{}, attrs);
    b.Add(StrCat("ReaderRead", version), "read", {reader, queue});
    b.Add(StrCat("ReaderReadUpTo", version), "some", {reader, queue, b.Const("most", Tensor::Scalar(most))});
    b.Add(StrCat("ReaderNumRecordsProduced", version), "produced", {reader});
    b.Add(StrCat("ReaderNumWorkUnitsCompleted", version), "completed", {reader});
    b.Add(StrCat("ReaderSerializeState", version), "save", {reader});
    b.Add(StrCat("ReaderRestoreState", version), "restore", {reader, b.Placeholder("state", DataType::kString)});
    b.Add(StrCat("ReaderReset", version), "reset", {reader});
    session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
  }
  Status Do(const std::string& target, const std::vector<NamedTensor>& feeds = {}) {
    return session->Run(feeds, std::vector<std::string>{}, std::vector<std::string>{target}).status();
  }
  void Fill(const std::vector<std::string>& paths) {
    Tensor names(DataType::kString, TensorShape({static_cast<Index>(paths.size())}));
    for (std::size_t i = 0; i < paths.size(); ++i) names.data<tstring>()[i] = paths[i];
    REQUIRE(Do("fill", {{"names:0", names}}).ok());
    REQUIRE(Do("end").ok());
  }
  // "key=value", the key without the folder; or the error's code.
  std::string Read() { return Pairs("read"); }
  std::string Some() { return Pairs("some"); }
  // "records/files"
  std::string Counts() {
    const auto got = session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{"produced:0", "completed:0"});
    REQUIRE_MESSAGE(got.ok(), got.status().message());
    return StrCat(*(*got)[0].data<std::int64_t>(), "/", *(*got)[1].data<std::int64_t>());
  }
  Result<std::string> Saved() {
    TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> got,
                           session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{"save:0"}));
    return std::string(got[0].data<tstring>()->view());
  }
  Status Restore(std::string_view state) { return Do("restore", {{"state:0", Tensor::Scalar(state)}}); }

  GraphBuilder b;
  Output queue;
  Result<Session> session = errors::Internal("not started");

 private:
  std::string Pairs(const std::string& op) {
    const auto got = session->Run(std::vector<NamedTensor>{}, std::vector<std::string>{op + ":0", op + ":1"});
    if (!got.ok()) return got.status().ToString().substr(0, got.status().ToString().find(':'));
    std::string text;
    for (Index i = 0; i < (*got)[0].NumElements(); ++i) {
      const std::string_view key = (*got)[0].data<tstring>()[i].view();
      StrAppend(&text, i == 0 ? "" : " ", key.substr(key.rfind('/') + 1), "=", (*got)[1].data<tstring>()[i].view());
    }
    return text;
  }
};

// A folder with files.
struct Files {
  std::string Write(std::string_view name, std::string_view bytes) const {
    const std::string path = folder / name;
    REQUIRE(WriteFile(path, bytes).ok());
    return path;
  }
  TempFolder folder;
};

}  // namespace reader_test
