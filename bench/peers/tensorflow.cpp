// SPDX-License-Identifier: Apache-2.0
// TensorFlow through its C API. Its functions are declared here as <tensorflow/c/c_api.h> has them, a stable interface.
#include <cstdlib>
#include <cstring>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/graph/graph.hpp>

#include "peers/peer.hpp"

namespace tenon::bench {
namespace {

struct TF_Status;
struct TF_Graph;
struct TF_Session;
struct TF_SessionOptions;
struct TF_ImportGraphDefOptions;
struct TF_Tensor;
struct TF_Operation;
struct TF_Buffer {
  const void* data;
  std::size_t length;
  void (*data_deallocator)(void* data, std::size_t length);
};
struct TF_Output {
  TF_Operation* oper;
  int index;
};

// The functions in use, without their prefix TF_.
struct Api {
  const char* (*Version)();
  TF_Status* (*NewStatus)();
  void (*DeleteStatus)(TF_Status*);
  int (*GetCode)(const TF_Status*);
  const char* (*Message)(const TF_Status*);
  TF_Graph* (*NewGraph)();
  void (*DeleteGraph)(TF_Graph*);
  TF_ImportGraphDefOptions* (*NewImportGraphDefOptions)();
  void (*DeleteImportGraphDefOptions)(TF_ImportGraphDefOptions*);
  void (*GraphImportGraphDef)(TF_Graph*, const TF_Buffer*, const TF_ImportGraphDefOptions*, TF_Status*);
  TF_Operation* (*GraphOperationByName)(TF_Graph*, const char*);
  TF_SessionOptions* (*NewSessionOptions)();
  void (*DeleteSessionOptions)(TF_SessionOptions*);
  void (*SetConfig)(TF_SessionOptions*, const void*, std::size_t, TF_Status*);
  TF_Session* (*NewSession)(TF_Graph*, const TF_SessionOptions*, TF_Status*);
  void (*CloseSession)(TF_Session*, TF_Status*);
  void (*DeleteSession)(TF_Session*, TF_Status*);
  void (*SessionRun)(TF_Session*, const TF_Buffer*, const TF_Output*, TF_Tensor* const*, int, const TF_Output*,
                     TF_Tensor**, int, const TF_Operation* const*, int, TF_Buffer*, TF_Status*);
  TF_Tensor* (*AllocateTensor)(int, const std::int64_t*, int, std::size_t);
  void (*DeleteTensor)(TF_Tensor*);
  int (*TensorType)(const TF_Tensor*);
  int (*NumDims)(const TF_Tensor*);
  std::int64_t (*Dim)(const TF_Tensor*, int);
  void* (*TensorData)(const TF_Tensor*);
  std::size_t (*TensorByteSize)(const TF_Tensor*);
  void (*StringInit)(void*);
  void (*StringCopy)(void*, const char*, std::size_t);
  const char* (*StringGetDataPointer)(const void*);
  std::size_t (*StringGetSize)(const void*);
};

constexpr std::size_t kStringBytes = 24;  // of a TF_TString

Result<Api> LoadApi() {
  TENON_ASSIGN_OR_RETURN(const std::string folder, FindPythonPackage("tensorflow"));
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  TENON_RETURN_IF_ERROR(Library::Open(folder + "/libtensorflow_framework.so.2").status());
  TENON_ASSIGN_OR_RETURN(const Library library, Library::Open(folder + "/libtensorflow_cc.so.2"));
  Api api{};
#define TENON_BIND(name) TENON_RETURN_IF_ERROR(library.Bind("TF_" #name, &api.name))
  TENON_BIND(Version);
  TENON_BIND(NewStatus);
  TENON_BIND(DeleteStatus);
  TENON_BIND(GetCode);
  TENON_BIND(Message);
  TENON_BIND(NewGraph);
  TENON_BIND(DeleteGraph);
  TENON_BIND(NewImportGraphDefOptions);
  TENON_BIND(DeleteImportGraphDefOptions);
  TENON_BIND(GraphImportGraphDef);
  TENON_BIND(GraphOperationByName);
  TENON_BIND(NewSessionOptions);
  TENON_BIND(DeleteSessionOptions);
  TENON_BIND(SetConfig);
  TENON_BIND(NewSession);
  TENON_BIND(CloseSession);
  TENON_BIND(DeleteSession);
  TENON_BIND(SessionRun);
  TENON_BIND(AllocateTensor);
  TENON_BIND(DeleteTensor);
  TENON_BIND(TensorType);
  TENON_BIND(NumDims);
  TENON_BIND(Dim);
  TENON_BIND(TensorData);
  TENON_BIND(TensorByteSize);
  TENON_BIND(StringInit);
  TENON_BIND(StringCopy);
  TENON_BIND(StringGetDataPointer);
  TENON_BIND(StringGetSize);
#undef TENON_BIND
  const char* one_dnn = std::getenv("TF_ENABLE_ONEDNN_OPTS");
  Note(StrCat("TensorFlow ", api.Version(), " through its C API",
              one_dnn != nullptr && std::strcmp(one_dnn, "0") == 0 ? ", without oneDNN" : ""));
  return api;
}
const Result<Api>& TheApi() {
  static const Result<Api> api = LoadApi();
  return api;
}

// Fields of a protobuf message: numbers and nested messages.
std::string Varint(std::uint64_t v) {
  std::string bytes;
  for (; v >= 128; v >>= 7) bytes += static_cast<char>(v | 128);
  return bytes + static_cast<char>(v);
}
std::string Field(std::uint64_t number, std::int64_t value) {
  return Varint(number << 3) + Varint(static_cast<std::uint64_t>(value));
}
std::string Field(std::uint64_t number, const std::string& value) {
  return Varint(number << 3 | 2) + Varint(value.size()) + value;
}

std::string ConfigProto(const TensorFlowOptions& options) {
  using Executor = TensorFlowOptions::Executor;
  const bool pool = options.executor == Executor::kPool;
  std::string config =
      Field(2, std::int64_t{options.intra_op_threads}) + Field(5, std::int64_t{pool ? options.inter_op_threads : -1});
  if (pool) config += Field(9, std::int64_t{1});  // use_per_session_threads
  if (!options.optimize)  // optimizer_options.opt_level = L0; rewrite_options.disable_meta_optimizer
    config += Field(10, Field(3, Field(3, std::int64_t{-1})) + Field(10, Field(19, std::int64_t{1})));
  if (options.executor == Executor::kSingleThreaded)
    config += Field(16, Field(3, std::string("SINGLE_THREADED_EXECUTOR")));
  return config;
}

class TensorFlowSession final : public PeerSession {
 public:
  explicit TensorFlowSession(const Api& api) : api_(api), status_(api.NewStatus()), graph_(api.NewGraph()) {}
  ~TensorFlowSession() override {
    if (session_ != nullptr) {
      api_.CloseSession(session_, status_);
      api_.DeleteSession(session_, status_);
    }
    api_.DeleteGraph(graph_);
    Free(run_.feeds);
    api_.DeleteStatus(status_);
  }

  Status Open(const PeerGraph& graph, const TensorFlowOptions& options) {
    const TF_Buffer bytes{graph.graph_def.data(), graph.graph_def.size(), nullptr};
    TF_ImportGraphDefOptions* import = api_.NewImportGraphDefOptions();
    api_.GraphImportGraphDef(graph_, &bytes, import, status_);
    api_.DeleteImportGraphDefOptions(import);
    TENON_RETURN_IF_ERROR(LastStatus());
    TENON_RETURN_IF_ERROR(Prepare(graph.feeds, graph.fetches, graph.targets, &run_));

    TF_SessionOptions* session_options = api_.NewSessionOptions();
    const std::string config = ConfigProto(options);
    api_.SetConfig(session_options, config.data(), config.size(), status_);
    Status status = LastStatus();
    if (status.ok()) {
      session_ = api_.NewSession(graph_, session_options, status_);
      status = LastStatus();
    }
    api_.DeleteSessionOptions(session_options);
    for (const PeerStep& step : graph.before) {
      Signature once;
      if (status.ok()) status = Prepare(step.feeds, {}, step.targets, &once);
      if (status.ok()) RunOnce(once), status = LastStatus();
      Free(once.feeds);
    }
    return status;
  }

  Status Run(std::int64_t times) override {
    for (; times > 0; --times) {
      RunOnce(run_);
      if (api_.GetCode(status_) != 0) [[unlikely]]
        return LastStatus();
      Free(run_.fetches);
    }
    return OkStatus();
  }
  Result<std::vector<Tensor>> Fetch() override {
    RunOnce(run_);
    TENON_RETURN_IF_ERROR(LastStatus());
    std::vector<Tensor> values;
    for (const TF_Tensor* fetch : run_.fetches) {
      std::vector<Index> dims;
      for (int i = 0; i < api_.NumDims(fetch); ++i) dims.push_back(api_.Dim(fetch, i));
      TENON_ASSIGN_OR_RETURN(Tensor value, Tensor::Make(static_cast<DataType>(api_.TensorType(fetch)),
                                                        TensorShape(std::span<const Index>(dims))));
      if (value.dtype() == DataType::kString) {
        const char* at = static_cast<const char*>(api_.TensorData(fetch));
        for (tstring& text : value.flat<tstring>()) {
          text = tstring(std::string_view(api_.StringGetDataPointer(at), api_.StringGetSize(at)));
          at += kStringBytes;
        }
        values.push_back(std::move(value));
        continue;
      }
      if (value.TotalBytes() != api_.TensorByteSize(fetch))
        return errors::Internal("TensorFlow: a fetch has an unexpected size");
      std::memcpy(value.raw_data(), api_.TensorData(fetch), value.TotalBytes());
      values.push_back(std::move(value));
    }
    Free(run_.fetches);
    return values;
  }

 private:
  struct Signature {
    std::vector<TF_Output> feed_outputs, fetch_outputs;
    std::vector<TF_Tensor*> feeds, fetches;
    std::vector<const TF_Operation*> targets;
  };
  Status Prepare(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                 const std::vector<std::string>& targets, Signature* run) const {
    for (const NamedTensor& feed : feeds) {
      TENON_RETURN_IF_ERROR(Find(feed.name, &run->feed_outputs));
      run->feeds.push_back(Copy(feed.tensor));
    }
    for (const std::string& fetch : fetches) TENON_RETURN_IF_ERROR(Find(fetch, &run->fetch_outputs));
    std::vector<TF_Output> found;
    for (const std::string& target : targets) TENON_RETURN_IF_ERROR(Find(target, &found));
    for (const TF_Output& target : found) run->targets.push_back(target.oper);
    run->fetches.resize(run->fetch_outputs.size());
    return OkStatus();
  }
  void RunOnce(Signature& run) {
    api_.SessionRun(session_, nullptr, run.feed_outputs.data(), run.feeds.data(), static_cast<int>(run.feeds.size()),
                    run.fetch_outputs.data(), run.fetches.data(), static_cast<int>(run.fetches.size()),
                    run.targets.data(), static_cast<int>(run.targets.size()), nullptr, status_);
  }
  void Free(const std::vector<TF_Tensor*>& tensors) const {
    for (TF_Tensor* tensor : tensors) api_.DeleteTensor(tensor);
  }
  Status LastStatus() const {
    const int code = api_.GetCode(status_);
    return code == 0 ? OkStatus() : Status(static_cast<Code>(code), StrCat("TensorFlow: ", api_.Message(status_)));
  }
  Status Find(std::string_view text, std::vector<TF_Output>* outputs) const {
    const TensorName name = ParseTensorName(text);
    TF_Operation* operation = api_.GraphOperationByName(graph_, std::string(name.node).c_str());
    if (operation == nullptr) return errors::Internal("TensorFlow: the graph has no node '", name.node, "'");
    outputs->push_back({operation, name.output});
    return OkStatus();
  }
  TF_Tensor* Copy(const Tensor& value) const {
    if (value.dtype() == DataType::kString) {
      TF_Tensor* tensor =
          api_.AllocateTensor(static_cast<int>(value.dtype()), value.shape().dim_sizes().data(), value.dims(),
                              static_cast<std::size_t>(value.NumElements()) * kStringBytes);
      char* at = static_cast<char*>(api_.TensorData(tensor));
      for (const tstring& text : value.flat<tstring>()) {
        api_.StringInit(at);
        api_.StringCopy(at, text.data(), text.size());
        at += kStringBytes;
      }
      return tensor;
    }
    TF_Tensor* tensor = api_.AllocateTensor(static_cast<int>(value.dtype()), value.shape().dim_sizes().data(),
                                            value.dims(), value.TotalBytes());
    std::memcpy(api_.TensorData(tensor), value.raw_data(), value.TotalBytes());
    return tensor;
  }

  const Api& api_;
  TF_Status* status_;
  TF_Graph* graph_;
  TF_Session* session_ = nullptr;
  Signature run_;
};

}  // namespace

Result<std::unique_ptr<PeerSession>> MakeTensorFlow(const PeerGraph& graph, const TensorFlowOptions& options) {
  const Result<Api>& api = TheApi();
  TENON_RETURN_IF_ERROR(api.status());
  auto session = std::make_unique<TensorFlowSession>(*api);
  if (const Status status = session->Open(graph, options); !status.ok())
    return Status(Code::kInternal, status.message());
  return std::unique_ptr<PeerSession>(std::move(session));
}

}  // namespace tenon::bench
