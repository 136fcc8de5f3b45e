// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpInputList, OpMutableInputList and OpOutputList: the tensors of one argument of a kernel.

#include <cstddef>
#include <iterator>
#include <utility>

#include <tenon/kernel/argument_lists.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

// Walks over a list: at(i) gives what an item is.
template <class List, class Item>
class ArgumentIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Item;
  using difference_type = std::ptrdiff_t;
  using pointer = Item*;
  using reference = Item&;
  ArgumentIterator(List* list, int i) : list_(list), i_(i) {}
  reference operator*() const { return list_->at(i_); }
  pointer operator->() const { return &list_->at(i_); }
  ArgumentIterator& operator++() {
    ++i_;
    return *this;
  }
  ArgumentIterator operator++(int) { return {list_, i_++}; }
  bool operator==(const ArgumentIterator& other) const { return i_ == other.i_; }

 private:
  List* list_;
  int i_;
};

class OpInputList {
 public:
  using Iterator = ArgumentIterator<const OpInputList, const Tensor>;
  OpInputList() = default;
  OpInputList(tenon::OpKernelContext* context, int start, int stop) : list_(context, start, stop) {}
  int size() const { return list_.size(); }
  const Tensor& operator[](int i) const { return AsTensorFlow(list_[i]); }
  const Tensor& at(int i) const { return (*this)[i]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  tenon::OpInputList list_;
};

class OpMutableInputList {
 public:
  OpMutableInputList() = default;
  OpMutableInputList(tenon::OpKernelContext* context, int start, int stop) : list_(context, start, stop) {}
  int size() const { return list_.size(); }
  Tensor at(int i, bool lock_held) { return list_.at(i, lock_held); }
  mutex* ref_mutex(int i) { return static_cast<mutex*>(list_.ref_mutex(i)); }

 private:
  tenon::OpMutableInputList list_;
};

class OpOutputList {
 public:
  using Iterator = ArgumentIterator<OpOutputList, Tensor>;
  OpOutputList() = default;
  OpOutputList(tenon::OpKernelContext* context, int start, int stop) : list_(context, start, stop) {}
  int size() const { return list_.size(); }
  Tensor* operator[](int i) { return AsTensorFlow(list_[i]); }
  Tensor& at(int i) { return *(*this)[i]; }
  bool required(int i) const { return list_.required(i); }
  DataType expected_output_dtype(int i) const { return FromTenon(list_.expected_output_dtype(i)); }
  Status allocate(int i, const tenon::TensorShape& shape, Tensor** out) {
    tenon::Tensor* made = nullptr;
    TF_RETURN_IF_ERROR(list_.allocate(i, shape, &made));
    *out = AsTensorFlow(made);
    return Status();
  }
  void set(int i, Tensor tensor) { list_.set(i, std::move(tensor)); }
  Iterator begin() { return {this, 0}; }
  Iterator end() { return {this, size()}; }

 private:
  tenon::OpOutputList list_;
};

}  // namespace tensorflow
