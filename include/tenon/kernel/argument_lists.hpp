// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpInputList, OpMutableInputList, OpOutputList: the tensors of one argument `name: N * T` or `name: list(type)` of a
// raw kernel, from OpKernelContext::input_list and its sisters.

#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/variable.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Views of the context: they live as long as it does. one thread.
class OpInputList {
 public:
  // Walks over the tensors of a list.
  class Iterator {
   public:
    Iterator(const OpInputList* list, int i) : list_(list), i_(i) {}
    const Tensor& operator*() const { return (*list_)[i_]; }
    const Tensor* operator->() const { return &(*list_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

   private:
    const OpInputList* list_;
    int i_;
  };

  OpInputList() = default;
  OpInputList(OpKernelContext* context, int start, int stop) : context_(context), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  const Tensor& operator[](int i) const { return context_->input(start_ + i); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  OpKernelContext* context_ = nullptr;
  int start_ = 0, stop_ = 0;
};

// The values that a list of references refers to.
class OpMutableInputList {
 public:
  OpMutableInputList() = default;
  OpMutableInputList(OpKernelContext* context, int start, int stop) : context_(context), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  Tensor at(int i, bool lock_held) { return context_->mutable_input(start_ + i, lock_held); }
  Mutex* ref_mutex(int i) { return context_->input_ref_mutex(start_ + i); }

 private:
  OpKernelContext* context_ = nullptr;
  int start_ = 0, stop_ = 0;
};

class OpOutputList {
 public:
  OpOutputList() = default;
  OpOutputList(OpKernelContext* context, int start, int stop) : context_(context), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  Tensor* operator[](int i) { return context_->mutable_output(start_ + i); }
  bool required(int i) const { return context_->output_required(start_ + i); }
  DataType expected_output_dtype(int i) const { return context_->expected_output_dtype(start_ + i); }
  Status allocate(int i, const TensorShape& shape, Tensor** out) {
    return context_->allocate_output(start_ + i, shape, out);
  }
  void set(int i, Tensor tensor) { context_->set_output(start_ + i, std::move(tensor)); }
  void set_ref(int i, Ref<LegacyVar> variable) { context_->set_output_ref(start_ + i, std::move(variable)); }

 private:
  OpKernelContext* context_ = nullptr;
  int start_ = 0, stop_ = 0;
};

TENON_DETAIL_NAMESPACE_END
