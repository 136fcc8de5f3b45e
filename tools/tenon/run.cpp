// SPDX-License-Identifier: Apache-2.0
// tenon run: runs a model once.

#include <tenon/base/clock.hpp>

#include "arrays.hpp"
#include "output.hpp"
#include "prepare.hpp"

namespace command {

Result<int> RunRun(const Args& args) {
  TENON_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(args, args.arguments()[0], false));
  std::vector<std::string> labels;
  if (args.Has("--labels")) {
    TENON_ASSIGN_OR_RETURN(labels, ReadLines(args.Get("--labels")));
  }
  const std::int64_t start = tenon::SteadyNanoseconds();
  TENON_ASSIGN_OR_RETURN(const std::vector<NamedOutput> outputs, RunOnce(prepared));
  const std::int64_t nanoseconds = tenon::SteadyNanoseconds() - start;
  const std::vector<std::string> files = args.All("--output");
  TENON_RETURN_IF_ERROR(WriteOutputs(files, outputs));
  if (args.json()) {
    Json json;
    json.Begin('{').Member("model", args.arguments()[0]).Member("signature", prepared.signature.name);
    json.Key("outputs").Begin('[');
    for (const NamedOutput& output : outputs) AddTensor(output.key, output.tensor, &json);
    Print(json.End().Member("nanoseconds", nanoseconds).End().text());
    return kFine;
  }
  if (!files.empty()) {
    for (const std::string& file : files)
      if (file != "-" && !file.ends_with("=-")) PrintNote(StrCat("wrote ", file.substr(file.find('=') + 1)));
    return kFine;
  }
  for (const NamedOutput& output : outputs) Print(Summary(output, labels));
  return kFine;
}

}  // namespace command
