// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a body of ForLevels reads and writes the elements of a row: by whole vectors, and by the first lanes of one where
// the row ends. An element then has the same bits wherever it stands.

#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

#if TENON_DETAIL_LANES

namespace simd {

// All lanes of a vector.
template <class L>
struct AllLanes {
  TENON_HD L Load(const typename L::value_type* p) const { return L::Load(p); }
  TENON_HD void Store(typename L::value_type* p, const L& x) const { x.Store(p); }
};
// The first `count` lanes; the others are 0.
template <class L>
struct FirstLanes {
  std::size_t count;
  TENON_HD L Load(const typename L::value_type* p) const {
    typename L::value_type part[L::size] = {};
    __builtin_memcpy(part, p, count * sizeof *p);
    return L::Load(part);
  }
  TENON_HD void Store(typename L::value_type* p, const L& x) const {
    typename L::value_type part[L::size];
    x.Store(part);
    __builtin_memcpy(p, part, count * sizeof *p);
  }
};

}  // namespace simd

#endif  // TENON_DETAIL_LANES

TENON_DETAIL_NAMESPACE_END
