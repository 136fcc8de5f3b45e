// SPDX-License-Identifier: Apache-2.0
#include "text_cases.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/step_stats_text.hpp>
#include <tenon/wire/text_writer.hpp>

namespace golden {
namespace {

using tenon::Result;
using tenon::StrCat;

namespace fs = std::filesystem;

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The file's line in index.md: "- NAME: ...".
std::string_view LineOf(std::string_view index, std::string_view name) {
  const std::size_t start = index.find(StrCat("- ", name, ":"));
  return start == std::string_view::npos ? "" : index.substr(start, index.find('\n', start) - start);
}

// "line:column: " in front.
bool HasPlace(std::string_view message) {
  const std::size_t colon = message.find(':');
  const std::size_t second = message.find(": ", colon + 1);
  constexpr std::string_view kDigits = "0123456789";
  return colon != 0 && second < 20 && message.substr(0, colon).find_first_not_of(kDigits) == std::string_view::npos &&
         message.substr(colon + 1, second - colon - 1).find_first_not_of(kDigits) == std::string_view::npos;
}

Outcome RunBadText(const std::string& text) {
  const Result<tenon::GraphDef> graph = tenon::ParseTextGraphDef(text);
  if (graph.ok()) return {Outcome::kFailed, "read, protobuf refuses it"};
  if (graph.status().code() != tenon::Code::kInvalidArgument || !HasPlace(graph.status().message()))
    return {Outcome::kFailed, StrCat("refused without a place: ", graph.status().ToString())};
  return {Outcome::kPassed, std::string(graph.status().message())};
}

// The text of the binary file, field by field: a tensor may have its values in another form once it was read.
std::string TextOf(const std::string& binary) {
  std::string text;
  tenon::wire::WireToText(tenon::wire::Schema<tenon::GraphDef>::message, binary, &text,
                          tenon::detail::kGraphTextTables);
  return text;
}

Outcome RunPair(const std::string& text, const std::string& binary, bool same_bytes) {
  const Result<tenon::GraphDef> parsed = tenon::ParseGraphDef(Bytes(binary));
  if (!parsed.ok()) return {Outcome::kFailed, parsed.status().ToString()};
  const tenon::GraphDef& want = *parsed;
  tenon::GraphDef got;
  if (const tenon::Status s = tenon::ParseText(text, &got); !s.ok()) return {Outcome::kFailed, s.ToString()};
  if (!(got == want)) return {Outcome::kFailed, "the text and the binary file differ"};
  tenon::GraphDef again;
  if (const tenon::Status s = tenon::ParseText(tenon::ToText(want), &again); !s.ok())
    return {Outcome::kFailed, StrCat("written, and not read: ", s.ToString())};
  if (!(again == want)) return {Outcome::kFailed, "written and read it differs"};
  if (const tenon::Status s = tenon::ParseJson(tenon::ToJson(want), &again); !s.ok())
    return {Outcome::kFailed, StrCat("written as JSON, and not read: ", s.ToString())};
  if (!(again == want)) return {Outcome::kFailed, "written as JSON and read it differs"};
  const std::string written = TextOf(binary);
  if (same_bytes && written != text) {
    std::size_t at = 0;
    while (at < written.size() && at < text.size() && written[at] == text[at]) ++at;
    return {Outcome::kFailed, StrCat("written it differs from byte ", at, ": '", written.substr(at, 60), "', not '",
                                     text.substr(at, 60), "'")};
  }
  return {Outcome::kPassed, ""};
}

// The StepStats of a RunMetadata: its field 1.
std::string StepStatsOf(const std::string& run_metadata) {
  tenon::wire::Reader reader(tenon::wire::AsBytes(run_metadata));
  std::string_view bytes;
  for (tenon::wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.field == 1) return std::string(bytes);
  }
  return "";
}

// A text that TensorFlow wrote of StepStats, with fields that the struct lacks.
Outcome RunStepStats(const std::string& text, const std::string& binary) {
  std::string written, bytes, again;
  tenon::wire::WireToText(tenon::wire::kStepStats, binary, &written);
  if (written != text) return {Outcome::kFailed, "written it differs"};
  if (const tenon::Status s = tenon::wire::TextToWire(tenon::wire::kStepStats, text, &bytes); !s.ok())
    return {Outcome::kFailed, s.ToString()};
  tenon::wire::WireToText(tenon::wire::kStepStats, bytes, &again);
  return {again == text ? Outcome::kPassed : Outcome::kFailed, again == text ? "" : "read and written it differs"};
}

Outcome RunFile(const fs::path& path, std::string_view index) {
  const std::string text = Contents(path);
  const std::string binary = Contents(fs::path(path).replace_extension(".pb"));
  const std::string name = path.stem().string();
  if (name == "run_metadata") return RunStepStats(text, StepStatsOf(binary));
  const std::string_view line = LineOf(index, name);
  const bool same_bytes = line.find("as TensorFlow prints it") != std::string_view::npos &&
                          line.find("short form") == std::string_view::npos;
  return RunPair(text, binary, same_bytes);
}

std::vector<fs::path> TextsIn(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".pbtxt") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

tenon::Status RunTextFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  const std::string index = Contents(fs::path(folder) / "index.md");
  std::vector<fs::path> good = TextsIn(folder), bad = TextsIn(fs::path(folder) / "bad_text");
  if (good.empty() && bad.empty()) return tenon::errors::NotFound("'", folder, "' holds no .pbtxt file");
  const std::size_t pairs = good.size();
  good.insert(good.end(), bad.begin(), bad.end());
  for (std::size_t i = 0; i < good.size(); ++i) {
    const std::string name = good[i].string();
    if (name.find(filter) == std::string::npos) continue;
    const Outcome outcome = i < pairs ? RunFile(good[i], index) : RunBadText(Contents(good[i]));
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed) std::printf("FAILED %s: %s\n", name.c_str(), outcome.why.c_str());
    if (outcome.kind == Outcome::kPassed && !outcome.why.empty())
      std::printf("refused %s: %s\n", good[i].stem().c_str(), outcome.why.c_str());
  }
  return tenon::OkStatus();
}

}  // namespace golden
