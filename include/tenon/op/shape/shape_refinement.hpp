// SPDX-License-Identifier: Apache-2.0
#pragma once
// Changes that an analysis of a whole graph makes to contexts between runs of shape functions. Inputs become better
// known, or less well known where a loop shows that a guess was too good. In TensorFlow, InferenceContext has these
// functions as members.

#include <cstddef>
#include <cstdint>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Returns `older` where nothing is lost, `newer` where that knows less, otherwise a new unknown. Forgets the merges
// where it does not return `older`.
inline DimensionHandle Relax(InferenceContext* c, DimensionHandle older, DimensionHandle newer) {
  if (older.SameHandle(newer)) return older;
  const bool newer_is_known = c->ValueKnown(newer);
  if (newer_is_known && c->ValueKnown(older) && c->Value(older) == c->Value(newer)) return older;
  c->ForgetMerges();
  return newer_is_known ? c->UnknownDim() : newer;
}
inline ShapeHandle Relax(InferenceContext* c, ShapeHandle older, ShapeHandle newer) {
  if (older.SameHandle(newer)) return older;
  if (!c->RankKnown(newer) || c->Rank(older) != c->Rank(newer)) {
    c->ForgetMerges();
    return c->RankKnown(newer) ? c->UnknownShape() : newer;
  }
  SlimVector<DimensionHandle> dims;
  bool is_older = true, is_newer = true;
  for (std::int32_t i = 0; i < c->Rank(older); ++i) {
    dims.push_back(Relax(c, c->Dim(older, i), c->Dim(newer, i)));
    is_older = is_older && dims.back().SameHandle(c->Dim(older, i));
    is_newer = is_newer && dims.back().SameHandle(c->Dim(newer, i));
  }
  if (is_older) return older;
  return is_newer ? newer : c->MakeShape(dims);
}
// Relax for shapes that live longer than a context.
inline PartialTensorShape Relax(const PartialTensorShape& older, const PartialTensorShape& newer) {
  InferenceContext c;
  ShapeHandle a, b;
  PartialTensorShape relaxed;
  const bool possible = c.MakeShapeFromPartialTensorShape(older, &a).ok() &&
                        c.MakeShapeFromPartialTensorShape(newer, &b).ok() &&
                        c.ToPartialTensorShape(Relax(&c, a, b), &relaxed).ok();
  return possible ? relaxed : PartialTensorShape();
}

// Input i is known to have this shape, too. True if that says more than was known; false also where it contradicts.
inline bool MergeInput(InferenceContext* c, int i, ShapeHandle shape) {
  ShapeHandle merged;
  if (!c->Merge(c->input(i), shape, &merged).ok() || merged.SameHandle(c->input(i))) return false;
  c->set_input(i, merged);
  return true;
}
// Input i may have this shape, too. True if less is known now.
inline bool RelaxInput(InferenceContext* c, int i, ShapeHandle shape) {
  const ShapeHandle relaxed = Relax(c, c->input(i), shape);
  if (relaxed.SameHandle(c->input(i))) return false;
  c->set_input(i, relaxed);
  return true;
}

namespace detail {
// *to := `known` with the facts of `more`, shape by shape; `combine(older, newer)` is a shape. False, and nothing
// changed, when the numbers or the types differ, or nothing is new.
template <class Combine>
bool CombineHeld(const SlimVector<ShapeAndType>* known, const SlimVector<ShapeAndType>& more, Combine combine,
                 SlimVector<ShapeAndType>* to) {
  if (known != nullptr && known->size() != more.size()) return false;
  *to = known != nullptr ? *known : SlimVector<ShapeAndType>(more.size());
  bool changed = false;
  for (std::size_t i = 0; i < more.size(); ++i) {
    ShapeAndType& one = (*to)[i];
    if (one.dtype == more[i].dtype) {
      // as it is
    } else if (one.dtype == DataType::kInvalid) {
      one.dtype = more[i].dtype;
      changed = true;
    } else {
      return false;
    }
    const ShapeHandle combined = combine(one.shape, more[i].shape);
    if (!combined.IsSet() || combined.SameHandle(one.shape)) continue;
    one.shape = combined;
    changed = true;
  }
  return changed;
}
inline auto MergeOf(InferenceContext* c) {
  return [c](ShapeHandle older, ShapeHandle newer) {
    ShapeHandle merged;
    (void)c->Merge(older, newer, &merged);  // unset when they contradict
    return merged;
  };
}
inline auto RelaxOf(InferenceContext* c) {
  return [c](ShapeHandle older, ShapeHandle newer) { return Relax(c, older, newer); };
}
}  // namespace detail

// Merges and relaxes the contents of the resource behind an input or output. A resource without known contents starts
// as unknown.
inline bool MergeInputHandleShapesAndTypes(InferenceContext* c, int i, const SlimVector<ShapeAndType>& more) {
  SlimVector<ShapeAndType> held;
  if (!detail::CombineHeld(c->input_handle_shapes_and_types(i), more, detail::MergeOf(c), &held)) return false;
  c->set_input_handle_shapes_and_types(i, held);
  return true;
}
inline bool MergeOutputHandleShapesAndTypes(InferenceContext* c, int i, const SlimVector<ShapeAndType>& more) {
  SlimVector<ShapeAndType> held;
  if (!detail::CombineHeld(c->output_handle_shapes_and_types(i), more, detail::MergeOf(c), &held)) return false;
  c->set_output_handle_shapes_and_types(i, held);
  return true;
}
inline bool RelaxInputHandleShapesAndMergeTypes(InferenceContext* c, int i, const SlimVector<ShapeAndType>& more) {
  SlimVector<ShapeAndType> held;
  if (!detail::CombineHeld(c->input_handle_shapes_and_types(i), more, detail::RelaxOf(c), &held)) return false;
  c->set_input_handle_shapes_and_types(i, held);
  return true;
}
inline bool RelaxOutputHandleShapesAndMergeTypes(InferenceContext* c, int i, const SlimVector<ShapeAndType>& more) {
  SlimVector<ShapeAndType> held;
  if (!detail::CombineHeld(c->output_handle_shapes_and_types(i), more, detail::RelaxOf(c), &held)) return false;
  c->set_output_handle_shapes_and_types(i, held);
  return true;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
