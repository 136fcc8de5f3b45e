// SPDX-License-Identifier: Apache-2.0
#pragma once
// VariantRegistry: operations on variants of types that the caller does not name: decode them, make zeros, add them,
// copy them between host and device memory, ask for their shape.

#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_element.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

class OpKernelContext;

enum class VariantUnaryOp { kZerosLike, kConj };
enum class VariantBinaryOp { kAdd };
// With TensorFlow's numbers.
enum class VariantCopyDirection { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3 };

constexpr std::string_view Name(VariantUnaryOp op) { return op == VariantUnaryOp::kConj ? "CONJ" : "ZEROS_LIKE"; }
constexpr std::string_view Name(VariantBinaryOp) { return "ADD"; }
constexpr std::string_view Name(VariantCopyDirection direction) {
  switch (direction) {
    case VariantCopyDirection::kHostToDevice: return "HOST_TO_DEVICE";
    case VariantCopyDirection::kDeviceToHost: return "DEVICE_TO_HOST";
    default: return "DEVICE_TO_DEVICE";
  }
}

// Copies one tensor inside a variant to the other memory; borrowed for the call.
struct VariantTensorCopy {
  Status (*copy)(void* arg, const Tensor& from, Tensor* to);
  void* arg;
  Status operator()(const Tensor& from, Tensor* to) const { return copy(arg, from, to); }
};

// thread-safe. Rows are never removed: a shared library that registered a type must stay loaded. A device is a type of
// devices, "CPU" or "GPU"; `context` goes to the function as it is and may be null where the function allows it.
//
//   VariantRegistry& registry = VariantRegistry::Global();
//   TENON_RETURN_IF_ERROR(registry.AddType<Point>());     // Point: TypeName, Encode, Decode, default-constructible
//   TENON_RETURN_IF_ERROR(registry.AddUnary<Point>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLikePoint));
//   TENON_RETURN_IF_ERROR(registry.Decode(&variant));
class VariantRegistry {
 public:
  template <class T>
  using UnaryFunction = Status (*)(OpKernelContext* context, const T& in, T* out);
  template <class T>
  using BinaryFunction = Status (*)(OpKernelContext* context, const T& a, const T& b, T* out);
  template <class T>
  using CopyFunction = Status (*)(const T& from, T* to, const VariantTensorCopy& copy);
  template <class T>
  using ShapeFunction = Status (*)(const T& value, TensorShape* shape);

  // The process's own; knows int, float, bool, double and Tensor.
  static VariantRegistry& Global() {
    static VariantRegistry* registry = new VariantRegistry();
    return *registry;
  }
  VariantRegistry() {
    static_cast<void>(AddType<int>());
    static_cast<void>(AddType<float>());
    static_cast<void>(AddType<bool>());
    static_cast<void>(AddType<double>());
    static_cast<void>(AddType<Tensor>());
  }
  VariantRegistry(const VariantRegistry&) = delete;
  VariantRegistry& operator=(const VariantRegistry&) = delete;

  // ---------------------------------------------------------------------------------------------------- registration
  // A repeated registration does nothing. AlreadyExists when something else is registered there.

  // The type can be decoded, under the name that T() gives itself. InvalidArgument for an empty name.
  template <class T>
  Status AddType() {
    return Add({What::kType, 0, detail::VariantTypeName(T{}), &detail::VariantOf<T>::table, nullptr, nullptr,
                &Thunks<T>::Make});
  }
  template <class T>
  Status AddUnary(VariantUnaryOp op, std::string_view device, UnaryFunction<T> function) {
    return Add(MakeRow<T>(What::kUnary, static_cast<int>(op), device, reinterpret_cast<Erased>(function),
                          reinterpret_cast<Erased>(&Thunks<T>::Unary)));
  }
  template <class T>
  Status AddBinary(VariantBinaryOp op, std::string_view device, BinaryFunction<T> function) {
    return Add(MakeRow<T>(What::kBinary, static_cast<int>(op), device, reinterpret_cast<Erased>(function),
                          reinterpret_cast<Erased>(&Thunks<T>::Binary)));
  }
  template <class T>
  Status AddCopy(VariantCopyDirection direction, CopyFunction<T> function) {
    return Add(MakeRow<T>(What::kCopy, static_cast<int>(direction), "", reinterpret_cast<Erased>(function),
                          reinterpret_cast<Erased>(&Thunks<T>::Copy)));
  }
  template <class T>
  Status AddShape(ShapeFunction<T> function) {
    return Add(MakeRow<T>(What::kShape, 0, "", reinterpret_cast<Erased>(function),
                          reinterpret_cast<Erased>(&Thunks<T>::Shape)));
  }

  // --------------------------------------------------------------------------------------------------------- actions
  // On failure nothing is changed.

  // A serialised value becomes one of its type; other values, and an empty variant, stay as they are. NotFound for a
  // type that is not registered, naming the registered ones; InvalidArgument for bytes that the type cannot decode.
  Status Decode(Variant* variant) const;
  // Decodes every element of a tensor, which the caller owns alone; other dtypes stay as they are. Elements before
  // the one that fails are decoded.
  Status Decode(Tensor* tensor) const;

  // Functions of types that hold variants call these three again: ResourceExhausted where the stack does not suffice.

  // *out = op(in). Internal without a function for the type and device, as TensorFlow; serialised values are not
  // decoded for it.
  Status Unary(VariantUnaryOp op, std::string_view device, OpKernelContext* context, const Variant& in,
               Variant* out) const;
  // *out = op(a, b), both of one type.
  Status Binary(VariantBinaryOp op, std::string_view device, OpKernelContext* context, const Variant& a,
                const Variant& b, Variant* out) const;
  // *to = from with its tensors in the other memory. An empty variant is copied without a function.
  Status Copy(VariantCopyDirection direction, const Variant& from, Variant* to, const VariantTensorCopy& copy) const;
  // The shape that the one value of a variant tensor has: the result of the op Shape.
  Status Shape(const Tensor& tensor, TensorShape* shape) const;

  // Names of the types that can be decoded, in the order of their registration.
  SlimVector<std::string> TypeNames() const {
    MutexLock lock(mutex_);
    SlimVector<std::string> names;
    for (const Row& row : rows_) {
      if (row.what == What::kType) names.push_back(row.key);
    }
    return names;
  }

 private:
  enum class What : unsigned char { kType, kUnary, kBinary, kCopy, kShape };
  using Erased = void (*)();  // a function of any type; cast back before it is called
  using UnaryThunk = Status (*)(Erased, OpKernelContext*, const Variant&, Variant*);
  using BinaryThunk = Status (*)(Erased, OpKernelContext*, const Variant&, const Variant&, Variant*);
  using CopyThunk = Status (*)(Erased, const Variant&, Variant*, const VariantTensorCopy&);
  using ShapeThunk = Status (*)(Erased, const Variant&, TensorShape*);

  struct Row {
    What what;
    int op;  // of `what`
    std::string key;  // a type's name, or the device
    const detail::VariantTable* table;
    Erased function;
    Erased thunk;  // knows the type of `function`
    Variant (*make)();
  };

  template <class T>
  struct Thunks {
    static Variant Make() { return Variant(T{}); }
    static Status Unary(Erased function, OpKernelContext* context, const Variant& in, Variant* out) {
      T made{};
      TENON_RETURN_IF_ERROR(reinterpret_cast<UnaryFunction<T>>(function)(context, *in.get<T>(), &made));
      *out = std::move(made);
      return OkStatus();
    }
    static Status Binary(Erased function, OpKernelContext* context, const Variant& a, const Variant& b, Variant* out) {
      T made{};
      TENON_RETURN_IF_ERROR(reinterpret_cast<BinaryFunction<T>>(function)(context, *a.get<T>(), *b.get<T>(), &made));
      *out = std::move(made);
      return OkStatus();
    }
    static Status Copy(Erased function, const Variant& from, Variant* to, const VariantTensorCopy& copy) {
      T made{};
      TENON_RETURN_IF_ERROR(reinterpret_cast<CopyFunction<T>>(function)(*from.get<T>(), &made, copy));
      *to = std::move(made);
      return OkStatus();
    }
    static Status Shape(Erased function, const Variant& value, TensorShape* shape) {
      return reinterpret_cast<ShapeFunction<T>>(function)(*value.get<T>(), shape);
    }
  };

  template <class T>
  static Row MakeRow(What what, int op, std::string_view device, Erased function, Erased thunk) {
    return {what, op, std::string(device), &detail::VariantOf<T>::table, function, thunk, nullptr};
  }
  static bool SameType(const detail::VariantTable* a, const detail::VariantTable* b) {
    return a == b || (!a->cpp_name.empty() && a->cpp_name == b->cpp_name);
  }
  Status Add(Row row);
  struct Found {
    Erased function = nullptr;
    Erased thunk = nullptr;
  };
  // The function that is registered for the variant's type; nulls if there is none.
  Found Find(What what, int op, std::string_view device, const Variant& variant) const {
    MutexLock lock(mutex_);
    for (const Row& row : rows_) {
      if (row.what == what && row.op == op && row.key == device && variant.Holds(row.table)) {
        return {row.function, row.thunk};
      }
    }
    return {};
  }
  Status CannotDecode(std::string_view type_name) const;

  mutable Mutex mutex_;
  SlimVector<Row> rows_;  // few: searched one after the other
};

inline Status VariantRegistry::Add(Row row) {
  if (row.what == What::kType && row.key.empty()) {
    return errors::InvalidArgument("VariantRegistry: the type must have a name, got \"\"");
  }
  MutexLock lock(mutex_);
  for (const Row& other : rows_) {
    if (other.what != row.what || other.op != row.op || other.key != row.key) continue;
    if (row.what == What::kType) {
      if (SameType(other.table, row.table)) return OkStatus();
      return errors::AlreadyExists("Unary VariantDecodeFn for type_name: ", row.key, " already registered");
    }
    if (!SameType(other.table, row.table)) continue;
    if (other.function == row.function) return OkStatus();
    return errors::AlreadyExists("VariantRegistry: another function for this operation and device '", row.key,
                                 "' is already registered for this type");
  }
  rows_.push_back(std::move(row));
  return OkStatus();
}

TENON_DETAIL_COLD inline Status VariantRegistry::CannotDecode(std::string_view type_name) const {
  constexpr std::size_t kMaxNames = 8;
  const SlimVector<std::string> names = TypeNames();
  std::string known;
  for (std::size_t i = 0; i < names.size() && i < kMaxNames; ++i) StrAppend(&known, i == 0 ? "" : ", ", names[i]);
  if (names.size() > kMaxNames) StrAppend(&known, " and ", names.size() - kMaxNames, " more");
  return errors::NotFound("Could not decode variant with type_name: \"", CEscape(type_name),
                          "\".  Its type is not registered, these are: ", known);
}

inline Status VariantRegistry::Decode(Variant* variant) const {
  if (!variant->is_serialized()) return OkStatus();
  VariantTensorData data = *variant->get<VariantTensorData>();
  if (data.empty()) {
    variant->clear();
    return OkStatus();
  }
  const std::string name = data.type_name;
  Variant (*make)() = nullptr;
  {
    MutexLock lock(mutex_);
    for (const Row& row : rows_) {
      if (row.what == What::kType && row.key == name) make = row.make;
    }
  }
  if (make == nullptr) return CannotDecode(name);
  Variant made = make();
  if (!made.table()->decode(&data, made.value())) return detail::UndecodableVariant(CEscape(name));
  if (made.TypeName() != name) {
    return errors::InvalidArgument("DecodeUnaryVariant: Variant type_name before decoding was: ", CEscape(name),
                                   " but after decoding was: ", CEscape(made.TypeName()),
                                   "; decoding must keep the type");
  }
  *variant = std::move(made);
  return OkStatus();
}

inline Status VariantRegistry::Decode(Tensor* tensor) const {
  if (tensor->dtype() != DataType::kVariant || tensor->raw_data() == nullptr) return OkStatus();
  Variant* const elements = tensor->data<Variant>();
  for (Index i = 0, n = tensor->NumElements(); i < n; ++i) {
    Status s = Decode(elements + i);
    if (!s.ok()) return Status(s.code(), StrCat("element ", i, ": ", s.message()));
  }
  return OkStatus();
}

namespace detail {
TENON_DETAIL_COLD inline Status TooDeepVariants() {
  return errors::ResourceExhausted("VariantRegistry: variants nest deeper than the thread's stack allows, which has ",
                                   StackLeft() / 1024, " KiB left; a thread with a larger stack takes more");
}
}  // namespace detail

inline Status VariantRegistry::Unary(VariantUnaryOp op, std::string_view device, OpKernelContext* context,
                                     const Variant& in, Variant* out) const {
  const Found found = Find(What::kUnary, static_cast<int>(op), device, in);
  if (StackIsShort(0)) [[unlikely]]
    return detail::TooDeepVariants();
  if (found.thunk != nullptr) return reinterpret_cast<UnaryThunk>(found.thunk)(found.function, context, in, out);
  return errors::Internal("No unary variant unary_op function found for unary variant op enum: ", Name(op),
                          " Variant type_name: '", in.TypeName(), "' for device type: ", device,
                          "; VariantRegistry::AddUnary registers one");
}

inline Status VariantRegistry::Binary(VariantBinaryOp op, std::string_view device, OpKernelContext* context,
                                      const Variant& a, const Variant& b, Variant* out) const {
  if (a.is_empty() || b.is_empty() || !b.Holds(a.table())) {
    return errors::Internal("BinaryOpVariants: Variants a and b have different type ids.  Type names: '", a.TypeName(),
                            "' vs. '", b.TypeName(), "'; both must have values of one type");
  }
  const Found found = Find(What::kBinary, static_cast<int>(op), device, a);
  if (StackIsShort(0)) [[unlikely]]
    return detail::TooDeepVariants();
  if (found.thunk != nullptr) return reinterpret_cast<BinaryThunk>(found.thunk)(found.function, context, a, b, out);
  return errors::Internal("No unary variant binary_op function found for binary variant op enum: ", Name(op),
                          " Variant type_name: '", a.TypeName(), "' for device type: ", device,
                          "; VariantRegistry::AddBinary registers one");
}

inline Status VariantRegistry::Copy(VariantCopyDirection direction, const Variant& from, Variant* to,
                                    const VariantTensorCopy& copy) const {
  if (from.is_empty()) {
    to->clear();
    return OkStatus();
  }
  const Found found = Find(What::kCopy, static_cast<int>(direction), "", from);
  if (StackIsShort(0)) [[unlikely]]
    return detail::TooDeepVariants();
  if (found.thunk != nullptr) return reinterpret_cast<CopyThunk>(found.thunk)(found.function, from, to, copy);
  return errors::Internal("No unary variant device copy function found for direction: ", Name(direction),
                          " and Variant type_name: '", from.TypeName(), "'; VariantRegistry::AddCopy registers one");
}

inline Status VariantRegistry::Shape(const Tensor& tensor, TensorShape* shape) const {
  if (tensor.dtype() != DataType::kVariant || tensor.NumElements() != 1 || tensor.raw_data() == nullptr) {
    return errors::InvalidArgument("VariantRegistry::Shape: one variant expected, got a tensor of type ",
                                   Name(tensor.dtype()), " and shape ", tensor.shape());
  }
  const Variant& value = *tensor.data<Variant>();
  const Found found = Find(What::kShape, 0, "", value);
  if (found.thunk != nullptr) return reinterpret_cast<ShapeThunk>(found.thunk)(found.function, value, shape);
  return errors::Internal("No unary variant shape function found for Variant type_name: '", value.TypeName(),
                          "'; VariantRegistry::AddShape registers one");
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
