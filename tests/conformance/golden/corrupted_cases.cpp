// SPDX-License-Identifier: Apache-2.0
#include "corrupted_cases.hpp"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include <tenon/io/checkpoint.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "compare.hpp"
#include "record_cases.hpp"
#include "restore_op.hpp"
#include "saved_model_cases.hpp"

namespace golden {

namespace {

using tenon::DataType;
using tenon::Result;
using tenon::SlimVector;
using tenon::Status;
using tenon::StrCat;
using tenon::Tensor;

using Types = std::map<std::string, DataType, std::less<>>;  // by the tensor's name

Outcome Passed() { return {Outcome::kPassed, ""}; }

// Compares the code alone: Tenon's texts say more than TensorFlow's.
Outcome CompareStatus(const Status& got, const Step& step) {
  if (step.code == -1)  // TensorFlow ends the process
    return got.ok() ? Failed("is read, TensorFlow ends its process") : Passed();
  if (static_cast<int>(got.code()) == step.code) return Passed();
  return Failed(StrCat("got ", got.ToString(), ", TensorFlow's code is ", step.code, ": ", step.message));
}

Outcome CompareTensor(const Result<Tensor>& got, const Step& step) {
  if (step.code != 0 || !got.ok()) return CompareStatus(got.status(), step);
  const Result<Tensor> want = tenon::TensorFromProto(Bytes(step.fetch[0].bytes), nullptr);
  if (!want.ok()) return {Outcome::kUnsupported, std::string(want.status().message())};
  std::string difference = Difference(*got, *want, "exact", 0, 0);
  return difference.empty() ? Passed() : Failed(static_cast<std::string&&>(difference));
}

void AddTypes(const Step& step, Types* types) {
  for (const NamedBytes& fetch : step.fetch) {
    const Result<Tensor> value = tenon::TensorFromProto(Bytes(fetch.bytes), nullptr);
    if (step.code == 0 && !fetch.bytes.empty() && value.ok()) types->try_emplace(fetch.name, value->dtype());
  }
}

// As TF_NewCheckpointReader, which reads all entries, those too that a search does not find in an unsorted index.
Status OpenCheckpoint(const std::string& prefix) {
  TENON_ASSIGN_OR_RETURN(const tenon::CheckpointReader reader, tenon::CheckpointReader::Open(prefix));
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> names, reader.Names());
  DataType dtype;
  tenon::TensorShape shape;
  for (const std::string& name : names)
    if (const Status s = reader.Describe(name, &dtype, &shape); s.code() != tenon::Code::kNotFound) {
      TENON_RETURN_IF_ERROR(s);
    }
  return tenon::OkStatus();
}

Outcome RunCheckpoint(const std::string& prefix, const Case& c, const Types& types) {
  for (const Step& step : c.step) {
    if (step.fetch.empty()) {
      if (Outcome o = CompareStatus(OpenCheckpoint(prefix), step); o.kind != Outcome::kPassed)
        return {o.kind, StrCat("open: ", o.why)};
      continue;
    }
    const std::string& name = step.fetch[0].name;
    const auto type = types.find(name);
    if (type == types.end()) return {Outcome::kUnsupported, StrCat("nothing recorded says the type of ", name)};
    if (Outcome o = CompareTensor(RestoreTensor(prefix, name, "", type->second), step); o.kind != Outcome::kPassed)
      return {o.kind, StrCat(name, ": ", o.why)};
  }
  return Passed();
}

Outcome RunGraph(const std::string& path, const Case& c) {
  const Result<tenon::MappedFile> file = tenon::MappedFile::Open(path);
  if (!file.ok()) return Failed(file.status().ToString());
  const Status status = tenon::Session::FromGraphDef(file->bytes(), {.check_ops = true}).status();
  if (c.step[0].code == 0 && status.message().find("not registered") != std::string_view::npos)
    return {Outcome::kUnsupported, std::string(status.message())};
  return CompareStatus(status, c.step[0]);
}

}  // namespace

Status RunCorruptedFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile expected, tenon::MappedFile::Open(folder + "/expected.pb"));
  CaseFile cases;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(expected.bytes(), &cases));
  const std::string files = folder + "/..";
  Types types;  // types of all tensors in the sound checkpoints
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> sound, tenon::MatchFiles(files + "/checkpoints/*/expected.pb"));
  for (const std::string& path : sound) {
    TENON_ASSIGN_OR_RETURN(const tenon::MappedFile file, tenon::MappedFile::Open(path));
    Step step;
    TENON_RETURN_IF_ERROR(tenon::wire::Parse(file.bytes(), &step));
    AddTypes(step, &types);
  }
  const auto add = [&](const std::string& name, const Outcome& outcome) {
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed)
      std::printf("FAILED %s [%s]: %s\n", name.c_str(), folder.c_str(), outcome.why.c_str());
  };
  for (const Case& c : cases.cases) {
    if (c.name.find(filter) == c.name.npos || tenon::StartsWith(c.name, "records/")) continue;
    if (c.step.empty()) return tenon::errors::InvalidArgument("case '", c.name, "' has no step");
    if (c.name == "requests") {
      for (const Step& step : c.step) {
        if (step.target.size() != 4) return tenon::errors::InvalidArgument("a request that has not four targets");
        const std::string& tensor = step.target[1];
        add(StrCat("request ", step.target[0], " | ", tensor, " ", step.target[2], " ", step.target[3]),
            CompareTensor(RestoreTensor(StrCat(files, "/checkpoints/", step.target[0], "/model"), tensor,
                                        step.target[2], tenon::DataTypeFromName(step.target[3])),
                          step));
      }
    } else if (tenon::StartsWith(c.name, "checkpoints/")) {
      add(c.name, RunCheckpoint(StrCat(folder, "/", c.name, "/model"), c, types));
    } else if (tenon::StartsWith(c.name, "graphs/")) {
      add(c.name, RunGraph(StrCat(folder, "/", c.name), c));
    } else if (tenon::StartsWith(c.name, "saved_models/")) {
      add(c.name, RunSpoiltModel(folder, c));
    } else {
      add(c.name, {Outcome::kUnsupported, "a kind of case that is not known"});
    }
  }
  return RunRecordFolder(folder, filter, counts);  // the cases records/NAME
}

}  // namespace golden
