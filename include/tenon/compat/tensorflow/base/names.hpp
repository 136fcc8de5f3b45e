// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names of integers and strings in TensorFlow's sources. First header of the layer: it also refuses a mixture with
// TensorFlow's own headers.

// IWYU pragma: begin_keep. TensorFlow's headers include these, and sources rely on it.
#include <algorithm>
#include <bitset>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <forward_list>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
// IWYU pragma: end_keep

#include <tenon/tensor/string_tensor.hpp>

#if defined(TENSORFLOW_CORE_FRAMEWORK_OP_H_) || defined(TENSORFLOW_CORE_FRAMEWORK_OP_KERNEL_H_) || \
    defined(TENSORFLOW_CORE_FRAMEWORK_TENSOR_H_) || defined(TENSORFLOW_CORE_FRAMEWORK_TYPES_H_) || \
    defined(TENSORFLOW_CORE_PLATFORM_TYPES_H_) || defined(TENSORFLOW_TSL_PLATFORM_TYPES_H_) ||     \
    defined(TENSORFLOW_CORE_PLATFORM_STATUS_H_) || defined(TENSORFLOW_CORE_LIB_CORE_STATUS_H_) ||  \
    defined(TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_)
static_assert(false,
              "tenon: this file includes TensorFlow's own headers and Tenon's of the same names. Put Tenon's folder "
              "compat/include before TensorFlow's include folder, or leave TensorFlow's out.");
#endif

namespace tensorflow {

using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
#if defined(TENON_COMPAT_LONG_LONG)  // sources of TensorFlow before 2.7, which take the address of such a number
using int64 = long long;
using uint64 = unsigned long long;
#else
using int64 = std::int64_t;
using uint64 = std::uint64_t;
#endif
using std::int64_t;
using std::uint64_t;

using string = std::string;
using tstring = tenon::tstring;
using StringPiece = std::string_view;
using std::make_unique;

inline constexpr uint8 kuint8max = std::numeric_limits<uint8>::max();
inline constexpr uint16 kuint16max = std::numeric_limits<uint16>::max();
inline constexpr uint32 kuint32max = std::numeric_limits<uint32>::max();
inline constexpr uint64 kuint64max = std::numeric_limits<uint64>::max();
inline constexpr int8 kint8min = std::numeric_limits<int8>::min();
inline constexpr int8 kint8max = std::numeric_limits<int8>::max();
inline constexpr int16 kint16min = std::numeric_limits<int16>::min();
inline constexpr int16 kint16max = std::numeric_limits<int16>::max();
inline constexpr int32 kint32min = std::numeric_limits<int32>::min();
inline constexpr int32 kint32max = std::numeric_limits<int32>::max();
inline constexpr int64 kint64min = std::numeric_limits<int64>::min();
inline constexpr int64 kint64max = std::numeric_limits<int64>::max();

namespace port {
inline constexpr bool kLittleEndian = true;
}  // namespace port

}  // namespace tensorflow

// TensorFlow's support library has the same names.
#define TENON_COMPAT_NESTED(name)     \
  namespace tensorflow::name {}       \
  namespace tsl::name {               \
  using namespace ::tensorflow::name; \
  }
namespace tsl {
using namespace tensorflow;
}  // namespace tsl
// Sources that open such a namespace in tsl find its names unqualified.
TENON_COMPAT_NESTED(core)
TENON_COMPAT_NESTED(crc32c)
TENON_COMPAT_NESTED(error)
TENON_COMPAT_NESTED(errors)
TENON_COMPAT_NESTED(gtl)
TENON_COMPAT_NESTED(io)
TENON_COMPAT_NESTED(monitoring)
TENON_COMPAT_NESTED(port)
TENON_COMPAT_NESTED(profiler)
TENON_COMPAT_NESTED(random)
TENON_COMPAT_NESTED(str_util)
TENON_COMPAT_NESTED(strings)
TENON_COMPAT_NESTED(test)
TENON_COMPAT_NESTED(thread)
#undef TENON_COMPAT_NESTED
