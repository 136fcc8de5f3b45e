// SPDX-License-Identifier: Apache-2.0
#pragma once
// RandomIndexShuffle: where an index goes in a random permutation that is never built.

#include <algorithm>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// A permutation of the numbers of 2 w bits: the block cipher Simon with words of any w bits, 8 <= w <= 32.
struct SimonCipher {
  int width;
  std::uint64_t mask;
  SlimVector<std::uint64_t> keys;  // one a round

  std::uint64_t Left(std::uint64_t x, int by) const { return ((x << by) | (x >> (width - by))) & mask; }
  std::uint64_t Mix(std::uint64_t x) const { return (Left(x, 1) & Left(x, 8 % width)) ^ Left(x, 2); }

  SimonCipher(int bits, const std::uint32_t* seed, std::int64_t rounds)
      : width(bits / 2), mask((std::uint64_t{1} << (bits / 2)) - 1) {
    std::uint64_t bit = 0x7369f885192c0ef5 & mask;
    for (int i = 0; i < 3; ++i) keys.push_back(seed[i] & mask);
    for (std::int64_t i = 3; i < rounds; ++i, bit >>= 1) {
      const std::uint64_t last = keys.back();
      const std::uint64_t turned = Left(last, width - 3) ^ Left(last, width - 4);
      const std::uint64_t next = (0xfffffffc & mask) ^ (bit & 1) ^ keys[keys.size() - 3] ^ turned;
      keys.push_back(next);
    }
  }
  std::uint64_t operator()(std::uint64_t value) const {
    std::uint64_t left = (value >> width) & mask, right = value & mask;
    for (std::size_t i = 0; i + 1 < keys.size(); i += 2) {
      left ^= Mix(right) ^ keys[i];
      right ^= Mix(left) ^ keys[i + 1];
    }
    return left << width | right;
  }
};

// The least even number of bits, 16 or more, for numbers up to `largest`: TensorFlow takes log2 as a double.
inline int ShuffleBits(std::uint64_t largest) {
  int bits = 0;
  for (double power = 1; power < static_cast<double>(largest); power *= 2) ++bits;
  return std::min(64, std::max(16, bits + bits % 2));
}
// The permutation of [0, largest]: the cipher, again and again until its answer lies there.
inline std::uint64_t ShuffledIndex(std::uint64_t index, const std::uint32_t* seed, std::uint64_t largest,
                                   std::int64_t rounds) {
  if (largest == 0) return 0;
  const SimonCipher cipher(ShuffleBits(largest), seed, rounds);
  do {
    index = cipher(index);
  } while (index > largest);
  return index;
}

// Element i of 32 or 64 bits, as C++ converts it to uint64.
inline std::uint64_t WordAt(const Tensor& tensor, Index i) {
  switch (tensor.dtype()) {
    case DataType::kInt32: return static_cast<std::uint64_t>(std::int64_t{tensor.data<std::int32_t>()[i]});
    case DataType::kUint32: return tensor.data<std::uint32_t>()[i];
    case DataType::kInt64: return static_cast<std::uint64_t>(tensor.data<std::int64_t>()[i]);
    default: return tensor.data<std::uint64_t>()[i];
  }
}

// The length of an input: 1 where one value serves all indices.
inline Status IndexShuffleLength(InferenceContext* c, ShapeHandle shape, int single_rank, std::int64_t n) {
  const std::int64_t own = c->Rank(shape) == single_rank ? 1 : c->Value(c->Dim(shape, 0));
  if (own == n || own == 1) return OkStatus();
  return errors::InvalidArgument("Input has shape ", c->DebugString(shape), " but must have ", n, " indices");
}
inline Status IndexShuffleShape(InferenceContext* c) {
  ShapeHandle index, seed, largest;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &index));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &seed));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(seed, 2, &seed));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &largest));
  if (c->RankKnown(seed) && c->ValueKnown(c->Dim(seed, -1)) && c->Value(c->Dim(seed, -1)) != 3)
    return errors::InvalidArgument("Seed must have shape [3] or [n, 3] but got ", c->DebugString(seed));
  if (!c->RankKnown(index) || !c->RankKnown(seed) || !c->RankKnown(largest)) {
    c->set_output(0, c->UnknownShape());
    return OkStatus();
  }
  if (c->Rank(index) == 0 && c->Rank(seed) == 1 && c->Rank(largest) == 0) {
    c->set_output(0, c->Scalar());
    return OkStatus();
  }
  if (!c->FullyDefined(index) || !c->FullyDefined(seed) || !c->FullyDefined(largest)) {
    c->set_output(0, c->Vector(c->UnknownDim()));
    return OkStatus();
  }
  std::int64_t n = 1;
  if (c->Rank(index) == 1) n = std::max(n, c->Value(c->Dim(index, 0)));
  if (c->Rank(seed) == 2) n = std::max(n, c->Value(c->Dim(seed, 0)));
  if (c->Rank(largest) == 1) n = std::max(n, c->Value(c->Dim(largest, 0)));
  TENON_RETURN_IF_ERROR(IndexShuffleLength(c, index, 0, n));
  TENON_RETURN_IF_ERROR(IndexShuffleLength(c, seed, 1, n));
  TENON_RETURN_IF_ERROR(IndexShuffleLength(c, largest, 0, n));
  c->set_output(0, c->Vector(n));
  return OkStatus();
}

}  // namespace detail

// index: [] or [n], seed: [3] or [n, 3], max_index: [] or [n]  ->  [] or [n]
struct RandomIndexShuffle {
  static constexpr auto signature = Op("RandomIndexShuffle")
                                        .Input("index: dtype")
                                        .Input("seed: Tseed")
                                        .Input("max_index: dtype")
                                        .Output("output: dtype")
                                        .Attr("rounds: int = 4")
                                        .Attr("dtype: {int32, uint32, int64, uint64}")
                                        .Attr("Tseed: {int32, uint32, int64, uint64}")
                                        .SetShapeFn(detail::IndexShuffleShape);
  struct Attrs {
    std::int64_t rounds;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& index, const Tensor& seed, const Tensor& max_index,
                      Tensor&) const {
      return Run(context.op(), index, seed, max_index, this->rounds);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& index, const Tensor& seed, const Tensor& largest,
                    std::int64_t rounds) {
    constexpr const char* kOp = "RandomIndexShuffle";
    const Index n = std::max({index.NumElements(), largest.NumElements(), seed.NumElements() / 3});
    const auto fits = [n](const Tensor& t) { return t.dims() == 0 || (t.dims() == 1 && t.dim_size(0) == n); };
    if (!fits(index))
      return errors::InvalidArgument(kOp, ": Index must be a scalar or vector, got shape ", index.shape());
    if (!(seed.dims() == 1 && seed.dim_size(0) == 3) &&
        !(seed.dims() == 2 && seed.dim_size(0) == n && seed.dim_size(1) == 3))
      return errors::InvalidArgument(kOp, ": Seed must be a vector of size [3] or a matrix of size [", n,
                                     ", 3] but got ", seed.shape());
    if (!fits(largest))
      return errors::InvalidArgument(kOp, ": Maxval must be a scalar or a vector of the same size as index but got ",
                                     largest.shape());
    if (rounds < 4 || rounds % 2 != 0 || rounds > 4096)
      return errors::InvalidArgument(kOp, ": rounds must be even, at least 4 and at most 4096, got ", rounds);
    const bool scalar = index.dims() == 0 && seed.dims() == 1 && largest.dims() == 0;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, scalar ? TensorShape() : TensorShape({n}), &out));
    for (Index i = 0; i < n; ++i) {
      const std::uint64_t from = detail::WordAt(index, index.dims() == 0 ? 0 : i),
                          most = detail::WordAt(largest, largest.dims() == 0 ? 0 : i);
      const bool is_signed = out->dtype() == DataType::kInt32 || out->dtype() == DataType::kInt64;
      for (const std::uint64_t value : {from, most})
        if (is_signed && static_cast<std::int64_t>(value) < 0)
          return errors::InvalidArgument(kOp, ": index and max_index must be >= 0 but one was ",
                                         static_cast<std::int64_t>(value));
      if (from > most) return errors::InvalidArgument(kOp, ": max_index must be >= index, but ", most, " < ", from);
      std::uint32_t key[3];
      for (Index k = 0; k < 3; ++k)
        key[k] = static_cast<std::uint32_t>(detail::WordAt(seed, (seed.dims() == 1 ? 0 : 3 * i) + k));
      const std::uint64_t to = detail::ShuffledIndex(from, key, most, rounds);
      if (SizeOf(out->dtype()) == 4)
        static_cast<std::uint32_t*>(out->raw_data())[i] = static_cast<std::uint32_t>(to);
      else
        static_cast<std::uint64_t*>(out->raw_data())[i] = to;
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
