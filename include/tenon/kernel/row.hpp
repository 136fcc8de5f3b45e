// SPDX-License-Identifier: Apache-2.0
#pragma once
// KernelRow and OpRow: the pieces of a registration. Constant tables of plain data; nothing runs or allocates at
// start-up, but one pointer is linked into a list.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class OpKernel;
struct KernelMatch;

inline constexpr int kMaxTypedAttrs = 4;

namespace detail {
struct AttrSlot;
}

// An op as the registry holds it, one per op struct.
struct OpRow {
  const OpView* view;
  std::string_view struct_name;              // the C++ struct's: tells a repeated registration from a clash
  std::int8_t typed_count;                   // type attrs that the kernels are templates over
  std::int8_t typed_attr[kMaxTypedAttrs];    // their numbers among the op's attrs
  bool by_name;  // `view` has only a name until the registry knows the op; not a constant
  std::size_t (*list_slots)(void* attrs,
                            detail::AttrSlot* slots);  // the members of the struct's Attrs; null when it has none
  const KernelMatch* match = nullptr;  // nodes that its kernels are for; null: all (registry/kernel_constraints.hpp)
};

namespace detail {

struct SpanStorage;

// Memory for one Late object. (std::max_align_t has no name of its own, over which nvcc 13 stops in a container.)
struct LateSlot {
  alignas(16) std::byte bytes[16];
};

// One call of a kernel struct: everything its parameters are made from. Lives on the executor's stack. The
// views, LateSlots and spans of an asynchronous kernel that takes lists or Late live until Done is called.
struct KernelCall {
  OpKernelContext* context;
  void* device;
  const AnyView* views;  // all inputs, then all outputs
  const int* first;  // per argument, inputs first: number of its first view; one more entry marks the end
  Tensor* const* inputs;
  Tensor* outputs;
  int num_inputs;  // tensors, not arguments
  Span<const Tensor> (*input_span)(KernelCall&, int argument);  // a list argument as tensors in a row
  SpanStorage* spans;  // memory for list arguments taken as Span<const Tensor>
  LateSlot* late;  // one per argument
  const Done::Functions* done;  // asynchronous kernels
  void* done_state;
};

// The work of a kernel on a list of tensors inside a scalar variant, in place. A planned loop that holds the list calls
// these instead of the kernel. externally synchronised.
struct ListStep {
  bool pushes;  // the item is input 1; false: the item is output 1
  // The shape of the items as far as the list shows it. False: it shows none.
  bool (*item_shape)(const Tensor& variant, TensorShape* shape);
  // Whether `open` may open the variant, and the items have this type and shape.
  bool (*fits)(const Tensor& variant, DataType dtype, const TensorShape& shape);
  // The list, after a copy where something else holds the variant, too. It lives as long as the variant.
  void* (*open)(Tensor* variant);
  // Appends *item, which is empty afterwards, or takes the last item. Errors: those of the kernel.
  Status (*run)(void* list, Tensor* item);
};

}  // namespace detail

// One kernel: an op struct's kernel template with its device and types filled in.
struct KernelRow {
  const OpRow* op = nullptr;  // null: an unused row of a table (a combination that the kernel's `requires` rejects)
  std::string_view device;  // "CPU", "GPU"
  std::uint8_t types[kMaxTypedAttrs]{};  // DataType of each typed attr
  bool is_async = false;
  bool int32_on_host = false;  // on a GPU: only the row for int32, all arguments in host memory
  bool outputs_on_host = false;  // on a GPU: all outputs in host memory
  bool tensors_on_host = false;  // on any device: all inputs and outputs in host memory
  bool takes_context = false;  // Context<Device>: the kernel reaches its outputs by other ways than its parameters
  const detail::ParamInfo* params = nullptr;  // one per argument, inputs first
  std::uint32_t size = 0, align = 0;  // the kernel object's
  void* (*construct)(void* memory) = nullptr;  // builds the kernel there, returns its Attrs part
  void (*destroy)(void* kernel) = nullptr;  // null: trivial
  Status (*init)(void* kernel, OpKernelConstruction&) = nullptr;  // the kernel's own Init, or null
  Status (*call)(const void* kernel, detail::KernelCall&) = nullptr;  // struct form
  const detail::ListStep* list_step = nullptr;  // in place of `call` in a planned loop; null: none
  OpKernel* (*create)(OpKernelConstruction*) = nullptr;  // raw form: a class derived from OpKernel
};

// The rows of one TENON_REGISTER. Constant but for `next`; lives as long as the binary or the shared library.
struct RegistrationBatch {
  const OpRow* const* ops = nullptr;
  std::size_t op_count = 0;
  const KernelRow* const* tables = nullptr;  // each ends where table_sizes says
  const std::size_t* table_sizes = nullptr;
  std::size_t table_count = 0;
  const Status* failure = nullptr;  // the error that prevented a registration; null: none
  RegistrationBatch* next = nullptr;
  std::atomic<bool> linked{false};
};

namespace detail {
// All batches of the process, newest first. thread-safe.
inline constinit std::atomic<RegistrationBatch*> registration_batches{nullptr};

inline bool LinkBatch(RegistrationBatch* batch) {
  if (batch->linked.exchange(true, std::memory_order_relaxed)) return true;  // the list is linked already
  batch->next = registration_batches.load(std::memory_order_relaxed);
  while (!registration_batches.compare_exchange_weak(batch->next, batch, std::memory_order_release,
                                                     std::memory_order_relaxed)) {
  }
  return true;
}
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
