// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pieces of a TensorProto, written by hand, and what comes out when they are read.

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/wire/writer.hpp>

namespace tenon::testing {

inline std::string Number(std::uint32_t field, std::uint64_t value) {
  wire::Writer writer;
  writer.Varint(value);
  writer.FieldTag(field, wire::WireType::kVarint);
  return std::string(writer.view());
}
inline std::string Bytes(std::uint32_t field, std::string_view value) {
  wire::Writer writer;
  writer.Bytes(value);
  writer.BytesTag(field, value.size());
  return std::string(writer.view());
}
inline std::string Varints(std::initializer_list<std::uint64_t> values) {
  std::string out;
  for (const std::uint64_t value : values) {
    wire::Writer writer;
    writer.Varint(value);
    out += writer.view();
  }
  return out;
}
template <class T>
inline std::string Raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}
inline std::string Shape(std::initializer_list<Index> dims) {
  std::string out;
  for (const Index size : dims) out += Bytes(2, size == 0 ? "" : Number(1, static_cast<std::uint64_t>(size)));
  return out;
}
inline std::string Proto(DataType dtype, std::initializer_list<Index> dims, std::string_view rest) {
  return Number(1, static_cast<std::uint64_t>(dtype)) + Bytes(2, Shape(dims)) + std::string(rest);
}

inline Tensor Read(const std::string& proto, Buffer* owner = nullptr) {
  Result<Tensor> tensor = TensorFromProto(wire::AsBytes(proto), owner);
  REQUIRE_MESSAGE(tensor.ok(), tensor.status().message());
  return *tensor;
}
inline Status ReadError(const std::string& proto) { return TensorFromProto(wire::AsBytes(proto)).status(); }

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  REQUIRE(tensor.dtype() == dtype_of_v<T>);
  const In<T> flat = tensor.flat<T>();
  return std::vector<T>(flat.begin(), flat.end());
}

inline bool Has(const Status& status, std::string_view text) {
  return status.message().find(text) != std::string_view::npos;
}

}  // namespace tenon::testing
