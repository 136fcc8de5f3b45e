// SPDX-License-Identifier: Apache-2.0
#pragma once
// SavedModel and ModelSignature, declared. One source file of the program includes <tenon/saved_model.hpp>, which
// defines them.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/runtime/api/session.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// How SavedModel::Load chooses a graph and runs it. Plain data.
struct SavedModelOptions {
  std::vector<std::string> tags = {"serve"};  // the tags of the graph, all of them, in any order
  SessionOptions session = {};
};

// An input or output of a signature. A composite value is one entry for each of its tensors: KEY/indices, KEY/values,
// KEY/dense_shape for a sparse one, KEY/0, KEY/1, ... for another one (ragged: flat values, then row splits).
struct SignatureTensor {
  std::string key;  // the caller's name
  std::string tensor;  // "serving_default_x:0"; "": a part that the signature does not name
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  bool has_default = false;  // an input that a run may leave out
};

// A file that a graph reads when it is initialised.
struct SavedModelAsset {
  std::string tensor;  // takes the file's path: "vocabulary_path:0"
  std::string path;  // the file that is copied
};

// Content of a SavedModel other than a session's graph and variables. Plain data.
struct SavedModelContent {
  // By name. TensorInfo::name is enough: type and shape are the graph's. An empty method_name becomes TensorFlow's
  // usual one.
  std::vector<std::pair<std::string, SignatureDef>> signatures = {};
  std::vector<std::string> tags = {"serve"};
  std::string init_op = {};  // node that runs after restoring: it initialises tables; "": none
  std::vector<SavedModelAsset> assets = {};
};

class SavedModel;
class ModelSignature;

namespace detail {

// The loader's entry points, defined by <tenon/saved_model.hpp>.
template <class Unused>
struct undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file {
  static Result<SavedModel> Load(const std::string& folder, SavedModelOptions options);
  static Result<ModelSignature> FindSignature(const SavedModel& model, std::string_view name);
  static Result<ModelSignature> FindFunction(const SavedModel& model, std::string_view path);
  static Result<Tensor> ReadVariable(const SavedModel& model, std::string_view path);
  static std::vector<std::string> Paths(const SavedModel& model, bool functions);
  static Status Save(const Session& session, const std::string& folder, const SavedModelContent& content);
  static Status SaveAgain(const SavedModel& model, const std::string& folder);
  static Result<std::vector<NamedTensor>> Run(const RefCounted* signature, Span<const NamedTensor> inputs,
                                              Span<const std::string> outputs, const RunOptions* options);
  static Result<std::vector<Tensor>> Call(const RefCounted* signature, Span<const Tensor> inputs);
};
using SavedModelRuntime = undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<void>;

class ModelImpl;
// For the headers that define what is declared here.
struct ModelAccess {
  static ModelImpl* Impl(const SavedModel& model);  // defined by <tenon/saved_model.hpp>
  static const RefCounted* Impl(const ModelSignature& signature);
};

// State of a SavedModel.
struct SavedModelState : RefCounted {
  std::string folder;
  MetaGraphDef meta_graph;
  Session session;
  std::vector<std::string> signatures;
};
// State of a ModelSignature; detail::SignatureImpl adds how it runs.
struct SignatureState : RefCounted {
  std::string name, method_name;
  std::vector<SignatureTensor> inputs, outputs;
  Callable callable;  // takes all inputs, gives all outputs; without a session: they cannot run together
};

}  // namespace detail

// A prepared signature of a SavedModel. thread-safe. It keeps its session alive.
//
//   TENON_ASSIGN_OR_RETURN(const ModelSignature serve, model.signature());
//   TENON_ASSIGN_OR_RETURN(auto outputs, serve.Run({{"x", x}}));
class ModelSignature {
 public:
  ModelSignature() = default;  // without a model: every run returns InvalidArgument

  // Runs by the keys of `inputs` and returns `outputs`, in their order; none named: all. An input with a default may be
  // left out. InvalidArgument: a key that the signature lacks (the message has the nearest); an input that is missing,
  // is given twice or has another type. Other errors are the errors of Session::Run.
  Result<std::vector<NamedTensor>> Run(Span<const NamedTensor> inputs, Span<const std::string> outputs = {}) const {
    return detail::SavedModelRuntime::Run(impl_.get(), inputs, outputs, nullptr);
  }
  Result<std::vector<NamedTensor>> Run(std::initializer_list<NamedTensor> inputs) const {
    return Run(Span<const NamedTensor>(inputs.begin(), inputs.size()));
  }
  Result<std::vector<NamedTensor>> Run(Span<const NamedTensor> inputs, Span<const std::string> outputs,
                                       const RunOptions& options) const {
    return detail::SavedModelRuntime::Run(impl_.get(), inputs, outputs, &options);
  }
  // Runs by position: inputs[i] is the value of inputs()[i]. Returns all outputs, in the order of outputs().
  Result<std::vector<Tensor>> operator()(std::initializer_list<Tensor> inputs) const {
    return detail::SavedModelRuntime::Call(impl_.get(), Span<const Tensor>(inputs.begin(), inputs.size()));
  }
  Result<std::vector<Tensor>> operator()(Span<const Tensor> inputs) const {
    return detail::SavedModelRuntime::Call(impl_.get(), inputs);
  }

  // Returns the callable of the signature, for RunAsync, RunFuture, RunAwait, RunTraced and runs into tensors of the
  // caller. It takes all inputs and gives all outputs, in the order of inputs() and outputs(). Its runs return
  // InvalidArgument where they cannot run together, or without a model.
  Callable callable() const { return impl_ ? state().callable : Callable(); }

  // Name of the signature; empty without a model, as all of these. They live as long as a copy of the ModelSignature.
  std::string_view name() const { return impl_ ? std::string_view(state().name) : std::string_view(); }
  // "tensorflow/serving/predict"
  std::string_view method_name() const { return impl_ ? std::string_view(state().method_name) : std::string_view(); }
  // Lists the inputs by key; the parts of one value stand in their order.
  Span<const SignatureTensor> inputs() const {
    return impl_ ? Span<const SignatureTensor>(state().inputs) : Span<const SignatureTensor>();
  }
  // Lists the outputs as inputs() lists the inputs.
  Span<const SignatureTensor> outputs() const {
    return impl_ ? Span<const SignatureTensor>(state().outputs) : Span<const SignatureTensor>();
  }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file;
  friend struct detail::ModelAccess;
  explicit ModelSignature(Ref<RefCounted> impl) : impl_(static_cast<Ref<RefCounted>&&>(impl)) {}
  const detail::SignatureState& state() const { return static_cast<const detail::SignatureState&>(*impl_); }

  Ref<RefCounted> impl_;  // detail::SignatureImpl
};

// A loaded SavedModel: a session whose variables, tables and assets are set up, and the signatures of its graph.
// thread-safe. Copies share all of it.
//
//   TENON_ASSIGN_OR_RETURN(const SavedModel model, SavedModel::Load("/models/mnist"));
//   TENON_ASSIGN_OR_RETURN(auto outputs, model.Run({{"pixels", image}}));
class SavedModel {
 public:
  SavedModel() = default;  // without a folder: all calls return InvalidArgument or nothing

  // Reads FOLDER/saved_model.pb, or saved_model.pbtxt without it; chooses the graph by its tags; restores the variables
  // and runs the initialisers. Variables stay views of the checkpoint's mapped files until they are written to: the
  // files must not be written to in place while the model lives. Nodes and functions that no signature,
  // restoring or initialising needs may have ops that are not registered; running them fails. NotFound: no such folder
  // or file, no graph with these tags (the message has those there are), ops that are not registered, a key that the
  // checkpoint lacks, or an asset that is gone. DataLoss, OutOfRange: files that are damaged or cut. InvalidArgument: a
  // fault of the graph, or the name of an asset that leaves the folder. FailedPrecondition: several initialisers.
  static Result<SavedModel> Load(const std::string& folder, SavedModelOptions options = {}) {
    return detail::SavedModelRuntime::Load(folder, static_cast<SavedModelOptions&&>(options));
  }

  // Writes a folder that TensorFlow loads and serves: the session's graph, its variables that have a value, signatures
  // and copies of assets. The folder appears at once, whole. Entries of mutable hash tables are not written: a loaded
  // table has the entries that content.init_op puts there. AlreadyExists: `folder` is there and not empty.
  // InvalidArgument: a name that the graph lacks, or two signatures of one name. Other errors are the errors of the
  // system, with the path.
  static Status Save(const std::string& folder, const Session& session, const SavedModelContent& content) {
    return detail::SavedModelRuntime::Save(session, folder, content);
  }
  // Writes this model again, with the values that its variables and tables have now, by the saver of its graph. Needs
  // the ops of that saver. Objects and signatures stay as they are.
  Status Save(const std::string& folder) const { return detail::SavedModelRuntime::SaveAgain(*this, folder); }

  // Names of the signatures, sorted. The signature that only names the initialiser is not among them.
  Span<const std::string> signatures() const {
    return impl_ ? Span<const std::string>(impl_->signatures) : Span<const std::string>();
  }
  // Prepares a signature. "": "serving_default", or the only one there is. NotFound: there is no such signature; the
  // message has the nearest names. Other errors are the errors of Session::MakeCallable.
  Result<ModelSignature> signature(std::string_view name = "") const {
    return detail::SavedModelRuntime::FindSignature(*this, name);
  }
  // Runs a signature by the keys of its inputs; returns all its outputs, by key. Returns the errors of signature() and
  // ModelSignature::Run. `signature()` once and ModelSignature::Run for each call are faster.
  Result<std::vector<NamedTensor>> Run(Span<const NamedTensor> inputs, std::string_view name = "") const {
    TENON_ASSIGN_OR_RETURN(const ModelSignature found, signature(name));
    return found.Run(inputs);
  }
  Result<std::vector<NamedTensor>> Run(std::initializer_list<NamedTensor> inputs, std::string_view name = "") const {
    return Run(Span<const NamedTensor>(inputs.begin(), inputs.size()), name);
  }

  // Lists the paths of the object graph's functions, by attribute, sorted: "call", "layers.0.call".
  std::vector<std::string> functions() const { return detail::SavedModelRuntime::Paths(*this, true); }
  // Lists the paths of its variables, sorted: "layers.0.kernel". A variable with several paths has all of them.
  std::vector<std::string> variables() const { return detail::SavedModelRuntime::Paths(*this, false); }
  // Prepares a function of the object graph: its first trace, or the trace N of "path#N". Its inputs are the arguments
  // that are tensors, by the names that the trace gives them; its outputs are output_0, output_1, ... NotFound: no such
  // function. Other errors are the errors of Session::Extend and Session::MakeCallable.
  Result<ModelSignature> function(std::string_view path) const {
    return detail::SavedModelRuntime::FindFunction(*this, path);
  }
  // The value of a variable of the object graph now. NotFound: no such path. FailedPrecondition: it has no value.
  Result<Tensor> variable(std::string_view path) const { return detail::SavedModelRuntime::ReadVariable(*this, path); }

  // The session that runs the model; an empty one without a folder.
  Session session() const { return impl_ ? impl_->session : Session(); }
  // The graph as it was read. Lives as long as a copy of the SavedModel.
  const MetaGraphDef& meta_graph() const {
    static const MetaGraphDef* const none = new MetaGraphDef();
    return impl_ ? impl_->meta_graph : *none;
  }

 private:
  template <class>
  friend struct detail::undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file;
  friend struct detail::ModelAccess;
  Ref<detail::SavedModelState> impl_;
};

inline const RefCounted* detail::ModelAccess::Impl(const ModelSignature& signature) { return signature.impl_.get(); }

TENON_DETAIL_NAMESPACE_END
