// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sweep is one op over sizes 2^4, 2^6, ..., 2^24. The lists of sweeps are in <family>_list.cpp; sweeps_bench.cpp runs
// them.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/op/attr/attr_value.hpp>
#include <tenon/tensor/tensor.hpp>

#include "numbers.hpp"

namespace tenon::bench {

// One node: its inputs, all fed, and its attrs.
struct Call {
  std::vector<std::vector<Tensor>> inputs = {};  // one entry for each argument of the op
  std::vector<bool> is_list = {};  // whether the argument is a list
  std::vector<std::pair<std::string, AttrValue>> attrs = {};
  int compared = -1;  // so many outputs are compared with TensorFlow's; -1: all, 0: random draws
  double relative_error = 1e-4;  // of TensorFlow's floats
  bool shapes = false;  // the graph knows the inputs' shapes; without, TensorFlow refuses some ops
  const char* numpy = nullptr;  // an expression of x, the first input, that does the same

  void In(Tensor tensor) {
    inputs.push_back({std::move(tensor)});
    is_list.push_back(false);
  }
  void List(std::vector<Tensor> tensors) {
    inputs.push_back(std::move(tensors));
    is_list.push_back(true);
  }
};

struct Sweep {
  const char* name;  // the op, and a word about the data where an op has several
  const char* op;
  const char* counts;  // what n counts
  int largest;  // log2 of the largest n
  void (*fill)(Index n, Call& call);
};

// The lists of all files.
inline std::vector<std::span<const Sweep>>& Sweeps() {
  static std::vector<std::span<const Sweep>> lists;
  return lists;
}
struct SweepList {
  explicit SweepList(std::span<const Sweep> list) { Sweeps().push_back(list); }
};

// Numbers that look random.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : state_(seed * 0x9e3779b97f4a7c15u) {}
  std::uint64_t Next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t Below(Index most) { return Next() % static_cast<std::uint64_t>(most); }

 private:
  std::uint64_t state_;
};

inline Index Side(Index n) { return static_cast<Index>(std::llround(std::sqrt(static_cast<double>(n)))); }

// Random integers of at least 0 and less than `most`.
template <class T = std::int32_t>
Tensor Ints(const TensorShape& shape, Index most, std::uint64_t seed = 1) {
  Tensor ints(dtype_of_v<T>, shape);
  Random random(seed);
  for (T& x : ints.flat<T>()) x = static_cast<T>(random.Below(most));
  return ints;
}
// 0, step, 2 * step, ..., each divided by `divisor`.
template <class T = std::int32_t>
Tensor Steps(Index n, Index divisor = 1, Index step = 1) {
  Tensor ints(dtype_of_v<T>, {n});
  Index i = 0;
  for (T& x : ints.flat<T>()) x = static_cast<T>(i++ * step / divisor);
  return ints;
}
template <class T>
Tensor Filled(const TensorShape& shape, T value) {
  Tensor tensor(dtype_of_v<T>, shape);
  for (T& x : tensor.flat<T>()) x = value;
  return tensor;
}
// 0 ... n - 1 in random order.
template <class T = std::int32_t>
Tensor Permutation(Index n, std::uint64_t seed = 1) {
  Tensor ints = Steps<T>(n);
  Random random(seed);
  T* const at = ints.data<T>();
  for (Index i = n; i > 1; --i) std::swap(at[i - 1], at[random.Below(i)]);
  return ints;
}
template <class T = std::int32_t>
Tensor Vector(std::initializer_list<Index> values) {
  Tensor vector(dtype_of_v<T>, {static_cast<Index>(values.size())});
  std::size_t i = 0;
  for (T& x : vector.flat<T>()) x = static_cast<T>(values.begin()[i++]);
  return vector;
}
template <class T = std::int32_t>
Tensor One(Index value) {
  return Tensor::Scalar<T>(static_cast<T>(value));
}
inline Tensor Shaped(const Tensor& tensor, const TensorShape& shape) {
  Tensor shaped;
  return shaped.CopyFrom(tensor, shape) ? shaped : tensor;
}
template <std::same_as<float> T>
Tensor One(T value) {
  return Tensor::Scalar<float>(value);
}

// A square matrix with a large diagonal; symmetric, too, on request.
template <class T = float>
Tensor Regular(Index side, bool symmetric = false) {
  Tensor matrix = Numbers<T>({side, side});
  T* const a = matrix.data<T>();
  for (Index i = 0; i < side; ++i) {
    a[i * side + i] += static_cast<T>(side);
    for (Index k = 0; symmetric && k < i; ++k) a[i * side + k] = a[k * side + i];
  }
  return matrix;
}

// A sparse matrix of [s, 16 * s] with n = s * s elements, in order.
struct Sparse {
  Tensor indices, values, shape;
};
inline Sparse SparseMatrix(Index n, std::uint64_t seed = 1) {
  const Index side = Side(n);
  Sparse sparse{Tensor(DataType::kInt64, {n, 2}), Numbers({n}, -1, 1, static_cast<std::uint32_t>(seed)),
                Vector<std::int64_t>({side, 16 * side})};
  Random random(seed);
  std::int64_t* at = sparse.indices.data<std::int64_t>();
  for (Index k = 0; k < n; ++k) {
    *at++ = k / side;
    *at++ = k % side * 16 + static_cast<Index>(random.Below(16));
  }
  return sparse;
}
inline void Add(Call& c, const Sparse& sparse) {
  for (const Tensor& tensor : {sparse.indices, sparse.values, sparse.shape}) c.In(tensor);
}
// The elements of `from` in random order.
inline Sparse Shuffled(const Sparse& from) {
  const Index n = from.values.NumElements();
  Sparse to{Tensor(DataType::kInt64, {n, 2}), Tensor(DataType::kFloat, {n}), from.shape};
  const Tensor order = Permutation<std::int64_t>(n);
  for (Index i = 0; i < n; ++i) {
    const Index k = order.flat<std::int64_t>()[i];
    for (Index d = 0; d < 2; ++d)
      to.indices.flat<std::int64_t>()[2 * i + d] = from.indices.flat<std::int64_t>()[2 * k + d];
    to.values.flat<float>()[i] = from.values.flat<float>()[k];
  }
  return to;
}

// Words of 3 to 12 letters.
inline std::string Word(Random& random) {
  std::string word(3 + random.Below(10), 'a');
  for (char& c : word) c = static_cast<char>('a' + random.Below(26));
  return word;
}
inline Tensor Words(const TensorShape& shape, std::uint64_t seed = 1) {
  Tensor words(DataType::kString, shape);
  Random random(seed);
  for (tstring& word : words.flat<tstring>()) word = Word(random);
  return words;
}
// A text of n bytes: words, with spaces between them.
inline tstring Text(Index n, std::uint64_t seed = 1) {
  Random random(seed);
  std::string text;
  while (static_cast<Index>(text.size()) < n) text += Word(random) + " ";
  text.resize(static_cast<std::size_t>(n));
  return tstring(text);
}
inline Tensor Texts(const tstring& text) { return Tensor::From<tstring>({text}, {1}); }

}  // namespace tenon::bench
