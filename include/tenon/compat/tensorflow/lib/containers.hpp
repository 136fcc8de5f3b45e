// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rarer containers of TensorFlow's gtl and core: TopN, Bitmap, Arena, integers of their own type, counters of
// monitoring.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/containers.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>

namespace tensorflow {
namespace gtl {

// The `limit` first items in the order of `cmp`. externally synchronised.
template <class T, class Cmp = std::greater<T>>
class TopN {
 public:
  explicit TopN(std::size_t limit, const Cmp& cmp = Cmp()) : limit_(limit), cmp_(cmp) {}
  std::size_t limit() const { return limit_; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void reserve(std::size_t n) { items_.reserve(n); }
  void push(const T& value) { push(value, nullptr); }
  void push(const T& value, T* dropped) {
    if (limit_ == 0) {
      if (dropped != nullptr) *dropped = value;
      return;
    }
    items_.insert(std::upper_bound(items_.begin(), items_.end(), value, cmp_), value);
    if (items_.size() <= limit_) return;
    if (dropped != nullptr) *dropped = items_.back();
    items_.pop_back();
  }
  const T& peek_bottom() { return items_.back(); }
  std::vector<T>* Extract() { return new std::vector<T>(std::move(items_)); }
  std::vector<T>* ExtractUnsorted() { return Extract(); }
  std::vector<T>* ExtractNondestructive() const { return new std::vector<T>(items_); }
  void ExtractNondestructive(std::vector<T>* out) const { *out = items_; }
  auto unsorted_begin() const { return items_.begin(); }
  auto unsorted_end() const { return items_.end(); }
  void Reset() { items_.clear(); }

 private:
  std::size_t limit_;
  Cmp cmp_;
  std::vector<T> items_;
};

template <class Iterator>
class iterator_range {
 public:
  iterator_range(Iterator begin, Iterator end) : begin_(begin), end_(end) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Iterator begin_, end_;
};
template <class Iterator>
iterator_range<Iterator> make_range(Iterator begin, Iterator end) {
  return {begin, end};
}
template <class Queue>
typename Queue::value_type ConsumeTop(Queue* queue) {
  typename Queue::value_type top = queue->top();
  queue->pop();
  return top;
}

// An integer that mixes with no other type.
template <class Tag, class T>
class IntType {
 public:
  typedef T ValueType;
  constexpr IntType() = default;
  constexpr explicit IntType(T value) : value_(value) {}
  constexpr T value() const { return value_; }
  template <class V>
  constexpr V value() const {
    return static_cast<V>(value_);
  }
  IntType& operator++() { return ++value_, *this; }
  IntType operator++(int) { return IntType(value_++); }
  IntType& operator--() { return --value_, *this; }
  IntType& operator+=(IntType o) { return value_ += o.value_, *this; }
  IntType& operator-=(IntType o) { return value_ -= o.value_, *this; }
  friend constexpr IntType operator+(IntType a, IntType b) { return IntType(a.value_ + b.value_); }
  friend constexpr IntType operator-(IntType a, IntType b) { return IntType(a.value_ - b.value_); }
  friend constexpr auto operator<=>(const IntType&, const IntType&) = default;
  friend std::ostream& operator<<(std::ostream& out, IntType a) { return out << a.value_; }
  struct Hasher {
    std::size_t operator()(IntType a) const { return static_cast<std::size_t>(a.value_); }
  };

 private:
  T value_{};
};

}  // namespace gtl

namespace core {
class Bitmap {
 public:
  Bitmap() = default;
  explicit Bitmap(std::size_t n) : bits_(n) {}
  std::size_t bits() const { return bits_.size(); }
  void Reset(std::size_t n) { bits_.assign(n, false); }
  bool get(std::size_t i) const { return bits_[i]; }
  void set(std::size_t i) { bits_[i] = true; }
  void clear(std::size_t i) { bits_[i] = false; }
  std::size_t FirstUnset(std::size_t start) const {
    while (start < bits_.size() && bits_[start]) ++start;
    return start;
  }
  bool IsAllSet() const { return FirstUnset(0) == bits_.size(); }
  std::size_t CountOnes() const { return static_cast<std::size_t>(std::count(bits_.begin(), bits_.end(), true)); }
  std::string ToString() const {
    std::string out;
    for (const bool bit : bits_) out += bit ? '1' : '0';
    return out;
  }

 private:
  std::vector<bool> bits_;
};
// Memory that goes at once.
class Arena {
 public:
  explicit Arena(std::size_t) {}
  char* Alloc(std::size_t size) { return blocks_.emplace_back(std::make_unique<char[]>(size)).get(); }
  // `alignment` is a power of two.
  char* AllocAligned(std::size_t size, std::size_t alignment) {
    void* place = Alloc(size + alignment);
    std::size_t room = size + alignment;
    return static_cast<char*>(std::align(alignment, size, place, room));
  }
  void Reset() { blocks_.clear(); }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
};
}  // namespace core

class MathUtil {
 public:
  template <class T>
  static constexpr T CeilOfRatio(T a, T b) {
    return static_cast<T>(a / b + ((a % b != 0 && (a < 0) == (b < 0)) ? 1 : 0));
  }
  template <class T>
  static constexpr T FloorOfRatio(T a, T b) {
    return static_cast<T>(a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
  }
  template <class T>
  static T GCD(T a, T b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  }
  template <class T>
  static T IPow(T base, int exponent) {
    T out = 1;
    for (; exponent > 0; --exponent) out *= base;
    return out;
  }
};

// Counters and gauges, which nothing reads.
namespace monitoring {
class Cell {
 public:
  void IncrementBy(int64_t n) { value_ += n; }
  template <class T>
  void Set(const T&) {}
  template <class T>
  void Add(const T&) {}
  int64_t value() const { return value_; }

 private:
  int64_t value_ = 0;
};
using CounterCell = Cell;
using SamplerCell = Cell;
using PercentileSamplerCell = Cell;
template <class T>
using GaugeCell = Cell;
class Metric {
 public:
  template <class... Labels>
  Cell* GetCell(const Labels&...) {
    return &cell_;
  }
  Status GetStatus() { return Status(); }

 private:
  Cell cell_;
};
struct Buckets {
  template <class... T>
  static std::unique_ptr<Buckets> Exponential(T&&...) {
    return std::make_unique<Buckets>();
  }
  template <class... T>
  static std::unique_ptr<Buckets> Explicit(T&&...) {
    return std::make_unique<Buckets>();
  }
};
template <int kLabels>
class Counter : public Metric {
 public:
  template <class... T>
  static Counter* New(T&&...) {
    return new Counter();
  }
};
template <class T, int kLabels>
class Gauge : public Metric {
 public:
  template <class... A>
  static Gauge* New(A&&...) {
    return new Gauge();
  }
};
enum class UnitOfMeasure { kNumber, kTime, kBytes };
template <int kLabels>
class PercentileSampler : public Metric {
 public:
  template <class... T>
  static PercentileSampler* New(T&&...) {
    return new PercentileSampler();
  }
};
template <int kLabels>
class Sampler : public Metric {
 public:
  template <class... T>
  static Sampler* New(T&&...) {
    return new Sampler();
  }
};
}  // namespace monitoring

}  // namespace tensorflow

#define TF_LIB_GTL_DEFINE_INT_TYPE(NAME, TYPE) \
  struct NAME##_tag_ {};                       \
  typedef ::tensorflow::gtl::IntType<NAME##_tag_, TYPE> NAME
