// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device_attributes_proto.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/graph_text.hpp>

namespace device_attributes_proto_test {
using namespace tenon;

namespace {

// The bytes of TensorFlow's own messages, written by Python's SerializeToString(deterministic=True).
std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return bytes;
}

constexpr std::string_view kAttributesHex =
    "0a292f6a6f623a776f726b65722f7265706c6963613a302f7461736b3a312f6465766963653a4750553a3012034750552080"
    "808080202a1c080110011a160a140802120e53747265616d4578656375746f72180131efcdab89674523813a136465766963"
    "653a20302c206e616d653a20543440ffffffffffffffffff01";
constexpr std::string_view kAttributesText = R"(name: "/job:worker/replica:0/task:1/device:GPU:0"
device_type: "GPU"
memory_limit: 8589934592
locality {
  bus_id: 1
  numa_node: 1
  links {
    link {
      device_id: 2
      type: "StreamExecutor"
      strength: 1
    }
  }
}
incarnation: 9305357566071262703
physical_device_desc: "device: 0, name: T4"
xla_global_id: -1
)";
constexpr std::string_view kAttributesJson = R"({
  "name": "/job:worker/replica:0/task:1/device:GPU:0",
  "deviceType": "GPU",
  "memoryLimit": "8589934592",
  "locality": {
    "busId": 1,
    "numaNode": 1,
    "links": {
      "link": [
        {
          "deviceId": 2,
          "type": "StreamExecutor",
          "strength": 1
        }
      ]
    }
  },
  "incarnation": "9305357566071262703",
  "physicalDeviceDesc": "device: 0, name: T4",
  "xlaGlobalId": "-1"
})";

constexpr std::string_view kPlainAttributesHex = "0a0d2f6465766963653a4350553a3012034350552a00";

// Reads the bytes, the text and the JSON, and writes all three again.
template <class T>
T CheckForms(std::string_view hex, std::string_view text, std::string_view json) {
  const std::string bytes = FromHex(hex);
  T read, of_text, of_json;
  CHECK(wire::Parse(wire::AsBytes(bytes), &read).ok());
  CHECK(detail::SerializeProto(read) == bytes);
  CHECK(ToText(read) == text);
  CHECK(ToJson(read) == json);
  const Status from_text = ParseText(text, &of_text), from_json = ParseJson(json, &of_json);
  CHECK_MESSAGE(from_text.ok(), from_text.message());
  CHECK_MESSAGE(from_json.ok(), from_json.message());
  CHECK(ToText(of_text) == text);
  CHECK(ToJson(of_json) == json);
  return read;
}

}  // namespace

TEST_SUITE("device_attributes_proto") {
  TEST_CASE("attributes of TensorFlow as bytes, text and JSON") {
    const auto gpu = CheckForms<DeviceAttributes>(kAttributesHex, kAttributesText, kAttributesJson);
    CHECK(gpu.name == "/job:worker/replica:0/task:1/device:GPU:0");
    CHECK(gpu.device_type == "GPU");
    CHECK(gpu.memory_limit == std::int64_t{1} << 33);
    CHECK(gpu.incarnation == 0x8123456789abcdef);
    CHECK(gpu.xla_global_id == -1);
    CHECK(gpu.locality.numa_node == 1);
    REQUIRE(gpu.locality.links.size() == 1);
    CHECK(gpu.locality.links[0].type == "StreamExecutor");
  }

  TEST_CASE("absent fields have the defaults of the message, and later fields are kept") {
    const std::string plain = FromHex(kPlainAttributesHex), unknown("\x9a\x06\x01z");
    const Result<DeviceAttributes> cpu = ParseDeviceAttributes(wire::AsBytes(plain + unknown));
    REQUIRE(cpu.ok());
    CHECK(cpu->xla_global_id == 0);
    CHECK(cpu->incarnation == 0);
    CHECK(cpu->unknown_fields == unknown);
    CHECK(SerializeDeviceAttributes(*cpu) == plain + unknown);
  }

  TEST_CASE("bytes that are no attributes") {
    CHECK(errors::IsDataLoss(ParseDeviceAttributes(wire::AsBytes("\x0a\x7f")).status()));
  }
}
}  // namespace device_attributes_proto_test
