// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/schema.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/wire/tensor_fields.hpp>
#include <tenon/wire/tensor_writer.hpp>

using namespace tenon;
using namespace std::string_literals;
using namespace std::string_view_literals;

namespace {

enum class Colour : std::int32_t { kNone = 0, kRed = 1, kBlue = -3 };

struct Inner {
  std::int64_t number = 0;
  std::string text;
  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Outer {
  std::int32_t i32 = 0;
  std::int64_t i64 = 0;
  std::uint32_t u32 = 0;
  std::uint64_t u64 = 0;
  bool flag = false;
  Colour colour = Colour::kNone;
  float f = 0;
  double d = 0;
  std::string text;
  Inner inner;
  std::optional<Inner> maybe;
  std::vector<std::int32_t> numbers;
  std::vector<char> flags;
  std::vector<float> floats;
  std::vector<std::string> texts;
  std::vector<Inner> inners;
  std::vector<double> doubles;
  std::string far;
  int finished = 0;
  friend bool operator==(const Outer&, const Outer&) = default;
};

void Finish(void* object) { ++static_cast<Outer*>(object)->finished; }

}  // namespace

template <>
struct tenon::wire::Schema<Inner> {
  static const wire::Message message;
};
template <>
struct tenon::wire::Schema<Outer> {
  static const wire::Message message;
};
namespace {
constexpr wire::Field kInnerFields[] = {wire::MakeField<&Inner::number>(1, "number"),
                                        wire::MakeField<&Inner::text>(2, "text")};
constexpr wire::Field kOuterFields[] = {wire::MakeField<&Outer::i32>(1, "i32"),
                                        wire::MakeField<&Outer::i64>(2, "i64"),
                                        wire::MakeField<&Outer::u32>(3, "u32"),
                                        wire::MakeField<&Outer::u64>(4, "u64"),
                                        wire::MakeField<&Outer::flag>(5, "flag"),
                                        wire::MakeField<&Outer::colour>(6, "colour"),
                                        wire::MakeField<&Outer::f>(7, "f"),
                                        wire::MakeField<&Outer::d>(8, "d"),
                                        wire::MakeField<&Outer::text>(9, "text"),
                                        wire::MakeField<&Outer::inner>(10, "inner"),
                                        wire::MakeField<&Outer::maybe>(11, "maybe"),
                                        wire::MakeField<&Outer::numbers>(12, "numbers"),
                                        wire::MakeField<&Outer::flags>(13, "flags"),
                                        wire::MakeField<&Outer::floats>(14, "floats"),
                                        wire::MakeField<&Outer::texts>(15, "texts"),
                                        wire::MakeField<&Outer::inners>(16, "inners"),
                                        wire::MakeField<&Outer::doubles>(31, "doubles"),
                                        wire::MakeField<&Outer::far>(1000, "far")};
}  // namespace
constexpr wire::Message wire::Schema<Inner>::message("Inner", kInnerFields);
constexpr wire::Message wire::Schema<Outer>::message("Outer", kOuterFields, &Finish);

namespace {

Outer Full() {
  Outer o;
  o.i32 = -5;
  o.i64 = -1;
  o.u32 = 4000000000u;
  o.u64 = ~std::uint64_t{0};
  o.flag = true;
  o.colour = Colour::kBlue;
  o.f = 1.5f;
  o.d = -2.25;
  o.text = "text";
  o.inner = {300, "inner"};
  o.maybe = Inner{};
  o.numbers = {1, -1, 300};
  o.flags = {1, 0, 1};
  o.floats = {0.0f, 1.0f};
  o.texts = {"", "a", std::string(200, 'b')};
  o.inners = {{1, "x"}, {}, {2, "y"}};
  o.doubles = {3.5};
  o.far = "far";
  return o;
}

std::string Write(const Outer& o) {
  std::string out;
  wire::SerializeTo(o, &out);
  return out;
}
Outer Read(const std::string& bytes) {
  Outer o;
  const Status s = wire::Parse(wire::AsBytes(bytes), &o);
  CHECK_MESSAGE(s.ok(), s.message());
  return o;
}

}  // namespace

TEST_SUITE("wire::Schema") {
  TEST_CASE("a struct is the same after it was written and read") {
    Outer full = Full();
    Outer read = Read(Write(full));
    CHECK(read.finished == 1);
    read.finished = 0;
    CHECK(read == full);
  }
  TEST_CASE("default values are not written, an optional that is set is") {
    CHECK(Write(Outer()).empty());
    Outer o;
    o.maybe = Inner{};
    CHECK(Write(o) == "\x5a\x00"s);
  }
  TEST_CASE("fields are written in the order of their numbers, repeated numbers packed") {
    Outer o;
    o.i32 = 1;
    o.numbers = {1, 2};
    o.floats = {1.0f};
    o.texts = {"a", "b"};
    CHECK(Write(o) ==
          "\x08\x01\x62\x02\x01\x02\x72\x04\x00\x00\x80\x3f\x7a\x01"
          "a\x7a\x01"
          "b"s);
    o = Outer();
    o.i32 = -1;
    CHECK(Write(o) == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
  }
  TEST_CASE("repeated numbers may come packed, one by one, or mixed") {
    CHECK(Read("\x60\x01\x62\x02\x02\x03\x60\x04"s).numbers == std::vector<std::int32_t>{1, 2, 3, 4});
    CHECK(Read("\x75\x00\x00\x80\x3f"s).floats == std::vector<float>{1.0f});
    CHECK(Read("\x6a\x02\x05\x00"s).flags == std::vector<char>{1, 0});
  }
  TEST_CASE("unknown fields, and fields that come in another wire type, are skipped") {
    const Outer o = Read(
        "\xa2\x1f\x03"
        "abc\x0d"
        "abcd\x4d"
        "abcd\x08\x07"s);
    CHECK(o.i32 == 7);
    CHECK(o.text.empty());
  }
  TEST_CASE("a field is found whatever the order, the last of several values counts, messages merge") {
    const Outer o = Read(
        "\x4a\x01"
        "b\x08\x01\x52\x02\x08\x05\x08\x02\x4a\x01"
        "c\x52\x03\x12\x01"
        "z"s);
    CHECK(o.i32 == 2);
    CHECK(o.text == "c");
    CHECK(o.inner == Inner{5, "z"});
  }
  TEST_CASE("32-bit numbers take the low bits of longer ones") {
    CHECK(Read("\x08\xff\xff\xff\xff\x0f").i32 == -1);
    CHECK(Read("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").i32 == -1);
    CHECK(Read("\x28\x80\x02").flag);
  }
  TEST_CASE("errors carry the name of the outermost message and the byte") {
    Outer o;
    const Status s = wire::Parse(wire::AsBytes("\x08\x01\x52\x04\x08\x05\x12\x09"s), &o);
    CHECK(s.code() == Code::kDataLoss);
    CHECK(
        s.message() ==
        "Outer: cannot parse the bytes at offset 7: a field of 9 bytes goes beyond the end of its message; it is truncated or not a Outer");
    CHECK(
        wire::Parse(wire::AsBytes("\x62\x01\x80"s), &o).message().find("offset 2: the message ends inside a number") !=
        std::string_view::npos);
  }
  TEST_CASE("every cut of a message is an error or a message, never more") {
    const std::string whole = Write(Full());
    for (std::size_t n = 0; n < whole.size(); ++n) {
      Outer o;
      const Status s = wire::Parse(wire::AsBytes(whole.substr(0, n)), &o);
      CHECK((s.ok() || s.code() == Code::kDataLoss));
    }
  }
  TEST_CASE("tensors in a message are written by what its writer came with") {
    const auto write = [](wire::MessageWriter& writer, const void* object) {
      writer.Bytes(DataTypeString(static_cast<const Tensor*>(object)->dtype()));
    };
    wire::MessageWriter writer(write, nullptr);
    VariantTensorData data;
    data.type_name = "two";
    data.tensors = {Tensor::Scalar(1.0f), Tensor::Scalar(2)};
    wire::SerializeMessage(wire::Schema<VariantTensorData>::message, writer, &data);
    CHECK(writer.view() ==
          "\x0a\x03two\x1a\x05"
          "float\x1a\x05"
          "int32"sv);
  }
  TEST_CASE("tables can be walked: names, numbers and values of fields") {
    const Outer full = Full();
    const wire::Message& message = wire::Schema<Outer>::message;
    CHECK(message.Find(1)->name == "i32");
    CHECK(message.Find(1000)->name == "far");
    CHECK(message.Find(17) == nullptr);
    CHECK(message.Find(2000) == nullptr);
    CHECK(message.Find(16)->message == &wire::Schema<Inner>::message);
    const wire::FieldValues values = message.Find(16)->values(&full);
    CHECK(values.count == 3);
    CHECK(static_cast<const Inner*>(values[2])->text == "y");
    CHECK(message.Find(12)->repeated);
    CHECK(!message.Find(11)->repeated);
  }
}
