// SPDX-License-Identifier: Apache-2.0
#include "saved_model_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/saved_model.hpp>
#include <tenon/graph/prune.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/runtime/saved_model/freeze.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "compare.hpp"

namespace golden {

namespace {

using tenon::Result;
using tenon::Status;
using tenon::StrCat;
using tenon::Tensor;

std::vector<std::string> SplitTags(std::string_view rest) {
  std::vector<std::string> tags;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    tags.emplace_back(rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return tags;
}

using Answer = Result<std::vector<tenon::NamedTensor>>;

Status ReadFeeds(const Step& step, std::vector<tenon::NamedTensor>* inputs) {
  if (step.target.empty()) return tenon::errors::InvalidArgument("the step names no signature");
  for (const NamedBytes& feed : step.feed) {
    TENON_ASSIGN_OR_RETURN(Tensor tensor, tenon::TensorFromProto(Bytes(feed.bytes), nullptr));
    inputs->push_back({feed.name, tensor});
  }
  return tenon::OkStatus();
}

// The answer has TensorFlow's code, and all outputs that the step fetches are as TensorFlow's.
Outcome CompareAnswer(const Case& c, const Step& step, const Answer& got) {
  const int code = static_cast<int>(got.status().code());
  if (code != step.code)
    return Failed(
        StrCat("code ", code, " (", got.status().message(), "), TensorFlow's is ", step.code, " (", step.message, ")"));
  if (!got.ok()) return {Outcome::kPassed, ""};
  for (const NamedBytes& fetch : step.fetch) {
    Result<Tensor> want = tenon::TensorFromProto(Bytes(fetch.bytes), nullptr);
    if (!want.ok()) return Failed(StrCat("wanted '", fetch.name, "': ", want.status().message()));
    const Tensor* found = nullptr;
    for (const tenon::NamedTensor& output : *got)
      if (output.name == fetch.name) found = &output.tensor;
    if (found == nullptr) return Failed(StrCat("the signature has no output '", fetch.name, "'"));
    if (std::string d = Difference(*found, *want, c.compare, c.rtol, c.atol); !d.empty())
      return Failed(StrCat(fetch.name, ": ", d));
  }
  return {Outcome::kPassed, ""};
}

Answer RunStep(const tenon::SavedModel& model, const Step& step) {
  std::vector<tenon::NamedTensor> inputs;
  TENON_RETURN_IF_ERROR(ReadFeeds(step, &inputs));
  TENON_ASSIGN_OR_RETURN(const tenon::ModelSignature signature, model.signature(step.target[0]));
  return signature.Run(inputs);
}

// Freezes the signature with the variables as they are now, and runs it in a new session.
Answer RunFrozen(const tenon::SavedModel& model, const Step& step, tenon::FrozenTables tables, bool* writes) {
  std::vector<tenon::NamedTensor> inputs, results;
  TENON_RETURN_IF_ERROR(ReadFeeds(step, &inputs));
  Result<tenon::FrozenGraph> frozen = tenon::Freeze(model, step.target[0], {.tables = tables});
  *writes = tenon::errors::IsFailedPrecondition(frozen.status());
  TENON_RETURN_IF_ERROR(frozen.status());
  for (const tenon::NodeDef& node : frozen->graph.node)
    if (node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "ReadVariableOp")
      return tenon::errors::Internal("the frozen graph has the node '", node.name, "'");
  tenon::Strip(&frozen->graph, tenon::Registry::Global().ops());
  TENON_ASSIGN_OR_RETURN(const tenon::Session session,
                         tenon::Session::FromGraphDef(frozen->graph, {.intra_op_threads = 1}));
  if (!frozen->init_op.empty()) TENON_RETURN_IF_ERROR(session.Run({}, {}, {frozen->init_op}).status());
  std::vector<tenon::NamedTensor> feeds;
  for (const tenon::NamedTensor& input : inputs)
    for (const tenon::SignatureTensor& known : frozen->inputs)
      if (known.key == input.name) feeds.push_back({known.tensor, input.tensor});
  std::vector<std::string> fetches;
  for (const tenon::SignatureTensor& output : frozen->outputs) {
    fetches.push_back(output.tensor);
    results.push_back({output.key, Tensor()});
  }
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session.Run(feeds, fetches));
  for (std::size_t i = 0; i < fetched.size(); ++i) results[i].tensor = fetched[i];
  return results;
}

}  // namespace

Outcome RunSavedModelCase(const std::string& folder, const Case& c, bool frozen) {
  const std::string_view tags = std::string_view(c.name).substr(std::min(c.name.find(':'), c.name.size() - 1) + 1);
  const tenon::SavedModelOptions options{.tags = SplitTags(tags), .session = {.intra_op_threads = 1}};
  const Result<tenon::SavedModel> model = tenon::SavedModel::Load(folder, options);
  const int code = static_cast<int>(model.status().code());
  if (code != c.import_code)
    return Failed(StrCat("loading: code ", code, " (", model.status().message(), "), TensorFlow's is ", c.import_code,
                         " (", c.import_message, ")"));
  if (!model.ok()) return {Outcome::kPassed, ""};
  bool has_frozen = !frozen;
  for (std::size_t i = 0; i < c.step.size(); ++i) {
    const Step& step = c.step[i];
    for (const tenon::FrozenTables tables : {tenon::FrozenTables::kFold, tenon::FrozenTables::kKeep}) {
      if (!frozen) break;
      bool writes = false;
      const Answer answer = RunFrozen(*model, step, tables, &writes);
      if (writes) continue;
      has_frozen = true;
      if (const Outcome o = CompareAnswer(c, step, answer); o.kind != Outcome::kPassed)
        return Failed(StrCat("step ", i, " frozen: ", o.why));
    }
    if (const Outcome o = CompareAnswer(c, step, RunStep(*model, step)); o.kind != Outcome::kPassed)
      return Failed(StrCat("step ", i, " (", step.target.empty() ? "" : step.target[0], "): ", o.why));
  }
  return has_frozen ? Outcome{Outcome::kPassed, ""} : Outcome{Outcome::kUnsupported, "every step writes"};
}

Outcome RunSpoiltModel(const std::string& folder, const Case& c) {
  constexpr std::string_view kAsked = "asked for tags ";
  tenon::SavedModelOptions options{.tags = {"serve"}, .session = {.intra_op_threads = 1}};
  if (const std::size_t at = c.note.find(kAsked); at != std::string::npos)
    options.tags =
        SplitTags(std::string_view(c.note).substr(at + kAsked.size(), c.note.find(')', at) - at - kAsked.size()));
  const Status status = tenon::SavedModel::Load(folder + "/" + c.name, options).status();
  const int code = static_cast<int>(status.code()), want = c.step.empty() ? 0 : c.step[0].code;
  if (code == want || (want < 0 && !status.ok())) return {Outcome::kPassed, ""};
  return Failed(StrCat("loading: code ", code, " (", status.message(), "), TensorFlow's is ", want));
}

namespace {

Status RunFolder(const std::string& folder, std::string_view filter, bool frozen, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile bytes, tenon::MappedFile::Open(folder + "/expected.pb"));
  CaseFile file;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(bytes.bytes(), &file));
  for (const Case& c : file.cases) {
    if (c.name.find(filter) == std::string::npos) continue;
    const std::string model = folder + "/" + c.name.substr(0, c.name.find(':'));
    const bool spoilt = tenon::StartsWith(c.name, "saved_models/");
    if (!spoilt && c.name.find(':') == std::string::npos) continue;  // of another kind of file
    const Outcome outcome = spoilt ? RunSpoiltModel(folder, c) : RunSavedModelCase(model, c, frozen);
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed)
      std::printf("FAILED %s [%s]: %s\n", c.name.c_str(), folder.c_str(), outcome.why.c_str());
  }
  return tenon::OkStatus();
}

}  // namespace

Status RunSavedModelFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  return RunFolder(folder, filter, false, counts);
}
Status RunFrozenFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  return RunFolder(folder, filter, true, counts);
}

}  // namespace golden
