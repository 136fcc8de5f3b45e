// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reader/record_input.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <tenon/io/record_writer.hpp>

#include "ops/state/state_test.hpp"
#include "temp_folder.hpp"

namespace reader_record_input_test {
using namespace tenon;
using state_test::Machine;

TEST_SUITE("RecordInput") {
  TEST_CASE("each epoch has every record of every file once, in another order") {
    const TempFolder folder;
    for (int file = 0; file < 3; ++file) {
      Result<RecordWriter> writer = RecordWriter::Open(folder / StrCat("r", file));
      REQUIRE(writer.ok());
      for (int i = 0; i < 4 * file; ++i) REQUIRE(writer->Write(StrCat(file, ":", i)).ok());
      REQUIRE(writer->Close().ok());
    }
    Machine m;
    m.b.Add("RecordInput", "in", {}, {{"file_pattern", folder / "r*"}, {"batch_size", 12}, {"file_buffer_size", 5}});
    m.b.Add("RecordInput", "none", {}, {{"file_pattern", folder / "x*"}});
    m.b.Add("RecordInput", "empty", {}, {{"file_pattern", folder / "r0"}});
    m.Start();
    std::vector<std::string> epochs[2];
    for (std::vector<std::string>& epoch : epochs) {
      const Tensor records = m.Get({"in"})[0];
      for (Index i = 0; i < 12; ++i) epoch.emplace_back(records.data<tstring>()[i].view());
    }
    CHECK(epochs[0] != epochs[1]);
    for (std::vector<std::string>& epoch : epochs) {
      std::sort(epoch.begin(), epoch.end());
      CHECK(std::unique(epoch.begin(), epoch.end()) == epoch.end());
    }
    CHECK(epochs[0] == epochs[1]);
    CHECK(m.Try({"none"}).code() == Code::kNotFound);
    CHECK(m.Try({"empty"}).code() == Code::kNotFound);
  }
}
}  // namespace reader_record_input_test
