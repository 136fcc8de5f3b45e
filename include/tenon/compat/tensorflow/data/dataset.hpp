// SPDX-License-Identifier: Apache-2.0
#pragma once
// Datasets of TensorFlow's interface and Tenon's as inputs of each other, and DatasetOpKernel.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/compat/tensorflow/data/dataset_base.hpp>

namespace tensorflow {
namespace data {

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
  const void* wrapped() const override { return dataset_.get(); }
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
  if (const auto* own = static_cast<const DatasetBase*>(found->wrapped()); own != nullptr) {
    *dataset = const_cast<DatasetBase*>(own);
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
  tenon::Ref<const tenon::DatasetBase> held =
      tenon::Ref<const tenon::DatasetBase>::Adopt(new AsTenonDataset(core::RefCountPtr<const DatasetBase>(dataset)));
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
  virtual void MakeDataset(OpKernelContext* context, DatasetBase* input, DatasetBase* another,
                           DatasetBase** output) = 0;
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
