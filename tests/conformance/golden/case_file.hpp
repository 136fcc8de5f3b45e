// SPDX-License-Identifier: Apache-2.0
#pragma once
// The golden case files (tests/golden/golden.proto) as plain structs with wire tables.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/wire/schema.hpp>

namespace golden {

struct NamedBytes {
  std::string name;
  std::string bytes;  // a TensorProto or a TensorShapeProto
};
struct Step {
  std::vector<NamedBytes> feed, fetch;
  std::vector<std::string> target;
  std::int32_t code = 0;
  std::string message;
};
struct Case {
  std::string name;
  std::string graph;
  std::vector<Step> step;
  double rtol = 0, atol = 0;
  std::string compare;
  std::vector<std::string> op;
  std::string note;
  std::int32_t import_code = 0;
  std::string import_message;
  std::vector<NamedBytes> known_shape, unknown_shape;
};
struct CaseFile {
  std::vector<Case> cases;
};

}  // namespace golden

namespace tenon::wire {

template <>
struct Schema<golden::NamedBytes> {
  static const Message message;
};
template <>
struct Schema<golden::Step> {
  static const Message message;
};
template <>
struct Schema<golden::Case> {
  static const Message message;
};
template <>
struct Schema<golden::CaseFile> {
  static const Message message;
};

inline constexpr Field kGoldenNamedFields[] = {MakeField<&golden::NamedBytes::name>(1, "name"),
                                               OfBytes(MakeField<&golden::NamedBytes::bytes>(2, "bytes"))};
inline constexpr Message Schema<golden::NamedBytes>::message("NamedTensor", kGoldenNamedFields);

inline constexpr Field kGoldenStepFields[] = {
    MakeField<&golden::Step::feed>(1, "feed"), MakeField<&golden::Step::fetch>(2, "fetch"),
    MakeField<&golden::Step::target>(3, "target"), MakeField<&golden::Step::code>(4, "code"),
    MakeField<&golden::Step::message>(5, "message")};
inline constexpr Message Schema<golden::Step>::message("Step", kGoldenStepFields);

inline constexpr Field kGoldenCaseFields[] = {MakeField<&golden::Case::name>(1, "name"),
                                              OfBytes(MakeField<&golden::Case::graph>(2, "graph")),
                                              MakeField<&golden::Case::step>(3, "step"),
                                              MakeField<&golden::Case::rtol>(4, "rtol"),
                                              MakeField<&golden::Case::atol>(5, "atol"),
                                              MakeField<&golden::Case::compare>(6, "compare"),
                                              MakeField<&golden::Case::op>(7, "op"),
                                              MakeField<&golden::Case::note>(8, "note"),
                                              MakeField<&golden::Case::import_code>(9, "import_code"),
                                              MakeField<&golden::Case::import_message>(10, "import_message"),
                                              MakeField<&golden::Case::known_shape>(11, "known_shape"),
                                              MakeField<&golden::Case::unknown_shape>(12, "unknown_shape")};
inline constexpr Message Schema<golden::Case>::message("Case", kGoldenCaseFields);

inline constexpr Field kGoldenCaseFileFields[] = {MakeField<&golden::CaseFile::cases>(1, "case")};
inline constexpr Message Schema<golden::CaseFile>::message("CaseFile", kGoldenCaseFileFields);

}  // namespace tenon::wire
