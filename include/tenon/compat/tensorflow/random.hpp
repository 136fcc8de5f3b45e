// SPDX-License-Identifier: Apache-2.0
#pragma once
// random::PhiloxRandom and the generators over it, by Tenon's Philox; GuardedPhiloxRandom.

#include <cstdint>
#include <random>

#include <tenon/engine/random/philox.hpp>
#include <tenon/compat/tensorflow/op_kernel_construction.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>

namespace tensorflow {
namespace random {

inline uint64_t New64() {
  static std::random_device device;
  static mutex guard;
  mutex_lock lock(guard);
  return static_cast<uint64_t>(device()) << 32 | device();
}
inline uint64_t New64DefaultSeed() { return 1; }

// A few numbers.
template <class T, int kCount>
class Array {
 public:
  static constexpr int kElementCount = kCount;
  T& operator[](int i) { return items_[i]; }
  const T& operator[](int i) const { return items_[i]; }
  int size() const { return kCount; }

 private:
  T items_[kCount] = {};
};

class PhiloxRandom {
 public:
  using ResultElementType = uint32;
  static constexpr int kResultElementCount = 4;
  static constexpr int kElementCost = 10;
  typedef Array<uint32, kResultElementCount> ResultType;  // four words
  typedef Array<uint32, 2> Key;

  PhiloxRandom() = default;
  explicit PhiloxRandom(uint64_t seed) : state_{seed, 0, 0} {}
  PhiloxRandom(uint64_t low_seed, uint64_t high_seed) : state_(tenon::Philox::FromSeeds(low_seed, high_seed)) {}
  PhiloxRandom(ResultType counter, Key key)
      : state_{key[0] | static_cast<uint64_t>(key[1]) << 32, counter[0] | static_cast<uint64_t>(counter[1]) << 32,
               counter[2] | static_cast<uint64_t>(counter[3]) << 32} {}
  ResultType counter() const {
    ResultType out;
    for (int i = 0; i < 4; ++i) out[i] = static_cast<uint32>((i < 2 ? state_.low : state_.high) >> (32 * (i % 2)));
    return out;
  }
  Key key() const {
    Key out;
    for (int i = 0; i < 2; ++i) out[i] = static_cast<uint32>(state_.key >> (32 * i));
    return out;
  }
  void Skip(uint64_t count) { state_.Skip(count); }
  ResultType operator()() {
    const tenon::PhiloxBlock block = state_.Next();
    ResultType out;
    for (int i = 0; i < kResultElementCount; ++i) out[i] = block.word[i];
    return out;
  }

 private:
  tenon::Philox state_;
};

// Words one by one.
template <class Generator>
class SingleSampleAdapter {
 public:
  static constexpr int kResultElementCount = 1;
  static constexpr int kNativeElementCount = Generator::kResultElementCount;
  static constexpr int kElementCost = Generator::kElementCost / Generator::kResultElementCount;
  using ResultType = typename Generator::ResultElementType;
  using ResultElementType = typename Generator::ResultElementType;
  void Skip(uint64_t count) {
    for (; count > 0; --count) (*this)();
  }
  explicit SingleSampleAdapter(Generator* generator) : generator_(generator) {}
  ResultType operator()() {
    if (used_ == Generator::kResultElementCount) {
      words_ = (*generator_)();
      used_ = 0;
    }
    return words_[used_++];
  }

 private:
  Generator* generator_;
  typename Generator::ResultType words_;
  int used_ = Generator::kResultElementCount;
};

class SimplePhilox {
 public:
  explicit SimplePhilox(PhiloxRandom* generator) : words_(generator) {}
  uint32 Rand32() { return words_(); }
  uint32 RandWord() { return Rand32(); }
  uint64_t Rand64() {
    const uint32 low = words_(), high = words_();
    return low | static_cast<uint64_t>(high) << 32;
  }
  float RandFloat() { return static_cast<float>(Rand32() & 0x7fffff) * 0x1p-23f; }
  double RandDouble() {
    const uint32 high = words_(), low = words_();
    return static_cast<double>(static_cast<uint64_t>(high & 0xfffff) << 32 | low) * 0x1p-52;
  }
  uint32 Uniform(uint32 n) {
    // The largest multiple of n bounds what is taken.
    if (n == 0) return Rand32() * n;
    if ((n & (n - 1)) == 0) return Rand32() & (n - 1);
    const uint32 most = ~uint32{0} - (~uint32{0} % n + 1) % n;
    uint32 word = Rand32();
    while (word > most) word = Rand32();
    return word % n;
  }
  uint64_t Uniform64(uint64_t n) {
    if (n == 0) return 0;
    const uint64_t most = ~uint64_t{0} - (~uint64_t{0} % n + 1) % n;
    uint64_t word = Rand64();
    while (word > most) word = Rand64();
    return word % n;
  }
  bool OneIn(uint32 n) { return Uniform(n) == 0; }
  uint32 Skewed(int max_log) { return Rand32() & ((uint32{1} << Uniform(static_cast<uint32>(max_log) + 1)) - 1); }

 private:
  SingleSampleAdapter<PhiloxRandom> words_;
};

}  // namespace random

// A generator that the threads of a kernel share: each takes a part of the stream.
class GuardedPhiloxRandom {
 public:
  // Reads the attrs seed and seed2.
  Status Init(OpKernelConstruction* context) {
    std::int64_t seed = 0, seed2 = 0;
    TF_RETURN_IF_ERROR(context->GetAttr("seed", &seed));
    TF_RETURN_IF_ERROR(context->GetAttr("seed2", &seed2));
    Init(seed, seed2);
    return Status();
  }
  void Init(int64_t seed, int64_t seed2) {
    if (seed == 0 && seed2 == 0) {
      seed = static_cast<int64_t>(random::New64());
      seed2 = static_cast<int64_t>(random::New64());
    }
    mutex_lock lock(mutex_);
    generator_ = random::PhiloxRandom(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
  }
  void Init(random::PhiloxRandom::ResultType counter, random::PhiloxRandom::Key key) {
    mutex_lock lock(mutex_);
    generator_ = random::PhiloxRandom(counter, key);
  }
  random::PhiloxRandom ReserveSamples128(int64_t samples) {
    mutex_lock lock(mutex_);
    const random::PhiloxRandom mine = generator_;
    generator_.Skip(static_cast<uint64_t>(samples));
    return mine;
  }
  random::PhiloxRandom ReserveSamples32(int64_t samples) { return ReserveSamples128((samples + 3) / 4); }
  random::PhiloxRandom ReserveRandomOutputs(int64_t outputs, int multiplier) {
    return ReserveSamples128(outputs * multiplier);
  }

 private:
  mutex mutex_;
  random::PhiloxRandom generator_;
};

}  // namespace tensorflow
