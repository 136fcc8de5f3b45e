// SPDX-License-Identifier: Apache-2.0
#pragma once
// StochasticCastToInt: floating numbers as integers, rounded up with the probability of their fraction.

#include <cmath>
#include <cstdint>
#include <limits>

#include <tenon/types/dispatch.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/distributions.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/random/generator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The random numbers in [0, 1) of one element, or of a group that shares a block. T: half, bfloat16, float or double.
template <class T>
struct RoundingDraws {
  Philox stream;
  const RandomFill fill = RandomFillOf(RandomKind::kUniform, dtype_of_v<T>);
  T numbers[4] = {};

  void Draw() {
    const PhiloxBlock block = stream.Next();
    fill.convert(fill, block.word, 1, numbers);
  }
};

// The operations of T, each rounded to T.
template <class T>
using RoundingNumber = std::conditional_t<sizeof(T) == 2, float, T>;
template <class T>
T RoundByDraw(T x, T draw, bool grouped) {
  using Number = RoundingNumber<T>;
  const Number value = static_cast<Number>(x), random = static_cast<Number>(draw);
  Number sum;
  if (value < 0)
    sum = value + random;
  else if (grouped)
    sum = value + (Number(1) - random);
  else
    sum = static_cast<Number>(static_cast<T>(value + Number(1))) - random;
  return static_cast<T>(std::floor(static_cast<Number>(static_cast<T>(sum))));
}

// As the processor converts it: numbers that are too large wrap around, those beyond int32 are its least.
template <class To, class Number>
To TruncatedNumber(Number x) {
  constexpr auto kLeast = std::numeric_limits<std::int32_t>::min();
  const bool fits = x >= static_cast<Number>(kLeast) && x < -static_cast<Number>(kLeast);
  return static_cast<To>(fits ? static_cast<std::int32_t>(x) : kLeast);
}

// TensorFlow's vectors of float and double draw one block for each group of numbers, whether they need it or not.
template <class T, class To>
TENON_DETAIL_NOINLINE void StochasticRound(const Philox& stream, const T* x, To* out, Index n) {
  using Number = RoundingNumber<T>;
  constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4, kGroup = 2 * kPerBlock;
  const Number most = static_cast<Number>(static_cast<T>(static_cast<Number>(std::numeric_limits<To>::max())));
  const Number least = static_cast<Number>(static_cast<T>(static_cast<Number>(std::numeric_limits<To>::min())));
  const Index in_groups = sizeof(T) > 2 && sizeof(To) == 4 ? n / 8 * 8 : 0;
  RoundingDraws<T> draws{stream};
  for (Index i = 0; i < n; ++i) {
    const bool grouped = i < in_groups;
    const Number value = static_cast<Number>(x[i]);
    Number rounded = value;
    if (grouped && i % kGroup == 0) draws.Draw();
    if (value != value) {
      rounded = 0;
    } else if (value >= most) {
      rounded = most;
    } else if (value <= least) {
      rounded = least;
    } else if (std::floor(value) != value) {
      if (!grouped) draws.Draw();
      rounded = static_cast<Number>(RoundByDraw(x[i], draws.numbers[grouped ? i % kPerBlock : 0], grouped));
    }
    out[i] = TruncatedNumber<To>(rounded);
  }
}

inline Status RunStochasticCast(OpKernelContext& context, const Tensor& input, const HostIn<std::uint64_t>& key,
                                const HostIn<std::uint64_t>& counter, const HostIndices& alg) {
  const std::string_view op = context.op_kernel().def().op;
  Philox stream;
  bool supported = false;
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(StreamOfKey(op, key, counter, alg, 3, &stream, &supported));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &output));
  if (!supported) return UnsupportedAlgorithm(op, alg);
  stream = Philox::FromSeeds(stream.low, stream.key);  // as in TensorFlow
  return DispatchType<TypeList<half, bfloat16, float, double>>(input.dtype(), [&]<class T>() {
    return DispatchType<TypeList<std::int8_t, std::int16_t, std::int32_t>>(output->dtype(), [&]<class To>() {
      StochasticRound(stream, input.data<T>(), output->data<To>(), input.NumElements());
    });
  });
}

}  // namespace detail

// NaN gives 0; numbers beyond Tout give its ends as far as Tin has them.
struct StochasticCastToInt {
  static constexpr auto signature = Op("StochasticCastToInt")
                                        .Input("input: Tin")
                                        .Input("key: uint64")
                                        .Input("counter: uint64")
                                        .Input("alg: int32")
                                        .Output("output: Tout")
                                        .Attr("Tin: {half, bfloat16, float, double}")
                                        .Attr("Tout: {int8, int16, int32}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(detail::KeyCounterAlgorithm(c, 1));
                                          c->set_output(0, c->input(0));
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& input, HostIn<std::uint64_t> key,
                      HostIn<std::uint64_t> counter, HostIndices alg, Tensor&) const {
      return detail::RunStochasticCast(context.op(), input, key, counter, alg);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
