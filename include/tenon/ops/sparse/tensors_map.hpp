// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap: sparse tensors kept under numbers
// between nodes and runs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/sparse/batch_rows.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// thread-safe.
class SparseTensorsMap final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::SparseTensorsMap";

  struct Entry {
    SparsePart part;
    SlimVector<std::int64_t> sizes;
  };

  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}
  std::string DebugString() const override { return "A SparseTensorsMap"; }

  std::int64_t Add(Entry entry) {
    const tenon::MutexLock lock(mutex_);
    entries_.try_emplace(next_, std::move(entry));
    return next_++;
  }
  // Moves the entries out, in the order of the numbers. InvalidArgument: no entry has the number; those before it are
  // gone then.
  Status Take(const Tensor& handles, SlimVector<Entry>* taken) {
    const tenon::MutexLock lock(mutex_);
    for (Index i = 0; i < handles.NumElements(); ++i) {
      const std::int64_t handle = handles.data<std::int64_t>()[i];
      const auto at = entries_.find(handle);
      if (at == entries_.end())
        return errors::InvalidArgument("Unable to find SparseTensor: ", handle, " in map: ", name_);
      taken->push_back(std::move(at->second));
      entries_.erase(at);
    }
    return OkStatus();
  }

 private:
  const std::string name_;
  mutable tenon::Mutex mutex_;
  std::int64_t next_ = 0;
  FlatMap<std::int64_t, Entry> entries_;
};

inline Status AddSparseToMapShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, 0));
  c->set_output(0, c->Scalar());
  return OkStatus();
}
inline Status AddManySparseToMapShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, 0));
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}
inline Status TakeManySparseShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  return JoinedSparseShape(c);
}

inline Status FindTensorsMap(const OpKernelContext& context, const ContainerInfo& info, Ref<SparseTensorsMap>* map) {
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  return resources->LookupOrCreate<SparseTensorsMap>(info.container, info.name, map, [&](Ref<SparseTensorsMap>* made) {
    *made = Ref<SparseTensorsMap>::Adopt(new SparseTensorsMap(info.name));
    return OkStatus();
  });
}

inline Status RunAddSparse(OpKernelContext& context, const ContainerInfo& info) {
  constexpr const char* kOp = "AddSparseToTensorsMap";
  const SparseInput x = SparseInputAt(context, 0);
  Ref<SparseTensorsMap> map;
  TENON_RETURN_IF_ERROR(FindTensorsMap(context, info, &map));
  TENON_RETURN_IF_ERROR(CheckSparseRanks(kOp, x));
  TENON_RETURN_IF_ERROR(CheckSparse(kOp, x));
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(kOp, x.sizes(), x.rank(), &shape));
  Tensor* handle = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &handle));
  SparseTensorsMap::Entry entry;
  entry.part = {*x.indices, *x.values};
  for (Index d = 0; d < x.rank(); ++d) entry.sizes.push_back(x.sizes()[d]);
  handle->data<std::int64_t>()[0] = map->Add(std::move(entry));
  return OkStatus();
}

inline Status RunAddManySparse(OpKernelContext& context, const ContainerInfo& info) {
  constexpr const char* kOp = "AddManySparseToTensorsMap";
  const SparseInput x = SparseInputAt(context, 0);
  Ref<SparseTensorsMap> map;
  TENON_RETURN_IF_ERROR(FindTensorsMap(context, info, &map));
  TENON_RETURN_IF_ERROR(CheckBatch(kOp, x));
  const Index rows = x.sizes()[0];
  Tensor* handles = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({rows}), &handles));
  const SparseRows elements = x.rows();
  Index at = 0;
  for (Index row = 0; row < rows; ++row) handles->data<std::int64_t>()[row] = -1;
  // Rows with elements get their numbers first, as in TensorFlow.
  for (const bool empty : {false, true}) {
    for (Index row = 0; row < rows; ++row) {
      if (!empty && at == elements.n) break;
      if (!empty) row = elements.Row(at)[0];
      if (handles->data<std::int64_t>()[row] >= 0) continue;
      SparseTensorsMap::Entry entry;
      TENON_RETURN_IF_ERROR(TakeBatchRow(context, x, row, &at, &entry.part));
      for (Index d = 1; d < x.rank(); ++d) entry.sizes.push_back(x.sizes()[d]);
      handles->data<std::int64_t>()[row] = map->Add(std::move(entry));
    }
  }
  return OkStatus();
}

inline Status RunTakeManySparse(OpKernelContext& context, const ContainerInfo& info) {
  constexpr const char* kOp = "TakeManySparseFromTensorsMap";
  const Tensor& handles = context.input(0);
  const DataType dtype = context.expected_output_dtype(1);
  Ref<SparseTensorsMap> map;
  TENON_RETURN_IF_ERROR(FindTensorsMap(context, info, &map));
  if (handles.dims() != 1)
    return errors::InvalidArgument(kOp, ": sparse_handles should be a vector but received shape ", handles.shape());
  if (handles.NumElements() == 0)
    return errors::InvalidArgument(kOp, ": Must have at least 1 serialized SparseTensor, but input matrix has 0 rows");
  SlimVector<SparseTensorsMap::Entry> entries;
  TENON_RETURN_IF_ERROR(map->Take(handles, &entries));
  SparseBatch in;
  for (SparseTensorsMap::Entry& entry : entries) {
    if (entry.part.values.dtype() != dtype)
      return errors::InvalidArgument(kOp, ": Requested SparseTensor of type ", dtype, " but SparseTensor[",
                                     in.parts.size(), "].values.dtype() == ", entry.part.values.dtype());
    TENON_RETURN_IF_ERROR(
        in.Add(kOp, std::move(entry.part), entry.sizes.data(), static_cast<Index>(entry.sizes.size())));
  }
  return JoinParts(context, in, TensorShape({handles.NumElements()}), false);
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// A sparse tensor  ->  its number in the map
struct AddSparseToTensorsMap {
  static constexpr auto signature = Op("AddSparseToTensorsMap")
                                        .Input("sparse_indices: int64")
                                        .Input("sparse_values: T")
                                        .Input("sparse_shape: int64")
                                        .Output("sparse_handle: int64")
                                        .Attr("T: type")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AddSparseToMapShape);
  static constexpr std::string_view unused[] = {"container", "shared_name"};  // ContainerInfo reads them
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    ContainerInfo info;

    Status Init(OpKernelConstruction& c) {
      TENON_ASSIGN_OR_RETURN(info, ContainerInfo::From(c, true));
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunAddSparse(context.op(), info);
    }
  };
};

// A sparse tensor [n, ...]  ->  [n]: the numbers of its rows
struct AddManySparseToTensorsMap {
  static constexpr auto signature = Op("AddManySparseToTensorsMap")
                                        .Input("sparse_indices: int64")
                                        .Input("sparse_values: T")
                                        .Input("sparse_shape: int64")
                                        .Output("sparse_handles: int64")
                                        .Attr("T: type")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::AddManySparseToMapShape);
  static constexpr std::string_view unused[] = {"container", "shared_name"};  // ContainerInfo reads them
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    ContainerInfo info;

    Status Init(OpKernelConstruction& c) {
      TENON_ASSIGN_OR_RETURN(info, ContainerInfo::From(c, true));
      return ServeOnly(c, c.input_type(1), kPodAndObjectTypes);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunAddManySparse(context.op(), info);
    }
  };
};

// [n] numbers  ->  a sparse tensor [n, the largest sizes]; the map forgets them
struct TakeManySparseFromTensorsMap {
  static constexpr auto signature = Op("TakeManySparseFromTensorsMap")
                                        .Input("sparse_handles: int64")
                                        .Output("sparse_indices: int64")
                                        .Output("sparse_values: dtype")
                                        .Output("sparse_shape: int64")
                                        .Attr("dtype: type")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TakeManySparseShape);
  static constexpr std::string_view unused[] = {"container", "shared_name"};  // ContainerInfo reads them
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    ContainerInfo info;

    Status Init(OpKernelConstruction& c) {
      TENON_ASSIGN_OR_RETURN(info, ContainerInfo::From(c, false));
      return ServeOnly(c, c.output_type(1), kPodAndObjectTypes);
    }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunTakeManySparse(context.op(), info);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
