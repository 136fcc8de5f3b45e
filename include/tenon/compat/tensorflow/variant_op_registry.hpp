// SPDX-License-Identifier: Apache-2.0
#pragma once
// UnaryVariantOpRegistry: functions of variants by their type, and the macros that register them. The macros register
// the functions with Tenon's VariantRegistry, too.

#include <functional>
#include <string>
#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/compat/tensorflow/base/type_index.hpp>
#include <tenon/compat/tensorflow/variant.hpp>

namespace tensorflow {

enum VariantUnaryOp { INVALID_VARIANT_UNARY_OP = 0, ZEROS_LIKE_VARIANT_UNARY_OP = 1, CONJ_VARIANT_UNARY_OP = 2 };
enum VariantBinaryOp { INVALID_VARIANT_BINARY_OP = 0, ADD_VARIANT_BINARY_OP = 1 };
enum VariantDeviceCopyDirection {
  INVALID_DEVICE_COPY_DIRECTION = 0,
  HOST_TO_DEVICE = 1,
  DEVICE_TO_HOST = 2,
  DEVICE_TO_DEVICE = 3
};
inline const char* VariantUnaryOpToString(VariantUnaryOp op) {
  return op == ZEROS_LIKE_VARIANT_UNARY_OP ? "ZEROS_LIKE" : op == CONJ_VARIANT_UNARY_OP ? "CONJ" : "INVALID";
}
inline const char* VariantBinaryOpToString(VariantBinaryOp op) {
  return op == ADD_VARIANT_BINARY_OP ? "ADD" : "INVALID";
}
constexpr tenon::VariantUnaryOp ToTenon(VariantUnaryOp op) {
  return op == CONJ_VARIANT_UNARY_OP ? tenon::VariantUnaryOp::kConj : tenon::VariantUnaryOp::kZerosLike;
}
inline bool RegisterVariantFunction(const Status& status) {
  if (!status.ok()) LOG(ERROR) << status.message();
  return status.ok();
}

// thread-safe. Getters borrow: functions stay as long as the registry. They return null where there is no function.
// A second function for one place is logged and dropped.
class UnaryVariantOpRegistry {
 public:
  typedef std::function<bool(Variant*)> VariantDecodeFn;
  typedef std::function<Status(OpKernelContext*, const Variant&, Variant*)> VariantUnaryOpFn;
  typedef std::function<Status(OpKernelContext*, const Variant&, const Variant&, Variant*)> VariantBinaryOpFn;
  typedef std::function<Status(const Tensor& from, Tensor* to)> AsyncTensorDeviceCopyFn;
  typedef std::function<Status(const Variant& from, Variant* to, AsyncTensorDeviceCopyFn copy_fn)>
      AsyncVariantDeviceCopyFn;

  // The process's; never destroyed.
  static UnaryVariantOpRegistry* Global() {
    static UnaryVariantOpRegistry* const all = new UnaryVariantOpRegistry();
    return all;
  }
  UnaryVariantOpRegistry() = default;
  UnaryVariantOpRegistry(const UnaryVariantOpRegistry&) = delete;
  UnaryVariantOpRegistry& operator=(const UnaryVariantOpRegistry&) = delete;

  void RegisterDecodeFn(const std::string& type_name, const VariantDecodeFn& decode) {
    decoders_.Add({0, std::string(), TypeIndex(type_name)}, type_name, "VariantDecodeFn", decode);
  }
  // The global registry also has types that are registered with Tenon alone.
  VariantDecodeFn* GetDecodeFn(StringPiece type_name) {
    const Place place{0, std::string(), TypeIndex(type_name)};
    VariantDecodeFn* found = decoders_.Find(place);
    if (found != nullptr || this != Global()) return found;
    for (const std::string& known : tenon::VariantRegistry::Global().TypeNames())
      if (known == type_name) return decoders_.Add(place, known, "", &DecodeByTenon);
    return nullptr;
  }
  void RegisterDeviceCopyFn(VariantDeviceCopyDirection direction, const TypeIndex& type,
                            const AsyncVariantDeviceCopyFn& copy) {
    copies_.Add({direction, std::string(), type}, type.name(), "VariantDeviceCopyFn", copy);
  }
  AsyncVariantDeviceCopyFn* GetDeviceCopyFn(VariantDeviceCopyDirection direction, const TypeIndex& type) {
    return copies_.Find({direction, std::string(), type});
  }
  void RegisterUnaryOpFn(VariantUnaryOp op, const std::string& device, const TypeIndex& type,
                         const VariantUnaryOpFn& function) {
    unary_.Add({op, device, type}, type.name(), "VariantUnaryOpFn", function);
  }
  VariantUnaryOpFn* GetUnaryOpFn(VariantUnaryOp op, StringPiece device, const TypeIndex& type) {
    return unary_.Find({op, std::string(device), type});
  }
  void RegisterBinaryOpFn(VariantBinaryOp op, const std::string& device, const TypeIndex& type,
                          const VariantBinaryOpFn& function) {
    binary_.Add({op, device, type}, type.name(), "VariantBinaryOpFn", function);
  }
  VariantBinaryOpFn* GetBinaryOpFn(VariantBinaryOp op, StringPiece device, const TypeIndex& type) {
    return binary_.Find({op, std::string(device), type});
  }

 private:
  struct Place {
    int op;
    std::string device;
    TypeIndex type;
    bool operator==(const Place& other) const { return op == other.op && type == other.type && device == other.device; }
  };
  // Few: searched one after the other.
  template <class Function>
  class Table {
   public:
    Table() = default;
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;
    ~Table() {
      for (Row* const row : rows_) delete row;
    }
    // The function that the place has at the end.
    Function* Add(const Place& place, StringPiece type, StringPiece kind, const Function& function) {
      const tenon::MutexLock lock(mutex_);
      for (Row* const row : rows_) {
        if (!(row->place == place)) continue;
        if (!kind.empty()) LOG(ERROR) << kind << " of " << type << " already registered";
        return &row->function;
      }
      rows_.push_back(new Row{place, function});
      return &rows_.back()->function;
    }
    Function* Find(const Place& place) {
      const tenon::MutexLock lock(mutex_);
      for (Row* const row : rows_)
        if (row->place == place) return &row->function;
      return nullptr;
    }

   private:
    struct Row {
      Place place;
      Function function;
    };
    tenon::Mutex mutex_;
    tenon::SlimVector<Row*> rows_;
  };
  static bool DecodeByTenon(Variant* variant) { return tenon::VariantRegistry::Global().Decode(variant).ok(); }

  Table<VariantDecodeFn> decoders_;
  Table<AsyncVariantDeviceCopyFn> copies_;
  Table<VariantUnaryOpFn> unary_;
  Table<VariantBinaryOpFn> binary_;
};

namespace internal {
template <class Device>
inline constexpr const char* kDeviceOfVariants = DEVICE_CPU;
template <>
inline constexpr const char* kDeviceOfVariants<Eigen::GpuDevice> = DEVICE_GPU;

// Functions of one type as functions of variants.
template <class T>
struct VariantAdapter {
  static Status NotOf(const Variant& variant) {
    return errors::Internal("a function of variants for type '", tenon::detail::CppName<T>(),
                            "' was given a value of type '", variant.TypeName(), "'; it takes values of its own type");
  }
  static bool Decode(Variant* variant) {
    const VariantTensorData* const data =
        static_cast<const VariantTensorData*>(variant->get<tenon::VariantTensorData>());
    T value;
    if (data == nullptr || !tenon::detail::VariantOf<T>::table.decode(const_cast<VariantTensorData*>(data), &value))
      return false;
    *variant = std::move(value);
    return true;
  }
  template <class F>
  static auto Unary(F function) {
    return [function](OpKernelContext* context, const Variant& in, Variant* out) -> Status {
      const T* const value = in.get<T>();
      if (value == nullptr) return NotOf(in);
      T made;
      TF_RETURN_IF_ERROR(function(context, *value, &made));
      *out = std::move(made);
      return Status();
    };
  }
  template <class F>
  static auto Binary(F function) {
    return [function](OpKernelContext* context, const Variant& a, const Variant& b, Variant* out) -> Status {
      const T *const left = a.get<T>(), *const right = b.get<T>();
      if (left == nullptr || right == nullptr) return NotOf(left == nullptr ? a : b);
      T made;
      TF_RETURN_IF_ERROR(function(context, *left, *right, &made));
      *out = std::move(made);
      return Status();
    };
  }
  template <class F>
  static auto Copy(F function) {
    return
        [function](const Variant& from, Variant* to, UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn copy) -> Status {
          const T* const value = from.get<T>();
          if (value == nullptr) return NotOf(from);
          T made;
          TF_RETURN_IF_ERROR(function(*value, &made, std::move(copy)));
          *to = std::move(made);
          return Status();
        };
  }
};
}  // namespace internal

// The functions of a value's type: those of the global registry, or else those of Tenon's.
template <class Device>
Status UnaryOpVariant(OpKernelContext* context, VariantUnaryOp op, const Variant& in, Variant* out) {
  const char* const device = internal::kDeviceOfVariants<Device>;
  auto* const own = UnaryVariantOpRegistry::Global()->GetUnaryOpFn(op, device, in.TypeId());
  if (own != nullptr) return (*own)(context, in, out);
  return tenon::VariantRegistry::Global().Unary(ToTenon(op), device, context, in, out);
}
template <class Device>
Status BinaryOpVariants(OpKernelContext* context, VariantBinaryOp op, const Variant& a, const Variant& b,
                        Variant* out) {
  const char* const device = internal::kDeviceOfVariants<Device>;
  auto* const own =
      a.TypeId() == b.TypeId() ? UnaryVariantOpRegistry::Global()->GetBinaryOpFn(op, device, a.TypeId()) : nullptr;
  if (own != nullptr) return (*own)(context, a, b, out);
  return tenon::VariantRegistry::Global().Binary(tenon::VariantBinaryOp::kAdd, device, context, a, b, out);
}

}  // namespace tensorflow

#define TENON_COMPAT_VARIANT(...)                                                                        \
  [[maybe_unused]] static const bool TENON_DETAIL_VARIANT_NAME(tenon_tensorflow_variant_, __COUNTER__) = \
      ::tensorflow::RegisterVariantFunction(::tenon::VariantRegistry::Global().__VA_ARGS__)
#define TENON_COMPAT_VARIANT_ROW(...)                                                                    \
  [[maybe_unused]] static const bool TENON_DETAIL_VARIANT_NAME(tenon_tensorflow_variant_, __COUNTER__) = \
      (::tensorflow::UnaryVariantOpRegistry::Global() -> __VA_ARGS__, true)
#define TENON_DETAIL_VARIANT_NAME(A, B) TENON_DETAIL_CONCAT(A, B)
// Tenon's registry knows the type by its TypeName().
#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(T, NAME) \
  TENON_COMPAT_VARIANT(AddType<T>());                   \
  TENON_COMPAT_VARIANT_ROW(RegisterDecodeFn(NAME, &::tensorflow::internal::VariantAdapter<T>::Decode))
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(OP, DEVICE, T, FUNCTION)                                    \
  TENON_COMPAT_VARIANT(AddUnary<T>(                                                                          \
      ::tensorflow::ToTenon(::tensorflow::OP), DEVICE,                                                       \
      [](::tenon::OpKernelContext* tenon_context, const T& tenon_in, T* tenon_out) -> ::tensorflow::Status { \
        return FUNCTION(static_cast<::tensorflow::OpKernelContext*>(tenon_context), tenon_in, tenon_out);    \
      }));                                                                                                   \
  TENON_COMPAT_VARIANT_ROW(RegisterUnaryOpFn(::tensorflow::OP, DEVICE, ::tensorflow::TypeIndex::Make<T>(),   \
                                             ::tensorflow::internal::VariantAdapter<T>::Unary(FUNCTION)))
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(OP, DEVICE, T, FUNCTION)                                          \
  TENON_COMPAT_VARIANT(AddBinary<T>(::tenon::VariantBinaryOp::kAdd, DEVICE,                                         \
                                    [](::tenon::OpKernelContext* tenon_context, const T& tenon_a, const T& tenon_b, \
                                       T* tenon_out) -> ::tensorflow::Status {                                      \
                                      return FUNCTION(static_cast<::tensorflow::OpKernelContext*>(tenon_context),   \
                                                      tenon_a, tenon_b, tenon_out);                                 \
                                    }));                                                                            \
  TENON_COMPAT_VARIANT_ROW(RegisterBinaryOpFn(::tensorflow::OP, DEVICE, ::tensorflow::TypeIndex::Make<T>(),         \
                                              ::tensorflow::internal::VariantAdapter<T>::Binary(FUNCTION)))
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(T, DIRECTION, FUNCTION)                               \
  TENON_COMPAT_VARIANT(AddCopy<T>(                                                                                 \
      static_cast<::tenon::VariantCopyDirection>(DIRECTION),                                                       \
      [](const T& tenon_from, T* tenon_to, const ::tenon::VariantTensorCopy& tenon_copy) -> ::tensorflow::Status { \
        return FUNCTION(tenon_from, tenon_to,                                                                      \
                        [&tenon_copy](const ::tensorflow::Tensor& tenon_in, ::tensorflow::Tensor* tenon_out) {     \
                          return tenon_copy(tenon_in, tenon_out);                                                  \
                        });                                                                                        \
      }));                                                                                                         \
  TENON_COMPAT_VARIANT_ROW(RegisterDeviceCopyFn(DIRECTION, ::tensorflow::TypeIndex::Make<T>(),                     \
                                                ::tensorflow::internal::VariantAdapter<T>::Copy(FUNCTION)))
#define REGISTER_UNARY_VARIANT_SHAPE_FUNCTION(T, FUNCTION)                                              \
  TENON_COMPAT_VARIANT(                                                                                 \
      AddShape<T>([](const T& tenon_value, ::tenon::TensorShape* tenon_shape) -> ::tensorflow::Status { \
        return FUNCTION(tenon_value, static_cast<::tensorflow::TensorShape*>(tenon_shape));             \
      }))
