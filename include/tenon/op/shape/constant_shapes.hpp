// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shapes that an attr names where it is a constant - given to a static_assert, or the default in an op's signature
// - as handles. At run time and in constant expressions.

#include <cstddef>
#include <cstdint>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/op/shape/shape_arena.hpp>
#include <tenon/op/shape/shape_handles.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/static_shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Appends the shapes of a constant. False for an attr of another kind. The one shape of an attr that is no list may
// also be given as a list of integers.
constexpr bool ShapesOf(const StaticAttr& attr, bool is_list, ShapeArena* arena, SlimVector<ShapeHandle>* out) {
  const Span<const std::int64_t> numbers(attr.numbers, StaticAttr::kMaxNumbers);
  if (!is_list && attr.is_list && attr.kind == AttrKind::kInt)
    return out->push_back(arena->MakeShape(numbers.first(attr.list_size))), true;
  if (attr.is_list != is_list || attr.kind != AttrKind::kShape) return false;
  std::size_t at = 0;
  for (std::size_t i = 0; i < attr.list_size; ++i) {
    const auto rank = static_cast<std::size_t>(attr.ranks[i] < 0 ? 0 : attr.ranks[i]);
    out->push_back(attr.ranks[i] < 0 ? arena->UnknownShape() : arena->MakeShape(numbers.subspan(at, rank)));
    at += rank;
  }
  return true;
}

// Appends the shapes of an attr's default. False for an attr of another kind, and for shapes that cannot exist.
constexpr bool DefaultShapesOf(const AttrSpec& attr, bool is_list, ShapeArena* arena, SlimVector<ShapeHandle>* out) {
  if (attr.kind != AttrKind::kShape || attr.is_list != is_list) return false;
  DefaultReader defaults(attr);
  for (SpecValue value; defaults.Next(&value);) {
    SlimVector<std::int64_t> sizes;
    SlimVector<DimensionHandle> dims;
    bool unknown_rank = false;
    if (!ReadShapeText(value.text, &sizes, &unknown_rank)) return false;
    if (sizes.size() > static_cast<std::size_t>(kMaxTensorRank)) return false;
    for (const std::int64_t size : sizes) {
      if (size < -1) return false;
      dims.push_back(arena->MakeDim(size));
    }
    out->push_back(unknown_rank ? arena->UnknownShape() : arena->MakeShape(dims));
  }
  return is_list || out->size() == 1;
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
