// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetBase and its iterators with TensorFlow's interface.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/compat/tensorflow/data/graph_builder.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>

namespace tensorflow {
namespace data {

inline constexpr int64_t kInfiniteCardinality = tenon::kInfiniteCardinality;
inline constexpr int64_t kUnknownCardinality = tenon::kUnknownCardinality;
class CardinalityOptions {
 public:
  enum ComputeLevel {
    CARDINALITY_COMPUTE_UNSPECIFIED = 0,
    CARDINALITY_COMPUTE_LOW = 1,
    CARDINALITY_COMPUTE_MODERATE = 2
  };
  ComputeLevel compute_level() const { return level_; }
  void set_compute_level(ComputeLevel level) { level_ = level; }

 private:
  ComputeLevel level_ = CARDINALITY_COMPUTE_UNSPECIFIED;
};

// The run that asks for an element. one thread.
class IteratorContext {
 public:
  struct Params {
    Params() = default;
    explicit Params(OpKernelContext* context) : environment(&context->environment()) {}
    explicit Params(IteratorContext* context) : environment(&context->environment()) {}
    const tenon::StepEnvironment* environment = nullptr;
  };
  explicit IteratorContext(const tenon::StepEnvironment& environment) : environment_(&environment) {}
  explicit IteratorContext(Params params) : environment_(params.environment) {}
  explicit IteratorContext(OpKernelContext* context) : environment_(&context->environment()) {}

  const tenon::StepEnvironment& environment() const { return *environment_; }
  Env* env() const { return Env::Default(); }
  FunctionLibraryRuntime* flr() const {
    return static_cast<FunctionLibraryRuntime*>(environment_->constants->functions);
  }
  Allocator* allocator(AllocatorAttributes) const { return AllocatorView::Of(environment_->result_allocator); }
  CancellationManager* cancellation_manager() const {
    return environment_->services == nullptr ? nullptr
                                             : static_cast<CancellationManager*>(environment_->services->cancellation);
  }
  ResourceMgr* resource_mgr() const {
    return environment_->services == nullptr ? nullptr : static_cast<ResourceMgr*>(environment_->services->resources);
  }
  std::function<void(std::function<void()>)>* runner() const {
    static std::function<void(std::function<void()>)> run = [](std::function<void()> call) { call(); };
    return &run;
  }
  int32 runner_threadpool_size() const { return port::MaxParallelism(); }
  int64_t interleave_depth() const { return 0; }
  std::nullptr_t model() const { return nullptr; }
  std::nullptr_t stats_aggregator() const { return nullptr; }
  bool symbolic_checkpoint() const { return false; }
  bool is_restoring() const { return false; }
  std::unique_ptr<thread::ThreadPool> CreateThreadPool(const std::string& name, int threads) {
    return std::make_unique<thread::ThreadPool>(env(), name, threads);
  }
  std::unique_ptr<Thread> StartThread(const std::string&, std::function<void()> run) {
    return std::make_unique<Thread>(std::move(run));
  }

 private:
  const tenon::StepEnvironment* environment_;
};

// The position of an iterator by keys. Reading and writing.
class IteratorStateWriter {
 public:
  Status WriteScalar(StringPiece key, int64_t value) { return Put("", key, Tensor(value)); }
  Status WriteScalar(StringPiece key, const tstring& value) { return Put("", key, Tensor(value)); }
  Status WriteTensor(StringPiece key, const Tensor& value) { return Put("", key, value); }
  Status WriteScalar(StringPiece name, StringPiece key, int64_t value) { return Put(name, key, Tensor(value)); }
  Status WriteScalar(StringPiece name, StringPiece key, const tstring& value) { return Put(name, key, Tensor(value)); }
  Status WriteTensor(StringPiece name, StringPiece key, const Tensor& value) { return Put(name, key, value); }
  const std::map<std::string, Tensor>& items() const { return items_; }

 private:
  Status Put(StringPiece name, StringPiece key, Tensor value) {
    items_[strings::StrCat(name, ":", key)] = std::move(value);
    return Status();
  }
  std::map<std::string, Tensor> items_;
};
class IteratorStateReader {
 public:
  explicit IteratorStateReader(std::map<std::string, Tensor> items) : items_(std::move(items)) {}
  bool Contains(StringPiece key) const { return Contains("", key); }
  bool Contains(StringPiece name, StringPiece key) const {
    return items_.find(strings::StrCat(name, ":", key)) != items_.end();
  }
  Status ReadScalar(StringPiece key, int64_t* value) const { return Scalar("", key, value); }
  Status ReadScalar(StringPiece key, tstring* value) const { return Scalar("", key, value); }
  Status ReadTensor(StringPiece key, Tensor* value) const { return Get("", key, value); }
  Status ReadScalar(StringPiece name, StringPiece key, int64_t* value) const { return Scalar(name, key, value); }
  Status ReadScalar(StringPiece name, StringPiece key, tstring* value) const { return Scalar(name, key, value); }
  Status ReadTensor(StringPiece name, StringPiece key, Tensor* value) const { return Get(name, key, value); }

 private:
  Status Get(StringPiece name, StringPiece key, Tensor* value) const {
    const auto found = items_.find(strings::StrCat(name, ":", key));
    if (found == items_.end()) return errors::NotFound("the iterator's state has no '", key, "'");
    *value = found->second;
    return Status();
  }
  template <class T>
  Status Scalar(StringPiece name, StringPiece key, T* value) const {
    Tensor tensor;
    TF_RETURN_IF_ERROR(Get(name, key, &tensor));
    if (tensor.dtype() != DataTypeToEnum<T>::value || tensor.NumElements() != 1)
      return errors::InvalidArgument("the iterator's state has a value of another type for '", key, "'");
    *value = tensor.scalar<T>()();
    return Status();
  }
  std::map<std::string, Tensor> items_;
};
class SerializationContext {
 public:
  enum class ExternalStatePolicy { kWarn = 0, kIgnore = 1, kFail = 2 };
  struct Params {
    Params() = default;
    template <class Context>
    explicit Params(Context*) {}
    ExternalStatePolicy external_state_policy = ExternalStatePolicy::kWarn;
  };
  SerializationContext() = default;
  explicit SerializationContext(const Params&) {}
};

// Saves its position and takes it up again.
class Checkpointable {
 public:
  virtual ~Checkpointable() = default;
  virtual Status Save(SerializationContext* context, IteratorStateWriter* writer) = 0;
  virtual Status Restore(IteratorContext* context, IteratorStateReader* reader) = 0;
};
// Parts of a dataset for workers; Tenon asks for none.
class SplitProvider {
 public:
  virtual ~SplitProvider() = default;
  virtual Status GetNext(Tensor* split, bool* end_of_splits) = 0;
  virtual Status Reset() = 0;
  virtual Status Save(std::function<std::string(std::string)> full_name, IteratorStateWriter* writer) = 0;
  virtual Status Restore(std::function<std::string(std::string)> full_name, IteratorStateReader* reader) = 0;
  virtual int64_t Cardinality() const { return kUnknownCardinality; }
  virtual void Cancel() {}
  virtual bool IsDynamic() const { return false; }
};
using TraceMeMetadata = std::vector<std::pair<StringPiece, std::string>>;
using IndexMapperFn = std::function<StatusOr<std::size_t>(std::size_t)>;
// The run that asks for an element by its number.
struct AnyContext {
  explicit AnyContext(IteratorContext* context)
      : allocator(context->allocator({})), runner_threadpool_size(context->runner_threadpool_size()) {}
  explicit AnyContext(OpKernelContext* context)
      : allocator(context->get_allocator({})), runner_threadpool_size(port::MaxParallelism()) {}
  Allocator* allocator;
  std::function<void(std::function<void()>)> runner = [](std::function<void()> call) { call(); };
  int64_t runner_threadpool_size;
};

class DatasetBase;
// A position in a dataset.
class IteratorBase : public Checkpointable {
 public:
  virtual const DataTypeVector& output_dtypes() const = 0;
  virtual const std::vector<PartialTensorShape>& output_shapes() const = 0;
  virtual Status GetNext(IteratorContext* context, std::vector<Tensor>* out, bool* end) = 0;
  virtual const std::string& prefix() const = 0;
  virtual Status Initialize(IteratorContext*) { return Status(); }
  virtual Status InitializeBase(IteratorContext*, const IteratorBase*) { return Status(); }
  virtual Status Skip(IteratorContext* context, int count, bool* end, int* skipped) {
    *end = false;
    std::vector<Tensor> element;
    for (*skipped = 0; *skipped < count; ++*skipped) {
      element.clear();
      TF_RETURN_IF_ERROR(GetNext(context, &element, end));
      if (*end) return Status();
    }
    return Status();
  }
  Status Save(SerializationContext* context, IteratorStateWriter* writer) override {
    return SaveInternal(context, writer);
  }
  Status Restore(IteratorContext* context, IteratorStateReader* reader) override {
    return RestoreInternal(context, reader);
  }
  virtual bool SymbolicCheckpointCompatible() const { return false; }
  virtual IndexMapperFn GetIndexMapper(IndexMapperFn parent) const { return parent; }

 protected:
  friend class DatasetBase;
  friend class AsTenonIterator;
  virtual Status SaveInternal(SerializationContext*, IteratorStateWriter* writer) { return SaveInternal(writer); }
  // As before TensorFlow 2.4.
  virtual Status SaveInternal(IteratorStateWriter*) { return errors::Unimplemented("SaveInternal"); }
  virtual Status RestoreInternal(IteratorContext*, IteratorStateReader*) {
    return errors::Unimplemented("RestoreInternal");
  }
  static Status SaveInput(SerializationContext* context, IteratorStateWriter* writer,
                          const std::unique_ptr<IteratorBase>& input) {
    return input->SaveInternal(context, writer);
  }
  static Status SaveInput(IteratorStateWriter* writer, const std::unique_ptr<IteratorBase>& input) {
    return input->SaveInternal(nullptr, writer);
  }
  static Status RestoreInput(IteratorContext* context, IteratorStateReader* reader,
                             const std::unique_ptr<IteratorBase>& input) {
    return input->RestoreInternal(context, reader);
  }
};

class DatasetContext {
 public:
  struct Params {
    std::string type_string, node_name;
  };
  explicit DatasetContext(Params params) : params_(std::move(params)) {}
  explicit DatasetContext(OpKernelContext* context)
      : params_{context->op_kernel().type_string(), context->op_kernel().name()} {}
  const std::string& type_string() const { return params_.type_string; }
  const std::string& node_name() const { return params_.node_name; }

 private:
  Params params_;
};

// A sequence of elements. immutable.
class DatasetBase : public core::RefCounted {
 public:
  using DatasetGraphDefBuilder = ::tensorflow::data::DatasetGraphDefBuilder;
  explicit DatasetBase(DatasetContext&& context)
      : type_string_(context.type_string()), node_name_(context.node_name()) {}
  const std::string& type_string() const { return type_string_; }
  const std::string& node_name() const { return node_name_; }

  virtual const DataTypeVector& output_dtypes() const = 0;
  virtual const std::vector<PartialTensorShape>& output_shapes() const = 0;
  virtual std::string DebugString() const = 0;
  virtual int64_t Cardinality() const { return Cardinality(CardinalityOptions()); }
  virtual int64_t Cardinality(CardinalityOptions options) const { return CardinalityInternal(options); }
  virtual int64_t CardinalityInternal() const { return kUnknownCardinality; }
  virtual int64_t CardinalityInternal(CardinalityOptions) const { return CardinalityInternal(); }
  virtual Status InputDatasets(std::vector<const DatasetBase*>*) const { return Status(); }
  virtual Status CheckExternalState() const { return Status(); }
  virtual bool IsStateful() const { return false; }
  virtual Status Get(OpKernelContext*, int64_t, std::vector<Tensor>*) const { return errors::Unimplemented("Get"); }
  virtual Status Get(AnyContext, int64_t, std::vector<Tensor>*) const { return errors::Unimplemented("Get"); }
  virtual Status RandomIndexingCompatible() const {
    return errors::FailedPrecondition(type_string_, " does not support random access.");
  }
  virtual Status MakeSplitProviders(std::vector<std::unique_ptr<SplitProvider>>*) const {
    return errors::Unimplemented("Cannot create split providers for dataset of type ", type_string_);
  }
  virtual std::optional<int64_t> GetEstimatedElementSize() const { return std::nullopt; }
  virtual int64_t AllocatedBytes() const { return 0; }
  virtual int64_t TotalBytes() const { return 0; }

  Status MakeIterator(IteratorContext* context, const IteratorBase*, const std::string& prefix,
                      std::unique_ptr<IteratorBase>* iterator) const {
    return MakeIterator(context, prefix, iterator);
  }
  Status MakeIterator(IteratorContext* context, const std::string& prefix,
                      std::unique_ptr<IteratorBase>* iterator) const {
    std::unique_ptr<IteratorBase> made = MakeIteratorInternal(prefix);
    TF_RETURN_IF_ERROR(made->Initialize(context));
    *iterator = std::move(made);
    return Status();
  }
  Status MakeIterator(IteratorContext&& context, const IteratorBase* parent, const std::string& prefix,
                      std::unique_ptr<IteratorBase>* iterator) const {
    return MakeIterator(&context, parent, prefix, iterator);
  }

 protected:
  virtual std::unique_ptr<IteratorBase> MakeIteratorInternal(const std::string& prefix) const = 0;
  // Graphs of datasets are not made: nothing calls it.
  virtual Status AsGraphDefInternal(SerializationContext*, DatasetGraphDefBuilder*, Node**) const {
    return errors::Unimplemented("AsGraphDefInternal");
  }

 private:
  const std::string type_string_, node_name_;
};

class DatasetBaseIterator : public IteratorBase {
 public:
  struct BaseParams {
    const DatasetBase* dataset;
    std::string prefix;
  };
  explicit DatasetBaseIterator(const BaseParams& params) : base_(params) { base_.dataset->Ref(); }
  ~DatasetBaseIterator() override { base_.dataset->Unref(); }
  const DataTypeVector& output_dtypes() const override { return base_.dataset->output_dtypes(); }
  const std::vector<PartialTensorShape>& output_shapes() const override { return base_.dataset->output_shapes(); }
  const std::string& prefix() const override { return base_.prefix; }
  virtual const DatasetBase* dataset() const { return base_.dataset; }
  Status GetNext(IteratorContext* context, std::vector<Tensor>* out, bool* end) final {
    *end = false;
    out->clear();
    return GetNextInternal(context, out, end);
  }
  Status Skip(IteratorContext* context, int count, bool* end, int* skipped) final {
    return SkipInternal(context, count, end, skipped);
  }
  std::string full_name(const std::string& name) const { return strings::StrCat(base_.prefix, ":", name); }

 protected:
  virtual Status GetNextInternal(IteratorContext* context, std::vector<Tensor>* out, bool* end) = 0;
  virtual Status SkipInternal(IteratorContext* context, int count, bool* end, int* skipped) {
    return IteratorBase::Skip(context, count, end, skipped);
  }
  virtual TraceMeMetadata GetTraceMeMetadata() const { return {}; }
  virtual std::shared_ptr<model::Node> CreateNode(IteratorContext*, model::Node::Args args) const {
    return model::MakeUnknownRatioNode(std::move(args));
  }
  // Notes for TensorFlow's performance model.
  void RecordElement(IteratorContext*, std::vector<Tensor>*) {}
  void RecordStart(IteratorContext*, bool = false) {}
  void RecordStop(IteratorContext*, bool = false) {}
  bool collect_resource_usage(IteratorContext*) { return false; }

 private:
  BaseParams base_;
};
template <class DatasetType>
class DatasetIterator : public DatasetBaseIterator {
 public:
  struct Params {
    const DatasetType* dataset;
    std::string prefix;
  };
  explicit DatasetIterator(const Params& params)
      : DatasetBaseIterator({params.dataset, params.prefix}), typed_(params.dataset) {}
  const DatasetType* dataset() const { return typed_; }

 private:
  const DatasetType* typed_;
};

}  // namespace data
}  // namespace tensorflow
