// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetBase, iterators and DatasetOpKernel with TensorFlow's interface, over Tenon's datasets: a dataset of either
// kind is an input of the other kind.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/compat/tensorflow/data/graph_builder.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>

namespace tensorflow {
namespace data {

inline constexpr int64_t kInfiniteCardinality = tenon::kInfiniteCardinality;
inline constexpr int64_t kUnknownCardinality = tenon::kUnknownCardinality;
class CardinalityOptions {
 public:
  enum ComputeLevel { CARDINALITY_COMPUTE_UNSPECIFIED = 0, CARDINALITY_COMPUTE_LOW = 1, CARDINALITY_COMPUTE_MODERATE = 2 };
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
  FunctionLibraryRuntime* flr() const { return environment_->functions; }
  Allocator* allocator(AllocatorAttributes) const {
    return AllocatorView::Of(environment_->result_allocator);
  }
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

class DatasetBase;
// A position in a dataset.
class IteratorBase {
 public:
  virtual ~IteratorBase() = default;
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
  Status Save(SerializationContext* context, IteratorStateWriter* writer) { return SaveInternal(context, writer); }
  Status Restore(IteratorContext* context, IteratorStateReader* reader) { return RestoreInternal(context, reader); }

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
  virtual int64_t Cardinality() const { return CardinalityInternal(); }
  virtual int64_t Cardinality(CardinalityOptions options) const { return CardinalityInternal(options); }
  virtual int64_t CardinalityInternal() const { return kUnknownCardinality; }
  virtual int64_t CardinalityInternal(CardinalityOptions) const { return CardinalityInternal(); }
  virtual Status InputDatasets(std::vector<const DatasetBase*>*) const { return Status(); }
  virtual Status CheckExternalState() const { return Status(); }
  virtual bool IsStateful() const { return false; }
  virtual Status Get(OpKernelContext*, int64_t, std::vector<Tensor>*) const { return errors::Unimplemented("Get"); }
  virtual int64_t AllocatedBytes() const { return 0; }
  virtual int64_t TotalBytes() const { return 0; }

  Status MakeIterator(IteratorContext* context, const IteratorBase*, const std::string& prefix,
                      std::unique_ptr<IteratorBase>* iterator) const {
    return MakeIterator(context, prefix, iterator);
  }
  Status MakeIterator(IteratorContext* context, const std::string& prefix, std::unique_ptr<IteratorBase>* iterator) const {
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
  std::string full_name(const std::string& name) const { return strings::StrCat(base_.prefix, ":", name); }

 protected:
  virtual Status GetNextInternal(IteratorContext* context, std::vector<Tensor>* out, bool* end) = 0;
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

// ------------------------------------------------------------------------------------------------ between the two kinds
// An iterator of this layer as Tenon's.
class AsTenonIterator final : public tenon::IteratorBase {
 public:
  explicit AsTenonIterator(std::unique_ptr<data::IteratorBase> iterator) : iterator_(std::move(iterator)) {}
  Status Save(tenon::IteratorStateWriter* writer) const override {
    IteratorStateWriter items;
    SerializationContext context;
    TF_RETURN_IF_ERROR(iterator_->SaveInternal(&context, &items));
    writer->Add(static_cast<std::int64_t>(items.items().size()));
    for (const auto& [key, value] : items.items()) {
      writer->AddText(key);
      tenon::DatasetElement element;
      element.push_back(value);
      writer->AddElement(element);
    }
    return Status();
  }
  Status Restore(tenon::IteratorContext& context, tenon::IteratorStateReader* reader) override {
    std::int64_t count = 0;
    TF_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
    std::map<std::string, Tensor> items;
    for (; count > 0; --count) {
      std::string key;
      tenon::DatasetElement element;
      TF_RETURN_IF_ERROR(reader->TakeText(&key));
      TF_RETURN_IF_ERROR(reader->TakeElement(&element));
      if (element.size() != 1) return tenon::IteratorStateReader::Unfit();
      items[key] = element[0];
    }
    IteratorContext own(context.environment());
    IteratorStateReader held(std::move(items));
    return iterator_->RestoreInternal(&own, &held);
  }

 private:
  Status Next(tenon::IteratorContext& context, tenon::DatasetElement* element, bool* end) override {
    IteratorContext own(context.environment());
    std::vector<Tensor> tensors;
    TF_RETURN_IF_ERROR(iterator_->GetNext(&own, &tensors, end));
    for (const Tensor& tensor : tensors) element->push_back(tensor);
    return Status();
  }
  std::unique_ptr<data::IteratorBase> iterator_;
};
// A dataset of this layer as Tenon's.
class AsTenonDataset final : public tenon::DatasetBase {
 public:
  explicit AsTenonDataset(core::RefCountPtr<const data::DatasetBase> dataset)
      : tenon::DatasetBase(SpecOf(*dataset)), dataset_(std::move(dataset)), name_(NameOf(dataset_->type_string())) {}
  const data::DatasetBase* dataset() const { return dataset_.get(); }
  Status MakeIterator(tenon::IteratorContext& context, tenon::Owned<tenon::IteratorBase>* iterator) const override {
    IteratorContext own(context.environment());
    std::unique_ptr<data::IteratorBase> made;
    TF_RETURN_IF_ERROR(dataset_->MakeIterator(&own, nullptr, "Iterator", &made));
    *iterator = tenon::MakeOwned<AsTenonIterator>(std::move(made));
    return Status();
  }
  std::int64_t Cardinality() const override { return dataset_->Cardinality(); }
  std::string_view TypeString() const override { return name_; }

 private:
  static tenon::ElementSpec SpecOf(const data::DatasetBase& dataset) {
    tenon::ElementSpec spec;
    for (const DataType type : dataset.output_dtypes()) spec.types.push_back(ToTenon(type));
    for (const PartialTensorShape& shape : dataset.output_shapes()) spec.shapes.push_back(shape);
    return spec;
  }
  static std::string NameOf(std::string type) {
    if (const std::size_t at = type.rfind("Dataset"); at != std::string::npos) type.resize(at);
    return type;
  }
  core::RefCountPtr<const data::DatasetBase> dataset_;
  std::string name_;
};
// A dataset of Tenon as one of this layer.
class OfTenonDataset final : public DatasetBase {
 public:
  explicit OfTenonDataset(tenon::Ref<const tenon::DatasetBase> dataset)
      : DatasetBase(DatasetContext(DatasetContext::Params{std::string(dataset->TypeString()) + "Dataset", ""})),
        dataset_(std::move(dataset)) {
    for (const tenon::DataType type : dataset_->spec().types) types_.push_back(FromTenon(type));
    for (const tenon::PartialTensorShape& shape : dataset_->spec().shapes) shapes_.push_back(shape);
  }
  const DataTypeVector& output_dtypes() const override { return types_; }
  const std::vector<PartialTensorShape>& output_shapes() const override { return shapes_; }
  std::string DebugString() const override { return dataset_->DebugString(); }
  int64_t CardinalityInternal() const override { return dataset_->Cardinality(); }
  const tenon::Ref<const tenon::DatasetBase>& tenon_dataset() const { return dataset_; }

 private:
  class Iterator final : public DatasetIterator<OfTenonDataset> {
   public:
    explicit Iterator(const Params& params) : DatasetIterator<OfTenonDataset>(params) {}
    Status Initialize(IteratorContext* context) override {
      tenon::IteratorContext own(context->environment());
      return dataset()->dataset_->MakeIterator(own, &iterator_);
    }

   protected:
    Status GetNextInternal(IteratorContext* context, std::vector<Tensor>* out, bool* end) override {
      tenon::IteratorContext own(context->environment());
      tenon::DatasetElement element;
      TF_RETURN_IF_ERROR(iterator_->GetNext(own, &element, end));
      for (tenon::Tensor& tensor : element) out->push_back(Tensor(std::move(tensor)));
      return Status();
    }
    Status SaveInternal(SerializationContext*, IteratorStateWriter* writer) override {
      tenon::IteratorStateWriter own;
      TF_RETURN_IF_ERROR(iterator_->Save(&own));
      const tenon::IteratorState state = own.Finish();
      TF_RETURN_IF_ERROR(writer->WriteScalar(full_name("bytes"), tstring(state.bytes)));
      TF_RETURN_IF_ERROR(writer->WriteScalar(full_name("count"), static_cast<int64_t>(state.tensors.size())));
      for (std::size_t i = 0; i < state.tensors.size(); ++i)
        TF_RETURN_IF_ERROR(writer->WriteTensor(full_name(strings::StrCat("tensor", i)), state.tensors[i]));
      return Status();
    }
    Status RestoreInternal(IteratorContext* context, IteratorStateReader* reader) override {
      tstring bytes;
      int64_t count = 0;
      TF_RETURN_IF_ERROR(reader->ReadScalar(full_name("bytes"), &bytes));
      TF_RETURN_IF_ERROR(reader->ReadScalar(full_name("count"), &count));
      tenon::IteratorState state;
      state.bytes = std::string(bytes);
      for (int64_t i = 0; i < count; ++i) {
        Tensor tensor;
        TF_RETURN_IF_ERROR(reader->ReadTensor(full_name(strings::StrCat("tensor", i)), &tensor));
        state.tensors.push_back(tensor);
      }
      tenon::IteratorContext own(context->environment());
      tenon::IteratorStateReader held(&state);
      return iterator_->Restore(own, &held);
    }

   private:
    tenon::Owned<tenon::IteratorBase> iterator_;
  };
  std::unique_ptr<IteratorBase> MakeIteratorInternal(const std::string& prefix) const override {
    return std::make_unique<Iterator>(Iterator::Params{this, strings::StrCat(prefix, "::", type_string())});
  }
  tenon::Ref<const tenon::DatasetBase> dataset_;
  DataTypeVector types_;
  std::vector<PartialTensorShape> shapes_;
};

// Borrowed from the tensor; one of Tenon's datasets stays until this thread has asked 64 times more. InvalidArgument:
// the tensor does not hold a dataset.
inline Status GetDatasetFromVariantTensor(const Tensor& tensor, DatasetBase** dataset) {
  tenon::Ref<const tenon::DatasetBase> found;
  TF_RETURN_IF_ERROR(tenon::GetDatasetFromVariantTensor(tensor, &found));
  if (const auto* own = dynamic_cast<const AsTenonDataset*>(found.get()); own != nullptr) {
    *dataset = const_cast<DatasetBase*>(own->dataset());
    return Status();
  }
  constexpr std::size_t kMost = 64;
  thread_local core::RefCountPtr<DatasetBase> kept[kMost];
  thread_local std::size_t next = 0;
  core::RefCountPtr<DatasetBase>& place = kept[next++ % kMost];
  place.reset(new OfTenonDataset(std::move(found)));
  *dataset = place.get();
  return Status();
}
// Takes over the caller's reference.
inline Status StoreDatasetInVariantTensor(DatasetBase* dataset, Tensor* tensor) {
  tenon::Ref<const tenon::DatasetBase> held = tenon::Ref<const tenon::DatasetBase>::Adopt(
      new AsTenonDataset(core::RefCountPtr<const DatasetBase>(dataset)));
  tenon::Tensor made;
  TF_RETURN_IF_ERROR(tenon::StoreDatasetInVariantTensor(std::move(held), &made));
  *tensor = Tensor(std::move(made));
  return Status();
}

template <class T>
Status ParseScalarArgument(OpKernelContext* context, StringPiece name, T* value) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(context->input(name, &tensor));
  if (!TensorShapeUtils::IsScalar(tensor->shape())) return errors::InvalidArgument(name, " must be a scalar");
  *value = tensor->scalar<T>()();
  return Status();
}
template <class T>
Status ParseVectorArgument(OpKernelContext* context, StringPiece name, std::vector<T>* value) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(context->input(name, &tensor));
  if (!TensorShapeUtils::IsVector(tensor->shape())) return errors::InvalidArgument(name, " must be a vector");
  const auto items = tensor->vec<T>();
  for (int64_t i = 0; i < items.size(); ++i) value->push_back(items(i));
  return Status();
}
inline Status VerifyTypesMatch(const DataTypeVector& expected, const DataTypeVector& received) {
  return tenon::VerifyTypesMatch(tenon::Span<const tenon::DataType>(ToTenonTypes(expected)),
                                 tenon::Span<const tenon::DataType>(ToTenonTypes(received)));
}

// The kernel of an op that makes a dataset.
class DatasetOpKernel : public OpKernel {
 public:
  explicit DatasetOpKernel(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) final {
    DatasetBase* dataset = nullptr;
    MakeDataset(context, &dataset);
    if (!context->status().ok()) {
      if (dataset != nullptr) dataset->Unref();
      return;
    }
    OP_REQUIRES(context, dataset != nullptr, errors::Internal("MakeDataset made no dataset"));
    Tensor handle;
    OP_REQUIRES_OK(context, StoreDatasetInVariantTensor(dataset, &handle));
    context->set_output(0, handle);
  }

 protected:
  virtual void MakeDataset(OpKernelContext* context, DatasetBase** output) = 0;
};
class UnaryDatasetOpKernel : public DatasetOpKernel {
 public:
  explicit UnaryDatasetOpKernel(OpKernelConstruction* context) : DatasetOpKernel(context) {}

 protected:
  void MakeDataset(OpKernelContext* context, DatasetBase** output) final {
    DatasetBase* input = nullptr;
    OP_REQUIRES_OK(context, GetDatasetFromVariantTensor(context->input(0), &input));
    MakeDataset(context, input, output);
  }
  virtual void MakeDataset(OpKernelContext* context, DatasetBase* input, DatasetBase** output) = 0;
};
class BinaryDatasetOpKernel : public DatasetOpKernel {
 public:
  explicit BinaryDatasetOpKernel(OpKernelConstruction* context) : DatasetOpKernel(context) {}

 protected:
  void MakeDataset(OpKernelContext* context, DatasetBase** output) final {
    DatasetBase *input = nullptr, *another = nullptr;
    OP_REQUIRES_OK(context, GetDatasetFromVariantTensor(context->input(0), &input));
    OP_REQUIRES_OK(context, GetDatasetFromVariantTensor(context->input(1), &another));
    MakeDataset(context, input, another, output);
  }
  virtual void MakeDataset(OpKernelContext* context, DatasetBase* input, DatasetBase* another, DatasetBase** output) = 0;
};

namespace name_utils {
inline constexpr char kDelimiter[] = "::";
template <class... T>
std::string OpName(const std::string& type, const T&...) {
  return type + "Dataset";
}
template <class... T>
std::string DatasetDebugString(const std::string& type, const T&...) {
  return type + "DatasetOp::Dataset";
}
template <class... T>
std::string IteratorPrefix(const std::string& type, const std::string& prefix, const T&...) {
  return strings::StrCat(prefix, "::", type);
}
}  // namespace name_utils

}  // namespace data

using data::BinaryDatasetOpKernel;
using data::DatasetBase;
using data::DatasetBaseIterator;
using data::DatasetContext;
using data::DatasetIterator;
using data::DatasetOpKernel;
using data::GetDatasetFromVariantTensor;
using data::IteratorBase;
using data::IteratorContext;
using data::IteratorStateReader;
using data::IteratorStateWriter;
using data::kInfiniteCardinality;
using data::kUnknownCardinality;
using data::ParseScalarArgument;
using data::ParseVectorArgument;
using data::SerializationContext;
using data::StoreDatasetInVariantTensor;
using data::UnaryDatasetOpKernel;

}  // namespace tensorflow
