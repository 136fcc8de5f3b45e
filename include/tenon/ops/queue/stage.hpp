// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stage, Unstage, StagePeek, StageSize, StageClear: tuples of tensors on their way from one run to another, first in,
// first out. Ops that may have to wait are asynchronous: no thread waits with them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/queue/waited_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The attrs that all staging ops have in common.
struct StagingAttrs {
  std::int64_t capacity, memory_limit;  // tuples, bytes; 0: no limit
};

// How much an area may hold and how much it does. externally synchronised.
struct StagingRoom {
  Index capacity = 0, memory_limit = 0, bytes = 0;

  static Index BytesOf(std::span<const Tensor> tensors) {
    Index sum = 0;
    for (const Tensor& tensor : tensors) sum += static_cast<Index>(tensor.TotalBytes());
    return sum;
  }
  // An op that asks for more than the limit would wait for ever.
  Status Check(Index more) const {
    if (memory_limit <= 0 || more <= memory_limit) return OkStatus();
    return errors::ResourceExhausted("Attempted to insert tensors with combined size of '", more,
                                     "' bytes into Staging Area with a memory limit of '", memory_limit, "'.");
  }
  bool HasMemoryFor(Index more) const { return memory_limit <= 0 || bytes + more <= memory_limit; }
  bool HasPlace(std::size_t used) const { return capacity <= 0 || static_cast<Index>(used) < capacity; }
};

// The area of a kernel of the family, which container and shared_name (or the node's name) name.
template <class Area>
struct StagingPlace {
  ContainerInfo info;

  Status Read(const OpKernelConstruction& c) {
    TENON_ASSIGN_OR_RETURN(info, ContainerInfo::From(c, true));
    return OkStatus();
  }
  Status Open(const OpKernelContext& context, const StagingAttrs& attrs, Index width, Ref<Area>* area) const {
    ResourceMgr* resources = nullptr;
    TENON_RETURN_IF_ERROR(GetResources(context, &resources));
    return resources->LookupOrCreate<Area>(info.container, info.name, area, [&](Ref<Area>* made) {
      *made = Ref<Area>::Adopt(new Area(info.name, attrs.capacity, attrs.memory_limit, width));
      return OkStatus();
    });
  }
};

// thread-safe.
class StagingArea final : public WaitedResource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::Buffer";
  using Tuple = SlimVector<Tensor>;

  StagingArea(std::string name, Index capacity, Index memory_limit, Index)
      : name_(std::move(name)), room_{capacity, memory_limit} {}
  std::string DebugString() const override { return StrCat("Staging size: ", Size()); }

  Index Size() const {
    const tenon::MutexLock lock(mutex);
    return static_cast<Index>(tuples_.size());
  }
  void Clear() {
    SlimVector<Tuple> dropped;  // goes after the lock
    Change([&] {
      std::swap(dropped, tuples_);
      room_.bytes = 0;
    });
  }

  struct Put final : Attempt {
    Put(OpKernelContext* c, Done d, Ref<StagingArea> a, Tuple t)
        : Attempt(c, std::move(d)), area(std::move(a)), tuple(std::move(t)) {}
    bool Try(Status* status) override {
      const Index more = StagingRoom::BytesOf(tuple);
      *status = area->room_.Check(more);
      if (!status->ok()) return true;
      if (!area->room_.HasMemoryFor(more) || !area->room_.HasPlace(area->tuples_.size())) return false;
      area->tuples_.push_back(std::move(tuple));  // first: it may have no memory
      area->room_.bytes += more;
      return true;
    }
    Ref<StagingArea> area;
    Tuple tuple;
  };
  // Tuple `index`; taken out unless it is a peek.
  struct Get final : Attempt {
    Get(OpKernelContext* c, Done d, Ref<StagingArea> a, std::size_t i, bool p)
        : Attempt(c, std::move(d)), area(std::move(a)), index(i), peek(p) {}
    bool Try(Status*) override {
      SlimVector<Tuple>& tuples = area->tuples_;
      if (index >= tuples.size()) return false;
      if (peek) {
        tuple = tuples[index];
        return true;
      }
      tuple = std::move(tuples[index]);
      tuples.erase(tuples.begin() + static_cast<std::ptrdiff_t>(index));
      area->room_.bytes -= StagingRoom::BytesOf(tuple);
      return true;
    }
    Status Deliver() override {
      const auto count = static_cast<std::size_t>(context->num_outputs());
      if (tuple.size() != count)
        return errors::InvalidArgument("Mismatch stage/unstage: ", tuple.size(), " vs. ", count);
      for (std::size_t i = 0; i < count; ++i) {
        const DataType wanted = context->expected_output_dtype(static_cast<int>(i));
        if (tuple[i].dtype() != wanted)
          return errors::InvalidArgument("Mismatch stage/unstage: tensor ", i, " of the staged tuple is ",
                                         tuple[i].dtype(), ", but dtypes says ", wanted);
        context->set_output(static_cast<int>(i), std::move(tuple[i]));
      }
      return OkStatus();
    }
    Ref<StagingArea> area;
    std::size_t index;
    bool peek;
    Tuple tuple;
  };

 private:
  const std::string name_;
  StagingRoom room_;
  SlimVector<Tuple> tuples_;
};

inline void RunUnstage(OpKernelContext& context, const StagingPlace<StagingArea>& place, const StagingAttrs& attrs,
                       const Tensor* index, Done done) {
  Ref<StagingArea> area;
  Status status = place.Open(context, attrs, 0, &area);
  if (status.ok() && index != nullptr && index->dims() != 0)
    status = errors::InvalidArgument("StagePeek: index must be scalar, got shape ", index->shape());
  if (status.ok() && index != nullptr && *index->data<std::int32_t>() < 0)
    status = errors::InvalidArgument("StagePeek: index ", *index->data<std::int32_t>(), " must be >= 0");
  if (!status.ok()) return done(status);
  const std::size_t at = index == nullptr ? 0 : static_cast<std::size_t>(*index->data<std::int32_t>());
  area->Start(
      Owned<WaitedResource::Attempt>(new StagingArea::Get(&context, std::move(done), area, at, index != nullptr)));
}

}  // namespace detail

// Waits while the area is full.
struct Stage {
  static constexpr auto signature = Op("Stage")
                                        .Input("values: dtypes")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type) >= 1")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"container", "shared_name"};  // `place` reads them

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return place.Read(c); }
    void operator()(Context<Device>& context, std::span<const Tensor> values, Done done) const {
      Ref<detail::StagingArea> area;
      if (Status status = place.Open(context.op(), *this, 0, &area); !status.ok()) return done(status);
      area->Start(Owned<detail::WaitedResource::Attempt>(
          new detail::StagingArea::Put(&context.op(), std::move(done), area, {values.begin(), values.end()})));
    }
    detail::StagingPlace<detail::StagingArea> place;
  };
};

// Takes the first tuple; waits for one.
struct Unstage {
  static constexpr auto signature = Op("Unstage")
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
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return place.Read(c); }
    void operator()(Context<Device>& context, std::span<Tensor>, Done done) const {
      detail::RunUnstage(context.op(), place, *this, nullptr, std::move(done));
    }
    detail::StagingPlace<detail::StagingArea> place;
  };
};

// A copy of tuple `index`, which stays; waits until there are so many.
struct StagePeek {
  static constexpr auto signature = Op("StagePeek")
                                        .Input("index: int32")
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
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return place.Read(c); }
    void operator()(Context<Device>& context, const Tensor& index, std::span<Tensor>, Done done) const {
      detail::RunUnstage(context.op(), place, *this, &index, std::move(done));
    }
    detail::StagingPlace<detail::StagingArea> place;
  };
};

struct StageSize {
  static constexpr auto signature = Op("StageSize")
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
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return place.Read(c); }
    Status operator()(Context<Device>& context, Out<std::int32_t> size) const {
      Ref<detail::StagingArea> area;
      TENON_RETURN_IF_ERROR(place.Open(context.op(), *this, 0, &area));
      size[0] = static_cast<std::int32_t>(area->Size());
      return OkStatus();
    }
    detail::StagingPlace<detail::StagingArea> place;
  };
};

struct StageClear {
  static constexpr auto signature = Op("StageClear")
                                        .Attr("capacity: int >= 0 = 0")
                                        .Attr("memory_limit: int >= 0 = 0")
                                        .Attr("dtypes: list(type)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::StagingAttrs;
  static constexpr std::string_view unused[] = {"dtypes", "container", "shared_name"};

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return place.Read(c); }
    Status operator()(Context<Device>& context) const {
      Ref<detail::StagingArea> area;
      TENON_RETURN_IF_ERROR(place.Open(context.op(), *this, 0, &area));
      area->Clear();
      return OkStatus();
    }
    detail::StagingPlace<detail::StagingArea> place;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
