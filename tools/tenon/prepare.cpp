// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <unordered_map>
#include <unordered_set>

#include <tenon/eager.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/wire/reader.hpp>

namespace command {

namespace {

// The words of --input, and the arguments behind the model.
std::vector<std::string> InputWords(const Args& args) {
  std::vector<std::string> words = args.All("--input");
  if (args.command().name != "diff") words.insert(words.end(), args.arguments().begin() + 1, args.arguments().end());
  return words;
}

// Words may feed any tensor of the graph: it becomes an input of the signature.
Status AddFedTensors(const Model& model, const std::vector<std::string>& words, Signature* signature) {
  for (const std::string& word : words) {
    const std::size_t equals = KeyLength(word);
    if (equals == word.npos) continue;
    const std::string key = word.substr(0, equals);
    if (FindInput(*signature, key).ok()) continue;
    Result<std::vector<End>> ends = ChooseOutputs(model, *signature, {key});
    // The key of an output that is no node's name is no tensor.
    if (!ends.ok() || tenon::ParseTensorName((*ends)[0].tensor).node != tenon::ParseTensorName(key).node)
      return FindInput(*signature, key).status();
    signature->inputs.push_back(std::move((*ends)[0]));
  }
  return tenon::OkStatus();
}

// Inputs that the outputs do not need, with the given words fed, may stay without a value.
void MarkUnneeded(const Model& model, const std::vector<End>& outputs, const std::vector<std::string>& words,
                  Signature* signature) {
  std::unordered_map<std::string_view, const tenon::NodeDef*> nodes;
  for (const tenon::NodeDef& node : model.graph().node) nodes.emplace(node.name, &node);
  std::unordered_set<std::string_view> seen;
  for (const std::string& word : words)
    for (const End& end : signature->inputs)
      if (const std::string_view key = std::string_view(word).substr(0, KeyLength(word));
          key.size() < word.size() && (key == end.key || key == end.tensor))
        seen.insert(tenon::ParseTensorName(end.tensor).node);
  std::vector<std::string_view> pending;
  const auto visit = [&](std::string_view tensor) {
    const std::string_view name = tenon::ParseTensorName(tensor).node;
    if (seen.insert(name).second) pending.push_back(name);
  };
  for (const End& end : outputs) visit(end.tensor);
  while (!pending.empty()) {
    const auto found = nodes.find(pending.back());
    pending.pop_back();
    if (found == nodes.end()) continue;
    for (const std::string& input : found->second->input) visit(input);
  }
  for (End& end : signature->inputs)
    end.optional = end.optional || !seen.contains(tenon::ParseTensorName(end.tensor).node);
}

tenon::Span<const tenon::Tensor> SpanOf(const std::vector<tenon::Tensor>& tensors) {
  return {tensors.data(), tensors.size()};
}

constexpr std::int64_t kMostThreads = 4096;

// The options of --threads, --inter-threads, --optimize and --choices.
Result<tenon::SessionOptions> SessionOptionsOf(const Args& args) {
  tenon::SessionOptions options;
  TENON_ASSIGN_OR_RETURN(const std::int64_t threads, args.GetInt("--threads", 0, 0, kMostThreads));
  TENON_ASSIGN_OR_RETURN(const std::int64_t inter, args.GetInt("--inter-threads", 0, 0, kMostThreads));
  options.intra_op_threads = static_cast<int>(threads);
  options.inter_op_threads = static_cast<int>(inter);
  if (args.Has("--optimize")) options.optimizer.level = OptimizerLevelOf(args);
  if (const std::string file = args.Get("--choices"); !file.empty()) {
    if (args.Get("--optimize") != "fast") return args.Usage("--choices needs --optimize fast");
    TENON_ASSIGN_OR_RETURN(const tenon::MappedFile text, tenon::MappedFile::Open(file));
    auto choices = tenon::ParseNodeChoices(tenon::wire::AsText(text.bytes()));
    if (!choices.ok()) return Status(choices.status().code(), StrCat(file, ": ", choices.status().message()));
    options.optimizer.choices = *std::move(choices);
  }
  return options;
}

// "; initialise before: --target init"; "": no node of the graph is called so.
std::string InitialiserHint(const Model& model) {
  std::string hint;
  int count = 0;
  for (const tenon::NodeDef& node : model.graph().node) {
    if (node.op != "NoOp" && node.op != "LookupTableImportV2" && !node.op.starts_with("InitializeTable")) continue;
    if (node.name.find("init") == node.name.npos || ++count > 3) continue;
    StrAppend(&hint, hint.empty() ? "; initialise before: --target " : " or --target ", node.name);
  }
  return hint;
}

}  // namespace

Result<Prepared> Prepare(const Args& args, const std::string& path, bool fill, std::int64_t batch,
                         const tenon::OptimizerOptions* optimizer) {
  Prepared prepared;
  const OpenOptions open = OpenOptionsOf(args);
  TENON_ASSIGN_OR_RETURN(tenon::SessionOptions session_options, SessionOptionsOf(args));
  if (optimizer != nullptr) session_options.optimizer = *optimizer;
  TENON_ASSIGN_OR_RETURN(const ImageOptions images, ImageOptionsOf(args));
  TENON_ASSIGN_OR_RETURN(const Model model, Model::Open(path, open));
  TENON_ASSIGN_OR_RETURN(const Signature* const signature, model.Find(args.Get("--signature")));
  prepared.signature = *signature;
  if (!args.Has("--target")) prepared.hint = InitialiserHint(model);
  TENON_ASSIGN_OR_RETURN(prepared.outputs, ChooseOutputs(model, *signature, args.All("--fetch")));
  TENON_ASSIGN_OR_RETURN(prepared.session, model.MakeSession(session_options));
  const std::vector<std::string> words = InputWords(args);
  TENON_RETURN_IF_ERROR(AddFedTensors(model, words, &prepared.signature));
  MarkUnneeded(model, prepared.outputs, words, &prepared.signature);
  TENON_ASSIGN_OR_RETURN(prepared.feeds, ReadFeeds(prepared.signature, words, images, fill, batch));
  tenon::CallableOptions options;
  for (const End& end : prepared.feeds.ends) options.feeds.push_back(end.tensor);
  for (const End& end : prepared.outputs) options.fetches.push_back(end.tensor);
  if (const std::vector<std::string> targets = args.All("--target"); !targets.empty()) {
    TENON_RETURN_IF_ERROR(
        prepared.session.Run({}, {}, tenon::Span<const std::string>(targets.data(), targets.size())).status());
  }
  TENON_ASSIGN_OR_RETURN(prepared.callable, prepared.session.MakeCallable(options));
  for (const std::string& note : prepared.feeds.notes)
    if (optimizer == nullptr) PrintNote(note);
  return prepared;
}

Result<Feeds> WithBatch(const Args& args, const Prepared& prepared, std::int64_t batch) {
  TENON_ASSIGN_OR_RETURN(const ImageOptions images, ImageOptionsOf(args));
  TENON_ASSIGN_OR_RETURN(Feeds feeds, ReadFeeds(prepared.signature, InputWords(args), images, true, batch));
  for (std::size_t i = 0; i < feeds.tensors.size(); ++i) {
    tenon::Tensor& tensor = feeds.tensors[i];
    const tenon::PartialTensorShape& shape = feeds.ends[i].shape;
    const bool has_batch = tensor.dims() > 0 && (shape.unknown_rank() || shape.dim_size(0) < 0);
    if (!has_batch || tensor.dim_size(0) == batch || tensor.dim_size(0) == 0) continue;
    tenon::Tensor rows(tenon::DataType::kInt64, tenon::TensorShape{batch});
    for (std::int64_t row = 0; row < batch; ++row) rows.data<std::int64_t>()[row] = row % tensor.dim_size(0);
    TENON_ASSIGN_OR_RETURN(std::vector<tenon::Tensor> made,
                           tenon::eager::Call("GatherV2", {tensor, rows, tenon::Tensor::Scalar<std::int32_t>(0)}));
    tensor = std::move(made[0]);
  }
  return feeds;
}

Result<std::vector<NamedOutput>> RunOnce(const Prepared& prepared) {
  std::vector<tenon::Tensor> fetched(prepared.outputs.size());
  const Status status =
      prepared.callable.Run(SpanOf(prepared.feeds.tensors), tenon::Span<tenon::Tensor>(fetched.data(), fetched.size()));
  if (status.code() == tenon::Code::kFailedPrecondition)
    return Status(status.code(), StrCat(status.message(), prepared.hint));
  TENON_RETURN_IF_ERROR(status);
  std::vector<NamedOutput> outputs;
  for (std::size_t i = 0; i < fetched.size(); ++i) outputs.push_back({prepared.outputs[i].key, std::move(fetched[i])});
  return outputs;
}

}  // namespace command
