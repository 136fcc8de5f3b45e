// SPDX-License-Identifier: Apache-2.0
#pragma once
// MapStage, MapUnstage, MapUnstageNoKey, MapPeek, MapSize, MapIncompleteSize, MapClear and the OrderedMap forms:
// tuples of tensors by key on their way from one run to another. Ops that have to wait do so without a thread.

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/queue/map_stage_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The members that all kernels here keep.
template <bool kOrdered>
struct MapStageKernel : StagingAttrs {
  Status Init(OpKernelConstruction& c) {
    std::span<const DataType> dtypes;
    TENON_RETURN_IF_ERROR(c.GetAttr("dtypes", &dtypes));
    width = static_cast<Index>(dtypes.size());
    return place.Read(c);
  }
  Status Open(const OpKernelContext& context, Ref<StagingMap<kOrdered>>* map) const {
    return place.Open(context, *this, width, map);
  }
  StagingPlace<StagingMap<kOrdered>> place;
  Index width = 0;  // tensors in a tuple
};

}  // namespace detail

// Puts tensor k at index indices[k] of the tuple. The tuple is there when it is complete. Waits while the map is full.
struct MapStage {
  static constexpr auto signature = Op("MapStage")
                                        .Input("key: int64")
                                        .Input("indices: int32")
                                        .Input("values: fake_dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("fake_dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    void operator()(Context<Device>& context, const Tensor& key, const Tensor& indices, std::span<const Tensor> values,
                    Done done) const {
      detail::RunMapStage(context.op(), this->place, *this, this->width, key, indices, values, std::move(done));
    }
  };
};

// Takes the tensors at these indices out of the tuple. Waits for the key.
struct MapUnstage {
  static constexpr auto signature = Op("MapUnstage")
                                        .Input("key: int64")
                                        .Input("indices: int32")
                                        .Output("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    void operator()(Context<Device>& context, const Tensor& key, const Tensor& indices, std::span<Tensor>,
                    Done done) const {
      detail::RunMapUnstage(context.op(), this->place, *this, this->width, false, &key, indices, std::move(done));
    }
  };
};

// The tensors at these indices of the tuple, which stay. Waits for the key.
struct MapPeek {
  static constexpr auto signature = Op("MapPeek")
                                        .Input("key: int64")
                                        .Input("indices: int32")
                                        .Output("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    void operator()(Context<Device>& context, const Tensor& key, const Tensor& indices, std::span<Tensor>,
                    Done done) const {
      detail::RunMapUnstage(context.op(), this->place, *this, this->width, true, &key, indices, std::move(done));
    }
  };
};

// MapUnstage of any tuple. Waits for one.
struct MapUnstageNoKey {
  static constexpr auto signature = Op("MapUnstageNoKey")
                                        .Input("indices: int32")
                                        .Output("key: int64")
                                        .Output("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    void operator()(Context<Device>& context, const Tensor& indices, Tensor&, std::span<Tensor>, Done done) const {
      detail::RunMapUnstage(context.op(), this->place, *this, this->width, false, nullptr, indices, std::move(done));
    }
  };
};

struct MapSize {
  static constexpr auto signature = Op("MapSize")
                                        .Output("size: int32")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    Status operator()(Context<Device>& context, Out<std::int32_t> size) const {
      Ref<detail::StagingMap<false>> map;
      TENON_RETURN_IF_ERROR(this->Open(context.op(), &map));
      size[0] = static_cast<std::int32_t>(map->Size());
      return OkStatus();
    }
  };
};

// Tuples that lack tensors.
struct MapIncompleteSize {
  static constexpr auto signature = Op("MapIncompleteSize")
                                        .Output("size: int32")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    Status operator()(Context<Device>& context, Out<std::int32_t> size) const {
      Ref<detail::StagingMap<false>> map;
      TENON_RETURN_IF_ERROR(this->Open(context.op(), &map));
      size[0] = static_cast<std::int32_t>(map->IncompleteSize());
      return OkStatus();
    }
  };
};

struct MapClear {
  static constexpr auto signature = Op("MapClear")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<false> {
    Status operator()(Context<Device>& context) const {
      Ref<detail::StagingMap<false>> map;
      TENON_RETURN_IF_ERROR(this->Open(context.op(), &map));
      map->Clear();
      return OkStatus();
    }
  };
};

struct OrderedMapStage {
  static constexpr auto signature = Op("OrderedMapStage")
                                        .Input("key: int64")
                                        .Input("indices: int32")
                                        .Input("values: fake_dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("fake_dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    void operator()(Context<Device>& context, const Tensor& key, const Tensor& indices, std::span<const Tensor> values,
                    Done done) const {
      detail::RunMapStage(context.op(), this->place, *this, this->width, key, indices, values, std::move(done));
    }
  };
};

struct OrderedMapUnstage {
  static constexpr auto signature = Op("OrderedMapUnstage")
                                        .Input("key: int64")
                                        .Input("indices: int32")
                                        .Output("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    void operator()(Context<Device>& context, const Tensor& key, const Tensor& indices, std::span<Tensor>,
                    Done done) const {
      detail::RunMapUnstage(context.op(), this->place, *this, this->width, false, &key, indices, std::move(done));
    }
  };
};

struct OrderedMapPeek {
  static constexpr auto signature = Op("OrderedMapPeek")
                                        .Input("key: int64")
                                        .Input("indices: int32")
                                        .Output("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    void operator()(Context<Device>& context, const Tensor& key, const Tensor& indices, std::span<Tensor>,
                    Done done) const {
      detail::RunMapUnstage(context.op(), this->place, *this, this->width, true, &key, indices, std::move(done));
    }
  };
};

// OrderedMapUnstage of the tuple with the smallest key.
struct OrderedMapUnstageNoKey {
  static constexpr auto signature = Op("OrderedMapUnstageNoKey")
                                        .Input("indices: int32")
                                        .Output("key: int64")
                                        .Output("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    void operator()(Context<Device>& context, const Tensor& indices, Tensor&, std::span<Tensor>, Done done) const {
      detail::RunMapUnstage(context.op(), this->place, *this, this->width, false, nullptr, indices, std::move(done));
    }
  };
};

struct OrderedMapSize {
  static constexpr auto signature = Op("OrderedMapSize")
                                        .Output("size: int32")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    Status operator()(Context<Device>& context, Out<std::int32_t> size) const {
      Ref<detail::StagingMap<true>> map;
      TENON_RETURN_IF_ERROR(this->Open(context.op(), &map));
      size[0] = static_cast<std::int32_t>(map->Size());
      return OkStatus();
    }
  };
};

struct OrderedMapIncompleteSize {
  static constexpr auto signature = Op("OrderedMapIncompleteSize")
                                        .Output("size: int32")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    Status operator()(Context<Device>& context, Out<std::int32_t> size) const {
      Ref<detail::StagingMap<true>> map;
      TENON_RETURN_IF_ERROR(this->Open(context.op(), &map));
      size[0] = static_cast<std::int32_t>(map->IncompleteSize());
      return OkStatus();
    }
  };
};

struct OrderedMapClear {
  static constexpr auto signature = Op("OrderedMapClear")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::MapStageKernel<true> {
    Status operator()(Context<Device>& context) const {
      Ref<detail::StagingMap<true>> map;
      TENON_RETURN_IF_ERROR(this->Open(context.op(), &map));
      map->Clear();
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
