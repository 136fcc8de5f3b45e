// SPDX-License-Identifier: Apache-2.0
#pragma once
// RandomShuffle, StatelessShuffle: the rows of a tensor in random order.

#include <cstdint>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/random/shuffle.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>
#include <tenon/ops/random/seeded.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline bool NeedsShuffling(const Tensor& value) {
  return value.dims() > 0 && value.NumElements() > 1 && value.dim_size(0) > 1;
}

// output: the rows of value. Slot i swaps with one of the slots from i on, by one word of the stream each (Fisher and
// Yates). Rows move once.
inline Status ShuffleRows(OpKernelContext& context, Cpu& device, const Philox& from, const Tensor& value,
                          Tensor* output) {
  const Index rows = value.dim_size(0), run = value.NumElements() / rows;
  const ElementMover mover = MoverOf(value.dtype());
  if (const Index bytes = run * mover.bytes; mover.assign == nullptr && (bytes == 4 || bytes == 8)) {
    TENON_RETURN_IF_ERROR(context.allocate_output(0, value.shape(), &output));
    Copy(device, mover, value.raw_data(), output->raw_data(), value.NumElements());
    if (bytes == 4)
      tenon::ShuffleUnits(from, rows, static_cast<std::uint32_t*>(output->raw_data()));
    else
      tenon::ShuffleUnits(from, rows, static_cast<std::uint64_t*>(output->raw_data()));
    return OkStatus();
  }
  SlimVector<Index> order;
  order.reserve(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) order.push_back(i);
  PhiloxWords words(from);
  for (Index i = 0; i + 1 < rows; ++i) {
    const Index other = i + static_cast<Index>(words.Next() % static_cast<std::uint32_t>(rows - i));
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, value.shape(), &output));
  ParallelFor(device, rows, 5 + mover.cost_ns() * static_cast<double>(run), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      CopyRun(mover, mover.At(value.raw_data(), order[static_cast<std::size_t>(i)] * run),
              mover.At(output->raw_data(), i * run), run);
  });
  return OkStatus();
}

inline Status CheckShuffledRows(std::string_view op, const Tensor& value) {
  if (value.dims() > 0 && value.dim_size(0) > Index{0xffffffff})
    return errors::InvalidArgument(op, ": value must have less than 2^32 rows, got shape ", value.shape());
  return OkStatus();
}

}  // namespace detail

struct RandomShuffle {
  static constexpr auto signature = Op("RandomShuffle")
                                        .Input("value: T")
                                        .Output("output: T")
                                        .Attr("seed: int = 0")
                                        .Attr("seed2: int = 0")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::SeedAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      generator.Seed(this->seed, this->seed2);
      return ServeOnly(c, c.input_type(0), kPodAndObjectTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& value, Tensor& output) const {
      if (!detail::NeedsShuffling(value)) {
        output = value;
        return OkStatus();
      }
      TENON_RETURN_IF_ERROR(detail::CheckShuffledRows("RandomShuffle", value));
      const auto blocks = static_cast<std::uint64_t>(value.dim_size(0) - 1 + 3) / 4;
      return detail::ShuffleRows(context.op(), context.device(), generator.Reserve(blocks), value, &output);
    }
    mutable detail::SeededGenerator generator;
  };
};

// RandomShuffle as a function of key and counter.
struct StatelessShuffle {
  static constexpr auto signature = Op("StatelessShuffle")
                                        .Input("value: T")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& value, const Tensor& key, const Tensor& counter,
                      HostIndices alg, Tensor& output) const {
      Philox stream;
      bool supported = false;
      TENON_RETURN_IF_ERROR(detail::StreamOfKey("StatelessShuffle", key, counter, alg, 3, &stream, &supported));
      if (!supported) return detail::UnsupportedAlgorithm("StatelessShuffle", alg);
      if (!detail::NeedsShuffling(value)) {
        output = value;
        return OkStatus();
      }
      TENON_RETURN_IF_ERROR(detail::CheckShuffledRows("StatelessShuffle", value));
      return detail::ShuffleRows(context.op(), context.device(), stream, value, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
