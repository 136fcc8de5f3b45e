// SPDX-License-Identifier: Apache-2.0
#pragma once
// AdaptedKernel: a user's kernel struct as an OpKernel. It sizes the outputs with the op's shape function, allocates or
// forwards them, makes the views and calls the struct. One class for all ops: what differs is in the KernelRow.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/kernel/attrs.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

// List arguments that a kernel takes as Span<const Tensor>: handles in a row, kept until the call ends.
struct SpanStorage {
  InlinedVector<Tensor, 8> tensors;  // all inputs of the node
};
inline Span<const Tensor> InputSpan(KernelCall& frame, int argument) {
  const int first = frame.first[argument], last = frame.first[argument + 1];
  return {frame.spans->tensors.data() + first, static_cast<std::size_t>(last - first)};
}

// Reads the node's attrs into the members; the texts and lists point into the node, which outlives the kernel.
Status BindAttrSlots(const OpKernelConstruction& construction, Span<const AttrSlot> slots);

// Calls the op's shape function. An exception becomes Internal, ResourceExhausted for std::bad_alloc.
inline Status TryShapeFn(const OpView& op, std::string_view node, InferenceContext* shapes) {
#if defined(__cpp_exceptions)
  try {
    return op.shape_fn(shapes);
  } catch (...) {
    return StatusOfException({op.name, ": the shape function of op '", op.name, "' threw at node '", node, "'"});
  }
#else
  (void)node;
  return op.shape_fn(shapes);
#endif
}

// True when the memo was made for inputs of these shapes and values.
inline bool MadeForInputs(const ShapeMemo& memo, int num_inputs, const Tensor* const* inputs) {
  for (int i = 0; i < num_inputs; ++i)
    if (!(memo.inputs[static_cast<std::size_t>(i)] == inputs[i]->shape())) return false;
  if (memo.value_inputs == 0) return true;
  std::size_t v = 0;
  for (int i = 0; i < num_inputs && i < 64; ++i) {
    if ((memo.value_inputs >> i & 1) == 0) continue;
    const SlimVector<std::byte>& value = memo.values[v++];
    if (value.size() != inputs[i]->TotalBytes() ||
        (!value.empty() && std::memcmp(value.data(), inputs[i]->raw_data(), value.size()) != 0))
      return false;
  }
  return true;
}
// Writes down what a shape function has seen. False when it read something that cannot be compared later.
inline bool RememberInputs(InferenceContext& shapes, int num_inputs, const Tensor* const* inputs, ShapeMemo* memo) {
  memo->inputs.clear();
  memo->values.clear();
  memo->value_inputs = 0;
  bool repeatable = true;
  for (int i = 0; i < num_inputs; ++i) {
    const Tensor& t = *inputs[i];
    memo->inputs.push_back(t.shape());
    if (!shapes.requested_input_tensor(i) && !shapes.requested_input_tensor_as_partial_shape(i)) continue;
    if (shapes.input_tensor(i) == nullptr) continue;  // it was asked for, but could not be read
    if (i >= 64 || SizeOf(t.dtype()) == 0) {
      repeatable = false;
      continue;
    }
    memo->value_inputs |= std::uint64_t{1} << i;
    const auto* bytes = static_cast<const std::byte*>(t.raw_data());
    memo->values.emplace_back(bytes, bytes + t.TotalBytes());
  }
  return repeatable;
}

// The common core of AdaptedKernel and AdaptedAsyncKernel. immutable after Build; Prepare may run on many threads.
class AdaptedCore {
 public:
  // An output that the shape function sizes.
  struct OutputPlan {
    int tensor;
    std::uint8_t forward_mask;  // bit i: may take over the buffer of input i
  };
  ~AdaptedCore() {
    if (object_ == nullptr) return;
    if (row_->destroy != nullptr) row_->destroy(object_);
    FreeObject(object_);
  }

  Status Build(const KernelRow& row, OpKernelConstruction* construction) {
    struct Memory {
      ~Memory() {
        if (data != nullptr) core->FreeObject(data);
      }
      AdaptedCore* core;
      void* data;
    };
    row_ = &row;
    const bool fits = row.size <= sizeof(small_) && row.align <= alignof(std::max_align_t);
    Memory memory{this, fits ? small_ : ::operator new(row.size, std::align_val_t{row.align})};
    void* attrs = row.construct(memory.data);  // may throw
    object_ = std::exchange(memory.data, nullptr);
    if (row.op->list_slots != nullptr) {
      AttrSlot slots[kMaxAttrMembers];
      TENON_RETURN_IF_ERROR(BindAttrSlots(*construction, {slots, row.op->list_slots(attrs, slots)}));
    }
    TENON_RETURN_IF_ERROR(FindArguments(*construction));
    if (row.init != nullptr) TENON_RETURN_IF_ERROR(row.init(object_, *construction));
    return OkStatus();
  }

  // Calls set_input(i) and set_output(i) for the tensors in host memory on any device: those that arguments or kernels
  // name, and, as TensorFlow has it, all where an erased kernel (or one that asks for it) works on int32.
  template <class SetInput, class SetOutput>
  void HostArguments(const OpKernelConstruction& construction, SetInput set_input, SetOutput set_output) const {
    const auto is_other = [](DataType type) { return type != DataType::kInt32; };
    const bool all =
        row_->device == "DEFAULT" || row_->tensors_on_host ||
        ((row_->op->typed_count == 0 || row_->int32_on_host) && !AnyItem(construction.input_types(), is_other) &&
         !AnyItem(construction.output_types(), is_other));
    for (int a = 0; a < argument_count_; ++a) {
      const ParamKind kind = row_->params[a].kind;
      const bool host = all || kind == ParamKind::kHostIn || kind == ParamKind::kHostIndices ||
                        (row_->outputs_on_host && IsOutputKind(kind));
      if (!host) continue;
      for (int t = first_[ToSize(a)]; t < first_[ToSize(a + 1)]; ++t)
        t < num_inputs_ ? set_input(t) : set_output(t - num_inputs_);
    }
  }

  // Fills the views of the inputs.
  Status PrepareInputs(OpKernelContext* ctx, AnyView* views) const {
    for (int i = 0; i < num_inputs_; ++i) {
      const Tensor& t = ctx->input(i);
      views[i] = AnyView{const_cast<void*>(t.raw_data()), t.NumElements(), &t.shape()};
    }
    return has_ranks_ ? CheckRanks(ctx) : OkStatus();
  }
  // Fills `views` and allocates the outputs that the shape function sizes.
  Status Prepare(OpKernelContext* ctx, AnyView* views) const {
    TENON_RETURN_IF_ERROR(PrepareInputs(ctx, views));
    if (!needs_shapes_) return OkStatus();
    return ctx->memo() != nullptr ? PrepareOutputs(ctx, ctx->memo(), views) : PrepareWithoutMemo(ctx, views);
  }

  KernelCall Frame(OpKernelContext* ctx, const AnyView* views, LateSlot* late) const {
    KernelCall frame{};
    frame.context = ctx;
    frame.device = ctx->raw_device();
    frame.views = views;
    frame.first = first_.data();
    frame.inputs = ctx->input_array();
    frame.outputs = ctx->num_outputs() > 0 ? ctx->mutable_output(0) : nullptr;
    frame.num_inputs = num_inputs_;
    frame.input_span = &InputSpan;
    frame.late = late;
    return frame;
  }
  Status Call(KernelCall& frame) const { return row_->call(object_, frame); }

  bool takes_spans() const { return takes_spans_; }
  // Whether parameters point into the views, the LateSlots or the spans of a call.
  bool keeps_arguments() const { return keeps_arguments_; }
  void FillSpans(OpKernelContext* ctx, SpanStorage* spans, KernelCall* call) const {
    for (int i = 0; i < num_inputs_; ++i) spans->tensors.push_back(ctx->input(i));
    call->spans = spans;
  }
  const KernelRow& row() const { return *row_; }
  const void* object() const { return object_; }
  Span<const OutputPlan> sized_outputs() const { return {outputs_.data(), outputs_.size()}; }
  int view_count() const { return num_inputs_ + num_outputs_; }
  int argument_count() const { return argument_count_; }

 private:
  void FreeObject(void* memory) {
    if (memory != small_) ::operator delete(memory, std::align_val_t{row_->align});
  }
  // Counts the tensors of every argument from the node's attrs.
  Status FindArguments(const OpKernelConstruction& construction) {
    const OpView& op = *row_->op->view;
    num_inputs_ = construction.num_inputs();
    num_outputs_ = construction.num_outputs();
    first_.clear();
    int at = 0;
    for (const auto& list : {op.inputs, op.outputs})
      for (const ArgSpec& arg : list) {
        first_.push_back(at);
        std::int64_t n = 1;
        if (!arg.number_attr().empty()) {
          TENON_RETURN_IF_ERROR(construction.GetAttr(arg.number_attr(), &n));
        } else if (arg.is_type_list) {
          Span<const DataType> types;
          TENON_RETURN_IF_ERROR(construction.GetAttr(arg.type_list_attr(), &types));
          n = static_cast<std::int64_t>(types.size());
        }
        at += static_cast<int>(n);
      }
    if (at != num_inputs_ + num_outputs_)
      return errors::Internal(op.name, ": the node has ", num_inputs_, " inputs and ", num_outputs_,
                              " outputs, its op asks for ", at, " in all");
    first_.push_back(at);
    argument_count_ = static_cast<int>(op.inputs.size() + op.outputs.size());
    for (int a = 0; a < argument_count_; ++a) {
      const ParamInfo& info = row_->params[a];
      const bool output = a >= static_cast<int>(op.inputs.size());
      if (info.kind == ParamKind::kTensorsIn) takes_spans_ = true;
      if (PointsIntoCall(info.kind)) keeps_arguments_ = true;
      if (info.rank != kAnyRank) (output ? has_output_ranks_ : has_ranks_) = true;
      if (info.kind != ParamKind::kOut && info.kind != ParamKind::kForward && info.kind != ParamKind::kOutList)
        continue;
      needs_shapes_ = true;
      for (int t = first_[ToSize(a)]; t < first_[ToSize(a + 1)]; ++t)
        outputs_.push_back({t - num_inputs_, InputMask(info.forward_mask)});
    }
    return OkStatus();
  }
  // From argument numbers to tensor numbers; of a list, all tensors.
  std::uint8_t InputMask(std::uint8_t arguments) const {
    unsigned mask = 0;
    for (int a = 0; a < 8 && a < argument_count_; ++a)
      for (int t = first_[ToSize(a)]; (arguments >> a & 1) != 0 && t < first_[ToSize(a + 1)] && t < 8; ++t)
        mask |= 1u << t;
    return static_cast<std::uint8_t>(mask);
  }
  static bool Forwarded(OpKernelContext* ctx, const OutputPlan& out, const TensorShape& shape) {
    for (int i = 0; (out.forward_mask >> i) != 0; ++i)
      if ((out.forward_mask >> i & 1) != 0 && ctx->TryForward(i, out.tensor, shape)) return true;
    return false;
  }

  Status CheckRanks(OpKernelContext* ctx) const {
    const OpView& op = *row_->op->view;
    for (std::size_t a = 0; a < op.inputs.size(); ++a) {
      const int rank = row_->params[a].rank;
      if (rank != kAnyRank && ctx->input(first_[a]).dims() != rank) [[unlikely]]
        return errors::InvalidArgument(op.name, ": input '", op.inputs[a].name(), "' must have rank ", rank,
                                       ", got shape ", ctx->input(first_[a]).shape());
    }
    return OkStatus();
  }
  Status CheckOutputRanks(OpKernelContext* ctx) const {
    const OpView& op = *row_->op->view;
    for (std::size_t a = op.inputs.size(); a < ToSize(argument_count_); ++a) {
      const int rank = row_->params[a].rank;
      const Tensor& t = *ctx->mutable_output(first_[a] - num_inputs_);
      if (rank != kAnyRank && t.dims() != rank) [[unlikely]]
        return errors::Internal(op.name, ": the kernel takes output '", op.outputs[a - op.inputs.size()].name(),
                                "' with rank ", rank, ", but the shape function gives it ", t.shape());
    }
    return OkStatus();
  }

  TENON_DETAIL_ALWAYS_INLINE Status PrepareOutputs(OpKernelContext* ctx, ShapeMemo* memo, AnyView* views) const {
    if (!memo->valid || !MadeForInputs(*memo, num_inputs_, ctx->input_array())) [[unlikely]]
      TENON_RETURN_IF_ERROR(InferShapes(ctx, memo));
    for (const OutputPlan& out : outputs_) {
      const TensorShape& shape = memo->outputs[static_cast<std::size_t>(out.tensor)];
      if (!Forwarded(ctx, out, shape)) TENON_RETURN_IF_ERROR(ctx->AllocateOutput(out.tensor, shape));
      Tensor& t = *ctx->mutable_output(out.tensor);
      views[num_inputs_ + out.tensor] = AnyView{t.raw_data(), t.NumElements(), &t.shape()};
    }
    return has_output_ranks_ ? CheckOutputRanks(ctx) : OkStatus();
  }
  TENON_DETAIL_NOINLINE Status PrepareWithoutMemo(OpKernelContext* ctx, AnyView* views) const {
    ShapeMemo memo;
    return PrepareOutputs(ctx, &memo, views);
  }

  Status InferShapes(OpKernelContext* ctx, ShapeMemo* memo) const;

  const KernelRow* row_ = nullptr;
  void* object_ = nullptr;
  int num_inputs_ = 0, num_outputs_ = 0, argument_count_ = 0;
  bool has_ranks_ = false, has_output_ranks_ = false, needs_shapes_ = false, takes_spans_ = false;
  bool keeps_arguments_ = false;
  InlinedVector<int, 8> first_;  // tensor of each argument, and one past the last
  InlinedVector<OutputPlan, 2> outputs_;
  alignas(std::max_align_t) std::byte small_[32];  // where the object lies that fits: most are a few attrs
};

inline Status AdaptedCore::InferShapes(OpKernelContext* ctx, ShapeMemo* memo) const {
  const OpView& op = *row_->op->view;
  memo->valid = memo->has_promised = false;
  static thread_local InferenceContext shapes;  // keeps its memory: the first run of a graph comes here for each node
  shapes.Reset(ctx->graph_def_version(), &ctx->op_kernel().def(), &op);
  for (int i = 0; i < num_inputs_; ++i) {
    // Values are there for the asking, but only those in host memory.
    const bool readable = ctx->op_kernel().input_memory_type(i) == MemoryType::kHost || ctx->host_memory();
    shapes.AddInput(ctx->input(i).shape(), readable ? &ctx->input(i) : nullptr);
  }
  TENON_RETURN_IF_ERROR(shapes.construction_status());
  if (Status status = TryShapeFn(op, ctx->op_kernel().name(), &shapes); !status.ok())
    return StartsWith(status.message(), op.name) ? status
                                                 : Status(status.code(), StrCat(op.name, ": ", status.message()));
  const bool repeatable = RememberInputs(shapes, num_inputs_, ctx->input_array(), memo);
  memo->outputs.assign(static_cast<std::size_t>(num_outputs_), TensorShape());
  for (const OutputPlan& out : outputs_)
    if (Status status = shapes.ToTensorShape(shapes.output(out.tensor), &memo->outputs[ToSize(out.tensor)]);
        !status.ok())
      return errors::Internal(op.name, ": the shape function leaves output ", out.tensor, " as ",
                              shapes.DebugString(shapes.output(out.tensor)),
                              ", but the kernel takes it as Out; it must be complete, or the parameter Late<T>&");
  memo->valid = repeatable;
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_BEGIN
// The slots of Attrs from the node; missing attrs have their defaults already, which were added when the graph was
// read.
inline Status BindAttrSlots(const OpKernelConstruction& construction, Span<const AttrSlot> slots) {
  for (const AttrSlot& slot : slots) {
    const auto get = [&]<class T>(T*) { return construction.GetAttr(slot.name, static_cast<T*>(slot.member)); };
    const auto either = [&]<class T, class List>(T* one, List* list) { return slot.list ? get(list) : get(one); };
    const auto as = []<class T>(std::type_identity<T>) { return static_cast<T*>(nullptr); };
    Status status;
    switch (slot.kind) {
      case AttrKind::kInt:
        status = either(as(std::type_identity<std::int64_t>{}), as(std::type_identity<Span<const std::int64_t>>{}));
        break;
      case AttrKind::kFloat:
        status = either(as(std::type_identity<float>{}), as(std::type_identity<Span<const float>>{}));
        break;
      case AttrKind::kBool:
        status = either(as(std::type_identity<bool>{}), as(std::type_identity<Span<const char>>{}));
        break;
      case AttrKind::kString:
        status = either(as(std::type_identity<std::string_view>{}), as(std::type_identity<Span<const std::string>>{}));
        break;
      case AttrKind::kType:
        status = either(as(std::type_identity<DataType>{}), as(std::type_identity<Span<const DataType>>{}));
        break;
      case AttrKind::kShape:
        status = either(as(std::type_identity<PartialTensorShape>{}),
                        as(std::type_identity<Span<const PartialTensorShape>>{}));
        break;
      case AttrKind::kTensor:
        status = either(as(std::type_identity<Tensor>{}), as(std::type_identity<Span<const Tensor>>{}));
        break;
      case AttrKind::kFunc:
        status =
            either(as(std::type_identity<const NameAttrList*>{}), as(std::type_identity<Span<const NameAttrList>>{}));
        break;
    }
    TENON_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}
TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

class AdaptedKernel final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  Status Build(const KernelRow& row, OpKernelConstruction* construction) {
    TENON_RETURN_IF_ERROR(core_.Build(row, construction));
    core_.HostArguments(
        *construction, [this](int i) { set_input_memory_type(i, MemoryType::kHost); },
        [this](int i) { set_output_memory_type(i, MemoryType::kHost); });
    set_packed_input(construction->packed_input());
    return OkStatus();
  }
  const detail::AdaptedCore* adapted() const override { return &core_; }
  void Compute(OpKernelContext* ctx) override {
    constexpr int kSmall = 8;
    if (core_.view_count() <= kSmall && core_.argument_count() <= kSmall) [[likely]] {
      AnyView views[kSmall];
      detail::LateSlot late[kSmall];
      Run(ctx, views, late);
    } else {
      InlinedVector<AnyView, 32> views(static_cast<std::size_t>(core_.view_count()));
      InlinedVector<detail::LateSlot, 32> late(static_cast<std::size_t>(core_.argument_count()));
      Run(ctx, views.data(), late.data());
    }
  }

 private:
  void Run(OpKernelContext* ctx, AnyView* views, detail::LateSlot* late) const {
    Status status = core_.Prepare(ctx, views);
    if (status.ok()) [[likely]] {
      detail::KernelCall frame = core_.Frame(ctx, views, late);
      if (core_.takes_spans()) {
        detail::SpanStorage spans;
        core_.FillSpans(ctx, &spans, &frame);
        status = core_.Call(frame);
      } else {
        status = core_.Call(frame);
      }
    }
    if (!status.ok()) [[unlikely]]
      ctx->SetStatus(status);
  }

  detail::AdaptedCore core_;
};

TENON_DETAIL_STEP_NAMESPACE_END
