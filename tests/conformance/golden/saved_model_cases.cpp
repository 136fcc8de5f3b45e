// SPDX-License-Identifier: Apache-2.0
#include "saved_model_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/saved_model.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "compare.hpp"

namespace golden {

namespace {

using tenon::Result;
using tenon::Status;
using tenon::StrCat;
using tenon::Tensor;

Outcome Failed(std::string why) { return {Outcome::kFailed, static_cast<std::string&&>(why)}; }

std::vector<std::string> SplitTags(std::string_view rest) {
  std::vector<std::string> tags;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    tags.emplace_back(rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return tags;
}

// The step's keys are those of the signature, and all outputs that it fetches are as TensorFlow's.
Outcome RunStep(const tenon::SavedModel& model, const Case& c, const Step& step) {
  if (step.target.empty()) return Failed("the step names no signature");
  std::vector<tenon::NamedTensor> inputs;
  for (const NamedBytes& feed : step.feed) {
    Result<Tensor> tensor = tenon::TensorFromProto(Bytes(feed.bytes), nullptr);
    if (!tensor.ok()) return Failed(StrCat("feed '", feed.name, "': ", tensor.status().message()));
    inputs.push_back({feed.name, *tensor});
  }
  std::vector<std::string> outputs;
  for (const NamedBytes& fetch : step.fetch) outputs.push_back(fetch.name);
  Result<tenon::ModelSignature> signature = model.signature(step.target[0]);
  Result<std::vector<tenon::NamedTensor>> got =
      signature.ok() ? signature->Run(inputs) : Result<std::vector<tenon::NamedTensor>>(signature.status());
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

}  // namespace

Outcome RunSavedModelCase(const std::string& folder, const Case& c) {
  const std::string_view tags = std::string_view(c.name).substr(std::min(c.name.find(':'), c.name.size() - 1) + 1);
  const tenon::SavedModelOptions options{.tags = SplitTags(tags), .session = {.intra_op_threads = 1}};
  const Result<tenon::SavedModel> model = tenon::SavedModel::Load(folder, options);
  const int code = static_cast<int>(model.status().code());
  if (code != c.import_code)
    return Failed(StrCat("loading: code ", code, " (", model.status().message(), "), TensorFlow's is ", c.import_code,
                         " (", c.import_message, ")"));
  if (!model.ok()) return {Outcome::kPassed, ""};
  for (std::size_t i = 0; i < c.step.size(); ++i) {
    if (Outcome o = RunStep(*model, c, c.step[i]); o.kind != Outcome::kPassed)
      return Failed(
          StrCat("step ", i, " (", c.step[i].target.empty() ? std::string() : c.step[i].target[0], "): ", o.why));
  }
  return {Outcome::kPassed, ""};
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

Status RunSavedModelFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile bytes, tenon::MappedFile::Open(folder + "/expected.pb"));
  CaseFile file;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(bytes.bytes(), &file));
  for (const Case& c : file.cases) {
    if (c.name.find(filter) == std::string::npos) continue;
    const std::string model = folder + "/" + c.name.substr(0, c.name.find(':'));
    const bool spoilt = tenon::StartsWith(c.name, "saved_models/");
    if (!spoilt && c.name.find(':') == std::string::npos) continue;  // of another kind of file
    const Outcome outcome = spoilt ? RunSpoiltModel(folder, c) : RunSavedModelCase(model, c);
    counts->Add(outcome.kind);
    if (outcome.kind != Outcome::kPassed)
      std::printf("FAILED %s [%s]: %s\n", c.name.c_str(), folder.c_str(), outcome.why.c_str());
  }
  return tenon::OkStatus();
}

}  // namespace golden
