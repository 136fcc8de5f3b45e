// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/text_writer.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/wire/text_reader.hpp>

namespace text_writer_test {
using namespace tenon;

namespace {
std::string Real(double value, bool single = false) {
  std::string out;
  wire::detail::AppendReal(value, single, &out);
  return out;
}
std::string Float(float value) { return Real(static_cast<double>(value), true); }
std::string Write(const wire::Message& message, std::string_view bytes) {
  std::string out;
  wire::WireToText(message, bytes, &out);
  return out;
}
const wire::Message& kTensor = wire::detail::kTensor;
}  // namespace

TEST_CASE("floats have the fewest digits that read back, as Python writes them") {
  CHECK(Float(0) == "0.0");
  CHECK(Float(-0.0f) == "-0.0");
  CHECK(Float(2) == "2.0");
  CHECK(Float(-0.5f) == "-0.5");
  CHECK(Float(0.1f) == "0.1");
  CHECK(Float(1e-4f) == "0.0001");
  CHECK(Float(1e-5f) == "1e-05");
  CHECK(Float(1.17549435e-38f) == "1.1754944e-38");
  CHECK(Float(3.4028235e38f) == "3.4028235e+38");
  CHECK(Float(16777216) == "16777216.0");
  CHECK(Float(123456.7f) == "123456.7");
  CHECK(Real(0.1) == "0.1");
  CHECK(Real(1.0 / 3) == "0.3333333333333333");
  CHECK(Real(1e15) == "1000000000000000.0");
  CHECK(Real(1e16) == "1e+16");
  CHECK(Real(123456789012345680.0) == "1.2345678901234568e+17");
  CHECK(Real(5e-324) == "5e-324");
  CHECK(Real(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(Real(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(Real(std::numeric_limits<double>::quiet_NaN()) == "nan");
}
TEST_CASE("floats of any bits read back as themselves") {
  std::uint32_t bits = 1;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (value != value) continue;
    const std::string text = Float(value);
    wire::TextCursor in(text);
    double read = 0;
    REQUIRE(in.ReadDouble(&read));
    REQUIRE(static_cast<float>(read) == value);
    REQUIRE(in.Peek() == '\0');
  }
}
TEST_CASE("one field a line, two blanks a level, in the order of the numbers") {
  std::string bytes;
  REQUIRE(
      wire::TextToWire(kTensor,
                       "string_val: 'a\\n\\'\\\"\\\\\\t\\r\\001\\377~\\177' tensor_shape { dim { size: -1 } dim { } "
                       "} int_val: [1, -2] dtype: DT_STRING uint64_val: 18446744073709551615 "
                       "double_val: [0.5] float_val: 2 bool_val: [true, false] version_number: 3",
                       &bytes)
          .ok());
  CHECK(Write(kTensor, bytes) ==
        "dtype: DT_STRING\n"
        "tensor_shape {\n"
        "  dim {\n"
        "    size: -1\n"
        "  }\n"
        "  dim {\n"
        "  }\n"
        "}\n"
        "version_number: 3\n"
        "float_val: 2.0\n"
        "double_val: 0.5\n"
        "int_val: 1\n"
        "int_val: -2\n"
        "string_val: \"a\\n\\'\\\"\\\\\\t\\r\\001\\377~\\177\"\n"
        "bool_val: true\n"
        "bool_val: false\n"
        "uint64_val: 18446744073709551615\n");
}
TEST_CASE("a value that is there twice: the last one, and messages merge; a number without a name") {
  CHECK(Write(kTensor, std::string_view("\x08\x01\x08\x4d", 4)) == "dtype: 77\n");
  CHECK(Write(kTensor, std::string_view("\x12\x02\x18\x01\x08\x02\x12\x02\x12\x00", 10)) ==
        "dtype: DT_DOUBLE\ntensor_shape {\n  dim {\n  }\n  unknown_rank: true\n}\n");
}
TEST_CASE("maps are sorted by their keys, texts or numbers") {
  const wire::Message& info = wire::detail::kGraphDebugInfo;
  std::string bytes;
  REQUIRE(wire::TextToWire(info,
                           "frames_by_id { key: 300 } frames_by_id { key: 7 value { } } name_to_trace_id { key: 'b' } "
                           "name_to_trace_id { value: 1 key: 'a' } name_to_trace_id { value: 2 key: 'ab' }",
                           &bytes)
              .ok());
  std::string zeros;
  REQUIRE(
      wire::TextToWire(info, "name_to_trace_id { key: '' value: 0 } frames_by_id { key: 0 value {} }", &zeros).ok());
  CHECK(Write(info, zeros) == "frames_by_id {\n  value {\n  }\n}\nname_to_trace_id {\n}\n");
  CHECK(Write(info, bytes) ==
        "frames_by_id {\n  key: 7\n  value {\n  }\n}\nframes_by_id {\n  key: 300\n}\n"
        "name_to_trace_id {\n  key: \"a\"\n  value: 1\n}\nname_to_trace_id {\n  key: \"ab\"\n  value: 2\n}\n"
        "name_to_trace_id {\n  key: \"b\"\n}\n");
}
TEST_CASE("a key is the one before a mistake, in the order of entries too") {
  // frames_by_id { key: 2, and a key that is cut }, frames_by_id { key: 1 }
  const std::string_view bytes("\x22\x0a\x09\x02\0\0\0\0\0\0\0\x09\x22\x09\x09\x01\0\0\0\0\0\0\0", 23);
  CHECK(Write(wire::detail::kGraphDebugInfo, bytes) == "frames_by_id {\n  key: 1\n}\nframes_by_id {\n  key: 2\n}\n");
}
TEST_CASE("unknown fields and what follows a mistake are left out") {
  CHECK(Write(kTensor, std::string_view("\xf8\x07\x01\x08\x01\x0d\x01\x02\x03\x04", 10)) == "dtype: DT_FLOAT\n");
  CHECK(Write(kTensor, std::string_view("\x08\x01\x12\x20", 4)) == "dtype: DT_FLOAT\n");
  CHECK(Write(kTensor, std::string_view("\x2a\x05\0\0\x80\x3f\0", 7)) == "float_val: 1.0\n");
  std::string out;
  wire::WireToText(wire::Schema<Tensor>::message, "", &out, {});
  CHECK(out.empty());
}
TEST_CASE("bytes that nest without end are cut") {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    std::string around = "\x12";
    for (std::size_t n = bytes.size(); around.size() == 1 || n != 0; n >>= 7)
      around += static_cast<char>((n & 0x7f) | (n >= 0x80 ? 0x80 : 0));
    bytes = around + bytes;
  }
  const std::string text = Write(wire::detail::FullTypeTable::message, bytes);
  CHECK(text.size() > 100 * 7);
  std::string again;
  CHECK(wire::TextToWire(wire::detail::FullTypeTable::message, text, &again).ok());
}
}  // namespace text_writer_test
