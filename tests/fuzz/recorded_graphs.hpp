// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's recorded graphs as seeds: the smaller models, the cases of control flow, state and lists.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <dirent.h>

#include <tenon/op/graph_def/proto_io.hpp>

#include "../conformance/golden/case_file.hpp"

namespace ops_fuzz {

inline bool ReadWhole(const std::string& path, std::string* bytes) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes->append(block, n);
  std::fclose(file);
  return true;
}

inline std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  if (DIR* const entries = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(entries)) names.emplace_back(entry->d_name);
    closedir(entries);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct RecordedGraphs {
  std::vector<tenon::GraphDef> plain, with_functions;

  static const RecordedGraphs& Get() {
    static const RecordedGraphs graphs;
    return graphs;
  }

 private:
  RecordedGraphs() {
    const auto add = [this](const std::string& bytes) {
      constexpr std::size_t kMostBytes = 48 << 10;
      if (bytes.size() > kMostBytes) return;
      tenon::wire::ParseContext context;
      context.repeat_bytes = 1 << 16;
      tenon::GraphDef graph;
      if (tenon::wire::Parse(tenon::wire::AsBytes(bytes), &graph, context).ok())
        (graph.library.empty() ? plain : with_functions).push_back(std::move(graph));
    };
    const std::string data = TENON_TEST_DATA;
    for (const std::string& name : NamesIn(data + "/models")) {
      std::string bytes;
      if (ReadWhole(data + "/models/" + name + "/graph.pb", &bytes)) add(bytes);
    }
    for (const char* name : {"flow", "state", "state_more", "edges", "array_a", "sparse"}) {
      std::string bytes;
      golden::CaseFile file;
      if (ReadWhole(data + "/ops/" + name + ".pb", &bytes) &&
          tenon::wire::Parse(tenon::wire::AsBytes(bytes), &file).ok())
        for (const golden::Case& c : file.cases) add(c.graph);
    }
  }
};

}  // namespace ops_fuzz
