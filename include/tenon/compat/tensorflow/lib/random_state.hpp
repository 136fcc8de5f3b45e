// SPDX-License-Identifier: Apache-2.0
#pragma once
// States of generators as tensors hold them, and keys of stateless random numbers.

#include <cstdint>

#include <tenon/compat/tensorflow/random.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

enum Algorithm { RNG_ALG_PHILOX = 1, RNG_ALG_THREEFRY = 2, RNG_ALG_AUTO_SELECT = 3 };
enum class ConcreteRngAlgorithm { RNG_ALG_PHILOX = 1, RNG_ALG_THREEFRY = 2 };
inline constexpr int RNG_MAX_COUNTER_SIZE = 2, RNG_KEY_SIZE = 1;
// Numbers of 64 bits.
constexpr int GetCounterSize(ConcreteRngAlgorithm algorithm) {
  return algorithm == ConcreteRngAlgorithm::RNG_ALG_PHILOX ? 2 : 1;
}

using random::PhiloxRandom;
inline void Uint64ToUint32s(uint64_t from, uint32* low, uint32* high) {
  *low = static_cast<uint32>(from);
  *high = static_cast<uint32>(from >> 32);
}
constexpr uint64_t Uint32sToUint64(uint32 low, uint32 high) { return uint64_t{high} << 32 | low; }
inline PhiloxRandom::ResultType GetCounterFromMem(const uint64_t* from) {
  PhiloxRandom::ResultType counter;
  Uint64ToUint32s(from[0], &counter[0], &counter[1]);
  Uint64ToUint32s(from[1], &counter[2], &counter[3]);
  return counter;
}
inline void WriteCounterToMem(const PhiloxRandom::ResultType& counter, uint64_t* to) {
  to[0] = Uint32sToUint64(counter[0], counter[1]);
  to[1] = Uint32sToUint64(counter[2], counter[3]);
}
inline PhiloxRandom::Key GetKeyFromMem(const uint64_t* from) {
  PhiloxRandom::Key key;
  Uint64ToUint32s(from[0], &key[0], &key[1]);
  return key;
}
inline void WriteKeyToMem(const PhiloxRandom::Key& key, uint64_t* to) { to[0] = Uint32sToUint64(key[0], key[1]); }
inline PhiloxRandom GetPhiloxRandomFromCounterKeyMem(const uint64_t* counter, const uint64_t* key) {
  return PhiloxRandom(GetCounterFromMem(counter), GetKeyFromMem(key));
}

// The key and the counter of TensorFlow's stateless ops for a seed of two numbers. InvalidArgument: another seed.
inline Status GenerateKey(const Tensor& seed, PhiloxRandom::Key* out_key, PhiloxRandom::ResultType* out_counter) {
  if (seed.NumElements() != 2)
    return errors::InvalidArgument("seed must have shape [2], not ", seed.shape().DebugString());
  uint64_t words[2];
  if (seed.dtype() == DT_INT32) {
    for (int i = 0; i < 2; ++i) words[i] = static_cast<uint64_t>(int64_t{seed.base<const int32>()[i]});
  } else if (seed.dtype() == DT_INT64) {
    for (int i = 0; i < 2; ++i) words[i] = static_cast<uint64_t>(seed.base<const std::int64_t>()[i]);
  } else {
    return errors::InvalidArgument("Invalid seed type: ", DataTypeString(seed.dtype()));
  }
  PhiloxRandom::Key scramble;
  scramble[0] = 0x3ec8f720;
  scramble[1] = 0x02461e29;
  const PhiloxRandom::ResultType mixed = PhiloxRandom(GetCounterFromMem(words), scramble)();
  (*out_key)[0] = mixed[0];
  (*out_key)[1] = mixed[1];
  (*out_counter)[0] = (*out_counter)[1] = 0;
  (*out_counter)[2] = mixed[2];
  (*out_counter)[3] = mixed[3];
  return Status();
}

}  // namespace tensorflow
