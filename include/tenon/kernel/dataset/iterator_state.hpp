// SPDX-License-Identifier: Apache-2.0
#pragma once
// IteratorStateWriter and IteratorStateReader: the position of an iterator as numbers, texts and tensors in a row,
// which are read in the order in which they were written.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The tensors of one element of a dataset.
using DatasetElement = SlimVector<Tensor>;

// A position. Plain data; a value of variant tensors.
struct IteratorState {
  std::string bytes;           // numbers and texts
  SlimVector<Tensor> tensors;  // elements

  std::string_view TypeName() const { return "tensorflow::Iterator"; }
  std::string DebugString() const { return StrCat("IteratorState of ", tensors.size(), " tensors"); }
  void Encode(VariantTensorData* data) const {
    data->metadata = bytes;
    data->tensors = tensors;
  }
  bool Decode(VariantTensorData data) {
    bytes = std::move(data.metadata);
    tensors = std::move(data.tensors);
    return true;
  }
};

// one thread.
class IteratorStateWriter {
 public:
  void Add(std::int64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    state_.bytes.append(bytes, sizeof bytes);
  }
  void AddText(std::string_view text) {
    Add(static_cast<std::int64_t>(text.size()));
    state_.bytes.append(text);
  }
  void AddElement(const DatasetElement& element) {
    Add(static_cast<std::int64_t>(element.size()));
    for (const Tensor& tensor : element) state_.tensors.push_back(tensor);
  }
  IteratorState Finish() { return std::move(state_); }

 private:
  IteratorState state_;
};

// one thread. The state outlives it. InvalidArgument: the state is not one of such an iterator.
class IteratorStateReader {
 public:
  explicit IteratorStateReader(const IteratorState* state) : state_(state) {}

  Status Take(std::int64_t* number) {
    if (state_->bytes.size() - at_ < sizeof *number) return Unfit();
    std::memcpy(number, state_->bytes.data() + at_, sizeof *number);
    at_ += sizeof *number;
    return OkStatus();
  }
  // A number in [0, limit].
  Status TakeCount(std::int64_t limit, std::int64_t* number) {
    TENON_RETURN_IF_ERROR(Take(number));
    return *number < 0 || *number > limit ? Unfit() : OkStatus();
  }
  Status TakeText(std::string* text) {
    std::int64_t size = 0;
    TENON_RETURN_IF_ERROR(TakeCount(static_cast<std::int64_t>(state_->bytes.size() - at_), &size));
    if (static_cast<std::size_t>(size) > state_->bytes.size() - at_) return Unfit();
    *text = state_->bytes.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return OkStatus();
  }
  Status TakeElement(DatasetElement* element) {
    std::int64_t count = 0;
    TENON_RETURN_IF_ERROR(TakeCount(static_cast<std::int64_t>(state_->tensors.size() - tensor_), &count));
    element->clear();
    for (; count > 0; --count) element->push_back(state_->tensors[tensor_++]);
    return OkStatus();
  }
  // An element of these types, or an empty one.
  Status TakeElement(Span<const DataType> types, DatasetElement* element) {
    TENON_RETURN_IF_ERROR(TakeElement(element));
    if (!element->empty() && element->size() != types.size()) return Unfit();
    for (std::size_t i = 0; i < element->size(); ++i)
      if ((*element)[i].dtype() != types[i] || !(*element)[i].IsInitialized()) return Unfit();
    return OkStatus();
  }
  // How many more numbers there may be; a bound for counts.
  std::int64_t NumbersLeft() const { return static_cast<std::int64_t>((state_->bytes.size() - at_) / 8); }
  bool AtEnd() const { return at_ == state_->bytes.size() && tensor_ == state_->tensors.size(); }

  TENON_DETAIL_COLD static Status Unfit() {
    return errors::InvalidArgument("The state of an iterator does not fit the dataset that it is restored to");
  }

 private:
  const IteratorState* state_;
  std::size_t at_ = 0, tensor_ = 0;
};

TENON_DETAIL_NAMESPACE_END
