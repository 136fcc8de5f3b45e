// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScatterUpdate, ScatterAdd, ... and their Resource forms: rows of a variable, named by number, replaced or changed.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/scatter.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct MultiplyBy {
  template <class T>
  static T map(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)  // wraps
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a * b);
  }
};
struct DivideBy {
  template <class T>
  static T map(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
      return b == T(-1) ? static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(a)) : static_cast<T>(a / b);
    else
      return static_cast<T>(a / b);
  }
};

// The change of rows named by number. `divides`: integers must not be divided by zero.
struct RowUpdate {
  CombineFn combine;  // null: the last one stays
  bool divides;
};

inline bool HasZero(const Tensor& t) {
  const std::size_t bytes = static_cast<std::size_t>(SizeOf(t.dtype()));
  const char* at = static_cast<const char*>(t.raw_data());
  for (Index i = 0; i < t.NumElements(); ++i) {
    bool zero = true;
    for (std::size_t b = 0; b < bytes; ++b) zero = zero && at[static_cast<std::size_t>(i) * bytes + b] == 0;
    if (zero) return true;
  }
  return false;
}

// updates is a scalar, or indices.shape + variable.shape[1:].
inline Status CheckRowUpdate(const TensorShape& params, const TensorShape& indices, const TensorShape& updates) {
  if (params.dims() < 1) return errors::InvalidArgument("params must be at least 1-D, got shape ", params);
  bool fits = updates.dims() == 0 || updates.dims() == indices.dims() + params.dims() - 1;
  for (int d = 0; fits && d < updates.dims(); ++d)
    fits = updates.dim_size(d) == (d < indices.dims() ? indices.dim_size(d) : params.dim_size(d - indices.dims() + 1));
  if (fits) return OkStatus();
  return errors::InvalidArgument(
      "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape ", updates,
      ", indices.shape ", indices, ", params.shape ", params);
}

// As TensorFlow has it for handles, unless rows are replaced: each index's part of updates begins with a row and may be
// longer.
inline Status CheckHandleUpdate(const TensorShape& params, const TensorShape& indices, const TensorShape& updates) {
  bool fits =
      params.dims() >= 1 && updates.dims() == indices.dims() + params.dims() - 1 && StartsWith(updates, indices);
  if (fits && params.dim_size(0) > 0)
    fits = updates.num_elements() / indices.num_elements() >= params.num_elements() / params.dim_size(0);
  return fits ? OkStatus() : CheckRowUpdate(params, indices, updates);
}

// Applies one index after the other. As in TensorFlow, the indices before a bad one are applied.
inline Status ScatterRows(OpKernelContext& context, const Tensor& target, const Tensor& indices, const Tensor& updates,
                          const RowUpdate& update) {
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, target, updates.dtype()));
  const TensorShape shape = variable.tensor().shape();
  const bool by_handle = target.dtype() == DataType::kResource;
  if (!by_handle) TENON_RETURN_IF_ERROR(CheckRowUpdate(shape, indices.shape(), updates.shape()));
  if (update.divides && tenon::kIntegerTypes.contains(updates.dtype()) && HasZero(updates))
    return errors::InvalidArgument(context.op_kernel().type_string(), ": Integer division by zero");
  if (indices.NumElements() == 0) return OkStatus();
  if (by_handle)  // TensorFlow writes an update that is too long past its row
    TENON_RETURN_IF_ERROR(
        (update.combine == nullptr ? CheckRowUpdate : CheckHandleUpdate)(shape, indices.shape(), updates.shape()));
  TENON_RETURN_IF_ERROR(variable.MakeWritable(context));
  const ElementMover mover = MoverOf(updates.dtype());
  const HostIndices at(indices.any_view(), indices.dtype());
  const Index rows = shape.dim_size(0);
  const Index run = rows == 0 ? 0 : shape.num_elements() / rows;
  const Index step = updates.NumElements() / indices.NumElements();  // from one index's updates to the next one's
  Tensor repeated;
  if (updates.dims() == 0 && run > 0) {
    TENON_RETURN_IF_ERROR(context.allocate_temp(updates.dtype(), TensorShape({run}), &repeated));
    FillRun(mover, updates.raw_data(), repeated.raw_data(), run);
  }
  for (Index i = 0; i < at.size(); ++i) {
    const Index row = at[i];
    if (row < 0 || row >= rows)
      return errors::InvalidArgument("indices", PlaceText(indices.shape(), i), " = ", row, " is not in [0, ", rows,
                                     ")");
    const void* from = updates.dims() == 0 ? repeated.raw_data() : mover.At(updates.raw_data(), i * step);
    void* to = mover.At(variable.tensor().raw_data(), row * run);
    if (update.combine == nullptr)
      CopyRun(mover, from, to, run);
    else
      update.combine(from, to, run);
  }
  return OkStatus();
}

inline Status RowUpdateShape(InferenceContext* c, ShapeHandle params) {
  ShapeHandle rest, wanted, unused;
  TENON_RETURN_IF_ERROR(c->Subshape(params, 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(1), rest, &wanted));
  if (!c->RankKnown(c->input(2)) || c->Rank(c->input(2)) != 0)
    TENON_RETURN_IF_ERROR(c->Merge(c->input(2), wanted, &unused));
  return OkStatus();
}
inline Status RefScatterShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(RowUpdateShape(c, c->input(0)));
  c->set_output(0, c->input(0));
  return OkStatus();
}
inline Status HandleScatterShape(InferenceContext* c) {
  ShapeAndType held;
  TENON_RETURN_IF_ERROR(HeldByHandle(c, 0, "dtype", &held));
  return RowUpdateShape(c, held.shape);
}

inline constexpr std::string_view kScatterMinMaxTypes = "T: {half, bfloat16, float, double, int32, int64}";

constexpr auto RefScatter(std::string_view name, std::string_view types, std::string_view use_locking) {
  return Op(name)
      .Input("ref: Ref(T)")
      .Input("indices: Tindices")
      .Input("updates: T")
      .Output("output_ref: Ref(T)")
      .Attr(types)
      .Attr("Tindices: {int32, int64}")
      .Attr(use_locking)
      .SetShapeFn(RefScatterShape);
}
constexpr auto HandleScatter(std::string_view name, std::string_view types) {
  return Op(name)
      .Input("resource: resource")
      .Input("indices: Tindices")
      .Input("updates: dtype")
      .Attr(types)
      .Attr("Tindices: {int32, int64}")
      .SetIsStateful()
      .SetShapeFn(HandleScatterShape);
}

// The change of a row, by name. Both forms of an op share one table.
template <class Combine, class List>
struct RowOp {
  static constexpr DataTypeSet kServed = dtypes_of<List>::value;
  static RowUpdate For(DataType type) { return {CombineFor<Combine, List>(type), std::is_same_v<Combine, DivideBy>}; }
};
struct ReplaceRows {
  static constexpr DataTypeSet kServed = kPodAndObjectTypes;
  static RowUpdate For(DataType) { return {nullptr, false}; }
};
struct ReplaceRowsByHandle {
  static constexpr DataTypeSet kServed = kPodAndStringTypes | ToSet(DataType::kVariant);
  static RowUpdate For(DataType) { return {nullptr, false}; }
};

template <class Row, class Device>
  requires(Device::type == "CPU")
struct RefScatterKernel {
  Status Init(OpKernelConstruction& c) {
    update = Row::For(c.input_type(2));
    return ServeOnly(c, c.input_type(2), Row::kServed);
  }
  Status operator()(Context<Device>& context, const Tensor& ref, const Tensor& indices, const Tensor& updates,
                    Tensor& output) const {
    TENON_RETURN_IF_ERROR(ScatterRows(context.op(), ref, indices, updates, update));
    output = ref;
    return OkStatus();
  }
  RowUpdate update{};
};
template <class Row, class Device>
  requires(Device::type == "CPU")
struct HandleScatterKernel {
  Status Init(OpKernelConstruction& c) {
    update = Row::For(c.input_type(2));
    return ServeOnly(c, c.input_type(2), Row::kServed);
  }
  Status operator()(Context<Device>& context, const Tensor& resource, const Tensor& indices,
                    const Tensor& updates) const {
    return ScatterRows(context.op(), resource, indices, updates, update);
  }
  RowUpdate update{};
};

using AddRows = RowOp<AddTo, ScatterNumbers>;
using SubtractRows = RowOp<SubtractFrom, ScatterNumbers>;
using MultiplyRows = RowOp<MultiplyBy, ScatterNumbers>;
using DivideRows = RowOp<DivideBy, ScatterNumbers>;
using MinimumOfRows = RowOp<LesserOf, ScatterReals>;
using MaximumOfRows = RowOp<GreaterOf, ScatterReals>;

}  // namespace detail

struct ScatterUpdate {
  static constexpr auto signature = detail::RefScatter("ScatterUpdate", "T: type", "use_locking: bool = true");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::ReplaceRows, Device>;
};
struct ResourceScatterUpdate {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterUpdate", "dtype: type");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::ReplaceRowsByHandle, Device>;
};

struct ScatterAdd {
  static constexpr auto signature = detail::RefScatter("ScatterAdd", "T: numbertype", "use_locking: bool = false");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::AddRows, Device>;
};
struct ResourceScatterAdd {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterAdd", "dtype: numbertype");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::AddRows, Device>;
};

struct ScatterSub {
  static constexpr auto signature = detail::RefScatter("ScatterSub", "T: numbertype", "use_locking: bool = false");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::SubtractRows, Device>;
};
struct ResourceScatterSub {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterSub", "dtype: numbertype");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::SubtractRows, Device>;
};

struct ScatterMul {
  static constexpr auto signature = detail::RefScatter("ScatterMul", "T: numbertype", "use_locking: bool = false");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::MultiplyRows, Device>;
};
struct ResourceScatterMul {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterMul", "dtype: numbertype");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::MultiplyRows, Device>;
};

struct ScatterDiv {
  static constexpr auto signature = detail::RefScatter("ScatterDiv", "T: numbertype", "use_locking: bool = false");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::DivideRows, Device>;
};
struct ResourceScatterDiv {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterDiv", "dtype: numbertype");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::DivideRows, Device>;
};

struct ScatterMin {
  static constexpr auto signature =
      detail::RefScatter("ScatterMin", detail::kScatterMinMaxTypes, "use_locking: bool = false");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::MinimumOfRows, Device>;
};
struct ResourceScatterMin {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterMin", "dtype: numbertype");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::MinimumOfRows, Device>;
};

struct ScatterMax {
  static constexpr auto signature =
      detail::RefScatter("ScatterMax", detail::kScatterMinMaxTypes, "use_locking: bool = false");
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterKernel<detail::MaximumOfRows, Device>;
};
struct ResourceScatterMax {
  static constexpr auto signature = detail::HandleScatter("ResourceScatterMax", "dtype: numbertype");
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterKernel<detail::MaximumOfRows, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
