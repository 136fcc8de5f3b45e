// SPDX-License-Identifier: Apache-2.0
#pragma once
// tflite::shim: ops that are written once for TensorFlow and TensorFlow Lite, as kernels of TensorFlow.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if __has_include(<absl/types/span.h>)  // Abseil's own, or this layer's
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/types/span.h>
#else
#include <tenon/compat/tensorflow/base/absl.hpp>
#include <tenon/compat/tensorflow/base/absl_strings.hpp>
#endif

#include <tenon/compat/tensorflow/base/register_types.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/variant.hpp>

#define SH_RETURN_IF_ERROR(...) TENON_RETURN_IF_ERROR(__VA_ARGS__)
#define SH_RETURN_WITH_CONTEXT_IF_ERROR(expression, ...)                              \
  do {                                                                                \
    ::absl::Status tenon_shim_status = (expression);                                  \
    if (!tenon_shim_status.ok()) {                                                    \
      ::tflite::shim::AppendToMessage(&tenon_shim_status __VA_OPT__(, ) __VA_ARGS__); \
      return tenon_shim_status;                                                       \
    }                                                                                 \
  } while (false)
#define SH_ASSIGN_OR_RETURN(left, right) TF_ASSIGN_OR_RETURN(left, right)

namespace tflite::shim {

template <class... Args>
void AppendToMessage(absl::Status* status, const Args&... args) {
  *status = absl::Status(status->code(), absl::StrCat(status->message(), "\n\t", args...));
}

// Sizes of a tensor; a size or the rank may be unknown.
class Shape {
 public:
  using ValueType = std::vector<int>;
  static constexpr int kUnknownDim = -1;
  static constexpr int kUnknownRank = -1;
  Shape() = default;
  Shape(const std::initializer_list<int>& sizes) : sizes_(sizes), has_value_(true) {}
  explicit Shape(const absl::Span<int> sizes) : sizes_(sizes.begin(), sizes.end()), has_value_(true) {}
  template <class... Args>
    requires(sizeof...(Args) > 0 && std::is_constructible_v<ValueType, Args...>)
  explicit Shape(Args&&... args) : sizes_(std::forward<Args>(args)...), has_value_(true) {}

  bool has_value() const { return has_value_; }
  ValueType& value() { return sizes_; }
  const ValueType& value() const { return sizes_; }
  ValueType* operator->() { return &sizes_; }
  const ValueType* operator->() const { return &sizes_; }
  ValueType& operator*() { return sizes_; }
  const ValueType& operator*() const { return sizes_; }
  int Dim(int i) const { return has_value_ ? sizes_[static_cast<std::size_t>(i)] : kUnknownDim; }
  int Rank() const { return has_value_ ? static_cast<int>(sizes_.size()) : kUnknownRank; }
  bool FullyDefined() const {
    for (const int size : sizes_)
      if (size == kUnknownDim) return false;
    return has_value_;
  }
  // "[ 2 ? ]", or "?" for an unknown rank.
  std::string ToString() const {
    if (!has_value_) return "?";
    std::string text = sizes_.empty() ? "[" : "[ ";
    for (const int size : sizes_) text += (size == kUnknownDim ? "?" : std::to_string(size)) + " ";
    return text + "]";
  }
  static int AddDims(int a, int b) { return a == kUnknownDim || b == kUnknownDim ? kUnknownDim : a + b; }
  // Unknown sizes equal none, not even themselves.
  bool operator==(const Shape& other) const { return FullyDefined() && other.FullyDefined() && sizes_ == other.sizes_; }
  bool Compatible(const Shape& other) const {
    if (!has_value_ || !other.has_value_) return true;
    if (sizes_.size() != other.sizes_.size()) return false;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const int a = sizes_[i], b = other.sizes_[i];
      if (a != b && a != kUnknownDim && b != kUnknownDim) return false;
    }
    return true;
  }

 private:
  ValueType sizes_;
  bool has_value_ = false;
};
using ShapeOr = absl::StatusOr<Shape>;

template <class W>
struct TensorViewSubType {};

// The elements of a tensor that it does not own, by row-major indices.
class TensorView {
  template <class... T>
  using Spans = std::variant<absl::Span<T>...>;
  using Data_ = Spans<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                      std::int64_t, std::uint64_t, float, double, ::tensorflow::tstring>;

 public:
  template <class T, int RANK>
  class Tensor {
   public:
    explicit Tensor(const TensorView* view) : data_(view->Data<T>()), sizes_(view->sizes_.begin(), view->sizes_.end()) {
      DCHECK_EQ(RANK, static_cast<int>(sizes_.size()));
    }
    template <class... Indices>
    T& operator()(Indices... indices) {
      return data_[Offset({{static_cast<std::size_t>(indices)...}})];
    }
    template <class... Indices>
    const T& operator()(Indices... indices) const {
      return data_[Offset({{static_cast<std::size_t>(indices)...}})];
    }
    T* Ptr() { return data_.data(); }
    const T* Ptr() const { return data_.data(); }
    // The size of a dimension; negative ones count from the end.
    int Dim(int d) const { return sizes_[static_cast<std::size_t>(d < 0 ? (d % RANK + RANK) % RANK : d)]; }
    constexpr std::size_t Rank() const { return RANK; }

   private:
    std::size_t Offset(const std::array<std::size_t, RANK>& indices) const {
      std::size_t offset = 0;
      for (std::size_t d = 0; d < RANK; ++d) offset = offset * static_cast<std::size_t>(sizes_[d]) + indices[d];
      return offset;
    }
    absl::Span<T> data_;
    std::vector<int> sizes_;
  };

  virtual ~TensorView() = default;
  // The view of a tensor; it lives no longer than the tensor. Unimplemented: a type without a view.
  template <class W>
  static absl::StatusOr<typename TensorViewSubType<W>::Type> New(W* tensor) {
    return TensorViewSubType<W>::Make(*tensor);
  }
  absl::Span<int> Shape() const { return absl::Span<int>(const_cast<int*>(sizes_.data()), sizes_.size()); }
  template <class T>
  absl::Span<T>& Data() {
    return std::get<absl::Span<T>>(data_);
  }
  template <class T>
  absl::Span<T> Data() const {
    return std::get<absl::Span<T>>(data_);
  }
  template <class T, int RANK>
  Tensor<T, RANK> As() {
    return Tensor<T, RANK>(this);
  }
  template <class T, int RANK>
  const Tensor<T, RANK> As() const {
    return Tensor<T, RANK>(this);
  }
  template <class T>
  T& AsScalar() {
    DCHECK(sizes_.empty()) << "Tensor is not a scalar";
    return Data<T>()[0];
  }
  template <class T>
  const T& AsScalar() const {
    DCHECK(sizes_.empty()) << "Tensor is not a scalar";
    return Data<T>()[0];
  }

 protected:
  TensorView() = default;
  TensorView(const TensorView&) = default;
  TensorView& operator=(const TensorView&) = default;
  template <class T>
  void SetData(void* data, std::size_t count) {
    data_ = absl::Span<T>(static_cast<T*>(data), count);
  }
  std::vector<int> sizes_;
  Data_ data_;
};
using TensorViewOr = absl::StatusOr<std::unique_ptr<TensorView>>;
using ConstTensorViewOr = absl::StatusOr<std::unique_ptr<const TensorView>>;

class TfTensorView : public TensorView {
 public:
  static absl::StatusOr<TfTensorView> Make(const ::tensorflow::Tensor& tensor) {
    TfTensorView view;
    for (const auto size : tensor.shape().dim_sizes()) view.sizes_.push_back(static_cast<int>(size));
    const auto count = static_cast<std::size_t>(tensor.NumElements());
    switch (tensor.dtype()) {
#define TENON_COMPAT_VIEW(T) \
  case ::tensorflow::DataTypeToEnum<T>::value: view.SetData<T>(tensor.data(), count); return view;
      TENON_COMPAT_VIEW(bool)
      TENON_COMPAT_VIEW(std::int8_t)
      TENON_COMPAT_VIEW(std::uint8_t)
      TENON_COMPAT_VIEW(std::int16_t)
      TENON_COMPAT_VIEW(std::uint16_t)
      TENON_COMPAT_VIEW(std::int32_t)
      TENON_COMPAT_VIEW(std::uint32_t)
      TENON_COMPAT_VIEW(std::int64_t)
      TENON_COMPAT_VIEW(std::uint64_t)
      TENON_COMPAT_VIEW(float)
      TENON_COMPAT_VIEW(double)
      TENON_COMPAT_VIEW(::tensorflow::tstring)
#undef TENON_COMPAT_VIEW
      default:
        return absl::UnimplementedError(
            absl::StrCat("Unsupported data type: ", ::tensorflow::DataTypeString(tensor.dtype())));
    }
  }
};
template <>
struct TensorViewSubType<::tensorflow::Tensor> : TfTensorView {
  using Type = TfTensorView;
};
template <>
struct TensorViewSubType<const ::tensorflow::Tensor> : TensorViewSubType<::tensorflow::Tensor> {};

enum class Runtime { kTf, kTfLite };
using AttrValue = std::variant<bool, std::int64_t, float, absl::string_view>;

// GetAttr of a context, by the type of the caller's value.
template <class Context>
class AttrReader {
 public:
  template <class T>
  absl::Status GetAttr(const std::string& name, T* value) const {
    TF_ASSIGN_OR_RETURN(const AttrValue attr, static_cast<const Context&>(*this).FindAttr(name));
    const T* const found = std::get_if<T>(&attr);
    if (found == nullptr)
      return absl::InternalError(
          absl::StrCat("The attribute type does not match the provided type: attr_name: ", name));
    *value = *found;
    return absl::OkStatus();
  }

 protected:
  static absl::StatusOr<AttrValue> FromTensorFlow(const ::tensorflow::AttrValue& attr) {
    switch (attr.value_case()) {
      case ::tensorflow::AttrValue::kB: return AttrValue(attr.b());
      case ::tensorflow::AttrValue::kI: return AttrValue(static_cast<std::int64_t>(attr.i()));
      case ::tensorflow::AttrValue::kF: return AttrValue(attr.f());
      case ::tensorflow::AttrValue::kS: return AttrValue(absl::string_view(attr.s()));
      default: return absl::FailedPreconditionError(absl::StrCat("Unsupported attribute type: ", attr.DebugString()));
    }
  }
};

class TfInitContext : public AttrReader<TfInitContext> {
 public:
  explicit TfInitContext(const ::tensorflow::OpKernelConstruction* context) : context_(context) {}
  absl::StatusOr<AttrValue> FindAttr(const std::string& name) const {
    const auto& attrs = context_->def().attr();
    const auto found = attrs.find(name);
    if (found == attrs.end()) return absl::InvalidArgumentError(absl::StrCat("Non-existent attribute: ", name));
    return FromTensorFlow(found->second);
  }

 private:
  const ::tensorflow::OpKernelConstruction* context_;
};

class TfInvokeContext {
 public:
  explicit TfInvokeContext(::tensorflow::OpKernelContext* context) : context_(context) {}
  ConstTensorViewOr GetInput(int i) const {
    if (i < 0 || i >= NumInputs())
      return absl::InvalidArgumentError(
          absl::StrCat("Expected idx < num_inputs. idx: ", i, " num_inputs: ", NumInputs()));
    TF_ASSIGN_OR_RETURN(TfTensorView view, TfTensorView::Make(context_->input(i)));
    return std::make_unique<const TfTensorView>(std::move(view));
  }
  TensorViewOr GetOutput(int i, const Shape& shape) const {
    if (!shape.has_value()) return absl::InvalidArgumentError("Output shape needs to be specified.");
    ::tensorflow::TensorShape sizes;
    for (const int size : *shape) TF_RETURN_IF_ERROR(sizes.AddDimWithStatus(size));
    ::tensorflow::Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(context_->allocate_output(i, sizes, &output));
    TF_ASSIGN_OR_RETURN(TfTensorView view, TfTensorView::Make(*output));
    return std::make_unique<TfTensorView>(std::move(view));
  }
  int NumInputs() const { return context_->num_inputs(); }
  int NumOutputs() const { return context_->num_outputs(); }

 private:
  ::tensorflow::OpKernelContext* context_;
};

class TfShapeInferenceContext : public AttrReader<TfShapeInferenceContext> {
 public:
  explicit TfShapeInferenceContext(::tensorflow::shape_inference::InferenceContext* context) : context_(context) {}
  ShapeOr GetInputShape(int i) const {
    const auto shape = context_->input(i);
    if (!context_->RankKnown(shape)) return Shape();
    std::vector<int> sizes;
    for (int d = 0; d < context_->Rank(shape); ++d)
      sizes.push_back(static_cast<int>(context_->Value(context_->Dim(shape, d))));
    return Shape(sizes);
  }
  absl::Status SetOutputShape(int i, const Shape& shape) {
    std::vector<::tensorflow::shape_inference::DimensionHandle> sizes;
    for (const int size : *shape) sizes.push_back(context_->MakeDim(size));
    context_->set_output(i, shape.has_value() ? context_->MakeShape(sizes) : context_->UnknownShape());
    return absl::OkStatus();
  }
  ConstTensorViewOr GetInputTensor(int i) const {
    const ::tensorflow::Tensor* const tensor = context_->input_tensor(i);
    if (tensor == nullptr) return absl::UnavailableError(absl::StrCat("Tensor is not available. idx: ", i));
    TF_ASSIGN_OR_RETURN(TfTensorView view, TfTensorView::Make(*tensor));
    return std::make_unique<const TfTensorView>(std::move(view));
  }
  absl::StatusOr<AttrValue> FindAttr(const std::string& name) const {
    const ::tensorflow::AttrValue* const attr = context_->GetAttr(name);
    if (attr == nullptr) return absl::InvalidArgumentError(absl::StrCat("Non-existent attribute: ", name));
    return FromTensorFlow(*attr);
  }
  int NumInputs() const { return context_->num_inputs(); }
  int NumOutputs() const { return context_->num_outputs(); }

 private:
  ::tensorflow::shape_inference::InferenceContext* context_;
};

template <Runtime R>
struct ContextTypeForRuntime {};
template <>
struct ContextTypeForRuntime<Runtime::kTf> {
  using Init = TfInitContext;
  using Invoke = TfInvokeContext;
  using ShapeInference = TfShapeInferenceContext;
};

// Base of ops: a subclass has kOpName, kDoc, Attrs, Inputs, Outputs, Init, Invoke and ShapeInference.
template <template <Runtime, typename...> typename Op, Runtime R, class... Ts>
class OpKernelShim {
 public:
  using Shape = ::tflite::shim::Shape;
  using InitContext = typename ContextTypeForRuntime<R>::Init;
  using InvokeContext = typename ContextTypeForRuntime<R>::Invoke;
  using ShapeInferenceContext = typename ContextTypeForRuntime<R>::ShapeInference;
  virtual ~OpKernelShim() = default;
  absl::Status Init(InitContext* context) { return static_cast<Op<R, Ts...>&>(*this).Init(context); }
  absl::Status Invoke(InvokeContext* context) { return static_cast<Op<R, Ts...>&>(*this).Invoke(context); }

 protected:
  OpKernelShim() = default;
  // Makes output `i` of one dimension.
  template <class Item, class T>
  absl::Status FillOutputTensor(const std::vector<Item>& items, int i, InvokeContext* context) const {
    TF_ASSIGN_OR_RETURN(const auto view, context->GetOutput(i, Shape({static_cast<int>(items.size())})));
    auto data = view->template As<T, 1>();
    for (std::size_t at = 0; at < items.size(); ++at) data(at) = items[at];
    return absl::OkStatus();
  }
};

// The kernel of an op.
template <template <Runtime, typename...> typename Op, class... Ts>
class TfOpKernel : public ::tensorflow::OpKernel {
 public:
  using ImplType = Op<Runtime::kTf, Ts...>;
  explicit TfOpKernel(::tensorflow::OpKernelConstruction* construction)
      : OpKernel(construction), impl_(std::make_unique<ImplType>()) {
    TfInitContext context(construction);
    construction->SetStatus(impl_->Init(&context));
  }
  void Compute(::tensorflow::OpKernelContext* call) override {
    TfInvokeContext context(call);
    OP_REQUIRES_OK(call, impl_->Invoke(&context));
  }
  static absl::Status ShapeInference(::tensorflow::shape_inference::InferenceContext* inference) {
    TfShapeInferenceContext context(inference);
    return ImplType::ShapeInference(&context);
  }
  static const char* OpName() { return ImplType::kOpName; }

 protected:
  std::unique_ptr<OpKernelShim<Op, Runtime::kTf, Ts...>> impl_;
};

template <class Kernel>
::tensorflow::register_op::OpDefBuilderWrapper CreateOpDefBuilderWrapper() {
  using Op = typename Kernel::ImplType;
  ::tensorflow::register_op::OpDefBuilderWrapper builder(Op::kOpName);
  for (const std::string& input : Op::Inputs()) builder.Input(input);
  for (const std::string& output : Op::Outputs()) builder.Output(output);
  for (const std::string& attr : Op::Attrs()) builder.Attr(attr);
  builder.SetShapeFn(Kernel::ShapeInference).Doc(Op::kDoc);
  return builder;
}

}  // namespace tflite::shim

#define REGISTER_TF_OP_SHIM(...)                                                                      \
  [[maybe_unused]] static const ::tensorflow::register_op::OpRegistration TENON_DETAIL_REGISTER_NAME( \
      tenon_tensorflow_op_, __COUNTER__) = ::tflite::shim::CreateOpDefBuilderWrapper<__VA_ARGS__>()
