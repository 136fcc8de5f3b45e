// SPDX-License-Identifier: Apache-2.0
#pragma once
// StringToHashBucketFast, StringToHashBucket, StringToHashBucketStrong: texts to numbers in [0, num_buckets).

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct StringToHashBucketFast {
  static constexpr auto signature = Op("StringToHashBucketFast")
                                        .Input("input: string")
                                        .Output("output: int64")
                                        .Attr("num_buckets: int >= 1")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::int64_t num_buckets;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device& device, In<tstring> input, Out<std::int64_t> output) const {
      const auto buckets = static_cast<std::uint64_t>(this->num_buckets);
      ParallelFor(device, input.size(), 20, [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
          output[i] = static_cast<std::int64_t>(Fingerprint64(input[i].view()) % buckets);
      });
      return OkStatus();
    }
  };
};

// An older fingerprint, kept for old graphs.
struct StringToHashBucket {
  static constexpr auto signature = Op("StringToHashBucket")
                                        .Input("string_tensor: string")
                                        .Output("output: int64")
                                        .Attr("num_buckets: int >= 1")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::int64_t num_buckets;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Device&, In<tstring> input, Out<std::int64_t> output) const {
      const auto buckets = static_cast<std::uint64_t>(this->num_buckets);
      for (Index i = 0; i < input.size(); ++i) output[i] = static_cast<std::int64_t>(Hash64(input[i].view()) % buckets);
      return OkStatus();
    }
  };
};

// By a keyed hash, which nobody without the key can make collide.
struct StringToHashBucketStrong {
  static constexpr auto signature = Op("StringToHashBucketStrong")
                                        .Input("input: string")
                                        .Output("output: int64")
                                        .Attr("num_buckets: int >= 1")
                                        .Attr("key: list(int)")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::int64_t num_buckets;
    std::span<const std::int64_t> key;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) {
      if (this->key.size() == 2) return OkStatus();
      return errors::InvalidArgument("StringToHashBucketStrong: Key must have 2 elements, got ", this->key.size());
    }
    Status operator()(Device&, In<tstring> input, Out<std::int64_t> output) const {
      const auto buckets = static_cast<std::uint64_t>(this->num_buckets);
      const auto key0 = static_cast<std::uint64_t>(this->key[0]), key1 = static_cast<std::uint64_t>(this->key[1]);
      for (Index i = 0; i < input.size(); ++i)
        output[i] = static_cast<std::int64_t>(SipHash(key0, key1, input[i].view()) % buckets);
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
