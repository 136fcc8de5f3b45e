// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/print.hpp>

#include <string>
#include <string_view>

#include "io/temp_file.hpp"
#include "ops/state/state_test.hpp"

namespace flow_print_test {
using namespace state_test;

namespace {

std::string printed;
Status Collect(std::string_view stream, std::string_view text) {
  printed += StrCat(stream, ": ", text);
  return OkStatus();
}

struct SinkScope {
  SinkScope() {
    printed.clear();
    ops::SetPrintSink(&Collect);
  }
  ~SinkScope() { ops::SetPrintSink(nullptr); }
};

}  // namespace

TEST_SUITE("Print") {
  TEST_CASE("shows message and data in the first runs") {
    const SinkScope scope;
    Machine m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("Print", "show", {x, {x, m.b.Const("t", Tensor::Scalar(tstring("text")))}},
            {{"message", "m: "}, {"first_n", 2}, {"summarize", 2}});
    m.Start();
    const Tensor value = MakeTensor<float>({3}, {1, 2, 3});
    for (int i = 0; i < 3; ++i) CHECK(m.Floats("show", {{"x", value}}) == Floats{1, 2, 3});
    CHECK(printed == "stderr: m: [1 2...][text]\nstderr: m: [1 2...][text]\n");
  }
  TEST_CASE("PrintV2 writes to the stream that the graph names") {
    Machine m;
    const Output s = m.b.Placeholder("s", DataType::kString);
    const TempFile file("print.txt");
    m.b.Add("PrintV2", "out", {s}, {{"output_stream", "stdout"}});
    m.b.Add("PrintV2", "file", {s}, {{"output_stream", StrCat("file://", file.path())}, {"end", "|"}});
    m.b.Add("PrintV2", "nowhere", {s}, {{"output_stream", "file:///no/such/folder/x"}});
    m.Start();
    const std::vector<NamedTensor> feeds = {{"s", Tensor::Scalar(tstring("hello"))}};
    {
      const SinkScope scope;
      REQUIRE(m.Do("out", feeds).ok());
      CHECK(printed == "stdout: hello\n");
    }
    REQUIRE(m.Do("file", feeds).ok());
    REQUIRE(m.Do("file", feeds).ok());
    CHECK(file.Read() == "hello|hello|");
    CHECK(!m.Do("nowhere", feeds).ok());
  }
}
}  // namespace flow_print_test
