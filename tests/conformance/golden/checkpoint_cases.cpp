// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/checkpoint.hpp>
#include <tenon/io/checkpoint_state.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/meta_graph_file.hpp>
#include <tenon/runtime/session/saved_variables.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "case_file.hpp"
#include "compare.hpp"
#include "restore_op.hpp"
#include "temp_folder.hpp"

namespace golden {

namespace {

using tenon::Result;
using tenon::SlimVector;
using tenon::Status;
using tenon::StrCat;
using tenon::Tensor;

Outcome OutcomeOf(std::string difference) {
  return difference.empty() ? Outcome{Outcome::kPassed, ""} : Failed(static_cast<std::string&&>(difference));
}

std::string_view FileName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The op's answer is TensorFlow's. `name` is "tensor" or, for a slice, "tensor shape_and_slice".
Outcome RunTensor(const std::string& prefix, const NamedBytes& fetch, bool is_slice) {
  const Result<Tensor> want = tenon::TensorFromProto(Bytes(fetch.bytes), nullptr);
  if (!want.ok()) return {Outcome::kUnsupported, std::string(want.status().message())};
  const std::size_t space = is_slice ? fetch.name.find(' ') : fetch.name.npos;
  const std::string name = fetch.name.substr(0, space);
  const std::string spec = space == fetch.name.npos ? "" : fetch.name.substr(space + 1);
  const Result<Tensor> got = RestoreTensor(prefix, name, spec, want->dtype());
  if (!got.ok()) return Failed(got.status().ToString());
  if (std::string difference = Difference(*got, *want, "exact", 0, 0); !difference.empty() || is_slice)
    return OutcomeOf(static_cast<std::string&&>(difference));
  Result<tenon::CheckpointReader> reader = tenon::CheckpointReader::Open(prefix);
  if (!reader.ok()) return Failed(reader.status().ToString());
  const Result<Tensor> read = reader->Read(name);
  if (!read.ok()) return Failed(StrCat("CheckpointReader: ", read.status().ToString()));
  return OutcomeOf(Difference(*read, *want, "exact", 0, 0));
}

// The checkpoint holds TensorFlow's names and none beside them.
Outcome RunNames(const std::string& prefix, const Step& step) {
  const Result<tenon::CheckpointReader> reader = tenon::CheckpointReader::Open(prefix);
  if (!reader.ok()) return Failed(reader.status().ToString());
  const Result<SlimVector<std::string>> names = reader->Names();
  if (!names.ok()) return Failed(names.status().ToString());
  std::vector<std::string> got(names->begin(), names->end()), want;
  for (const NamedBytes& fetch : step.fetch) want.push_back(fetch.name);
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  if (got != want) return Failed(StrCat(got.size(), " names, which are not TensorFlow's ", want.size()));
  return {Outcome::kPassed, ""};
}

// The graph of PREFIX.meta restores TensorFlow's values with its own saver, and saves them again.
Outcome RunMetaGraph(const std::string& prefix, const Step& step) {
  const Result<tenon::MetaGraphDef> meta_graph = tenon::ImportMetaGraph(prefix + ".meta");
  if (!meta_graph.ok()) return Failed(meta_graph.status().ToString());
  const Result<tenon::Session> session = tenon::Session::FromGraphDef(meta_graph->graph_def, {.intra_op_threads = 1});
  if (session.status().message().find("not registered") != std::string_view::npos)
    return {Outcome::kUnsupported, std::string(session.status().message())};
  if (!session.ok()) return Failed(session.status().ToString());
  if (const Status s = tenon::RunRestorer(*session, meta_graph->saver_def, prefix); !s.ok())
    return Failed(s.ToString());
  const TempFolder copy;
  const Result<std::string> saved = tenon::RunSaver(*session, meta_graph->saver_def, copy / "saver");
  if (!saved.ok()) return Failed(saved.status().ToString());
  if (const Status s = tenon::SaveVariables(*session, copy / "variables"); !s.ok()) return Failed(s.ToString());
  for (const std::string& from : {*saved, copy / "variables"}) {
    if (Outcome o = RunNames(from, step); o.kind != Outcome::kPassed) return o;
    for (const NamedBytes& fetch : step.fetch)
      if (Outcome o = RunTensor(from, fetch, false); o.kind != Outcome::kPassed) return o;
  }
  return {Outcome::kPassed, ""};
}

// The file `checkpoint` names checkpoints that are there, and its bytes are TensorFlow's when it is written.
Outcome RunState(const std::string& folder, const std::vector<std::string>& prefixes) {
  const Result<tenon::CheckpointState> state = tenon::ReadCheckpointState(folder);
  if (!state.ok()) return Failed(state.status().ToString());
  for (const std::string& path : state->all_model_checkpoint_paths)
    if (std::find(prefixes.begin(), prefixes.end(), path) == prefixes.end())
      return Failed(StrCat("there is no checkpoint '", path, "'"));
  const Result<std::string> latest = tenon::LatestCheckpoint(folder);
  if (!latest.ok()) return Failed(latest.status().ToString());
  const TempFolder copy;
  tenon::CheckpointState moved = *state;
  const auto move = [&](std::string* path) { *path = copy / FileName(*path); };
  move(&moved.model_checkpoint_path);
  for (std::string& path : moved.all_model_checkpoint_paths) move(&path);
  if (const Status s = tenon::WriteCheckpointState(copy.path(), moved); !s.ok()) return Failed(s.ToString());
  const auto first = tenon::MappedFile::Open(folder + "/checkpoint"),
             again = tenon::MappedFile::Open(copy / "checkpoint");
  if (!first.ok() || !again.ok() || tenon::wire::AsText(first->bytes()) != tenon::wire::AsText(again->bytes()))
    return Failed("the file has other bytes after it was written");
  return {Outcome::kPassed, ""};
}

// The checkpoints in a folder: names of an index without the suffix, and of tables of the first format.
Result<std::vector<std::string>> PrefixesIn(const std::string& folder) {
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> files, tenon::MatchFiles(folder + "/*"));
  std::vector<std::string> prefixes;
  for (const std::string& file : files) {
    const std::string_view name = FileName(file);
    if (name.ends_with(".index"))
      prefixes.push_back(file.substr(0, file.size() - std::string_view(".index").size()));
    else if (name.find(".data-") == name.npos && !name.ends_with(".meta") && !name.ends_with(".pb") &&
             name != "checkpoint")
      prefixes.push_back(file);
  }
  return prefixes;
}

}  // namespace

Status RunCheckpointFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> recorded, tenon::MatchFiles(folder + "/*expected*.pb"));
  if (recorded.empty()) {
    TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> inner, tenon::MatchFiles(folder + "/*/*expected*.pb"));
    if (inner.empty()) return tenon::errors::NotFound("'", folder, "' holds no expected.pb, and no folder in it does");
    std::string last;
    for (const std::string& file : inner) {
      const std::string next(tenon::detail::FolderOf(file));
      if (next != last) TENON_RETURN_IF_ERROR(RunCheckpointFolder(next, filter, counts));
      last = next;
    }
    return tenon::OkStatus();
  }
  const auto add = [&](const std::string& prefix, std::string_view what, const auto& run) {
    const std::string name = StrCat(prefix, ":", what);
    if (name.find(filter) == name.npos) return;
    const Outcome outcome = run();
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed) std::printf("FAILED %s: %s\n", name.c_str(), outcome.why.c_str());
  };
  TENON_ASSIGN_OR_RETURN(const std::vector<std::string> all, PrefixesIn(folder));
  if (tenon::detail::FileExists(folder + "/checkpoint"))
    add(folder, "checkpoint", [&] { return RunState(folder, all); });
  for (const std::string& file : recorded) {
    TENON_ASSIGN_OR_RETURN(const tenon::MappedFile expected, tenon::MappedFile::Open(file));
    Step step;
    TENON_RETURN_IF_ERROR(tenon::wire::Parse(expected.bytes(), &step));
    // PREFIX.expected.pb is of one checkpoint, expected.pb of all beside it.
    const std::size_t own = file.rfind(".expected.pb");
    const std::vector<std::string> prefixes = own == file.npos ? all : std::vector<std::string>{file.substr(0, own)};
    if (prefixes.empty()) return tenon::errors::NotFound("there is no checkpoint beside '", file, "'");
    const bool slices = FileName(file) == "expected_slices.pb";
    for (const std::string& prefix : prefixes) {
      if (!slices) add(prefix, "names", [&] { return RunNames(prefix, step); });
      if (!slices && tenon::detail::FileExists(prefix + ".meta"))
        add(prefix, "meta", [&] { return RunMetaGraph(prefix, step); });
      for (const NamedBytes& fetch : step.fetch)
        add(prefix, fetch.name, [&] { return RunTensor(prefix, fetch, slices); });
    }
  }
  return tenon::OkStatus();
}

}  // namespace golden
