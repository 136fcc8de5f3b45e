// SPDX-License-Identifier: Apache-2.0
#pragma once
// Handles of shape inference: a dimension or a shape of one context, known or not. Values that cost nothing to copy.

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// One size: known, or unknown but with an identity. Belongs to the context that made it. Value type, one word.
class DimensionHandle {
 public:
  constexpr DimensionHandle() = default;

  constexpr bool IsSet() const { return rep_ != kUnset; }
  constexpr bool Handle() const { return IsSet(); }
  // Known to be equal: the same number, or the same unknown.
  constexpr bool SameHandle(DimensionHandle other) const { return rep_ == other.rep_; }

 private:
  friend class ShapeArena;
  static constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::min();
  constexpr explicit DimensionHandle(std::int64_t rep) : rep_(rep) {}

  std::int64_t rep_ = kUnset;  // >= 0: the size; -2 - n: unknown number n
};

// One shape of a context. Value type.
class ShapeHandle {
 public:
  constexpr ShapeHandle() = default;

  constexpr bool IsSet() const { return id_ != 0; }
  constexpr bool Handle() const { return IsSet(); }
  constexpr bool SameHandle(ShapeHandle other) const { return id_ == other.id_; }

 private:
  friend class ShapeArena;
  constexpr ShapeHandle(std::uint32_t id, std::int32_t rank, std::uint32_t begin)
      : id_(id), rank_(rank), begin_(begin) {}

  std::uint32_t id_ = 0;  // 0: unset
  std::int32_t rank_ = -1;  // -1: unknown
  std::uint32_t begin_ = 0;  // the number of its first size in the context
};

// A handle or a number, -1 for unknown: c->Matrix(c->Dim(a, 0), 3).
struct DimensionOrConstant {
  constexpr DimensionOrConstant(DimensionHandle handle) : dim(handle) {}
  template <class Int>
    requires std::is_integral_v<Int>
  constexpr DimensionOrConstant(Int value) : val(static_cast<std::int64_t>(value)) {}

  DimensionHandle dim;
  std::int64_t val = -1;
};

// The contents of a resource or variant.
struct ShapeAndType {
  ShapeHandle shape;
  DataType dtype = DataType::kInvalid;
};
// The known contents behind each of several handles, by number.
class HeldShapes {
 public:
  // Null where nothing is known.
  constexpr const SlimVector<ShapeAndType>* Find(int i) const {
    for (const Entry& entry : all_)
      if (entry.index == i) return &entry.held;
    return nullptr;
  }
  constexpr void Set(int i, const SlimVector<ShapeAndType>& held) {
    for (Entry& entry : all_)
      if (entry.index == i) {
        entry.held = held;
        return;
      }
    all_.push_back({i, held});
  }
  constexpr void clear() { all_.clear(); }

 private:
  struct Entry {
    using in_constant_expressions = void;  // of SlimVector
    int index;
    SlimVector<ShapeAndType> held;
  };
  SlimVector<Entry> all_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
