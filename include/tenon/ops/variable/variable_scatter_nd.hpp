// SPDX-License-Identifier: Apache-2.0
#pragma once
// ScatterNdUpdate, ScatterNdAdd, ... and their Resource forms: parts of a variable, named by index vectors.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/array/scatter.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// One part after the other; all those with good index vectors have been worked off when it fails, as in TensorFlow.
inline Status ScatterParts(OpKernelContext& context, const Tensor& target, const Tensor& indices, const Tensor& updates,
                           std::string_view policy, CombineFn combine) {
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, target, updates.dtype()));
  const TensorShape shape = variable.tensor().shape();
  TENON_RETURN_IF_ERROR(CheckScatter(shape, indices.shape(), updates.shape()));
  if (indices.NumElements() == 0 || updates.NumElements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(variable.MakeWritable(context));
  const HostIndices at(indices.any_view(), indices.dtype());
  const Index depth = indices.dim_size(indices.dims() - 1), count = indices.NumElements() / depth;
  SlimVector<Index> places(static_cast<std::size_t>(count), 0);
  const Index bad = FindPlaces(at, shape.dim_sizes().first(static_cast<std::size_t>(depth)), &places);
  const ElementMover mover = MoverOf(updates.dtype());
  const Index run = updates.NumElements() / count;
  for (Index i = 0; i < count; ++i) {
    const Index place = places[static_cast<std::size_t>(i)];
    if (place < 0) continue;
    const void* from = mover.At(updates.raw_data(), i * run);
    void* to = mover.At(variable.tensor().raw_data(), place * run);
    if (combine == nullptr)
      CopyRun(mover, from, to, run);
    else
      combine(from, to, run);
  }
  if (bad < 0 || policy == "IGNORE") return OkStatus();
  std::string index;
  for (Index d = 0; d < depth; ++d) StrAppend(&index, d == 0 ? "" : ", ", at[bad * depth + d]);
  return errors::InvalidArgument("indices[", bad, "] = [", index, "] does not index into shape ", shape);
}

inline Status VariableScatterNdShape(InferenceContext* c) {
  ShapeHandle indices, updates;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(2), 1, &updates));
  return ScatterShape(c, VariableShapeOf(c, 0), indices, updates);
}

constexpr auto RefScatterNd(std::string_view name, std::string_view types, std::string_view use_locking) {
  return Op(name)
      .Input("ref: Ref(T)")
      .Input("indices: Tindices")
      .Input("updates: T")
      .Output("output_ref: Ref(T)")
      .Attr(types)
      .Attr("Tindices: {int32, int64}")
      .Attr(use_locking)
      .Attr("bad_indices_policy: string = ''")
      .SetShapeFn(VariableScatterNdShape);
}
constexpr auto HandleScatterNd(std::string_view name) {
  return Op(name)
      .Input("ref: resource")
      .Input("indices: Tindices")
      .Input("updates: T")
      .Attr("T: type")
      .Attr("Tindices: {int32, int64}")
      .Attr("use_locking: bool = true")
      .Attr("bad_indices_policy: string = ''")
      .SetIsStateful()
      .SetShapeFn(VariableScatterNdShape);
}

struct ScatterNdAttrs {
  std::string_view bad_indices_policy;
};

using ScatterNumbersAndBool =
    TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t, bfloat16,
             std::uint16_t, half, std::uint32_t, std::uint64_t, complex64, complex128, bool>;

template <class Combine, class List>
struct PartsCombiner {
  static constexpr DataTypeSet kServed = dtypes_of<List>::value;
  static CombineFn For(DataType type) { return CombineFor<Combine, List>(type); }
};
struct ReplaceParts {
  static constexpr DataTypeSet kServed = kPodAndStringTypes;
  static CombineFn For(DataType) { return nullptr; }
};

template <class Op, class Part, class Device>
  requires(Device::type == "CPU")
struct RefScatterNdKernel : Op::Attrs {
  Status Init(OpKernelConstruction& c) {
    combine = Part::For(c.input_type(2));
    return ServeScatter(c, c.input_type(1), c.input_type(2), Part::kServed, this->bad_indices_policy);
  }
  Status operator()(Context<Device>& context, const Tensor& ref, const Tensor& indices, const Tensor& updates,
                    Tensor& output) const {
    TENON_RETURN_IF_ERROR(ScatterParts(context.op(), ref, indices, updates, this->bad_indices_policy, combine));
    output = ref;
    return OkStatus();
  }
  CombineFn combine = nullptr;
};
template <class Op, class Part, class Device>
  requires(Device::type == "CPU")
struct HandleScatterNdKernel : Op::Attrs {
  Status Init(OpKernelConstruction& c) {
    combine = Part::For(c.input_type(2));
    return ServeScatter(c, c.input_type(1), c.input_type(2), Part::kServed, this->bad_indices_policy);
  }
  Status operator()(Context<Device>& context, const Tensor& resource, const Tensor& indices,
                    const Tensor& updates) const {
    return ScatterParts(context.op(), resource, indices, updates, this->bad_indices_policy, combine);
  }
  CombineFn combine = nullptr;
};

using AddParts = PartsCombiner<AddTo, ScatterNumbersAndBool>;
using SubtractParts = PartsCombiner<SubtractFrom, ScatterNumbersAndBool>;
using MinimumOfParts = PartsCombiner<LesserOf, ScatterReals>;
using MaximumOfParts = PartsCombiner<GreaterOf, ScatterReals>;

}  // namespace detail

struct ScatterNdUpdate {
  static constexpr auto signature = detail::RefScatterNd("ScatterNdUpdate", "T: type", "use_locking: bool = true");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterNdKernel<ScatterNdUpdate, detail::ReplaceParts, Device>;
};
struct ResourceScatterNdUpdate {
  static constexpr auto signature = detail::HandleScatterNd("ResourceScatterNdUpdate");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterNdKernel<ResourceScatterNdUpdate, detail::ReplaceParts, Device>;
};

struct ScatterNdAdd {
  static constexpr auto signature = detail::RefScatterNd("ScatterNdAdd", "T: numbertype", "use_locking: bool = false");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterNdKernel<ScatterNdAdd, detail::AddParts, Device>;
};
struct ResourceScatterNdAdd {
  static constexpr auto signature = detail::HandleScatterNd("ResourceScatterNdAdd");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterNdKernel<ResourceScatterNdAdd, detail::AddParts, Device>;
};

struct ScatterNdSub {
  static constexpr auto signature = detail::RefScatterNd("ScatterNdSub", "T: numbertype", "use_locking: bool = false");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterNdKernel<ScatterNdSub, detail::SubtractParts, Device>;
};
struct ResourceScatterNdSub {
  static constexpr auto signature = detail::HandleScatterNd("ResourceScatterNdSub");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterNdKernel<ResourceScatterNdSub, detail::SubtractParts, Device>;
};

struct ScatterNdMin {
  static constexpr auto signature = detail::RefScatterNd("ScatterNdMin", "T: numbertype", "use_locking: bool = false");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterNdKernel<ScatterNdMin, detail::MinimumOfParts, Device>;
};
struct ResourceScatterNdMin {
  static constexpr auto signature = detail::HandleScatterNd("ResourceScatterNdMin");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterNdKernel<ResourceScatterNdMin, detail::MinimumOfParts, Device>;
};

struct ScatterNdMax {
  static constexpr auto signature = detail::RefScatterNd("ScatterNdMax", "T: numbertype", "use_locking: bool = false");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::RefScatterNdKernel<ScatterNdMax, detail::MaximumOfParts, Device>;
};
struct ResourceScatterNdMax {
  static constexpr auto signature = detail::HandleScatterNd("ResourceScatterNdMax");
  using Attrs = detail::ScatterNdAttrs;
  static constexpr std::string_view unused[] = {"use_locking"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = detail::HandleScatterNdKernel<ResourceScatterNdMax, detail::MaximumOfParts, Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
