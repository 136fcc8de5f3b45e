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
#include <tenon/tensor/buffer.hpp>
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
  // Memory for copies of items. Null: they are not copied. The plan uses the memory of a pushed item again, and has
  // memory for a popped one.
  Allocator* copies;

  Status Run() const {
    if (copies == nullptr) return list->step->pushes ? PushItself() : list->step->run(list->list, item);
    if (!list->step->pushes) {
      Tensor taken(DataType::kInvalid);
      TENON_RETURN_IF_ERROR(list->step->run(list->list, &taken));
      CopyBytes(taken.raw_data(), item->raw_data(), taken.TotalBytes());
      return OkStatus();
    }
    const std::size_t bytes = item->TotalBytes();  // after a surprise it may have another shape than planned
    Buffer* const memory = bytes == 0 ? nullptr : Buffer::Allocate(copies, bytes);
    if (memory == nullptr && bytes != 0) [[unlikely]]
      return NoMemory();
    Tensor copy(item->dtype(), item->shape(), memory);
    CopyBytes(item->raw_data(), copy.raw_data(), bytes);
    return list->step->run(list->list, &copy);
  }
  // In the form of KernelRow::call.
  static Status Call(const void* node, KernelCall&) { return static_cast<const ListNode*>(node)->Run(); }

 private:
  Status PushItself() const {
    Tensor same = *item;
    return list->step->run(list->list, &same);
  }
  static void CopyBytes(const void* from, void* to, std::size_t bytes) {
    if (bytes == sizeof(float))
      std::memcpy(to, from, sizeof(float));  // one number: without a call
    else if (bytes != 0)
      std::memcpy(to, from, bytes);
  }
  TENON_DETAIL_COLD Status NoMemory() const {
    return errors::ResourceExhausted("OOM when allocating tensor with shape", item->shape(), " and type ",
                                     item->dtype(), " for an item of a list, by allocator ", copies->Name());
  }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
