// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small parts of TensorFlow's platform library: memory, bits, casts, processors, base64, coding.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/compat/tensorflow/base/human_readable.hpp>
#include <tenon/compat/tensorflow/base/logging.hpp>
#include <tenon/compat/tensorflow/base/refcount.hpp>
#include <tenon/compat/tensorflow/env.hpp>

namespace tensorflow {

// ---- bits
inline int Log2Floor64(std::uint64_t n) { return n == 0 ? -1 : 63 - std::countl_zero(n); }
inline int Log2Floor(uint32 n) { return Log2Floor64(n); }
inline int Log2Ceiling64(std::uint64_t n) { return n <= 1 ? static_cast<int>(n) - 1 : 64 - std::countl_zero(n - 1); }
inline int Log2Ceiling(uint32 n) { return Log2Ceiling64(n); }
inline uint32 NextPowerOfTwo(uint32 n) { return std::bit_ceil(n); }
inline std::uint64_t NextPowerOfTwo64(std::uint64_t n) { return std::bit_ceil(n); }
inline std::uint64_t NextPowerOfTwoS64(int64_t n) { return std::bit_ceil(static_cast<std::uint64_t>(n)); }

// ---- casts
template <class To, class From>
To bit_cast(const From& from) {
  return std::bit_cast<To>(from);
}
template <class To, class From>
To down_cast(From* from) {
  return static_cast<To>(from);
}
template <class To, class From>
To down_cast(From& from) {
  return static_cast<To>(from);
}

namespace core {
// ---- numbers as bytes
#define TENON_COMPAT_FIXED(BITS, TYPE)                                                           \
  inline void EncodeFixed##BITS(char* to, TYPE value) { std::memcpy(to, &value, sizeof value); } \
  inline void PutFixed##BITS(std::string* out, TYPE value) {                                     \
    char bytes[sizeof value];                                                                    \
    EncodeFixed##BITS(bytes, value);                                                             \
    out->append(bytes, sizeof bytes);                                                            \
  }                                                                                              \
  inline TYPE DecodeFixed##BITS(const char* from) {                                              \
    TYPE value;                                                                                  \
    std::memcpy(&value, from, sizeof value);                                                     \
    return value;                                                                                \
  }
TENON_COMPAT_FIXED(16, std::uint16_t)
TENON_COMPAT_FIXED(32, std::uint32_t)
TENON_COMPAT_FIXED(64, std::uint64_t)
#undef TENON_COMPAT_FIXED
inline int VarintLength(std::uint64_t value) {
  int length = 1;
  for (; value >= 128; value >>= 7) ++length;
  return length;
}
inline char* EncodeVarint64(char* to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) *to++ = static_cast<char>(value | 128);
  *to++ = static_cast<char>(value);
  return to;
}
inline char* EncodeVarint32(char* to, std::uint32_t value) { return EncodeVarint64(to, value); }
inline void PutVarint64(std::string* out, std::uint64_t value) {
  char bytes[10];
  out->append(bytes, static_cast<std::size_t>(EncodeVarint64(bytes, value) - bytes));
}
inline void PutVarint32(std::string* out, std::uint32_t value) { PutVarint64(out, value); }
// The byte behind the number; null: the bytes end first.
inline const char* GetVarint64Ptr(const char* from, const char* limit, std::uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift <= 63 && from < limit; shift += 7) {
    const std::uint64_t byte = static_cast<unsigned char>(*from++);
    *value |= (byte & 127) << shift;
    if ((byte & 128) == 0) return from;
  }
  return nullptr;
}
inline const char* GetVarint32Ptr(const char* from, const char* limit, std::uint32_t* value) {
  std::uint64_t wide = 0;
  const char* const end = GetVarint64Ptr(from, limit, &wide);
  *value = static_cast<std::uint32_t>(wide);
  return end;
}
inline bool GetVarint64(StringPiece* in, std::uint64_t* value) {
  const char* const end = GetVarint64Ptr(in->data(), in->data() + in->size(), value);
  if (end == nullptr) return false;
  in->remove_prefix(static_cast<std::size_t>(end - in->data()));
  return true;
}
inline bool GetVarint32(StringPiece* in, std::uint32_t* value) {
  std::uint64_t wide = 0;
  if (!GetVarint64(in, &wide)) return false;
  *value = static_cast<std::uint32_t>(wide);
  return true;
}

// A pointer that counts references.
template <class T>
class IntrusivePtr {
 public:
  IntrusivePtr() = default;
  IntrusivePtr(T* object, bool add_ref) { reset(object, add_ref); }
  IntrusivePtr(const IntrusivePtr& other) { reset(other.object_, true); }
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ~IntrusivePtr() { reset(nullptr, false); }
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  void reset(T* object, bool add_ref) {
    if (object != nullptr && add_ref) object->Ref();
    if (object_ != nullptr) object_->Unref();
    object_ = object;
  }
  T* get() const { return object_; }
  T* detach() { return std::exchange(object_, nullptr); }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};
}  // namespace core

namespace port {
// ---- memory and processors
inline void* AlignedMalloc(std::size_t size, int alignment) {
  const std::size_t least =
      static_cast<std::size_t>(alignment) < sizeof(void*) ? sizeof(void*) : static_cast<std::size_t>(alignment);
  return std::aligned_alloc(least, (size + least - 1) / least * least);
}
inline void AlignedFree(void* memory) { std::free(memory); }
inline void AlignedSizedFree(void* memory, int, std::size_t) { AlignedFree(memory); }
inline void* Malloc(std::size_t size) { return std::malloc(size); }
inline void* Realloc(void* memory, std::size_t size) { return std::realloc(memory, size); }
inline void Free(void* memory) { std::free(memory); }
inline std::size_t MallocExtension_GetAllocatedSize(const void*) { return 0; }
inline void MallocExtension_ReleaseToSystem(std::size_t) {}
struct MemoryInfo {
  int64_t total = INT64_MAX, free = INT64_MAX;
};
inline MemoryInfo GetMemoryInfo() { return {}; }
inline int64_t AvailableRam() { return INT64_MAX; }
enum CPUFeature { MMX, SSE, SSE2, SSE3, SSSE3, SSE4_1, SSE4_2, AVX, AVX2, FMA, AVX512F, F16C };
inline bool TestCPUFeature(CPUFeature) { return false; }
inline int NumHyperthreadsPerCore() { return 1; }
inline int CPUFamily() { return 0; }
inline int CPUModelNum() { return 0; }
inline int GetCurrentCPU() { return -1; }
inline int MaxParallelism(int) { return MaxParallelism(); }
inline double NominalCPUFrequency() { return 1e9; }
inline std::string Hostname() { return "localhost"; }
inline std::string JobName() { return {}; }
inline int64_t JobUid() { return -1; }
inline void InitMain(const char*, int*, char***) {}
inline bool NUMAEnabled() { return false; }
inline int NUMANumNodes() { return 1; }
inline void NUMASetThreadNodeAffinity(int) {}
inline constexpr int kNUMANoAffinity = -1;
inline int NUMAGetThreadNodeAffinity() { return kNUMANoAffinity; }
inline void InfoAboutUnusedCPUFeatures() {}
class ScopedFlushDenormal {
 public:
  ScopedFlushDenormal() {}
};
class ScopedDontFlushDenormal {
 public:
  ScopedDontFlushDenormal() {}
};
class ScopedSetRound {
 public:
  explicit ScopedSetRound(int) {}
};
}  // namespace port
inline std::string CurrentStackTrace() { return {}; }
inline std::string GetDataDependencyFilepath(const std::string& path) { return path; }
inline bool tensor_float_32_execution_enabled() { return false; }
inline void enable_tensor_float_32_execution(bool) {}
inline bool OpDeterminismRequired() { return false; }
inline bool OpOrderDeterminismRequired() { return false; }
inline void EnableOpDeterminism(bool) {}
inline bool IsMKLEnabled() { return false; }

// ---- base64 with '-' and '_'
template <class Text>
Status Base64Encode(StringPiece bytes, bool with_padding, Text* out) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) {
      if (k <= left)
        text += kLetters[three >> (18 - 6 * k) & 63];
      else if (with_padding)
        text += '=';
    }
  }
  *out = text;
  return Status();
}
template <class Text>
Status Base64Encode(StringPiece bytes, Text* out) {
  return Base64Encode(bytes, false, out);
}
template <class Text>
Status Base64Decode(StringPiece text, Text* out) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '-' || c == '+' ? 62
                      : c == '_' || c == '/' ? 63
                                             : -1;
    if (value < 0) return errors::InvalidArgument("Invalid character found in base64.");
    held = held << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 255);
  }
  if (text.size() % 4 == 1) return errors::InvalidArgument("Base64 string length cannot be 1 modulo 4.");
  *out = bytes;
  return Status();
}

}  // namespace tensorflow
