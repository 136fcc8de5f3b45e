// SPDX-License-Identifier: Apache-2.0
// A recorded file of TensorFlow's is read by tenon_golden --text-graphs.
#include <tenon/wire/step_stats_text.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/wire/json_reader.hpp>
#include <tenon/wire/json_writer.hpp>
#include <tenon/wire/text_reader.hpp>
#include <tenon/wire/text_writer.hpp>

namespace step_stats_text_test {
using namespace tenon;

TEST_CASE("a traced run as text and as JSON") {
  constexpr std::string_view kText =
      "dev_stats {\n  device: \"/device:CPU:0\"\n  node_stats {\n    node_name: \"x\"\n    all_start_micros: 17\n"
      "    memory {\n      allocator_name: \"cpu\"\n      total_bytes: 4\n      allocation_records {\n"
      "        alloc_micros: 5\n        alloc_bytes: -4\n      }\n    }\n    output {\n      tensor_description {\n"
      "        dtype: DT_FLOAT\n        shape {\n          dim {\n            size: 3\n          }\n        }\n"
      "        allocation_description {\n          requested_bytes: 12\n          allocator_name: \"cpu\"\n"
      "          ptr: 94289351347712\n        }\n      }\n    }\n    memory_stats {\n"
      "      persistent_memory_size: 4\n    }\n  }\n  thread_names {\n    key: 1\n    value: \"main\"\n  }\n}\n";
  std::string bytes, text, json, again;
  const Status s = wire::TextToWire(wire::kStepStats, kText, &bytes);
  REQUIRE_MESSAGE(s.ok(), s.message());
  wire::WireToText(wire::kStepStats, bytes, &text);
  CHECK(text == kText);
  wire::WireToJson(wire::kStepStats, bytes, &json);
  CHECK(json.find("\"threadNames\": {\n        \"1\": \"main\"\n      }") != std::string::npos);
  REQUIRE(wire::JsonToWire(wire::kStepStats, json, &again).ok());
  CHECK(again == bytes);
}
}  // namespace step_stats_text_test
