// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/tensor_reader.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include "memory/needed.hpp"
#include "wire/tensor_pieces.hpp"

namespace tensor_reader_test {
using namespace tenon;
using namespace tenon::testing;
using namespace std::string_literals;

TEST_SUITE("TensorFromProto") {
  TEST_CASE("reads tensor_content of plain types") {
    const Tensor t = Read(Proto(DataType::kFloat, {2, 2}, Bytes(4, Raw<float>({1, 2, 3, 4}))));
    CHECK(t.shape() == TensorShape({2, 2}));
    CHECK(Values<float>(t) == std::vector<float>{1, 2, 3, 4});
    CHECK(Values<std::uint8_t>(Read(Proto(DataType::kUint8, {3}, Bytes(4, "\x01\x02\xff")))) ==
          std::vector<std::uint8_t>{1, 2, 255});
  }
  TEST_CASE("fields may come in any order") {
    const std::string proto =
        Bytes(5, Raw<float>({7, 8})) + Bytes(2, Shape({2})) + Number(1, static_cast<std::uint64_t>(DataType::kFloat));
    CHECK(Values<float>(Read(proto)) == std::vector<float>{7, 8});
  }
  TEST_CASE("reads each typed field, packed") {
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {2}, Bytes(5, Raw<float>({1.5f, -2}))))) ==
          std::vector<float>{1.5f, -2});
    CHECK(Values<double>(Read(Proto(DataType::kDouble, {2}, Bytes(6, Raw<double>({1.5, -2}))))) ==
          std::vector<double>{1.5, -2});
    const std::string ints = Bytes(7, Varints({1, static_cast<std::uint64_t>(-2), 300}));
    CHECK(Values<std::int32_t>(Read(Proto(DataType::kInt32, {3}, ints))) == std::vector<std::int32_t>{1, -2, 300});
    CHECK(Values<std::int16_t>(Read(Proto(DataType::kInt16, {3}, ints))) == std::vector<std::int16_t>{1, -2, 300});
    CHECK(Values<std::uint16_t>(Read(Proto(DataType::kUint16, {3}, ints))) ==
          std::vector<std::uint16_t>{1, 65534, 300});
    CHECK(Values<std::int8_t>(Read(Proto(DataType::kInt8, {3}, ints))) == std::vector<std::int8_t>{1, -2, 44});
    CHECK(Values<std::uint8_t>(Read(Proto(DataType::kUint8, {3}, ints))) == std::vector<std::uint8_t>{1, 254, 44});
    CHECK(Read(Proto(DataType::kQint8, {3}, ints)).data<qint8>()[1].value == -2);
    CHECK(Read(Proto(DataType::kQuint8, {3}, ints)).data<quint8>()[1].value == 254);
    CHECK(Read(Proto(DataType::kQint16, {3}, ints)).data<qint16>()[2].value == 300);
    CHECK(Read(Proto(DataType::kQuint16, {3}, ints)).data<quint16>()[1].value == 65534);
    CHECK(Read(Proto(DataType::kQint32, {3}, ints)).data<qint32>()[1].value == -2);
    CHECK(Values<std::int64_t>(
              Read(Proto(DataType::kInt64, {2}, Bytes(10, Varints({5, static_cast<std::uint64_t>(-5)}))))) ==
          std::vector<std::int64_t>{5, -5});
    CHECK(Values<bool>(Read(Proto(DataType::kBool, {3}, Bytes(11, Varints({1, 0, 2}))))) ==
          std::vector<bool>{true, false, true});
    CHECK(Values<std::uint32_t>(Read(Proto(DataType::kUint32, {1}, Bytes(16, Varints({4000000000u}))))) ==
          std::vector<std::uint32_t>{4000000000u});
    CHECK(Values<std::uint64_t>(Read(Proto(DataType::kUint64, {1}, Bytes(17, Varints({~std::uint64_t{0}}))))) ==
          std::vector<std::uint64_t>{~std::uint64_t{0}});
  }
  TEST_CASE("reads typed fields that are not packed, and mixtures") {
    CHECK(Values<std::int32_t>(
              Read(Proto(DataType::kInt32, {4}, Number(7, 1) + Bytes(7, Varints({2, 3})) + Number(7, 4)))) ==
          std::vector<std::int32_t>{1, 2, 3, 4});
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {2}, "\x2d\x00\x00\x80\x3f\x2d\x00\x00\x00\x40"s))) ==
          std::vector<float>{1, 2});
  }
  TEST_CASE("half and bfloat16 are the low 16 bits of half_val") {
    const Tensor h = Read(Proto(DataType::kHalf, {2}, Bytes(13, Varints({0x3c00, 0xffffffffffffc000u}))));
    CHECK(static_cast<float>(h.flat<half>()[0]) == 1.0f);
    CHECK(static_cast<float>(h.flat<half>()[1]) == -2.0f);
    const Tensor b = Read(Proto(DataType::kBfloat16, {1}, Bytes(13, Varints({0x3f80}))));
    CHECK(static_cast<float>(b.flat<bfloat16>()[0]) == 1.0f);
  }
  TEST_CASE("float8_val holds one byte an element") {
    const Tensor t = Read(Proto(DataType::kFloat8E5M2, {3}, Bytes(18, "\x3c\x40")));
    CHECK(static_cast<float>(t.flat<float8_e5m2>()[0]) == 1.0f);
    CHECK(static_cast<float>(t.flat<float8_e5m2>()[1]) == 2.0f);
    CHECK(static_cast<float>(t.flat<float8_e5m2>()[2]) == 2.0f);
    CHECK(static_cast<float>(Read(Proto(DataType::kFloat8E4M3FN, {1}, Bytes(18, "\x38"))).flat<float8_e4m3fn>()[0]) ==
          1.0f);
  }
  TEST_CASE("integers of less than a byte are wrapped to their bits, from either field") {
    const Tensor t = Read(Proto(DataType::kInt4, {3}, Bytes(7, Varints({7, static_cast<std::uint64_t>(-8), 9}))));
    CHECK(t.data<int4>()[0].value == 7);
    CHECK(t.data<int4>()[1].value == -8);
    CHECK(t.data<int4>()[2].value == -7);
    CHECK(Read(Proto(DataType::kInt4, {1}, Bytes(4, "\x0f"))).data<int4>()[0].value == -1);
    CHECK(Read(Proto(DataType::kUint4, {1}, Bytes(7, Varints({31})))).data<uint4>()[0].value == 15);
    CHECK(Read(Proto(DataType::kInt2, {1}, Bytes(7, Varints({3})))).data<int2>()[0].value == -1);
    CHECK(Read(Proto(DataType::kUint2, {1}, Bytes(7, Varints({7})))).data<uint2>()[0].value == 3);
    CHECK(static_cast<float>(Read(Proto(DataType::kFloat4E2M1FN, {1}, Bytes(4, "\xf2"))).flat<float4_e2m1fn>()[0]) ==
          1.0f);
  }
  TEST_CASE("complex numbers are pairs") {
    const Tensor t = Read(Proto(DataType::kComplex64, {2}, Bytes(9, Raw<float>({1, 2, 3, 4}))));
    CHECK(Values<complex64>(t) == std::vector<complex64>{{1, 2}, {3, 4}});
    const Tensor odd = Read(Proto(DataType::kComplex64, {2}, Bytes(9, Raw<float>({1, 2, 3}))));
    CHECK(Values<complex64>(odd) == std::vector<complex64>{{1, 2}, {1, 2}});
    CHECK(Values<complex128>(Read(Proto(DataType::kComplex128, {1}, Bytes(12, Raw<double>({5, 6}))))) ==
          std::vector<complex128>{{5, 6}});
  }
  TEST_CASE("the last value stands for all that are missing; none at all are zeros; too many are dropped") {
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {5}, Bytes(5, Raw<float>({1, 2}))))) ==
          std::vector<float>{1, 2, 2, 2, 2});
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {3}, ""))) == std::vector<float>{0, 0, 0});
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {1}, Bytes(5, Raw<float>({1, 2, 3}))))) == std::vector<float>{1});
    CHECK(Values<std::int64_t>(Read(Proto(DataType::kInt64, {4}, Number(10, 9)))) ==
          std::vector<std::int64_t>{9, 9, 9, 9});
    const Tensor big = Read(Proto(DataType::kInt16, {1000}, Bytes(7, Varints({1, 2, 3}))));
    for (Index i = 3; i < 1000; ++i) CHECK(big.flat<std::int16_t>()[i] == 3);
  }
  TEST_CASE("tensor_content wins over typed values; when it is empty they count") {
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {1}, Bytes(4, Raw<float>({9})) + Bytes(5, Raw<float>({1}))))) ==
          std::vector<float>{9});
    CHECK(Values<float>(Read(Proto(DataType::kFloat, {1}, Bytes(4, "") + Bytes(5, Raw<float>({1}))))) ==
          std::vector<float>{1});
  }
  TEST_CASE("strings: string_val, with the last one repeated") {
    const std::string longer(40, 'x');
    const Tensor t = Read(Proto(DataType::kString, {4}, Bytes(8, "a") + Bytes(8, longer)));
    CHECK(t.flat<tstring>()[0] == "a");
    CHECK(t.flat<tstring>()[3] == longer);
    CHECK(Read(Proto(DataType::kString, {2}, "")).flat<tstring>()[1] == "");
    CHECK(Read(Proto(DataType::kString, {}, Bytes(8, "a\0b"s))).flat<tstring>()[0] == "a\0b"s);
  }
  TEST_CASE("strings in tensor_content: all lengths, then all bytes") {
    const Tensor t = Read(Proto(DataType::kString, {3}, Bytes(4, "\x01\x00\x02xyz"s)));
    CHECK(t.flat<tstring>()[0] == "x");
    CHECK(t.flat<tstring>()[1] == "");
    CHECK(t.flat<tstring>()[2] == "yz");
    CHECK(Has(ReadError(Proto(DataType::kString, {2}, Bytes(4, "\x01\x01xyz"s))),
              "tensor_content has 3 bytes after the lengths, expected 2"));
    CHECK(Has(ReadError(Proto(DataType::kString, {2}, Bytes(4, "\x01\x05xyz"s))),
              "tensor_content is too short for its elements"));
    CHECK(Has(ReadError(Proto(DataType::kString, {200}, Bytes(4, "\x01\x05xyz"s))),
              "too few for the lengths of 200 elements"));
    CHECK(Has(ReadError(Proto(DataType::kString, {2}, Bytes(4, "\x01\x80"s))), "no proper length for element 1"));
  }
  TEST_CASE("no elements: only dtype and shape count") {
    const Tensor t = Read(Proto(DataType::kFloat, {2, 0}, Bytes(4, "what is this")));
    CHECK(t.shape() == TensorShape({2, 0}));
    CHECK(t.dtype() == DataType::kFloat);
    CHECK(t.buffer() == nullptr);
    CHECK(Read(Number(1, 3)).shape() == TensorShape());  // no shape is a scalar
  }
}

namespace {

// A plain dtype: how its values stand in the typed field, and what elements two of them make.
struct Form {
  DataType dtype;
  std::uint32_t field;
  int wire_bytes;              // of a number: 4 or 8; 0: a varint; -1: a byte of one bytes field
  std::vector<std::uint64_t> numbers;  // two elements: the bits, or the numbers, as they are written
  std::string elements;        // their bytes in memory
};
template <class T>
std::string Bits(std::initializer_list<std::uint64_t> values) {
  std::string out;
  for (const std::uint64_t value : values) out.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return out;
}
const std::vector<Form>& Forms() {
  constexpr std::uint64_t kMinusOne = ~std::uint64_t{0}, kMinusTwo = kMinusOne - 1;
  constexpr std::uint64_t kOne = 0x3f800000, kTwo = 0x40000000;  // as float
  constexpr std::uint64_t kOneD = 0x3ff0000000000000, kTwoD = 0x4000000000000000;
  using U8 = std::uint8_t;
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  static const std::vector<Form> forms = {
      {DataType::kFloat, 5, 4, {kOne, kTwo}, Bits<U32>({kOne, kTwo})},
      {DataType::kDouble, 6, 8, {kOneD, kTwoD}, Bits<U64>({kOneD, kTwoD})},
      {DataType::kInt32, 7, 0, {300, kMinusTwo}, Bits<U32>({300, kMinusTwo})},
      {DataType::kInt16, 7, 0, {300, kMinusTwo}, Bits<U16>({300, kMinusTwo})},
      {DataType::kInt8, 7, 0, {30, kMinusTwo}, Bits<U8>({30, kMinusTwo})},
      {DataType::kUint8, 7, 0, {30, 254}, Bits<U8>({30, 254})},
      {DataType::kUint16, 7, 0, {30, 65534}, Bits<U16>({30, 65534})},
      {DataType::kQint8, 7, 0, {30, kMinusTwo}, Bits<U8>({30, kMinusTwo})},
      {DataType::kQuint8, 7, 0, {30, 254}, Bits<U8>({30, 254})},
      {DataType::kQint16, 7, 0, {300, kMinusTwo}, Bits<U16>({300, kMinusTwo})},
      {DataType::kQuint16, 7, 0, {30, 65534}, Bits<U16>({30, 65534})},
      {DataType::kQint32, 7, 0, {300, kMinusTwo}, Bits<U32>({300, kMinusTwo})},
      {DataType::kInt4, 7, 0, {7, kMinusTwo}, Bits<U8>({7, kMinusTwo})},
      {DataType::kUint4, 7, 0, {7, 14}, Bits<U8>({7, 14})},
      {DataType::kInt2, 7, 0, {1, kMinusTwo}, Bits<U8>({1, kMinusTwo})},
      {DataType::kUint2, 7, 0, {1, 3}, Bits<U8>({1, 3})},
      {DataType::kComplex64, 9, 4, {kOne, kTwo, kTwo, kOne}, Bits<U32>({kOne, kTwo, kTwo, kOne})},
      {DataType::kInt64, 10, 0, {U64{1} << 40, kMinusTwo}, Bits<U64>({U64{1} << 40, kMinusTwo})},
      {DataType::kBool, 11, 0, {0, 1}, Bits<U8>({0, 1})},
      {DataType::kComplex128, 12, 8, {kOneD, kTwoD, kTwoD, kOneD}, Bits<U64>({kOneD, kTwoD, kTwoD, kOneD})},
      {DataType::kHalf, 13, 0, {0x3c00, 0xc000}, Bits<U16>({0x3c00, 0xc000})},
      {DataType::kBfloat16, 13, 0, {0x3f80, 0xc000}, Bits<U16>({0x3f80, 0xc000})},
      {DataType::kUint32, 16, 0, {5, 4000000000u}, Bits<U32>({5, 4000000000u})},
      {DataType::kUint64, 17, 0, {5, kMinusOne}, Bits<U64>({5, kMinusOne})},
      {DataType::kFloat8E5M2, 18, -1, {0x3c, 0xc0}, Bits<U8>({0x3c, 0xc0})},
      {DataType::kFloat8E4M3FN, 18, -1, {0x38, 0xc0}, Bits<U8>({0x38, 0xc0})},
      {DataType::kFloat8E4M3FNUZ, 18, -1, {0x38, 0xc0}, Bits<U8>({0x38, 0xc0})},
      {DataType::kFloat8E4M3B11FNUZ, 18, -1, {0x38, 0xc0}, Bits<U8>({0x38, 0xc0})},
      {DataType::kFloat8E5M2FNUZ, 18, -1, {0x3c, 0xc0}, Bits<U8>({0x3c, 0xc0})},
      {DataType::kFloat4E2M1FN, 18, -1, {0x2, 0xc}, Bits<U8>({0x2, 0xc})},
  };
  return forms;
}

std::string OneNumber(const Form& form, std::uint64_t number) {
  if (form.wire_bytes == 0) return Varints({number});
  return std::string(reinterpret_cast<const char*>(&number),
                     form.wire_bytes < 0 ? 1 : static_cast<std::size_t>(form.wire_bytes));
}
// The first `count` numbers as one packed field.
std::string Packed(const Form& form, std::size_t count) {
  std::string values;
  for (std::size_t i = 0; i < count; ++i) values += OneNumber(form, form.numbers[i]);
  return Bytes(form.field, values);
}
// One field for each number.
std::string Unpacked(const Form& form) {
  if (form.wire_bytes < 0) return Packed(form, form.numbers.size());  // one bytes field is all there is
  std::string out;
  for (const std::uint64_t number : form.numbers) {
    wire::Writer writer;
    const auto type = form.wire_bytes == 0   ? wire::WireType::kVarint
                      : form.wire_bytes == 4 ? wire::WireType::kFixed32
                                             : wire::WireType::kFixed64;
    writer.FieldTag(form.field, type);
    out += std::string(writer.view()) + OneNumber(form, number);
  }
  return out;
}
std::string Contents(const Tensor& tensor) { return std::string(tensor.tensor_data()); }

}  // namespace

TEST_SUITE("TensorFromProto, each plain dtype") {
  TEST_CASE("the table has all of them") {
    for (int number = 1; number < 100; ++number) {
      const auto dtype = static_cast<DataType>(number);
      int forms = 0;
      for (const Form& form : Forms()) forms += form.dtype == dtype ? 1 : 0;
      CHECK_MESSAGE(forms == (SizeOf(dtype) != 0 ? 1 : 0), Name(dtype));
    }
  }
  TEST_CASE("reads tensor_content, packed and unpacked fields, in one piece or several") {
    for (const Form& form : Forms()) {
      CAPTURE(std::string(Name(form.dtype)));
      const std::size_t per_element = form.numbers.size() / 2;
      const std::string second(form.elements, form.elements.size() / 2);
      CHECK(Contents(Read(Proto(form.dtype, {2}, Bytes(4, form.elements)))) == form.elements);
      CHECK(Contents(Read(Proto(form.dtype, {2}, Packed(form, form.numbers.size())))) == form.elements);
      CHECK(Contents(Read(Proto(form.dtype, {2, 1}, Unpacked(form)))) == form.elements);
      if (form.wire_bytes >= 0) {  // packed, unpacked, packed
        const std::string pieces =
            Packed(form, form.numbers.size()) + Unpacked(form) + Packed(form, form.numbers.size());
        CHECK(Contents(Read(Proto(form.dtype, {6}, pieces))) == form.elements + form.elements + form.elements);
      } else {  // the last one counts
        CHECK(Contents(Read(Proto(form.dtype, {2}, Bytes(form.field, "\1\1\1") + Packed(form, 2)))) == form.elements);
      }
      // The field may stand in front of what says its type.
      const std::string front =
          Packed(form, form.numbers.size()) + Bytes(2, Shape({2})) + Number(1, static_cast<std::uint64_t>(form.dtype));
      CHECK(Contents(Read(front)) == form.elements);
      // Fewer: the last one is repeated. None: zeros. More: dropped.
      CHECK(Contents(Read(Proto(form.dtype, {5}, Packed(form, form.numbers.size())))) ==
            form.elements + second + second + second);
      CHECK(Contents(Read(Proto(form.dtype, {2}, Packed(form, per_element)))) ==
            form.elements.substr(0, second.size()) + form.elements.substr(0, second.size()));
      CHECK(Contents(Read(Proto(form.dtype, {3}, ""))) == std::string(3 * second.size(), '\0'));
      CHECK(Contents(Read(Proto(form.dtype, {3}, Bytes(form.field, "")))) == std::string(3 * second.size(), '\0'));
      CHECK(Contents(Read(Proto(form.dtype, {}, Packed(form, form.numbers.size())))) ==
            form.elements.substr(0, second.size()));
      // Content wins; fields of other types say nothing.
      CHECK(Contents(Read(Proto(form.dtype, {2}, Packed(form, per_element) + Bytes(4, form.elements)))) ==
            form.elements);
      for (const Form& other : Forms()) {
        if (other.field == form.field) continue;
        CHECK(Contents(Read(Proto(form.dtype, {2}, Packed(other, 1) + Packed(form, form.numbers.size())))) ==
              form.elements);
        CHECK(Contents(Read(Proto(form.dtype, {1}, Packed(other, 1)))) == std::string(second.size(), '\0'));
      }
      CHECK(Read(Proto(form.dtype, {0, 3}, Packed(form, 1))).NumElements() == 0);
    }
  }
  TEST_CASE("refuses content of another size, fields cut short, and shapes that are none") {
    for (const Form& form : Forms()) {
      const std::string name(Name(form.dtype));
      CAPTURE(name);
      const std::size_t element = form.elements.size() / 2;
      for (const std::string& content :
           {form.elements.substr(1), form.elements + "x", form.elements.substr(0, element)}) {
        const Status s = ReadError(Proto(form.dtype, {2}, Bytes(4, content)));
        CHECK(s.code() == Code::kInvalidArgument);
        CHECK(s.message() == StrCat("TensorProto of type ", name, " and shape [2]: tensor_content has ", content.size(),
                                    " bytes, expected 2 elements of ", element, " bytes"));
      }
      if (form.wire_bytes > 0) {
        CHECK(ReadError(Proto(form.dtype, {2}, Bytes(form.field, "abc"))).code() == Code::kDataLoss);
        CHECK(ReadError(Proto(form.dtype, {2}, Unpacked(form).substr(0, 3))).code() == Code::kDataLoss);
      } else if (form.wire_bytes == 0) {
        CHECK(ReadError(Proto(form.dtype, {2}, Bytes(form.field, "\xff"))).code() == Code::kDataLoss);
        CHECK(ReadError(Proto(form.dtype, {2}, Unpacked(form).substr(0, 1))).code() == Code::kDataLoss);
      }
      Status s = ReadError(Proto(form.dtype, {-1}, Packed(form, 1)));
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(s.message() == StrCat("TensorProto of type ", name, " and shape [?]: Shape [?] is not fully defined"));
      s = ReadError(Proto(form.dtype, {Index{1} << 40, Index{1} << 40, 0}, Packed(form, 1)));
      CHECK(Has(s, "is too large (more than 2**63 - 1 entries)"));
      s = ReadError(Proto(form.dtype, {0, Index{1} << 40, Index{1} << 40}, Packed(form, 1)));
      CHECK(Has(s, "Encountered overflow when multiplying shape dimensions"));
      s = ReadError(Proto(form.dtype, {Index{1} << 50}, Packed(form, 1)));
      CHECK(s.code() == Code::kResourceExhausted);
      CHECK(Has(s, "repeating a value over so many elements needs more than the 2147483648 bytes"));
    }
    CHECK(ReadError(Proto(DataType::kBool, {2}, Bytes(4, "\1\2"))).message() ==
          "TensorProto of type bool and shape [2]: tensor_content has a byte 2, a bool is 0 or 1");
    for (const int number : {0, 34, 99, 101, 119, 133, 1000}) {
      const Status s = ReadError(Proto(static_cast<DataType>(number), {2}, ""));
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(Has(s, StrCat(": ", number, " is not the number of a dtype that a tensor can have")));
    }
  }
  TEST_CASE("is written in each form and the same when read") {
    for (const Form& form : Forms()) {
      CAPTURE(std::string(Name(form.dtype)));
      const Tensor t = Read(Proto(form.dtype, {2}, Bytes(4, form.elements)));
      std::string proto;
      TensorToProto(t, &proto, TensorProtoForm::kTyped);
      CHECK(proto == Proto(form.dtype, {2}, Packed(form, form.numbers.size())));
      proto.clear();
      TensorToProto(t, &proto, TensorProtoForm::kContent);
      CHECK(proto == Proto(form.dtype, {2}, Bytes(4, form.elements)));
      proto.clear();
      TensorToProto(t, &proto);
      CHECK(Contents(Read(proto)) == form.elements);
    }
  }
}

TEST_SUITE("TensorFromProto with an owner") {
  // The proto behind so many filler bytes that its content starts at a multiple of 64, plus `shift`.
  static std::string Aligned(const std::string& proto, std::size_t content_at, std::size_t shift, std::size_t* start) {
    std::string big(proto.size() + 256, '\0');
    const auto base = reinterpret_cast<std::uintptr_t>(big.data());
    *start = (64 - (base + content_at) % 64) % 64 + shift;
    big.replace(*start, proto.size(), proto);
    return big;
  }

  TEST_CASE("content that is aligned for its type becomes a view, other content is copied") {
    const std::string content = Raw<float>({1, 2, 3, 4});
    const std::string proto = Proto(DataType::kFloat, {4}, Bytes(4, content));
    const std::size_t content_at = proto.find(content);
    for (const std::size_t shift : {0u, 4u, 8u, 1u, 2u, 3u}) {
      std::size_t start = 0;
      std::string bytes = Aligned(proto, content_at, shift, &start);
      Buffer* owner = Buffer::Wrap(bytes.data(), bytes.size(), nullptr, nullptr);
      {
        const Result<Tensor> t =
            TensorFromProto(wire::AsBytes(std::string_view(bytes).substr(start, proto.size())), owner);
        REQUIRE(t.ok());
        CHECK(Values<float>(*t) == std::vector<float>{1, 2, 3, 4});
        const bool viewed = t->raw_data() == bytes.data() + start + content_at;
        CHECK(viewed == (shift % 4 == 0));
        CHECK((t->buffer()->root() == owner) == viewed);
        if (viewed) CHECK(!t->RefCountIsOne());
      }
      CHECK(owner->RefCountIsOne() == false);  // foreign memory is never owned
      owner->Unref();
    }
  }
  TEST_CASE("a view keeps the owner alive") {
    const std::string proto = Proto(DataType::kUint8, {3}, Bytes(4, "abc"));
    bool freed = false;
    Tensor kept;
    {
      Buffer* buffer = Buffer::Wrap(const_cast<char*>(proto.data()), proto.size(), [&freed] { freed = true; });
      kept = Read(proto, buffer);
      buffer->Unref();
    }
    CHECK(!freed);
    kept = Tensor();
    CHECK(freed);
  }
  TEST_CASE("long strings become views, short ones are held, and the owner stays as long as the tensor") {
    const std::string long1(40, 'a'), long2(100, 'b'), edge(22, 'e'), over(23, 'o');
    std::string lengths;
    for (const std::string& text : {long1, std::string("short"), edge, over, long2}) lengths += Varints({text.size()});
    const std::string typed = Bytes(8, long1) + Bytes(8, "short") + Bytes(8, edge) + Bytes(8, over) + Bytes(8, long2);
    for (const std::string& values : {typed, Bytes(4, lengths + long1 + "short" + edge + over + long2)}) {
      const std::string proto = Proto(DataType::kString, {5}, values);
      bool freed = false;
      Tensor kept, part;
      {
        Buffer* owner = Buffer::Wrap(const_cast<char*>(proto.data()), proto.size(), [&freed] { freed = true; });
        kept = Read(proto, owner);
        owner->Unref();
      }
      const tstring* const texts = kept.data<tstring>();
      CHECK(Values<tstring>(kept) == std::vector<tstring>{long1, "short", edge, over, long2});
      for (int i = 0; i < 5; ++i) CHECK(texts[i].is_view() == (i == 0 || i >= 3));
      CHECK(texts[0].data() >= proto.data());
      CHECK(texts[0].data() + 40 <= proto.data() + proto.size());
      CHECK_FALSE(kept.RefCountIsOne());  // nobody moves the views to where they dangle
      const Tensor copy = kept.DeepCopy();
      Needed(copy.raw_data());
      CHECK_FALSE(copy.data<tstring>()[0].is_view());
      part = kept.Slice(1, 4);
      kept = Tensor();
      CHECK(!freed);
      CHECK(part.data<tstring>()[2] == over);
      part = Tensor();
      CHECK(freed);
      CHECK(copy.data<tstring>()[4] == long2);
    }
  }
  TEST_CASE("a long string repeated is so many views, and takes no memory") {
    const std::string proto = Proto(DataType::kString, {1000}, Bytes(8, "x") + Bytes(8, std::string(5000, 'r')));
    Buffer* owner = Buffer::Wrap(const_cast<char*>(proto.data()), proto.size(), nullptr, nullptr);
    const Result<Tensor> t = TensorFromProto(wire::AsBytes(proto), owner, 100000);
    owner->Unref();
    REQUIRE_MESSAGE(t.ok(), t.status().message());
    CHECK(t->data<tstring>()[0] == "x");
    CHECK(t->data<tstring>()[1].is_view());
    CHECK(t->data<tstring>()[999].data() == t->data<tstring>()[1].data());
    CHECK(TensorFromProto(wire::AsBytes(proto), nullptr, 100000).status().code() == Code::kResourceExhausted);
  }
  TEST_CASE("a tensor of short strings lets the owner go, and may be written to") {
    const std::string proto = Proto(DataType::kString, {2}, Bytes(8, "ab"));
    bool freed = false;
    Buffer* owner = Buffer::Wrap(const_cast<char*>(proto.data()), proto.size(), [&freed] { freed = true; });
    const Tensor t = Read(proto, owner);
    owner->Unref();
    CHECK(freed);
    CHECK(t.RefCountIsOne());
    CHECK(t.data<tstring>()[1] == "ab");
  }
  TEST_CASE("strings outside the owner's memory are copied") {
    const std::string proto = Proto(DataType::kString, {1}, Bytes(8, std::string(50, 'c')));
    char other[8] = {};
    Buffer* owner = Buffer::Wrap(other, sizeof other, nullptr, nullptr);
    const Tensor t = Read(proto, owner);
    CHECK_FALSE(t.data<tstring>()[0].is_view());
    CHECK(t.RefCountIsOne());
    owner->Unref();
  }
  TEST_CASE("bytes outside the owner's memory are copied") {
    const std::string proto = Proto(DataType::kUint8, {3}, Bytes(4, "abc"));
    char other[8] = {};
    Buffer* owner = Buffer::Wrap(other, sizeof other, nullptr, nullptr);
    CHECK(Read(proto, owner).buffer()->root() != owner);
    owner->Unref();
  }
}

TEST_SUITE("TensorFromProto refuses") {
  TEST_CASE("bytes that are no message") {
    const Status s = ReadError("\x08");
    CHECK(s.code() == Code::kDataLoss);
    CHECK(Has(s, "TensorProto: cannot parse the bytes at offset 1"));
    const Status packed = ReadError(Proto(DataType::kInt32, {2}, Bytes(7, "\x80")));
    CHECK(packed.code() == Code::kDataLoss);
  }
  TEST_CASE("dtypes that a tensor cannot have") {
    CHECK(ReadError("").message() ==
          "TensorProto of type INVALID and shape []: 0 is not the number of a dtype that a tensor can have");
    CHECK(ReadError(Number(1, 101)).code() == Code::kInvalidArgument);
    CHECK(Has(ReadError(Number(1, 77)), "77 is not the number of a dtype"));
  }
  TEST_CASE("shapes that are none") {
    const Status negative = ReadError(Proto(DataType::kFloat, {2, -1}, ""));
    CHECK(negative.code() == Code::kInvalidArgument);
    CHECK(negative.message() == "TensorProto of type float and shape [2,?]: Shape [2,?] is not fully defined");
    CHECK(Has(ReadError(Proto(DataType::kFloat, {Index{1} << 40, Index{1} << 40}, "")),
              "is too large (more than 2**63 - 1 entries)"));
    std::string dims;
    for (int i = 0; i < 300; ++i) dims += Shape({1});
    CHECK(Has(ReadError(Number(1, 1) + Bytes(2, dims)), "has too many dimensions"));
  }
  TEST_CASE("content of the wrong size") {
    const Status s = ReadError(Proto(DataType::kFloat, {2}, Bytes(4, "abcdefg")));
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "TensorProto of type float and shape [2]: tensor_content has 7 bytes, expected 2 elements of 4 bytes");
    CHECK(Has(ReadError(Proto(DataType::kFloat, {2}, Bytes(4, "abcd"))), "expected 2 elements"));
    CHECK(
        Has(ReadError(Proto(DataType::kBool, {1}, Bytes(4, "\x02"))), "tensor_content has a byte 2, a bool is 0 or 1"));
  }
  TEST_CASE("a few bytes that ask for gigabytes") {
    const Status floats = ReadError(Proto(DataType::kFloat, {Index{1} << 40}, Bytes(5, Raw<float>({1}))));
    CHECK(floats.code() == Code::kResourceExhausted);
    CHECK(
        floats.message() ==
        "TensorProto of type float and shape [1099511627776]: repeating a value over so many elements needs more than the "
        "2147483648 bytes that are left for it");
    CHECK(ReadError(Proto(DataType::kString, {Index{1} << 32}, Bytes(8, "a"))).code() == Code::kResourceExhausted);
    const std::string text(1 << 16, 'x');
    CHECK(ReadError(Proto(DataType::kString, {1 << 17}, Bytes(8, text))).code() == Code::kResourceExhausted);
    CHECK(ReadError(Proto(DataType::kResource, {Index{1} << 60}, "")).code() == Code::kResourceExhausted);
    CHECK(ReadError(Proto(DataType::kDouble, {(Index{1} << 62) + 5}, "")).code() == Code::kResourceExhausted);
  }
  TEST_CASE("more repetition than the caller allows") {
    const std::string proto = Proto(DataType::kFloat, {1000}, "");
    CHECK(TensorFromProto(wire::AsBytes(proto), nullptr, 3000).status().code() == Code::kResourceExhausted);
    CHECK(TensorFromProto(wire::AsBytes(proto), nullptr, 4000).ok());
  }
  TEST_CASE("every cut of a proto gives an error or a tensor") {
    for (const std::string& proto : {Proto(DataType::kInt32, {3}, Bytes(7, Varints({1, 300, 5}))),
                                     Proto(DataType::kString, {2}, Bytes(8, "abc") + Bytes(8, "d")),
                                     Proto(DataType::kComplex64, {2}, Bytes(9, Raw<float>({1, 2, 3, 4}))),
                                     Proto(DataType::kFloat, {2}, Bytes(4, Raw<float>({1, 2})))}) {
      for (std::size_t n = 0; n < proto.size(); ++n)
        static_cast<void>(TensorFromProto(wire::AsBytes(proto.substr(0, n))));
    }
  }
}
}  // namespace tensor_reader_test
