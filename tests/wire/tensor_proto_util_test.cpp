// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/tensor_proto_util.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/tensor/tensor_util.hpp>
#include <tenon/types/complex.hpp>

namespace tensor_proto_util_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

std::string ToProto(const Tensor& t, TensorProtoForm form) {
  std::string proto;
  TensorToProto(t, &proto, form);
  return proto;
}
Tensor Read(const std::string& proto) {
  Result<Tensor> t = TensorFromProto(wire::AsBytes(proto));
  REQUIRE_MESSAGE(t.ok(), t.status().message());
  return *std::move(t);
}
bool Compress(std::string* proto, Index min_elements = 64, float ratio = 2.0f, bool keep_bits = false) {
  const Result<bool> smaller = CompressTensorProtoInPlace(proto, min_elements, ratio, keep_bits);
  REQUIRE_MESSAGE(smaller.ok(), smaller.status().message());
  return *smaller;
}
template <class T>
Tensor Of(const std::vector<T>& values) {
  return MakeTensor<T>({static_cast<Index>(values.size())}, std::span<const T>(values));
}
// The values that a field of the message holds, as raw bytes; "none" without the field.
std::string FieldOf(const std::string& proto, std::uint32_t number) {
  wire::Reader reader(wire::AsBytes(proto));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.field == number && tag.type == wire::WireType::kBytes) return std::string(bytes);
    if (tag.type != wire::WireType::kBytes && !reader.Skip(tag)) break;
  }
  return "none";
}
// A message of `n` elements whose typed field has these float entries.
template <class T>
std::string Shortened(const std::vector<T>& entries, Index n) {
  std::string shape;
  ShapeToProto(PartialTensorShape({n}), &shape);
  std::string proto = ToProto(Of<T>(entries), TensorProtoForm::kTyped);
  wire::Writer writer;
  writer.Bytes(shape);
  writer.BytesTag(2, shape.size());
  proto.replace(2, 2 + FieldOf(proto, 2).size(), writer.view());  // behind the dtype
  return proto;
}

}  // namespace

TEST_SUITE("CreateTensorProto") {
  TEST_CASE("writes each value in the field of its type") {
    CHECK(CreateTensorProto<float>({1.0f}, {1}).value() ==
          ToProto(MakeTensor<float>({1}, {1}), TensorProtoForm::kTyped));
    const std::vector<std::int32_t> values = {1, 1, 1, -1};
    const std::string proto = CreateTensorProto<std::int32_t>(values, {2, 2}).value();
    CHECK(FieldOf(proto, 4) == "none");
    CHECK(FieldOf(proto, 7) == "\1\1\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"s);
    CHECK(tensor::Equal(Read(proto), MakeTensor<std::int32_t>({2, 2}, {1, 1, 1, -1})));
    CHECK(
        tensor::Equal(Read(CreateTensorProto<complex64>({{1, 2}}, {1}).value()), MakeTensor<complex64>({1}, {{1, 2}})));
    CHECK(tensor::Equal(Read(CreateTensorProto<int4>({int4(-3), int4(7)}, {2}).value()),
                        MakeTensor<int4>({2}, {int4(-3), int4(7)})));
    CHECK(
        tensor::Equal(Read(CreateTensorProto<bool>({true, false}, {2}).value()), MakeTensor<bool>({2}, {true, false})));
    CHECK(tensor::Equal(Read(CreateTensorProto<float8_e5m2>({float8_e5m2(2.0f)}, {}).value()),
                        Tensor::Scalar(float8_e5m2(2.0f))));
    ResourceHandle handle;
    handle.name = "v";
    CHECK(Read(CreateTensorProto<ResourceHandle>({handle}, {1}).value()).data<ResourceHandle>()[0] == handle);
  }
  TEST_CASE("takes texts of several types") {
    const Tensor expected = MakeTensor<tstring>({2}, {"a", std::string(50, 'b')});
    const std::vector<std::string> strings = {"a", std::string(50, 'b')};
    const std::vector<std::string_view> views(strings.begin(), strings.end());
    CHECK(tensor::Equal(Read(CreateTensorProto<std::string>(strings, {2}).value()), expected));
    CHECK(tensor::Equal(Read(CreateTensorProto<std::string_view>(views, {2}).value()), expected));
    CHECK(tensor::Equal(Read(CreateTensorProto<tstring>({"a", std::string(50, 'b')}, {2}).value()), expected));
    CHECK(tensor::Equal(Read(CreateTensorProto({"x", "y"}, {2, 1}).value()), MakeTensor<tstring>({2, 1}, {"x", "y"})));
  }
  TEST_CASE("writes dtype and shape of what has no elements") {
    CHECK(CreateTensorProto<double>({}, {0, 3}).value() ==
          ToProto(Tensor(DataType::kDouble, {0, 3}), TensorProtoForm::kTyped));
  }
  TEST_CASE("refuses another number of values with TensorFlow's text") {
    const Status s = CreateTensorProto<float>({1, 2, 3}, {2}).status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() ==
          "CreateTensorProto: Shape and number of values (3) are incompatible. Shape [2] has 2 elements");
  }
}

namespace {

// 100 elements, of which the last 90 are the same: shorter in every form, and the same values after it.
template <class T>
void ShortensRepetitions(T first, T last, std::uint32_t field) {
  CAPTURE(Name(dtype_of_v<T>));
  std::vector<T> values(100, last);
  for (int i = 0; i < 10; i += 2) values[static_cast<std::size_t>(i)] = first;
  Tensor t(dtype_of_v<T>, {100});
  for (Index i = 0; i < 100; ++i) t.flat<T>()[i] = values[static_cast<std::size_t>(i)];
  for (const auto form : {TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
    const std::string before = ToProto(t, form);
    std::string proto = before;
    CHECK(Compress(&proto));
    CHECK(proto.size() < before.size());
    CHECK(FieldOf(proto, 4) == "none");
    Tensor nine;
    nine = t.Slice(0, 10);
    CHECK(FieldOf(proto, field) == FieldOf(ToProto(nine, TensorProtoForm::kTyped), field));
    CHECK(tensor::CheckEqual(Read(proto), t, tensor::Equality::kBits).ok());
    const std::string once = proto;
    CHECK_FALSE(Compress(&proto));
    CHECK(proto == once);
  }
}
// All elements zero: no value at all.
void DropsZeros(DataType dtype) {
  Tensor t = Tensor::Make(dtype, {64}).value();
  std::memset(t.raw_data(), 0, t.TotalBytes());
  for (const auto form : {TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
    std::string proto = ToProto(t, form);
    CHECK(Compress(&proto));
    CHECK(proto == ToProto(Tensor(dtype, {64}, nullptr), form));
    CHECK(tensor::Equal(Read(proto), t));
    CHECK(Compress(&proto) == false);
  }
}
constexpr DataTypeSet kCompressed = kRealNumberTypes | kComplexTypes | kQuantizedTypes | ToSet(DataType::kBool);

}  // namespace

TEST_SUITE("CompressTensorProtoInPlace") {
  TEST_CASE("leaves out what repeats at the end, from both forms") {
    ShortensRepetitions<float>(1.5f, -2.5f, 5);
    ShortensRepetitions<double>(1.5, -2.5, 6);
    ShortensRepetitions<std::int32_t>(1, -2, 7);
    ShortensRepetitions<std::uint32_t>(1, 0xffffffff, 16);
    ShortensRepetitions<std::int64_t>(1, -2, 10);
    ShortensRepetitions<std::uint64_t>(1, ~std::uint64_t{0}, 17);
    ShortensRepetitions<std::int16_t>(1, -2, 7);
    ShortensRepetitions<std::uint16_t>(1, 65535, 7);
    ShortensRepetitions<std::int8_t>(1, -2, 7);
    ShortensRepetitions<std::uint8_t>(1, 255, 7);
    ShortensRepetitions<bool>(false, true, 11);
    ShortensRepetitions<half>(half(1.5f), half(-2.5f), 13);
    ShortensRepetitions<bfloat16>(bfloat16(1.5f), bfloat16(-2.5f), 13);
    ShortensRepetitions<complex64>({1, 2}, {1, -2}, 9);
    ShortensRepetitions<complex128>({1, 2}, {3, 2}, 12);
    ShortensRepetitions<qint8>(qint8(1), qint8(-2), 7);
    ShortensRepetitions<quint8>(quint8(1), quint8(200), 7);
    ShortensRepetitions<qint16>(qint16(1), qint16(-2), 7);
    ShortensRepetitions<quint16>(quint16(1), quint16(65535), 7);
    ShortensRepetitions<qint32>(qint32(1), qint32(-2), 7);
  }
  TEST_CASE("writes no value for zeros") {
    for (const DataType type : kCompressed) {
      CAPTURE(Name(type));
      DropsZeros(type);
    }
  }
  TEST_CASE("does nothing for other types") {
    for (const DataType type : kAllTypes) {
      if (kCompressed.contains(type)) continue;
      CAPTURE(Name(type));
      Tensor t = Tensor::Make(type, {100}).value();
      if (IsPlain(type)) std::memset(t.raw_data(), 0, t.TotalBytes());
      for (const auto form : {TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
        const std::string before = ToProto(t, form);
        std::string proto = before;
        CHECK_FALSE(Compress(&proto));
        CHECK(proto == before);
      }
    }
    std::string empty;
    CHECK_FALSE(Compress(&empty));
  }
  TEST_CASE("leaves fewer elements than the least alone") {
    const Tensor t = Of<float>(std::vector<float>(63, 1.0f));
    for (const auto form : {TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
      std::string proto = ToProto(t, form);
      CHECK_FALSE(Compress(&proto));
      CHECK(Compress(&proto, 63));
      CHECK(FieldOf(proto, 5).size() == 4);
    }
    std::string none = ToProto(Tensor(DataType::kFloat, {0}), TensorProtoForm::kTyped);
    CHECK_FALSE(Compress(&none, 0));
  }
  TEST_CASE("wants the ratio: so many values at most stay") {
    // 64 floats are 256 bytes: up to 32 values are half of that.
    for (int keep : {32, 33}) {
      std::vector<float> values(64, 7.0f);
      for (int i = 0; i + 1 < keep; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i);
      for (const auto form : {TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
        CAPTURE(keep);
        std::string proto = ToProto(Of<float>(values), form);
        CHECK(Compress(&proto) == (keep == 32));
        CHECK(Compress(&proto, 64, 1.0f) == true);
        CHECK(FieldOf(proto, 5).size() == static_cast<std::size_t>(4 * keep));
      }
    }
    // int8: an entry counts 4 bytes, so that 8 of 64 may stay from tensor_content.
    for (int keep : {8, 9}) {
      std::vector<std::int8_t> values(64, 100);
      for (int i = 0; i + 1 < keep; ++i) values[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i);
      std::string proto = ToProto(Of<std::int8_t>(values), TensorProtoForm::kContent);
      CHECK(Compress(&proto) == (keep == 8));
    }
    // complex64: two entries an element from tensor_content, and counted once in the field.
    std::vector<complex64> values(64, complex64(7, 7));
    for (int i = 0; i < 32; ++i) values[static_cast<std::size_t>(i)] = complex64(static_cast<float>(i), 1);
    std::string proto = ToProto(Of<complex64>(values), TensorProtoForm::kContent);
    CHECK_FALSE(Compress(&proto));
    proto = ToProto(Of<complex64>(values), TensorProtoForm::kTyped);
    CHECK_FALSE(Compress(&proto));
    values[31] = complex64(7, 7);
    proto = ToProto(Of<complex64>(values), TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(tensor::Equal(Read(proto), Of<complex64>(values)));
  }
  TEST_CASE("turns a field that is larger than the raw bytes into tensor_content") {
    std::vector<std::int8_t> values(64);
    for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<std::int8_t>(i % 2 == 0 ? -1 : 1);
    const Tensor t = Of<std::int8_t>(values);
    std::string proto = ToProto(t, TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(proto == ToProto(t, TensorProtoForm::kContent));
    std::vector<half> halves(64, half(1.0f));
    halves[62] = half(2.0f);
    proto = ToProto(Of<half>(halves), TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(proto == ToProto(Of<half>(halves), TensorProtoForm::kContent));
    std::vector<double> doubles(64);  // 8 bytes as field, 8 as content: nothing won
    for (std::size_t i = 0; i < 64; ++i) doubles[i] = static_cast<double>(i);
    proto = ToProto(Of<double>(doubles), TensorProtoForm::kTyped);
    CHECK_FALSE(Compress(&proto));
  }
  TEST_CASE("an already shortened field: what TensorFlow makes of it, and what keeps the values") {
    std::vector<std::int8_t> entries(60);
    for (std::size_t i = 0; i < 60; ++i) entries[i] = static_cast<std::int8_t>(i + 1);
    const std::string before = Shortened(entries, 100);
    const Tensor t = Read(before);
    CHECK(t.vec<std::int8_t>()(99) == 60);
    std::string proto = before;
    CHECK(Compress(&proto));
    CHECK(Read(proto).vec<std::int8_t>()(59) == 60);
    CHECK(Read(proto).vec<std::int8_t>()(60) == 0);
    proto = before;
    CHECK(Compress(&proto, 64, 2.0f, true));
    CHECK(tensor::Equal(Read(proto), t));
    // One entry stands for all in both; more entries than elements: those too many go.
    proto = Shortened<std::int8_t>({5}, 100);
    CHECK_FALSE(Compress(&proto));
    proto = Shortened(std::vector<std::int8_t>(entries), 64);
    CHECK(Compress(&proto));
    std::vector<float> many(100, 1.0f);
    many[98] = 2.0f;
    proto = Shortened(many, 64);
    CHECK_FALSE(Compress(&proto));
    CHECK(Compress(&proto, 64, 1.5f));
    CHECK(FieldOf(proto, 4).size() == 256);
  }
  TEST_CASE("zeros with a sign") {
    const Tensor negative = Of<float>(std::vector<float>(64, -0.0f));
    std::string proto = ToProto(negative, TensorProtoForm::kContent);
    CHECK(Compress(&proto));
    CHECK(tensor::Equal(Read(proto), Of<float>(std::vector<float>(64, 0.0f)), tensor::Equality::kBits));
    proto = ToProto(negative, TensorProtoForm::kContent);
    CHECK(Compress(&proto, 64, 2.0f, true));
    CHECK(tensor::Equal(Read(proto), negative, tensor::Equality::kBits));
    proto = ToProto(negative, TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(tensor::Equal(Read(proto), negative, tensor::Equality::kBits));
    std::vector<complex64> values(64, complex64(0.0f, -0.0f));
    proto = ToProto(Of<complex64>(values), TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(tensor::Equal(Read(proto), Of<complex64>(values), tensor::Equality::kBits));
    std::vector<half> mixed(64, half(-0.0f));
    mixed[63] = half(0.0f);
    proto = ToProto(Of<half>(mixed), TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(FieldOf(proto, 13) == "none");  // by value, they are all 0
    proto = ToProto(Of<half>(mixed), TensorProtoForm::kTyped);
    CHECK(Compress(&proto, 64, 2.0f, true));
    CHECK(tensor::Equal(Read(proto), Of<half>(mixed), tensor::Equality::kBits));
  }
  TEST_CASE("NaN repeats bit by bit, but for half") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::string proto = ToProto(Of<float>(std::vector<float>(64, nan)), TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(FieldOf(proto, 5).size() == 4);
    const Tensor halves = Of<half>(std::vector<half>(64, half(nan)));
    proto = ToProto(halves, TensorProtoForm::kTyped);
    CHECK(Compress(&proto));
    CHECK(proto == ToProto(halves, TensorProtoForm::kContent));
    proto = ToProto(halves, TensorProtoForm::kTyped);
    CHECK(Compress(&proto, 64, 2.0f, true));
    CHECK(FieldOf(proto, 4) == "none");
  }
  TEST_CASE("keeps all other fields, in the order of their numbers") {
    wire::Writer version, unknown;
    version.Varint(3);
    version.FieldTag(3, wire::WireType::kVarint);
    unknown.Bytes("later");
    unknown.BytesTag(99, 5);
    const Tensor t = Of<float>(std::vector<float>(64, 1.0f));
    std::string proto =
        std::string(unknown.view()) + ToProto(t, TensorProtoForm::kContent) + std::string(version.view());
    CHECK(Compress(&proto));
    const std::string plain = ToProto(t, TensorProtoForm::kAuto), value = "\x2a\x04\x00\x00\x80\x3f"s;
    REQUIRE(plain.substr(plain.size() - 6) == value);
    CHECK(proto ==
          plain.substr(0, plain.size() - 6) + std::string(version.view()) + value + std::string(unknown.view()));
  }
  TEST_CASE("reads entries that are not packed") {
    const std::string header = ToProto(Tensor(DataType::kInt32, {64}, nullptr), TensorProtoForm::kTyped);
    std::string proto = header;
    for (int i = 0; i < 64; ++i) proto += "\x38\x05"s;
    CHECK(Compress(&proto));
    CHECK(proto == header + "\x3a\x01\x05"s);
  }
  TEST_CASE("content of another size than the shape's is left alone") {
    const std::string whole = ToProto(Of<float>(std::vector<float>(64, 1.0f)), TensorProtoForm::kContent);
    std::string proto = ToProto(Tensor(DataType::kFloat, {65}, nullptr), TensorProtoForm::kTyped) + whole.substr(6);
    REQUIRE(FieldOf(proto, 4).size() == 256);
    CHECK_FALSE(Compress(&proto));
  }
  TEST_CASE("changed bytes never do harm, and never change the values when the bits are to be kept") {
    std::vector<std::int8_t> values(80, 3);
    for (std::size_t i = 0; i < 5; ++i) values[i] = static_cast<std::int8_t>(i);
    const std::string seeds[] = {ToProto(Of<std::int8_t>(values), TensorProtoForm::kContent),
                                 ToProto(Of<std::int8_t>(values), TensorProtoForm::kTyped),
                                 Shortened<std::int8_t>({1, 2, 3, 4, 5, 6}, 80)};
    std::uint32_t random = 1;
    int read = 0;
    for (int i = 0; i < 6000; ++i) {
      std::string proto = seeds[i % 3];
      for (int changes = i % 4; changes >= 0; --changes) {
        random = random * 1664525u + 1013904223u;
        proto[(random >> 8) % proto.size()] = static_cast<char>(random >> 24);
      }
      const Result<Tensor> before = TensorFromProto(wire::AsBytes(proto), nullptr, 1 << 16);
      const bool keep_bits = i % 2 == 0;
      if (!CompressTensorProtoInPlace(&proto, 8, 1.5f, keep_bits).ok() || !before.ok()) continue;
      const Result<Tensor> after = TensorFromProto(wire::AsBytes(proto), nullptr, 1 << 20);
      REQUIRE_MESSAGE(after.ok(), after.status().message());
      ++read;
      if (keep_bits) CHECK(tensor::Equal(*before, *after, tensor::Equality::kBits));
    }
    CHECK(read > 500);
  }
  TEST_CASE("bytes that are no TensorProto, and shapes that are none, are refused") {
    std::string proto = "\x08";
    CHECK(CompressTensorProtoInPlace(&proto).status().code() == Code::kDataLoss);
    proto = "\x08\x01\x2a\x03\x00\x00\x00"s;
    CHECK(CompressTensorProtoInPlace(&proto, 0).status().code() == Code::kDataLoss);
    std::string shape;
    ShapeToProto(PartialTensorShape({-1}), &shape);
    wire::Writer writer;
    writer.Bytes(shape);
    writer.BytesTag(2, shape.size());
    proto = "\x08\x01"s + std::string(writer.view());
    const Status s = CompressTensorProtoInPlace(&proto).status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "CompressTensorProtoInPlace: Shape [?] is not fully defined");
  }
}
}  // namespace tensor_proto_util_test
