// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter kinds of a kernel's operator() beyond In and Out: the parameter's type says where an argument lives,
// how it gets its size and whether it may share memory (docs/explanation/op-language.md, "Parameters of a kernel").

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/view.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class OpKernelContext;

// An input in host memory, even when the kernel runs on a GPU. A view, valid until the kernel ends.
template <class T, int Rank = kAnyRank>
struct HostIn : In<T, Rank> {
  HostIn() = default;
  explicit HostIn(const AnyView& view) : In<T, Rank>(view) {}
};

// An input in host memory of int8, int16, int32 or int64 elements, read as Index values. A view, valid until the kernel
// ends.
class HostIndices {
 public:
  // Made by the runtime.
  HostIndices(const AnyView& view, DataType dtype)
      : data_(view.data), size_(view.size), shape_(view.shape), dtype_(dtype) {}
  // Returns element i in row-major order; not checked.
  Index operator[](Index i) const {
    if (dtype_ == DataType::kInt32) return static_cast<const std::int32_t*>(data_)[i];
    if (dtype_ == DataType::kInt64) return static_cast<const std::int64_t*>(data_)[i];
    if (dtype_ == DataType::kInt16) return static_cast<const std::int16_t*>(data_)[i];
    return static_cast<const std::int8_t*>(data_)[i];
  }
  // Copies elements [begin, begin + n) to `to`; not checked. Faster than one by one.
  void Copy(Index begin, Index n, Index* to) const {
    switch (dtype_) {
      case DataType::kInt32: return CopyOf<std::int32_t>(begin, n, to);
      case DataType::kInt64: return CopyOf<std::int64_t>(begin, n, to);
      case DataType::kInt16: return CopyOf<std::int16_t>(begin, n, to);
      default: return CopyOf<std::int8_t>(begin, n, to);
    }
  }
  Index size() const { return size_; }  // number of elements
  const TensorShape& shape() const { return *shape_; }  // the input's shape
  DataType dtype() const { return dtype_; }  // int8, int16, int32 or int64

 private:
  template <class T>
  void CopyOf(Index begin, Index n, Index* to) const {
    const T* const from = static_cast<const T*>(data_) + begin;
    for (Index i = 0; i < n; ++i) to[i] = from[i];
  }

  const void* data_;
  Index size_;
  const TensorShape* shape_;
  DataType dtype_;
};

// The tensors of an input declared `name: N * T`. Valid until the kernel ends.
template <class T>
class InList {
 public:
  InList(const AnyView* views, int size) : views_(views), size_(size) {}  // made by the runtime
  In<T> operator[](int i) const { return In<T>(views_[i]); }  // a view of tensor i; not checked
  int size() const { return size_; }  // number of tensors

 private:
  const AnyView* views_;
  int size_;
};

// The tensors of an output declared `name: N * T`, already allocated. Valid until the kernel ends.
template <class T>
class OutList {
 public:
  OutList(const AnyView* views, int size) : views_(views), size_(size) {}  // made by the runtime
  Out<T> operator[](int i) const { return Out<T>(views_[i]); }  // a view of tensor i; not checked
  int size() const { return size_; }  // number of tensors

 private:
  const AnyView* views_;
  int size_;
};

// An output that may be the buffer of one of the inputs numbered I: the first that nothing else reads later and whose
// size, type and memory fit; otherwise its own buffer. Of a list, it may be any of the node's first eight tensors. The
// kernel must not read input elements that it has overwritten.
template <class T, int... I>
struct Forward : Out<T> {
  static_assert(sizeof...(I) > 0 && ((I >= 0 && I < 8) && ...),
                "tenon: Forward<T, I...> needs the numbers (0-7) of the inputs it may share");
  Forward() = default;
  explicit Forward(const AnyView& view) : Out<T>(view) {}
};

namespace detail {
// Allocates output number `output` of the running kernel and fills *view. In kernel/context.hpp.
Status AllocateLateOutput(OpKernelContext* context, int output, const TensorShape& shape, AnyView* view);
}  // namespace detail

// An output whose size the kernel learns while it runs. one thread. Valid until the kernel ends.
template <class T>
class Late {
 public:
  // Made by the runtime.
  Late(OpKernelContext* context, int output) : context_(context), output_(output) {}
  // Allocates the output, uninitialised; once per call of the kernel. ResourceExhausted: no memory. Internal: a second
  // call.
  Result<Out<T>> Allocate(const TensorShape& shape) {
    AnyView view{};
    TENON_RETURN_IF_ERROR(detail::AllocateLateOutput(context_, output_, shape, &view));
    return Out<T>(view);
  }

 private:
  OpKernelContext* context_;
  int output_;
};

// The first parameter of a kernel, instead of Device&, for resources, cancellation and allocations. Valid until the
// kernel ends.
template <class Device>
class Context {
 public:
  // Made by the runtime.
  Context(OpKernelContext* context, Device* device) : context_(context), device_(device) {}
  Device& device() const { return *device_; }  // the device that runs the kernel
  // Returns what else the runtime offers: allocation, step id, resources (kernel/context.hpp).
  OpKernelContext& op() const { return *context_; }

 private:
  OpKernelContext* context_;
  Device* device_;
};

// Ends an asynchronous kernel: exactly one call, from any thread. It can be moved, not copied. A Done that is destroyed
// without a call ends the node with Internal. one thread.
class Done {
 public:
  using Callback = void (*)(void* state, Status status);
  // Functions of a Done. Its state lives until `release`. For the runtime.
  struct Functions {
    Callback end;
    const Functions* ended;  // that the Done has after the call of `end`; these have themselves
    void (*release)(void* state);  // the Done goes
  };
  // Made by the runtime.
  Done(const Functions* functions, void* state) : functions_(functions), state_(state) {}
  // Calls callback(state, status), for tests of kernels.
  Done(Callback callback, void* state) : Done(&kPlain, new PlainState{callback, state}) {}
  Done(Done&& other) noexcept : functions_(std::exchange(other.functions_, &kMoved)), state_(other.state_) {}
  Done& operator=(Done&& other) noexcept {
    std::swap(functions_, other.functions_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~Done() {
    if (functions_ == &kMoved) return;
    if (functions_->ended != functions_) Finish(Status(Code::kInternal, kDropped));
    functions_->release(state_);
  }
  static constexpr const char* kDropped = "the kernel dropped its Done without calling it";
  // Ends the kernel, whose views must not be used afterwards. A second call is logged with op and node and ends the
  // run, or the next run, with Internal; it does nothing else.
  void operator()(Status status) { Finish(std::move(status)); }
  void operator()() { Finish(OkStatus()); }

 private:
  struct PlainState {
    Callback callback;
    void* state;
  };
  static void EndPlain(void* state, Status status) {
    const auto [callback, callers] = *static_cast<PlainState*>(state);
    callback(callers, std::move(status));
  }
  static void ReleasePlain(void* state) { delete static_cast<PlainState*>(state); }
  TENON_DETAIL_COLD static void LogSecondCall(void*, Status) {
    TENON_LOG(kError, "an asynchronous kernel called its Done twice, or after moving it away; the call does nothing");
  }
  static const Functions kPlain, kPlainEnded, kMoved;

  void Finish(Status status) { std::exchange(functions_, functions_->ended)->end(state_, std::move(status)); }

  const Functions* functions_;
  void* state_;
};
inline constexpr Done::Functions Done::kPlain{&EndPlain, &kPlainEnded, &ReleasePlain};
inline constexpr Done::Functions Done::kPlainEnded{&LogSecondCall, &kPlainEnded, &ReleasePlain};
inline constexpr Done::Functions Done::kMoved{&LogSecondCall, &kMoved, nullptr};

namespace detail {

enum class ParamKind : std::uint8_t {
  kBad,
  kIn,
  kHostIn,
  kHostIndices,
  kInList,
  kTensorIn,
  kTensorsIn,
  kOut,
  kForward,
  kOutList,
  kLate,
  kTensorOut,
  kTensorsOut,
};
constexpr bool IsInputKind(ParamKind kind) { return kind >= ParamKind::kIn && kind <= ParamKind::kTensorsIn; }
constexpr bool IsOutputKind(ParamKind kind) { return kind >= ParamKind::kOut; }
// Whether the parameter points to memory of the call: views, spans or LateSlots.
constexpr bool PointsIntoCall(ParamKind kind) {
  return kind == ParamKind::kInList || kind == ParamKind::kTensorsIn || kind == ParamKind::kOutList ||
         kind == ParamKind::kLate;
}

// Describes one parameter for the framework; a kernel has a constant array of these, inputs first.
struct ParamInfo {
  ParamKind kind = ParamKind::kBad;
  std::int8_t rank = kAnyRank;
  std::uint8_t forward_mask = 0;  // bit i: may take over the buffer of input i
};

// ParamTraits<P>: kind, element type (void where a Tensor is passed) and rank of a parameter type, references removed.
template <class P>
struct ParamTraits {
  using value = void;
  static constexpr ParamInfo info{};
};
template <class T, int R>
struct ParamTraits<In<T, R>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kIn, R, 0};
};
template <class T, int R>
struct ParamTraits<HostIn<T, R>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kHostIn, R, 0};
};
template <>
struct ParamTraits<HostIndices> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kHostIndices, kAnyRank, 0};
};
template <class T>
struct ParamTraits<InList<T>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kInList, kAnyRank, 0};
};
template <class T, int R>
struct ParamTraits<Out<T, R>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kOut, R, 0};
};
template <class T, int... I>
struct ParamTraits<Forward<T, I...>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kForward, kAnyRank, static_cast<std::uint8_t>((0 | ... | (1 << I)))};
};
template <class T>
struct ParamTraits<OutList<T>> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kOutList, kAnyRank, 0};
};
template <class T>
struct ParamTraits<Late<T>&> {
  using value = T;
  static constexpr ParamInfo info{ParamKind::kLate, kAnyRank, 0};
};
template <>
struct ParamTraits<const Tensor&> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorIn, kAnyRank, 0};
};
template <>
struct ParamTraits<std::span<const Tensor>> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorsIn, kAnyRank, 0};
};
template <>
struct ParamTraits<Tensor&> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorOut, kAnyRank, 0};
};
template <>
struct ParamTraits<std::span<Tensor>> {
  using value = void;
  static constexpr ParamInfo info{ParamKind::kTensorsOut, kAnyRank, 0};
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
