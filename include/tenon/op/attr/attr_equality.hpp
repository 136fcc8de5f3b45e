// SPDX-License-Identifier: Apache-2.0
#pragma once
// When two attr values mean the same, and a hash that agrees: what tells functions, ops and cached programs apart.
// operator== compares what is stored. Tensors that cannot be decoded are equal if their serialised bytes are.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Tensors larger than this are not compared by value where `allow_false_negatives` says so.
inline constexpr std::size_t kMaxComparedTensorBytes = std::size_t{32} << 20;

// Whether both stand for the same value. Tensors by dtype, shape and elements; floats by their bits, so NaN equals
// itself and 0 differs from -0. With `allow_false_negatives`, tensors of more than 32 MiB are equal only when they
// share their memory: quick, for caches.
inline bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b, bool allow_false_negatives = false);

// Equal values have equal hashes; the same on every machine of one byte order.
inline std::uint64_t AttrValueHash(const AttrValue& value);

namespace detail {

inline bool AreTensorsEqual(const Tensor& a, const Tensor& b, bool allow_false_negatives) {
  if (allow_false_negatives && a.TotalBytes() > kMaxComparedTensorBytes) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() && a.raw_data() == b.raw_data();
  }
  return SameTensor(a, b);
}

inline std::uint64_t HashNumber(std::uint64_t number) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  return Hash64({bytes, 8});
}
inline std::uint64_t HashAttr(const std::string& text) { return Hash64(text); }
inline std::uint64_t HashAttr(std::int64_t number) { return HashNumber(static_cast<std::uint64_t>(number)); }
inline std::uint64_t HashAttr(float number) { return HashNumber(std::bit_cast<std::uint32_t>(number)); }
inline std::uint64_t HashAttr(char flag) { return HashNumber(flag != 0 ? 1 : 0); }
inline std::uint64_t HashAttr(DataType type) { return HashNumber(static_cast<std::uint32_t>(type)); }
inline std::uint64_t HashAttr(const PartialTensorShape& shape) {
  std::uint64_t hash = HashAttr(static_cast<std::int64_t>(shape.dims()));
  for (int d = 0; d < shape.dims(); ++d) hash = HashCombine(hash, HashAttr(std::int64_t{shape.dim_size(d)}));
  return hash;
}
inline std::uint64_t HashAttr(const Tensor& tensor) {
  std::uint64_t hash = HashAttr(tensor.dtype());
  for (const Index size : tensor.shape().dim_sizes()) hash = HashCombine(hash, HashAttr(std::int64_t{size}));
  const Index n = tensor.NumElements();
  if (n == 0 || tensor.raw_data() == nullptr) return hash;
  if (tensor.dtype() == DataType::kString) {
    for (Index i = 0; i < n; ++i) hash = HashCombine(hash, Hash64(std::string_view(tensor.data<tstring>()[i])));
  } else if (tensor.dtype() == DataType::kResource) {
    for (Index i = 0; i < n; ++i) hash = HashCombine(hash, Hash64(tensor.data<ResourceHandle>()[i].name));
  } else if (IsPlain(tensor.dtype())) {
    hash = HashCombine(hash, Hash64({static_cast<const char*>(tensor.raw_data()), tensor.TotalBytes()}));
  }
  return hash;
}
inline std::uint64_t HashAttr(const NameAttrList& function) {
  std::uint64_t hash = Hash64(function.name);
  for (const auto& [name, value] : function.attr)
    hash = HashCombine(HashCombine(hash, Hash64(name)), AttrValueHash(value));
  return hash;
}
template <class T>
std::uint64_t HashAttrs(std::uint64_t hash, const SlimVector<T>& items) {
  hash = HashCombine(hash, HashNumber(items.size()));
  for (const T& item : items) hash = HashCombine(hash, HashAttr(item));
  return hash;
}

inline bool AreListsEqual(const AttrList& a, const AttrList& b, bool allow_false_negatives) {
  if (a.tensor.size() != b.tensor.size() || a.func.size() != b.func.size() || a.f.size() != b.f.size()) return false;
  for (std::size_t i = 0; i < a.tensor.size(); ++i)
    if (!AreTensorsEqual(a.tensor[i], b.tensor[i], allow_false_negatives)) return false;
  for (std::size_t i = 0; i < a.func.size(); ++i)
    if (!AreAttrValuesEqual(AttrValue(a.func[i]), AttrValue(b.func[i]), allow_false_negatives)) return false;
  for (std::size_t i = 0; i < a.f.size(); ++i)
    if (std::bit_cast<std::uint32_t>(a.f[i]) != std::bit_cast<std::uint32_t>(b.f[i])) return false;
  return a.s == b.s && a.i == b.i && a.b == b.b && a.type == b.type && a.shape == b.shape;
}

}  // namespace detail

// The attrs of two nodes or functions: the same names with the same values.
inline bool AreAttrsEqual(const AttrMap& a, const AttrMap& b, bool allow_false_negatives = false) {
  if (a.size() != b.size()) return false;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
    if (x->first != y->first || !AreAttrValuesEqual(x->second, y->second, allow_false_negatives)) return false;
  return true;
}

inline bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b, bool allow_false_negatives) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case AttrValue::Kind::kTensor:
      if (!a.decode_status().ok() || !b.decode_status().ok())
        return a.decode_status().ok() == b.decode_status().ok() && a.undecoded() == b.undecoded();
      return detail::AreTensorsEqual(a.tensor(), b.tensor(), allow_false_negatives);
    case AttrValue::Kind::kFunc:
      return a.func().name == b.func().name && AreAttrsEqual(a.func().attr, b.func().attr, allow_false_negatives);
    case AttrValue::Kind::kList: return detail::AreListsEqual(a.list(), b.list(), allow_false_negatives);
    default: return a == b;
  }
}

inline std::uint64_t AttrValueHash(const AttrValue& value) {
  const std::uint64_t hash = detail::HashNumber(static_cast<std::uint64_t>(value.kind()));
  switch (value.kind()) {
    case AttrValue::Kind::kNone: return hash;
    case AttrValue::Kind::kString: return HashCombine(hash, Hash64(value.s()));
    case AttrValue::Kind::kPlaceholder: return HashCombine(hash, Hash64(value.placeholder()));
    case AttrValue::Kind::kInt: return HashCombine(hash, detail::HashAttr(value.i()));
    case AttrValue::Kind::kFloat: return HashCombine(hash, detail::HashAttr(value.f()));
    case AttrValue::Kind::kBool: return HashCombine(hash, detail::HashNumber(value.b() ? 1 : 0));
    case AttrValue::Kind::kType: return HashCombine(hash, detail::HashAttr(value.type()));
    case AttrValue::Kind::kShape:
      return HashCombine(hash,
                         value.decode_status().ok() ? detail::HashAttr(value.shape()) : Hash64(value.undecoded()));
    case AttrValue::Kind::kTensor:
      return HashCombine(hash,
                         value.decode_status().ok() ? detail::HashAttr(value.tensor()) : Hash64(value.undecoded()));
    case AttrValue::Kind::kFunc: return HashCombine(hash, detail::HashAttr(value.func()));
    case AttrValue::Kind::kList: break;
  }
  const AttrList& list = value.list();
  std::uint64_t all = detail::HashAttrs(hash, list.s);
  all = detail::HashAttrs(all, list.i);
  all = detail::HashAttrs(all, list.f);
  all = detail::HashAttrs(all, list.b);
  all = detail::HashAttrs(all, list.type);
  all = detail::HashAttrs(all, list.shape);
  all = detail::HashAttrs(all, list.tensor);
  return detail::HashAttrs(all, list.func);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
