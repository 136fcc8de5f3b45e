// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variant: the element of a variant tensor, a value of any registered or unregistered C++ type. Here are the
// operations that every tensor needs: copy, move, destroy and print. <tenon/tensor/variant.hpp> defines the members
// that put a value in and get it out.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Variant;
struct VariantTensorData;  // tensor/variant.hpp

namespace detail {

// The operations on a value of one C++ type: one constant table for each. No run-time type information: a type is its
// table, or its name where two shared libraries each have a table of their own.
struct VariantTable {
  std::string_view cpp_name;  // empty unless it is unique in the process
  std::string (*type_name)(const void* value);
  std::string (*debug_string)(const void* value);
  void (*copy)(const void* from, Variant* to);        // *to is empty
  void (*move)(Variant* from, Variant* to) noexcept;  // *to is empty; *from is empty afterwards
  void (*destroy)(Variant* variant);                  // leaves *variant undefined
  bool (*same)(const void* a, const void* b);
  bool (*encode)(const void* value, VariantTensorData* data);
  bool (*decode)(VariantTensorData* data, void* value);
  bool on_heap;
  bool serialized;  // the value is a VariantTensorData: some other value that was not decoded yet
};

template <class T>
struct VariantOf;  // the table of T
template <class T>
constexpr bool IsVariantValue() {
  return !std::is_base_of_v<Variant, std::decay_t<T>> && !std::is_pointer_v<std::decay_t<T>>;
}

}  // namespace detail

// 64 bytes, none of which need an allocation if the value has up to 56 and moves without throwing; empty at first.
// Copying copies the value as its type does (a Tensor inside shares its buffer), moving leaves the source empty.
// externally synchronised: several threads may read a Variant, one that writes needs it alone.
//
//   Variant v = Point{1, 2};
//   if (const Point* p = v.get<Point>()) Use(*p);
//   v.DebugString();                         // Variant<type: Point value: (1,2)>
class Variant {
 public:
  static constexpr std::size_t kInlineBytes = 56;

  Variant() noexcept : table_(nullptr) {}
  // Any value that can be copied. Defined in tensor/variant.hpp.
  template <class T>
    requires(detail::IsVariantValue<T>())
  Variant(T&& value);
  Variant(const Variant& other) : table_(nullptr) {
    if (other.table_ != nullptr) other.table_->copy(other.value(), this);
  }
  Variant(Variant&& other) noexcept : table_(nullptr) {
    if (other.table_ != nullptr) other.table_->move(&other, this);
  }
  Variant& operator=(const Variant& other) {
    Variant copy(other);  // before the old value goes: `other` may be inside it
    return *this = static_cast<Variant&&>(copy);
  }
  Variant& operator=(Variant&& other) noexcept {
    if (this == &other) return *this;
    Variant taken(static_cast<Variant&&>(other));
    clear();
    if (taken.table_ != nullptr) taken.table_->move(&taken, this);
    return *this;
  }
  ~Variant() { clear(); }

  void clear() noexcept {
    if (table_ == nullptr) return;
    const detail::VariantTable* const table = table_;
    table->destroy(this);
    table_ = nullptr;
  }
  bool is_empty() const noexcept { return table_ == nullptr; }

  // The value if it is a T, otherwise null. T = void: a value of any type. Defined in tensor/variant.hpp.
  template <class T>
  bool is() const;
  template <class T>
  T* get();
  template <class T>
  const T* get() const;
  // Does it hold a value as it was read, whose type decodes it when asked for? get<T>() is null then.
  bool is_serialized() const { return table_ != nullptr && table_->serialized; }

  // The registered name of the value's type, that of the original for a serialised one; "" when empty.
  std::string TypeName() const { return table_ == nullptr ? std::string() : table_->type_name(value()); }
  // The value's own DebugString() or the value as a string; "?" for a type that has neither.
  std::string SummarizeValue() const { return table_ == nullptr ? "[empty]" : table_->debug_string(value()); }
  std::string DebugString() const { return StrCat("Variant<type: ", TypeName(), " value: ", SummarizeValue(), ">"); }

  // Equal types and, by the == of the type, equal values. Values of a type without == only equal themselves.
  friend bool operator==(const Variant& a, const Variant& b) {
    if (&a == &b || a.table_ == nullptr || b.table_ == nullptr) return a.table_ == b.table_;
    return a.Holds(b.table_) && a.table_->same(a.value(), b.value());
  }

  // For tables of types, registries and serialisers.
  const detail::VariantTable* table() const { return table_; }
  const void* value() const { return const_cast<Variant*>(this)->value(); }
  void* value() {
    if (table_ == nullptr || !table_->on_heap) return bytes_;
    void* heap;
    std::memcpy(&heap, bytes_, sizeof heap);
    return heap;
  }
  bool Holds(const detail::VariantTable* table) const {
    return table_ == table || (table_ != nullptr && !table->cpp_name.empty() && table_->cpp_name == table->cpp_name);
  }

 private:
  template <class T>
  friend struct detail::VariantOf;

  const detail::VariantTable* table_;  // null: empty
  alignas(void*) unsigned char bytes_[kInlineBytes];
};
static_assert(sizeof(Variant) == 64);

TENON_DETAIL_NAMESPACE_END
