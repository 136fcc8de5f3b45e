// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetBase and IteratorBase: a sequence of elements as a value, and a position in one. An element is a row of
// tensors. The ops of ops/data make datasets; iterators run on the thread of the kernel that asks for an element.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/dataset/iterator_state.hpp>
#include <tenon/kernel/function_lease.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/step_environment.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr std::int64_t kInfiniteCardinality = -1, kUnknownCardinality = -2;  // numbers of elements

// Types and shapes of an element, tensor by tensor.
struct ElementSpec {
  SlimVector<DataType> types;
  SlimVector<PartialTensorShape> shapes;
};

// Where iterators report numbers about their elements. thread-safe.
class IteratorStatistics {
 public:
  virtual ~IteratorStatistics() = default;
  virtual void Add(std::string_view name, double number) const = 0;
};

// The environment of the run that asks an iterator for an element. one thread.
class IteratorContext {
 public:
  explicit IteratorContext(const StepEnvironment& environment) : environment_(&environment) {}

  const StepEnvironment& environment() const { return *environment_; }
  FunctionRuntime* functions() const { return environment_->constants->functions; }  // null: functions cannot be called
  Allocator* allocator() const { return environment_->result_allocator; }  // for elements, which may outlive the run
  const CancellationManager* cancellation() const {
    return environment_->services == nullptr ? nullptr : environment_->services->cancellation;
  }
  const IteratorStatistics* statistics() const { return statistics_; }  // null: there are none
  void set_statistics(const IteratorStatistics* statistics) { statistics_ = statistics; }
  // Loops that may take long call it. Cancelled: the run is given up.
  Status CheckWanted() const {
    if (cancellation() == nullptr || !cancellation()->IsCancelled()) [[likely]]
      return OkStatus();
    return errors::Cancelled("Operation was cancelled");
  }
  Status Allocate(DataType dtype, const TensorShape& shape, Tensor* tensor) const {
    TENON_ASSIGN_OR_RETURN(*tensor, Tensor::Make(dtype, shape, allocator()));
    return OkStatus();
  }

 private:
  const StepEnvironment* environment_;
  const IteratorStatistics* statistics_ = nullptr;
};

// A position in a dataset. externally synchronised: an iterator of a program is asked under the lock of its resource.
class IteratorBase {
 public:
  IteratorBase() = default;
  IteratorBase(const IteratorBase&) = delete;
  IteratorBase& operator=(const IteratorBase&) = delete;
  virtual ~IteratorBase() = default;

  // The next element, or *end. Errors: of the dataset's functions and inputs; the iterator goes on after one.
  Status GetNext(IteratorContext& context, DatasetElement* element, bool* end) {
    element->clear();
    *end = false;
    Status status = Next(context, element, end);
    if (status.code() == Code::kOutOfRange) [[unlikely]]
      return EndOfFunction(status);
    return status;
  }
  // Goes on by `count` elements; fewer, and *end, where there are no more.
  virtual Status Skip(IteratorContext& context, std::int64_t count, bool* end, std::int64_t* skipped) {
    DatasetElement element;
    *end = false;
    for (*skipped = 0; *skipped < count; ++*skipped) {
      TENON_RETURN_IF_ERROR(GetNext(context, &element, end));
      if (*end) return OkStatus();
    }
    return OkStatus();
  }
  // Writes and reads the position. Restore is called on a new iterator of an equal dataset.
  virtual Status Save(IteratorStateWriter* writer) const = 0;
  virtual Status Restore(IteratorContext& context, IteratorStateReader* reader) = 0;

 protected:
  // *element is empty and *end false before.
  virtual Status Next(IteratorContext& context, DatasetElement* element, bool* end) = 0;

  // An input that is null when it has come to its end.
  static Status SaveInput(const Owned<IteratorBase>& input, IteratorStateWriter* writer) {
    writer->Add(input == nullptr ? 0 : 1);
    return input == nullptr ? OkStatus() : input->Save(writer);
  }
  static Status RestoreInput(IteratorContext& context, IteratorStateReader* reader, Owned<IteratorBase>* input) {
    std::int64_t there = 0;
    TENON_RETURN_IF_ERROR(reader->Take(&there));
    if (there == 0) input->reset();
    if (there != 0 && *input == nullptr) return IteratorStateReader::Unfit();
    return there == 0 ? OkStatus() : (*input)->Restore(context, reader);
  }

 private:
  TENON_DETAIL_COLD static Status EndOfFunction(const Status& status) {
    return errors::Internal(
        "Iterator returned `OutOfRange`. This indicates an implementation error as `OutOfRange` errors are not "
        "expected to be returned here. Original message: ",
        status.message());
  }
};

// A sequence of elements. immutable; thread-safe.
class DatasetBase : public RefCounted {
 public:
  explicit DatasetBase(ElementSpec spec) : spec_(std::move(spec)) {}

  const ElementSpec& spec() const { return spec_; }
  // A position before the first element. Errors: of iterators of inputs, and of functions that are not found.
  virtual Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const = 0;
  // Elements, kInfiniteCardinality or kUnknownCardinality; not counted by iterating.
  virtual std::int64_t Cardinality() const { return kUnknownCardinality; }
  virtual std::string_view TypeString() const = 0;  // "Range"
  std::string DebugString() const { return StrCat(TypeString(), "DatasetOp::Dataset"); }
  // A serialised Options message, for GetOptions.
  virtual std::string_view options() const { return {}; }
  // The tensorflow::data::DatasetBase that <tenon/compat/tensorflow/data/dataset.hpp> wrapped here; null: none.
  virtual const void* wrapped() const { return nullptr; }
  // The state that all iterators of the dataset share, its inputs' included: which random numbers come next.
  virtual void SaveShared(IteratorStateWriter*) const {}
  virtual Status RestoreShared(IteratorStateReader*) const { return OkStatus(); }

 protected:
  ElementSpec spec_;
};

// A dataset of the elements of another one.
class UnaryDataset : public DatasetBase {
 public:
  UnaryDataset(Ref<const DatasetBase> input, ElementSpec spec)
      : DatasetBase(std::move(spec)), input_(std::move(input)) {}
  explicit UnaryDataset(Ref<const DatasetBase> input) : DatasetBase(input->spec()), input_(std::move(input)) {}
  const DatasetBase& input() const { return *input_; }
  std::int64_t Cardinality() const override { return input_->Cardinality(); }
  std::string_view options() const override { return input_->options(); }
  void SaveShared(IteratorStateWriter* writer) const override { input_->SaveShared(writer); }
  Status RestoreShared(IteratorStateReader* reader) const override { return input_->RestoreShared(reader); }

 private:
  const Ref<const DatasetBase> input_;
};

// An iterator of a dataset class D that reads one input. D has input() and outlives the iterator.
template <class D>
class UnaryIterator : public IteratorBase {
 public:
  explicit UnaryIterator(const D* dataset) : dataset_(Ref<const D>::Share(dataset)) {}
  virtual Status Initialize(IteratorContext& context) { return dataset_->input().MakeIterator(context, &input_); }
  Status Save(IteratorStateWriter* writer) const override { return SaveInput(input_, writer); }
  Status Restore(IteratorContext& context, IteratorStateReader* reader) override {
    return RestoreInput(context, reader, &input_);
  }

 protected:
  // The next element of the input, which goes at its end.
  Status NextOfInput(IteratorContext& context, DatasetElement* element, bool* end) {
    if (input_ == nullptr) {
      *end = true;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(input_->GetNext(context, element, end));
    if (*end) input_.reset();
    return OkStatus();
  }
  const D& dataset() const { return *dataset_; }

  const Ref<const D> dataset_;
  Owned<IteratorBase> input_;  // null: at its end
};

// Makes an iterator of class I, for MakeIterator of its dataset.
template <class I, class D>
Status StartIterator(IteratorContext& context, const D* dataset, Owned<IteratorBase>* iterator) {
  auto made = MakeOwned<I>(dataset);
  TENON_RETURN_IF_ERROR(made->Initialize(context));
  *iterator = std::move(made);
  return OkStatus();
}

// ---- checks with TensorFlow's messages; InvalidArgument

inline Status VerifyTypesMatch(Span<const DataType> expected, Span<const DataType> received) {
  if (expected.size() != received.size())
    return errors::InvalidArgument("Number of components does not match: expected ", expected.size(), " types but got ",
                                   received.size(), ".");
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != received[i])
      return errors::InvalidArgument("Data type mismatch at component ", i, ": expected ", expected[i], " but got ",
                                     received[i], ".");
  return OkStatus();
}
inline Status VerifyShapesCompatible(Span<const PartialTensorShape> expected, Span<const PartialTensorShape> received) {
  if (expected.size() != received.size())
    return errors::InvalidArgument("Number of components does not match: expected ", expected.size(),
                                   " shapes but got ", received.size(), ".");
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!expected[i].IsCompatibleWith(received[i]))
      return errors::InvalidArgument("Incompatible shapes at component ", i, ": expected ", expected[i], " but got ",
                                     received[i], ".");
  return OkStatus();
}
// Whether the tensors that a function returned are an element of a dataset.
inline Status VerifyTypesMatch(Span<const DataType> expected, const DatasetElement& received) {
  SlimVector<DataType> types;
  for (const Tensor& tensor : received) types.push_back(tensor.dtype());
  return VerifyTypesMatch(expected, Span<const DataType>(types));
}
// Whether an element is what a node declares.
inline Status VerifyElement(const ElementSpec& expected, const DatasetElement& element) {
  ElementSpec received;
  for (const Tensor& tensor : element) {
    received.types.push_back(tensor.dtype());
    received.shapes.push_back(PartialTensorShape(tensor.shape()));
  }
  TENON_RETURN_IF_ERROR(VerifyTypesMatch(expected.types, received.types));
  return VerifyShapesCompatible(expected.shapes, received.shapes);
}

TENON_DETAIL_NAMESPACE_END
