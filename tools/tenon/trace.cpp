// SPDX-License-Identifier: Apache-2.0
// tenon trace: the timeline of a run, as a page or a Chrome trace.

#include <tenon/runtime/trace/export.hpp>

#include "output.hpp"
#include "prepare.hpp"

namespace command {

Result<int> RunTrace(const Args& args) {
  std::vector<std::string> files = args.All("--output");
  if (files.empty()) files.emplace_back("trace.html");
  for (const std::string& file : files)
    if (!file.ends_with(".html") && !file.ends_with(".json"))
      return args.Usage(StrCat("option --output has the value '", file, "'; a file .html or .json is wanted"));
  TENON_ASSIGN_OR_RETURN(const std::int64_t warmup, args.GetInt("--warmup", 5));
  TENON_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(args, args.arguments()[0], true));
  for (std::int64_t i = 0; i < warmup; ++i) TENON_RETURN_IF_ERROR(RunOnce(prepared).status());
  std::vector<tenon::Tensor> outputs(prepared.outputs.size());
  tenon::RunTrace trace;
  TENON_RETURN_IF_ERROR(prepared.callable.RunTraced({prepared.feeds.tensors.data(), prepared.feeds.tensors.size()},
                                                    tenon::Span<tenon::Tensor>(outputs.data(), outputs.size()),
                                                    &trace));
  for (const std::string& file : files)
    TENON_RETURN_IF_ERROR(file.ends_with(".html") ? tenon::WriteTimelineHtml(trace, args.arguments()[0], file)
                                                  : tenon::WriteChromeTrace(trace, file));
  std::int64_t nodes = static_cast<std::int64_t>(trace.nodes.size());
  for (const tenon::NodeTotal& total : trace.folded) nodes += total.count;
  if (args.json()) {
    Json json;
    json.Begin('{').Member("model", args.arguments()[0]).Member("total_ns", trace.total_ns).Member("executions", nodes);
    json.Key("files").Begin('[');
    for (const std::string& file : files) json.Value(file);
    Print(json.End().End().text());
    return kFine;
  }
  Print(StrCat(Count(nodes), " executions of nodes in ", Duration(static_cast<double>(trace.total_ns)), "\n"));
  for (const std::string& file : files)
    Print(StrCat(file,
                 file.ends_with(".html") ? "  open it in a browser\n" : "  open it in chrome://tracing or Perfetto\n"));
  return kFine;
}

}  // namespace command
