// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetIterator: a position in a Dataset, which gives its elements and is saved as a string.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/function_lease.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_environment.hpp>
#include <tenon/io/compression/crc32.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// The library of an iterator outside of a graph: it has no functions, and the lease that prefetching threads need.
class NoFunctions final : public FunctionRuntime {
 public:
  NoFunctions() : lease_(Ref<FunctionLease>::Adopt(new FunctionLease(this))) {}
  ~NoFunctions() override { lease_->Close(); }
  Result<FunctionHandle> Find(const NameAttrList&) override { return None(); }
  Status CheckSingleTensors(FunctionHandle) override { return None(); }
  Result<FunctionHandle> FindForBody(const NameAttrList&) override { return None(); }
  Result<FunctionHandle> FindGradient(const NameAttrList&) override { return None(); }
  Result<FunctionRuntime*> On(std::string_view) override { return None(); }
  Result<FunctionCalls*> Begin(FunctionHandle, const StepEnvironment&, std::size_t, std::size_t) override {
    return None();
  }
  Status Run(FunctionHandle, const StepEnvironment&, Span<Tensor>, Span<Tensor>) override { return None(); }
  Status RunLoop(FunctionHandle, FunctionHandle, const StepEnvironment&, Span<Tensor>, ReadCondition) override {
    return None();
  }
  Status RunFor(FunctionHandle, const StepEnvironment&, const ForRange&, Span<Tensor>) override { return None(); }
  FunctionLease* lease() override { return lease_.get(); }
  ResourceMgr* resources() const override { return &resources_; }

 private:
  static Status None() { return errors::FailedPrecondition("Dataset: a dataset outside of a graph has no functions"); }
  mutable ResourceMgr resources_;
  const Ref<FunctionLease> lease_;
};

// The text of a saved position: a mark, the dataset's description, the numbers, the elements, a checksum.
inline constexpr std::string_view kIteratorStateMark = "tenon iterator 1";

inline void AppendSized(std::string_view text, std::string* out) {
  const std::uint64_t size = text.size();
  char bytes[sizeof size];
  std::memcpy(bytes, &size, sizeof size);
  out->append(bytes, sizeof bytes);
  out->append(text);
}
// Takes what AppendSized wrote off the front. False: it is not there.
inline bool TakeSized(std::string_view* from, std::string_view* text) {
  std::uint64_t size = 0;
  if (from->size() < sizeof size) return false;
  std::memcpy(&size, from->data(), sizeof size);
  from->remove_prefix(sizeof size);
  if (size > from->size()) return false;
  *text = from->substr(0, static_cast<std::size_t>(size));
  from->remove_prefix(static_cast<std::size_t>(size));
  return true;
}

inline Status WriteIteratorState(std::string_view description, const IteratorState& state, std::string* out) {
  *out = kIteratorStateMark;
  AppendSized(description, out);
  AppendSized(state.bytes, out);
  for (const Tensor& tensor : state.tensors) {
    std::string bytes;
    TENON_RETURN_IF_ERROR(CheckTensorCanBeWritten(tensor));
    if (tensor.dtype() == DataType::kResource || tensor.dtype() == DataType::kVariant)
      return errors::Unimplemented("DatasetIterator::Save: the iterator holds elements of the type ", tensor.dtype(),
                                   "; numbers, bools and strings can be saved");
    TensorToProto(tensor, &bytes,
                  tensor.dtype() == DataType::kString ? TensorProtoForm::kTyped : TensorProtoForm::kContent);
    AppendSized(bytes, out);
  }
  const std::uint32_t sum = Crc32c(*out);
  char bytes[sizeof sum];
  std::memcpy(bytes, &sum, sizeof sum);
  out->append(bytes, sizeof bytes);
  return OkStatus();
}
inline Status ReadIteratorState(std::string_view description, std::string_view text, IteratorState* state) {
  constexpr std::string_view kWhere = "DatasetIterator::Restore: ";
  if (!text.starts_with(kIteratorStateMark))
    return errors::InvalidArgument(kWhere, "the state is not one that DatasetIterator::Save returned");
  std::uint32_t sum = 0;
  const std::size_t end = text.size() - sizeof sum;
  if (text.size() < kIteratorStateMark.size() + sizeof sum) return errors::DataLoss(kWhere, "the state is cut off");
  std::memcpy(&sum, text.data() + end, sizeof sum);
  if (sum != Crc32c(text.substr(0, end)))
    return errors::DataLoss(kWhere, "the state of ", text.size(), " bytes is damaged: its checksum is wrong");
  text = text.substr(0, end);
  text.remove_prefix(kIteratorStateMark.size());
  std::string_view of, bytes;
  if (!TakeSized(&text, &of) || !TakeSized(&text, &bytes)) return IteratorStateReader::Unfit();
  if (of != description)
    return errors::InvalidArgument(kWhere, "the state is that of the dataset ", of, "; this one is ", description);
  state->bytes = bytes;
  while (!text.empty()) {
    if (!TakeSized(&text, &bytes)) return IteratorStateReader::Unfit();
    TENON_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(std::as_bytes(std::span<const char>(bytes))));
    state->tensors.push_back(std::move(tensor));
  }
  return OkStatus();
}

// A dataset, an iterator of it and all that it needs beside it. It stays at its address.
struct DatasetPosition {
  DatasetPosition(Ref<const DatasetBase> of, std::string text) : dataset(std::move(of)), description(std::move(text)) {
    services.resources = functions.resources();
    constants.functions = &functions;
    environment.constants = &constants;
    environment.services = &services;
    environment.result_allocator = environment.step_allocator = DefaultAllocator();
  }
  Status Start() {
    IteratorContext context(environment);
    return dataset->MakeIterator(context, &iterator);
  }
  Status Save(Tensor* saved) const {
    std::string text;
    IteratorStateWriter writer;
    dataset->SaveShared(&writer);
    TENON_RETURN_IF_ERROR(iterator->Save(&writer));
    TENON_RETURN_IF_ERROR(WriteIteratorState(description, writer.Finish(), &text));
    TENON_ASSIGN_OR_RETURN(*saved, Tensor::Make(DataType::kString, TensorShape()));
    saved->data<tstring>()->assign(text);
    return OkStatus();
  }
  Status Restore(const Tensor& saved) {
    if (saved.dtype() != DataType::kString || saved.dims() != 0 || !saved.IsInitialized())
      return errors::InvalidArgument("DatasetIterator::Restore: the state is a ", saved.dtype(),
                                     " tensor of the shape ", saved.shape(), "; Save returns a string scalar");
    IteratorState state;
    TENON_RETURN_IF_ERROR(ReadIteratorState(description, saved.data<tstring>()->view(), &state));
    IteratorStateWriter before;
    dataset->SaveShared(&before);
    const Status status = Restore(state);
    if (status.ok()) return status;
    const IteratorState old = before.Finish();
    IteratorStateReader reader(&old);
    (void)dataset->RestoreShared(&reader);
    return status;
  }
  Status Restore(const IteratorState& state) {
    IteratorContext context(environment);
    Owned<IteratorBase> made;
    IteratorStateReader reader(&state);
    TENON_RETURN_IF_ERROR(dataset->MakeIterator(context, &made));
    TENON_RETURN_IF_ERROR(dataset->RestoreShared(&reader));
    TENON_RETURN_IF_ERROR(made->Restore(context, &reader));
    if (!reader.AtEnd()) return IteratorStateReader::Unfit();
    iterator = std::move(made);
    return OkStatus();
  }

  const Ref<const DatasetBase> dataset;
  const std::string description;
  NoFunctions functions;
  RunServices services;
  StepConstants constants;
  StepEnvironment environment;
  Owned<IteratorBase> iterator;  // goes first
};

}  // namespace detail

// A position in a dataset. Dataset::MakeIterator makes it. externally synchronised. It keeps the dataset alive; the
// threads of Prefetch stop when it is destroyed.
class DatasetIterator {
 public:
  DatasetIterator() = default;  // without a dataset: all calls return FailedPrecondition

  // Takes the next element, one tensor for each component. At the end sets *end and leaves *element empty. Tensors
  // may share memory with the dataset: do not write to them. FailedPrecondition: the iterator has no dataset.
  // NotFound, DataLoss: a file is missing or damaged. InvalidArgument: elements of a batch differ in shape. Other
  // errors are the errors of functions of Map. The call after an error gives the element that follows.
  Status Next(std::vector<Tensor>* element, bool* end) {
    element->clear();
    *end = false;
    if (position_ == nullptr) [[unlikely]]
      return NoDataset("Next");
    return detail::CatchAll("DatasetIterator::Next", [&]() -> Status {
      IteratorContext context(position_->environment);
      DatasetElement next;
      TENON_RETURN_IF_ERROR(position_->iterator->GetNext(context, &next, end));
      element->reserve(next.size());
      for (Tensor& tensor : next) element->push_back(std::move(tensor));
      return OkStatus();
    });
  }
  // Returns the position as a string scalar, for a checkpoint. It has the elements that Shuffle and Prefetch hold: a
  // Prefetch finishes its element first. FailedPrecondition: the iterator has no dataset. Unimplemented: it holds
  // resources or variants.
  Result<Tensor> Save() const {
    if (position_ == nullptr) return NoDataset("Save");
    Tensor saved;
    const Status status = detail::CatchAll("DatasetIterator::Save", [&] { return position_->Save(&saved); });
    TENON_RETURN_IF_ERROR(status);
    return saved;
  }
  // Goes to a saved position of an equal dataset, of this process or an earlier one: the elements that follow have the
  // bits that they would have had. FailedPrecondition: the iterator has no dataset. InvalidArgument: the state is
  // another tensor, or of another dataset. DataLoss: it is damaged. After an error the position is the old one. The
  // random numbers of Shuffle belong to the dataset: its later iterators go on from the restored ones.
  Status Restore(const Tensor& state) {
    if (position_ == nullptr) return NoDataset("Restore");
    return detail::CatchAll("DatasetIterator::Restore", [&] { return position_->Restore(state); });
  }

 private:
  friend class Dataset;
  explicit DatasetIterator(Owned<detail::DatasetPosition> position) : position_(std::move(position)) {}
  TENON_DETAIL_COLD static Status NoDataset(std::string_view call) {
    return errors::FailedPrecondition("DatasetIterator::", call,
                                      ": the iterator has no dataset; Dataset::MakeIterator makes one that has");
  }

  Owned<detail::DatasetPosition> position_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
