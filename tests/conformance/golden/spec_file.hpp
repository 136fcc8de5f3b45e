// SPDX-License-Identifier: Apache-2.0
#pragma once
// The file of spec strings (tests/golden/specs.proto) as plain structs with wire tables.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/wire/schema.hpp>

namespace golden {

struct SpecCase {
  std::string name, op;
  std::vector<std::string> attr, input, output;
  bool is_stateful = false, is_commutative = false, is_aggregate = false, allows_uninitialized_input = false;
  std::int32_t code = 0;
  std::string message;
  std::string op_def;  // an OpDef when code is 0
};
struct SpecFile {
  std::vector<SpecCase> cases;
};

}  // namespace golden

namespace tenon::wire {

template <>
struct Schema<golden::SpecCase> {
  static const Message message;
};
template <>
struct Schema<golden::SpecFile> {
  static const Message message;
};

inline constexpr Field kGoldenSpecCaseFields[] = {
    MakeField<&golden::SpecCase::name>(1, "name"),
    MakeField<&golden::SpecCase::op>(2, "op"),
    MakeField<&golden::SpecCase::attr>(3, "attr"),
    MakeField<&golden::SpecCase::input>(4, "input"),
    MakeField<&golden::SpecCase::output>(5, "output"),
    MakeField<&golden::SpecCase::is_stateful>(6, "is_stateful"),
    MakeField<&golden::SpecCase::is_commutative>(7, "is_commutative"),
    MakeField<&golden::SpecCase::is_aggregate>(8, "is_aggregate"),
    MakeField<&golden::SpecCase::allows_uninitialized_input>(9, "allows_uninitialized_input"),
    MakeField<&golden::SpecCase::code>(10, "code"),
    MakeField<&golden::SpecCase::message>(11, "message"),
    OfBytes(MakeField<&golden::SpecCase::op_def>(12, "op_def"))};
inline constexpr Message Schema<golden::SpecCase>::message("SpecCase", kGoldenSpecCaseFields);

inline constexpr Field kGoldenSpecFileFields[] = {MakeField<&golden::SpecFile::cases>(1, "case")};
inline constexpr Message Schema<golden::SpecFile>::message("SpecFile", kGoldenSpecFileFields);

}  // namespace tenon::wire
