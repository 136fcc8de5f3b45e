// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime through its C API: a table of functions in which every function keeps its place from version to version.
#include <cstring>
#include <filesystem>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>

#include "peers/peer.hpp"

namespace tenon::bench {
namespace {

struct OrtStatus;
struct OrtEnv;
struct OrtSessionOptions;
struct OrtSession;
struct OrtMemoryInfo;
struct OrtValue;
struct OrtShape;  // OrtTensorTypeAndShapeInfo

struct OrtApiBase {
  const void* const* (*GetApi)(std::uint32_t version);
  const char* (*GetVersionString)();
};

// The functions in use, and their places in the table of version 1.
struct Api {
  const char* (*GetErrorMessage)(const OrtStatus*);
  OrtStatus* (*CreateEnv)(int log_level, const char* log_id, OrtEnv**);
  OrtStatus* (*CreateSession)(const OrtEnv*, const char* path, const OrtSessionOptions*, OrtSession**);
  OrtStatus* (*Run)(OrtSession*, const void* options, const char* const* input_names, const OrtValue* const* inputs,
                    std::size_t, const char* const* output_names, std::size_t, OrtValue** outputs);
  OrtStatus* (*CreateSessionOptions)(OrtSessionOptions**);
  OrtStatus* (*SetSessionGraphOptimizationLevel)(OrtSessionOptions*, int);
  OrtStatus* (*SetIntraOpNumThreads)(OrtSessionOptions*, int);
  OrtStatus* (*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo*, void* data, std::size_t bytes,
                                               const std::int64_t* dims, std::size_t rank, int type, OrtValue**);
  OrtStatus* (*GetTensorMutableData)(OrtValue*, void**);
  OrtStatus* (*GetDimensionsCount)(const OrtShape*, std::size_t*);
  OrtStatus* (*GetDimensions)(const OrtShape*, std::int64_t*, std::size_t);
  OrtStatus* (*GetTensorTypeAndShape)(const OrtValue*, OrtShape**);
  OrtStatus* (*CreateCpuMemoryInfo)(int allocator_type, int memory_type, OrtMemoryInfo**);
  void (*ReleaseStatus)(OrtStatus*);
  void (*ReleaseMemoryInfo)(OrtMemoryInfo*);
  void (*ReleaseSession)(OrtSession*);
  void (*ReleaseValue)(OrtValue*);
  void (*ReleaseTensorTypeAndShapeInfo)(OrtShape*);
  void (*ReleaseSessionOptions)(OrtSessionOptions*);

  Status Take(OrtStatus* error) const {
    if (error == nullptr) return OkStatus();
    const Status status = errors::Internal("ONNX Runtime: ", GetErrorMessage(error));
    ReleaseStatus(error);
    return status;
  }
  OrtEnv* env = nullptr;  // one per process, never released
};

Result<std::string> FindLibrary() {
  TENON_ASSIGN_OR_RETURN(const std::string folder, FindPythonPackage("onnxruntime"));
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder + "/capi", error))
    if (file.path().filename().string().starts_with("libonnxruntime.so")) return file.path().string();
  return errors::NotFound("no libonnxruntime.so in the package 'onnxruntime'");
}

Result<Api> LoadApi() {
  TENON_ASSIGN_OR_RETURN(const std::string path, FindLibrary());
  TENON_ASSIGN_OR_RETURN(const Library library, Library::Open(path));
  const OrtApiBase* (*get_base)() = nullptr;
  TENON_RETURN_IF_ERROR(library.Bind("OrtGetApiBase", &get_base));
  const OrtApiBase* base = get_base();
  const void* const* table = base->GetApi(1);
  if (table == nullptr)
    return errors::NotFound("ONNX Runtime ", base->GetVersionString(), " has no version 1 of its C API");
  Api api{};
  const auto bind = [table](std::size_t place, auto* function) {
    static_assert(sizeof *function == sizeof *table);
    std::memcpy(function, table + place, sizeof *table);
  };
  bind(2, &api.GetErrorMessage);
  bind(3, &api.CreateEnv);
  bind(7, &api.CreateSession);
  bind(9, &api.Run);
  bind(10, &api.CreateSessionOptions);
  bind(23, &api.SetSessionGraphOptimizationLevel);
  bind(24, &api.SetIntraOpNumThreads);
  bind(49, &api.CreateTensorWithDataAsOrtValue);
  bind(51, &api.GetTensorMutableData);
  bind(61, &api.GetDimensionsCount);
  bind(62, &api.GetDimensions);
  bind(65, &api.GetTensorTypeAndShape);
  bind(69, &api.CreateCpuMemoryInfo);
  bind(93, &api.ReleaseStatus);
  bind(94, &api.ReleaseMemoryInfo);
  bind(95, &api.ReleaseSession);
  bind(96, &api.ReleaseValue);
  bind(99, &api.ReleaseTensorTypeAndShapeInfo);
  bind(100, &api.ReleaseSessionOptions);
  constexpr int kErrors = 3;
  TENON_RETURN_IF_ERROR(api.Take(api.CreateEnv(kErrors, "bench", &api.env)));
  Note(StrCat("ONNX Runtime ", base->GetVersionString(), " through its C API, into outputs that are there already"));
  return api;
}
const Result<Api>& TheApi() {
  static const Result<Api> api = LoadApi();
  return api;
}

// one thread; floats and int32 in, floats out
class OnnxRuntimeSession final : public PeerSession {
 public:
  explicit OnnxRuntimeSession(const Api& api) : api_(api) {}
  ~OnnxRuntimeSession() override {
    for (OrtValue* value : inputs_) api_.ReleaseValue(value);
    for (OrtValue* value : outputs_)
      if (value != nullptr) api_.ReleaseValue(value);
    if (session_ != nullptr) api_.ReleaseSession(session_);
  }

  Status Open(const PeerGraph& graph, int threads, bool optimize) {
    OrtSessionOptions* options = nullptr;
    TENON_RETURN_IF_ERROR(api_.Take(api_.CreateSessionOptions(&options)));
    constexpr int kNoOptimizations = 0, kAllOptimizations = 99;
    Status status =
        api_.Take(api_.SetSessionGraphOptimizationLevel(options, optimize ? kAllOptimizations : kNoOptimizations));
    status.Update(api_.Take(api_.SetIntraOpNumThreads(options, threads)));
    const Status loaded = api_.Take(api_.CreateSession(api_.env, graph.onnx_file.c_str(), options, &session_));
    if (!loaded.ok()) {  // it does not have all ops
      std::string text(loaded.message());
      const std::size_t folder = graph.onnx_file.rfind('/') + 1, at = text.find(graph.onnx_file);
      if (at != std::string::npos) text.erase(at, folder);  // results name no folders of a machine
      status.Update(errors::NotFound(text));
    }
    api_.ReleaseSessionOptions(options);
    TENON_RETURN_IF_ERROR(status);

    OrtMemoryInfo* memory = nullptr;
    constexpr int kArenaAllocator = 1;
    TENON_RETURN_IF_ERROR(api_.Take(api_.CreateCpuMemoryInfo(kArenaAllocator, 0, &memory)));
    feeds_ = graph.feeds;
    fetches_ = graph.fetches;
    for (NamedTensor& feed : feeds_) {
      const bool ints = feed.tensor.dtype() == DataType::kInt32;
      if (!ints && feed.tensor.dtype() != DataType::kFloat)
        status.Update(errors::Unimplemented("ONNX Runtime is fed floats and int32 only"));
      OrtValue* value = nullptr;
      constexpr int kFloat = 1, kInt32 = 6;
      status.Update(api_.Take(api_.CreateTensorWithDataAsOrtValue(
          memory, feed.tensor.raw_data(), feed.tensor.TotalBytes(), feed.tensor.shape().dim_sizes().data(),
          static_cast<std::size_t>(feed.tensor.dims()), ints ? kInt32 : kFloat, &value)));
      if (value != nullptr) inputs_.push_back(value);
      input_names_.push_back(feed.name.c_str());
    }
    api_.ReleaseMemoryInfo(memory);
    for (const std::string& fetch : fetches_) output_names_.push_back(fetch.c_str());
    outputs_.resize(fetches_.size());
    return status;
  }

  Status Run(std::int64_t times) override {
    for (; times > 0; --times) {
      OrtStatus* error = api_.Run(session_, nullptr, input_names_.data(), inputs_.data(), inputs_.size(),
                                  output_names_.data(), output_names_.size(), outputs_.data());
      if (error != nullptr) [[unlikely]]
        return api_.Take(error);
    }
    return OkStatus();
  }
  Result<std::vector<Tensor>> Fetch() override {
    TENON_RETURN_IF_ERROR(Run(1));
    std::vector<Tensor> values;
    for (OrtValue* output : outputs_) {
      OrtShape* shape = nullptr;
      TENON_RETURN_IF_ERROR(api_.Take(api_.GetTensorTypeAndShape(output, &shape)));
      std::size_t rank = 0;
      Status status = api_.Take(api_.GetDimensionsCount(shape, &rank));
      std::vector<Index> dims(rank);
      status.Update(api_.Take(api_.GetDimensions(shape, dims.data(), rank)));
      api_.ReleaseTensorTypeAndShapeInfo(shape);
      TENON_RETURN_IF_ERROR(status);
      TENON_ASSIGN_OR_RETURN(Tensor value, Tensor::Make(DataType::kFloat, TensorShape(std::span<const Index>(dims))));
      void* data = nullptr;
      TENON_RETURN_IF_ERROR(api_.Take(api_.GetTensorMutableData(output, &data)));
      std::memcpy(value.raw_data(), data, value.TotalBytes());
      values.push_back(std::move(value));
    }
    return values;
  }

 private:
  const Api& api_;
  OrtSession* session_ = nullptr;
  std::vector<NamedTensor> feeds_;
  std::vector<std::string> fetches_;
  std::vector<const char*> input_names_, output_names_;
  std::vector<OrtValue*> inputs_, outputs_;  // outputs: made by the first run, then written again
};

}  // namespace

Result<std::unique_ptr<PeerSession>> MakeOnnxRuntime(const PeerGraph& graph, int threads, bool optimize) {
  std::error_code error;
  if (graph.onnx_file.empty() || !std::filesystem::exists(graph.onnx_file, error))
    return errors::NotFound("there is no ONNX file of this graph; bench/peers/make_onnx.py makes it");
  const Result<Api>& api = TheApi();
  TENON_RETURN_IF_ERROR(api.status());
  auto session = std::make_unique<OnnxRuntimeSession>(*api);
  TENON_RETURN_IF_ERROR(session->Open(graph, threads, optimize));
  return std::unique_ptr<PeerSession>(std::move(session));
}

}  // namespace tenon::bench
