// SPDX-License-Identifier: Apache-2.0
#pragma once
// LoopList: a list of tensors that a planned loop carries. The loop holds the list itself: nodes of the body push to it
// and pop from it in place, without a tensor that goes from node to node and from iteration to iteration.

#include <cstddef>
#include <cstring>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/row.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A loop variable that one node of the body changes, and nothing else reads. one thread.
struct LoopList {
  const ListStep* step = nullptr;  // how the node changes it
  DataType dtype = DataType::kInvalid;  // type of the items
  TensorShape shape;  // shape of the items
  Tensor variant{DataType::kInvalid};  // while the loop runs
  void* list = nullptr;  // inside of `variant`

  bool Fits(const Tensor& variable) const { return step->fits(variable, dtype, shape); }
  void Open(Tensor&& variable) {
    variant = std::move(variable);
    list = step->open(&variant);
  }
  Tensor Close() {
    list = nullptr;
    return std::exchange(variant, Tensor(DataType::kInvalid));
  }
};

// The node of the body, as a planned run calls it.
struct ListNode {
  LoopList* list;
  Tensor* item;  // the value's slot
  Allocator* copies;  // memory for copies of pushed items, whose memory the plan uses again; null: they are not copied

  Status Run() const {
    if (!list->step->pushes) return list->step->run(list->list, item);
    if (copies == nullptr) {
      Tensor same = *item;
      return list->step->run(list->list, &same);
    }
    Tensor copy(DataType::kInvalid);
    copy.Reset(copies, item->dtype(), item->shape());
    if (!copy.IsInitialized()) [[unlikely]]
      return NoMemory();
    if (const std::size_t bytes = item->tensor_data().size(); bytes != 0)
      std::memcpy(copy.raw_data(), item->raw_data(), bytes);
    return list->step->run(list->list, &copy);
  }
  // In the form of KernelRow::call.
  static Status Call(const void* node, KernelCall&) { return static_cast<const ListNode*>(node)->Run(); }

 private:
  TENON_DETAIL_COLD Status NoMemory() const {
    return errors::ResourceExhausted("OOM when allocating tensor with shape", item->shape(), " and type ",
                                     item->dtype(), " for an item of a list, by allocator ", copies->Name());
  }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
