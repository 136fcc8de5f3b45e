// SPDX-License-Identifier: Apache-2.0
// tests/op/op_def/meta_graph_edit_test.cpp reads TensorFlow's.
#include <tenon/op/graph_def/variable_def.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/op/graph_def/graph_text.hpp>

namespace variable_def_test {
using namespace tenon;

TEST_CASE("VariableDef: text and bytes") {
  const std::string text =
      "variable_name: \"emb/part_0:0\"\n"
      "initializer_name: \"emb/part_0/Assign\"\n"
      "snapshot_name: \"emb/part_0/read:0\"\n"
      "save_slice_info_def {\n"
      "  full_name: \"emb\"\n"
      "  full_shape: 7\n"
      "  full_shape: 4\n"
      "  var_offset: 0\n"
      "  var_offset: 0\n"
      "  var_shape: 3\n"
      "  var_shape: 4\n"
      "}\n"
      "is_resource: true\n"
      "initial_value_name: \"emb/part_0/init:0\"\n"
      "trainable: true\n"
      "synchronization: VARIABLE_SYNCHRONIZATION_ON_READ\n"
      "aggregation: VARIABLE_AGGREGATION_MEAN\n";
  VariableDef variable;
  REQUIRE(ParseText(text, &variable).ok());
  CHECK(variable.variable_name == "emb/part_0:0");
  CHECK(variable.initial_value_name == "emb/part_0/init:0");
  CHECK(variable.initializer_name == "emb/part_0/Assign");
  CHECK(variable.snapshot_name == "emb/part_0/read:0");
  REQUIRE(variable.save_slice_info_def.has_value());
  CHECK(variable.save_slice_info_def->full_name == "emb");
  CHECK(variable.save_slice_info_def->full_shape == SlimVector<std::int64_t>{7, 4});
  CHECK(variable.save_slice_info_def->var_offset == SlimVector<std::int64_t>{0, 0});
  CHECK(variable.save_slice_info_def->var_shape == SlimVector<std::int64_t>{3, 4});
  CHECK(variable.is_resource);
  CHECK(variable.trainable);
  CHECK(variable.synchronization == VariableSynchronization::kOnRead);
  CHECK(variable.aggregation == VariableAggregation::kMean);
  CHECK(ToText(variable) == text);
  std::string bytes;
  wire::SerializeTo(variable, &bytes);
  VariableDef again;
  REQUIRE(wire::Parse(wire::AsBytes(bytes), &again).ok());
  CHECK(again == variable);
}
}  // namespace variable_def_test
