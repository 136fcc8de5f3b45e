// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages in the wire format, and a FileDescriptorSet, for the tests of ops that read and write any message.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/ops/io/proto_message.hpp>
#include <tenon/ops/io/proto_pool.hpp>

namespace tenon::testing {

inline std::string Num(std::uint32_t field, std::int64_t value) {
  std::string out;
  ops::detail::AppendTag(field, wire::WireType::kVarint, &out);
  ops::detail::AppendVarint(static_cast<std::uint64_t>(value), &out);
  return out;
}
inline std::string Sub(std::uint32_t field, std::string_view bytes) {
  std::string out;
  ops::detail::AppendBytesField(field, bytes, &out);
  return out;
}
inline std::string Group(std::uint32_t field, std::string_view inside) {
  std::string out;
  ops::detail::AppendTag(field, wire::WireType::kStartGroup, &out);
  out.append(inside);
  ops::detail::AppendTag(field, wire::WireType::kEndGroup, &out);
  return out;
}

enum { kOptional = 1, kRequired = 2, kRepeated = 3 };
// A FieldDescriptorProto; types by number, or by the name of a message (11) or enum (14).
inline std::string FieldOf(std::string_view name, int number, int type, int label = kOptional,
                           std::string_view more = "") {
  return Sub(2, Sub(1, name) + Num(3, number) + Num(4, label) + Num(5, type) + std::string(more));
}
// Package "t": message M {a: int32 = 7, s: string, r: repeated int32, in: M, e: E, g: group, p: packed sint32},
// extension x: int32 of M, message Needs {a: required int32}; enum E {A = 3, B = 1}.
inline std::string TestDescriptors() {
  const std::string message =
      Sub(1, "M") + FieldOf("a", 1, 5, kOptional, Sub(7, "7")) + FieldOf("s", 2, 9) + FieldOf("r", 3, 5, kRepeated) +
      FieldOf("in", 4, 11, kOptional, Sub(6, ".t.M")) + FieldOf("e", 5, 14, kOptional, Sub(6, "E")) +
      FieldOf("g", 6, 10, kOptional, Sub(6, ".t.M.G")) + FieldOf("p", 7, 17, kRepeated, Sub(8, Num(2, 1))) +
      Sub(3, Sub(1, "G") + FieldOf("b", 1, 5));
  const std::string extension = Sub(1, "x") + Sub(2, ".t.M") + Num(3, 100) + Num(4, kOptional) + Num(5, 5);
  const std::string values = Sub(1, "E") + Sub(2, Sub(1, "A") + Num(2, 3)) + Sub(2, Sub(1, "B") + Num(2, 1));
  return Sub(1, Sub(1, "t.proto") + Sub(2, "t") + Sub(4, message) +
                    Sub(4, Sub(1, "Needs") + FieldOf("a", 1, 5, kRequired)) + Sub(5, values) + Sub(7, extension));
}
inline std::string TestSource() { return "bytes://" + TestDescriptors(); }

}  // namespace tenon::testing
