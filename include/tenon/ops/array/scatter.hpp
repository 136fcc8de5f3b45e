// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScatterNd and the TensorScatter ops: slices written, added, ... to the positions that index vectors name.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/array/places.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// to[i] = to[i] op from[i], i in [0, n).
using CombineFn = void (*)(const void* from, void* to, Index n);

struct AddTo {
  template <class T>
  static T map(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (std::is_same_v<T, tstring>)
      return tstring(StrCat(std::string_view(a), std::string_view(b)));
    else if constexpr (std::is_integral_v<T>)  // wraps
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a + b);
  }
};
struct SubtractFrom {
  template <class T>
  static T map(const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    else
      return static_cast<T>(a - b);
  }
};
struct LesserOf {
  template <class T>
  static T map(const T& a, const T& b) {
    return b < a ? b : a;
  }
};
struct GreaterOf {
  template <class T>
  static T map(const T& a, const T& b) {
    return a < b ? b : a;
  }
};

template <class Combine, class T>
void CombineRun(const void* from, void* to, Index n) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (Index i = 0; i < n; ++i) out[i] = Combine::map(out[i], in[i]);
}

using ScatterReals = TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t,
                              bfloat16, std::uint16_t, half, std::uint32_t, std::uint64_t>;
using ScatterNumbers = TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t,
                                bfloat16, std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128>;
using ScatterAddable =
    TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t, bfloat16,
             std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128, bool, tstring>;

template <class Combine, class List>
CombineFn CombineFor(DataType type) {
  CombineFn fn = nullptr;
  (void)DispatchType<List>(type, [&]<class T>() { fn = &CombineRun<Combine, T>; });
  return fn;
}

using shape_inference::ScatterNdShape;
using shape_inference::ScatterShape;
using shape_inference::TensorScatterShape;

// Checks the shapes: every vector of indices names a slice of `target`, updates has one slice for each vector.
inline Status CheckScatter(const TensorShape& target, const TensorShape& indices, const TensorShape& updates) {
  constexpr Index kMaxDepth = 7;
  if (indices.dims() < 1)
    return errors::InvalidArgument("Scatter: Indices shape must have rank at least one. Found:", indices);
  if (updates.dims() < 1)
    return errors::InvalidArgument("Scatter: Updates shape must have rank at least one. Found:", updates);
  if (indices.num_elements() == 0 && updates.num_elements() == 0 && indices.dims() > 1) {
    // nothing to do; the sizes must fit all the same
  } else if (target.num_elements() == 0 || indices.num_elements() == 0 || updates.num_elements() == 0) {
    return errors::InvalidArgument("Scatter: Indices and updates specified for empty output shape: indices ", indices,
                                   ", updates ", updates, ", output ", target);
  }
  const bool is_vector = indices.dims() == 1;  // one number for each update, as in TensorFlow
  const int outer = is_vector ? 1 : indices.dims() - 1;
  const Index depth = is_vector ? 1 : indices.dim_size(outer);
  for (int d = 0; d < outer; ++d)
    if (d >= updates.dims() || indices.dim_size(d) != updates.dim_size(d))
      return errors::InvalidArgument("Scatter: Dimensions [0,", outer, ") of indices[shape=", indices,
                                     "] must match dimensions [0,", outer, ") of updates[shape=", updates,
                                     "]: Outer dimensions of indices and update must match.");
  bool inner = updates.dims() - outer == target.dims() - depth &&
               (!is_vector || updates.dims() == target.dims() - indices.dim_size(0));
  for (int d = outer; inner && d < updates.dims(); ++d)
    inner = updates.dim_size(d) == target.dim_size(static_cast<int>(depth) + d - outer);
  if (!inner)
    return errors::InvalidArgument(
        "Scatter: Inner dimensions of output shape must match inner dimensions of updates "
        "shape. Output: ",
        target, " updates: ", updates);
  if (depth > kMaxDepth)
    return errors::InvalidArgument("Scatter: Only indices.shape[-1] values between 1 and ", kMaxDepth,
                                   " are currently supported.  Requested rank: ", depth);
  return OkStatus();
}

// Applies the updates one after the other; `combine` null: the last one stays.
inline Status ApplyUpdates(const Tensor& indices, const Tensor& updates, std::string_view policy, CombineFn combine,
                           Tensor* output) {
  if (indices.NumElements() == 0 || updates.NumElements() == 0) return OkStatus();
  const HostIndices at(indices.any_view(), indices.dtype());
  const Index depth = indices.dim_size(indices.dims() - 1), count = indices.NumElements() / depth;
  SlimVector<Index> places(static_cast<std::size_t>(count), 0);
  const Index bad = FindPlaces(at, output->shape().dim_sizes().first(static_cast<std::size_t>(depth)), &places);
  if (bad >= 0 && policy != "IGNORE") {
    std::string index;
    for (Index d = 0; d < depth; ++d) StrAppend(&index, d == 0 ? "" : ", ", at[bad * depth + d]);
    return errors::InvalidArgument("Scatter: indices[", bad, "] = [", index, "] does not index into shape ",
                                   output->shape());
  }
  const ElementMover mover = MoverOf(updates.dtype());
  const Index run = updates.NumElements() / count;
  for (Index i = 0; i < count; ++i) {
    const Index place = places[static_cast<std::size_t>(i)];
    if (place < 0) continue;
    const void* from = mover.At(updates.raw_data(), i * run);
    void* to = mover.At(output->raw_data(), place * run);
    if (combine == nullptr)
      CopyRun(mover, from, to, run);
    else
      combine(from, to, run);
  }
  return OkStatus();
}

inline Status CheckPolicy(std::string_view policy) {
  if (policy == "" || policy == "DEFAULT" || policy == "ERROR" || policy == "IGNORE") return OkStatus();
  return errors::InvalidArgument("Unknown bad indices handling attribute: ", policy,
                                 "; there are '', 'DEFAULT', 'ERROR' and 'IGNORE'");
}
// TensorFlow's kernels take int32 and int64 indices only.
inline Status ServeScatter(const OpKernelConstruction& c, DataType indices, DataType elements, DataTypeSet served,
                           std::string_view policy) {
  TENON_RETURN_IF_ERROR(ServeOnly(c, indices, ToSet(DataType::kInt32) | ToSet(DataType::kInt64)));
  TENON_RETURN_IF_ERROR(ServeOnly(c, elements, served));
  return CheckPolicy(policy);
}

inline Status RunTensorScatter(OpKernelContext& context, Cpu& device, const Tensor& tensor, const Tensor& indices,
                               const Tensor& updates, std::string_view policy, CombineFn combine, Tensor* output) {
  TENON_RETURN_IF_ERROR(CheckScatter(tensor.shape(), indices.shape(), updates.shape()));
  const void* before = tensor.raw_data();
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, tensor.shape(), &output));
  if (output->raw_data() != before)
    Copy(device, MoverOf(tensor.dtype()), before, output->raw_data(), tensor.NumElements());
  return ApplyUpdates(indices, updates, policy, combine, output);
}

// The kernel of all TensorScatter ops.
template <class Op, class Device>
  requires(Device::type == "CPU")
struct TensorScatterKernel : Op::Attrs {
  Status Init(OpKernelConstruction& c) {
    combine = Op::Combine(c.input_type(0));
    return ServeScatter(c, c.input_type(1), c.input_type(0), Op::kServed, this->bad_indices_policy);
  }
  Status operator()(Context<Device>& context, const Tensor& tensor, const Tensor& indices, const Tensor& updates,
                    Tensor& output) const {
    return RunTensorScatter(context.op(), context.device(), tensor, indices, updates, this->bad_indices_policy, combine,
                            &output);
  }
  CombineFn combine = nullptr;
};

}  // namespace detail

// Zeros of `shape` with the updates added. Updates of one position add up (strings are joined, bools are or-ed).
struct ScatterNd {
  static constexpr auto signature = Op("ScatterNd")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Input("shape: Tindices")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int16, int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::ScatterNdShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      combine = detail::CombineFor<detail::AddTo, detail::ScatterAddable>(c.input_type(1));
      return detail::ServeScatter(c, c.input_type(0), c.input_type(1), kPodAndStringTypes, this->bad_indices_policy);
    }
    Status operator()(Context<Device>& context, const Tensor& indices, const Tensor& updates, HostIndices shape,
                      Tensor& output) const {
      if (shape.shape().dims() != 1)
        return errors::InvalidArgument("ScatterNd: Shape must be a vector, not shape ", shape.shape());
      InlinedVector<Index, 8> sizes;
      for (Index d = 0; d < shape.size(); ++d) sizes.push_back(shape[d]);
      TensorShape target;
      TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &target));
      TENON_RETURN_IF_ERROR(detail::CheckScatter(target, indices.shape(), updates.shape()));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, target, &out));
      Zero(context.device(), MoverOf(updates.dtype()), out->raw_data(), out->NumElements());
      return detail::ApplyUpdates(indices, updates, this->bad_indices_policy, combine, out);
    }
    detail::CombineFn combine = nullptr;
  };
};

// The tensor with slices replaced. The last of several updates of one position stays.
struct TensorScatterUpdate {
  static constexpr auto signature = Op("TensorScatterUpdate")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int16, int32, int64, uint16}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes;
  static detail::CombineFn Combine(DataType) { return nullptr; }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterUpdate, Device>;
};

// The tensor with slices added to it.
struct TensorScatterAdd {
  static constexpr auto signature = Op("TensorScatterAdd")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterNumbers>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::AddTo, detail::ScatterNumbers>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterAdd, Device>;
};

// The tensor with slices subtracted from it.
struct TensorScatterSub {
  static constexpr auto signature = Op("TensorScatterSub")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterNumbers>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::SubtractFrom, detail::ScatterNumbers>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterSub, Device>;
};

// The tensor with the greater of an element and its update.
struct TensorScatterMax {
  static constexpr auto signature = Op("TensorScatterMax")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterReals>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::GreaterOf, detail::ScatterReals>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterMax, Device>;
};

// The tensor with the lesser of an element and its update.
struct TensorScatterMin {
  static constexpr auto signature = Op("TensorScatterMin")
                                        .Input("tensor: T")
                                        .Input("indices: Tindices")
                                        .Input("updates: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .Attr("bad_indices_policy: string = ''")
                                        .SetShapeFn(detail::TensorScatterShape);

  struct Attrs {
    std::string_view bad_indices_policy;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = dtypes_of<detail::ScatterReals>::value;
  static detail::CombineFn Combine(DataType type) {
    return detail::CombineFor<detail::LesserOf, detail::ScatterReals>(type);
  }

  template <class Device>
  using kernel = detail::TensorScatterKernel<TensorScatterMin, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
