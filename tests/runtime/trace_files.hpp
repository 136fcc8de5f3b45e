// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of traces, and checks of their events.

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/runtime/api/session.hpp>

#include "runtime/graphs.hpp"
#include "runtime/trace_events.hpp"

namespace runtime_test {

// A path in the system's folder for such files, which goes with it.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name)
      : path((std::filesystem::temp_directory_path() / tenon::StrCat("tenon_", getpid(), "_", name)).string()) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string Read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string path;
};

inline tenon::Status RunSmall(const tenon::Session& session) {
  return session.Run({{"x", tenon::Tensor::Zeros<float>({2})}}, {"z"}).status();
}

inline std::set<std::string> ValuesOf(const std::vector<TraceEvent>& events, const std::string& key) {
  std::set<std::string> values;
  for (const TraceEvent& event : events) values.insert(event.at(key));
  return values;
}

// Each "s" has one "f" with its id, in order of time.
inline void CheckFlowsArePairs(const std::string& json) {
  const auto starts = EventsOf(json, "s"), ends = EventsOf(json, "f");
  CHECK(!starts.empty());
  REQUIRE(starts.size() == ends.size());
  CHECK(ValuesOf(starts, "id").size() == starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    CHECK(starts[i].at("id") == ends[i].at("id"));
    CHECK(starts[i].at("pid") == ends[i].at("pid"));
    CHECK(ends[i].at("bp") == "e");
    CHECK(std::stod(starts[i].at("ts")) <= std::stod(ends[i].at("ts")));
  }
}

}  // namespace runtime_test
