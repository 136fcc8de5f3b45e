// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/npy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>

#include <io/temp_file.hpp>
#include "io/npy_files.hpp"

namespace npy_test {
using namespace tenon;
using namespace npy_files;
using namespace std::string_literals;

namespace {

template <class T>
void RoundTrips(const Tensor& tensor, std::string_view header) {
  const TempFile temp("round.npy");
  REQUIRE(WriteNpy(temp.path(), tensor).ok());
  const std::string bytes = temp.Read();
  CHECK(bytes.substr(10, header.size()) == header);
  const Result<Tensor> back = ReadNpy(temp.path());
  REQUIRE_MESSAGE(back.ok(), back.status().message());
  CHECK(back->dtype() == tensor.dtype());
  CHECK(back->shape() == tensor.shape());
  for (Index i = 0; i < tensor.NumElements(); ++i)
    CHECK(std::memcmp(&back->flat<T>()[i], &tensor.flat<T>()[i], sizeof(T)) == 0);
}

}  // namespace

TEST_SUITE("ReadNpy") {
  TEST_CASE("reads what numpy.save writes, as a view of the file") {
    const TempFile temp("a.npy", Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", kFloats));
    const Result<Tensor> t = ReadNpy(temp.path());
    REQUIRE_MESSAGE(t.ok(), t.status().message());
    CHECK(t->shape() == TensorShape({3}));
    CHECK(t->flat<float>()[2] == 3.0f);
    CHECK(t->IsAligned());
#if TENON_DETAIL_POSIX
    CHECK(!t->buffer()->OwnsMemory());
#endif
  }
  TEST_CASE("reads formats 2 and 3, other alignments, and what follows the array") {
    for (const int version : {1, 2, 3}) {
      const TempFile temp("v.npy",
                          Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", kFloats, version, 16));
      const Result<Tensor> t = ReadNpy(temp.path());
      REQUIRE_MESSAGE(t.ok(), t.status().message());
      CHECK(t->shape() == TensorShape({1, 2}));
      CHECK(t->flat<float>()[1] == 2.0f);
    }
  }
  TEST_CASE("a scalar and an array without elements") {
    const TempFile scalar("s.npy", Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", kFloats));
    CHECK(ReadNpy(scalar.path())->dims() == 0);
    const TempFile empty("e.npy", Npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 0, 3), }", ""));
    CHECK(ReadNpy(empty.path())->shape() == TensorShape({2, 0, 3}));
  }
  TEST_CASE("a missing file is NotFound") {
    const Status s = ReadNpy("/no/such/file.npy").status();
    CHECK(s.code() == Code::kNotFound);
    CHECK(Has(s, "'/no/such/file.npy': No such file or directory"));
  }
  TEST_CASE("refuses other files, and files that are cut short") {
    CHECK(Error("").code() == Code::kDataLoss);
    CHECK(Has(Error("hello, this is no array"), "is not a .npy file: it does not start with \\x93NUMPY"));
    const std::string good = Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", kFloats);
    for (std::size_t n = 0; n < good.size(); ++n) CHECK(Error(good.substr(0, n)).code() == Code::kDataLoss);
    CHECK(Has(Error(good.substr(0, good.size() - 1)),
              "is cut short: it has 11 bytes of data from byte 128 on, and shape [3] of type float needs 3 times 4"));
    CHECK(Has(Error(good.substr(0, 40)), "ends inside its header"));
    std::string version = good;
    version[6] = 9;
    CHECK(Has(Error(version), "at byte 6: it has format version 9.0; 1.0, 2.0 and 3.0 can be read"));
  }
  TEST_CASE("numbers in either byte order and either order of dimensions") {
    // [[0, 1, 2], [3, 4, 5]] of `width` bytes: big-endian, then little-endian with the first dimension fastest.
    for (const std::size_t width : {2u, 4u, 8u}) {
      std::string big, fortran, both;
      const auto put = [width](std::string* to, int value, bool is_big) {
        std::string number(width, '\0');
        number[is_big ? width - 1 : 0] = static_cast<char>(value);
        *to += number;
      };
      for (int i = 0; i < 6; ++i) {
        put(&big, i, true);
        put(&fortran, i / 2 + 3 * (i % 2), false);
        put(&both, i / 2 + 3 * (i % 2), true);
      }
      const std::string type = "i" + std::to_string(width) + "', 'fortran_order': ";
      for (const std::string& file : {Npy("{'descr': '>" + type + "False, 'shape': (2, 3), }", big),
                                      Npy("{'descr': '<" + type + "True, 'shape': (2, 3), }", fortran),
                                      Npy("{'descr': '>" + type + "True, 'shape': (2, 3), }", both)}) {
        const TempFile temp("order.npy", file);
        const Result<Tensor> t = ReadNpy(temp.path());
        REQUIRE_MESSAGE(t.ok(), t.status().message());
        CHECK(t->SummarizeValue(-1, true) == "[[0 1 2]\n [3 4 5]]");
        CHECK(t->buffer()->OwnsMemory());
      }
    }
  }
  TEST_CASE("without an owner the array is a copy") {
    const std::string file = Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", kFloats);
    const Result<Tensor> t = ParseNpy({reinterpret_cast<const std::byte*>(file.data()), file.size()}, nullptr, "here");
    REQUIRE_MESSAGE(t.ok(), t.status().message());
    CHECK(t->buffer()->OwnsMemory());
    CHECK(t->flat<float>()[1] == 2.0f);
    CHECK(ParseNpy({}, nullptr, "here").status().message() ==
          "here is not a .npy file: it does not start with \\x93NUMPY");
  }
}

#if defined(TENON_TEST_DATA)
namespace {
Result<Tensor> Golden(const std::string& name, const NpyOptions& options = {}) {
  return ReadNpy(TENON_TEST_DATA "/npy/" + name + ".npy", options);
}
}  // namespace

TEST_SUITE("ReadNpy, files of NumPy") {
  TEST_CASE("byte strings and texts") {
    const Result<Tensor> bytes = Golden("bytes");
    REQUIRE_MESSAGE(bytes.ok(), bytes.status().message());
    CHECK(bytes->shape() == TensorShape({2, 3}));
    const std::string expected[] = {"", "a", "ab\0c"s, "\xff", "12345", "z"};
    for (Index i = 0; i < 6; ++i) CHECK(bytes->flat<tstring>()[i] == expected[i]);
    const std::string texts[] = {"", "a", "h\u00e9llo", "\u20ac\u20ac", "\U0001f600", "x\0y"s};
    for (const char* name : {"text", "text_big_fortran"}) {
      const Result<Tensor> t = Golden(name);
      REQUIRE_MESSAGE(t.ok(), t.status().message());
      CHECK(t->shape() == TensorShape({2, 3}));
      for (Index i = 0; i < 6; ++i) CHECK(t->flat<tstring>()[i] == texts[i]);
    }
  }
  TEST_CASE("the types of ml_dtypes, and TensorFlow's quantised ones") {
    const auto check = [](const Result<Tensor>& t, DataType dtype) {
      REQUIRE_MESSAGE(t.ok(), t.status().message());
      CHECK(t->dtype() == dtype);
      CHECK(t->shape() == TensorShape({2, 3}));
      for (int i = 0; i < 6; ++i) {
        const auto byte = static_cast<unsigned char>(t->tensor_data()[static_cast<std::size_t>(i)]);
        const auto is = [&](auto number) { CHECK(std::memcmp(&number, &byte, 1) == 0); };
        const float value = static_cast<float>(i);
        switch (dtype) {
          case DataType::kBfloat16: CHECK(static_cast<float>(t->flat<bfloat16>()[i]) == value); break;
          case DataType::kFloat8E5M2: is(float8_e5m2(value)); break;
          case DataType::kFloat8E4M3FN: is(float8_e4m3fn(value)); break;
          case DataType::kFloat8E4M3FNUZ: is(float8_e4m3fnuz(value)); break;
          case DataType::kFloat8E4M3B11FNUZ: is(float8_e4m3b11fnuz(value)); break;
          default: is(float8_e5m2fnuz(value)); break;
        }
      }
    };
    check(Golden("bfloat16"), DataType::kBfloat16);
    check(Golden("bfloat16", {DataType::kBfloat16}), DataType::kBfloat16);
    check(Golden("bfloat16", {DataType::kInt4}), DataType::kBfloat16);  // what the option cannot mean keeps its type
    check(Golden("float8_e5m2"), DataType::kFloat8E5M2);
    for (const DataType dtype : {DataType::kFloat8E4M3FN, DataType::kFloat8E4M3FNUZ, DataType::kFloat8E4M3B11FNUZ,
                                 DataType::kFloat8E5M2FNUZ}) {
      CHECK(Golden(std::string(Name(dtype))).status().code() == Code::kInvalidArgument);
      check(Golden(std::string(Name(dtype)), {dtype}), dtype);
    }
    const Result<Tensor> q = Golden("qint8");
    REQUIRE_MESSAGE(q.ok(), q.status().message());
    CHECK(q->dtype() == DataType::kQint8);
    CHECK(q->tensor_data() == "\0\1\2\3\4\5"s);
  }
  TEST_CASE("types of less than a byte, however their unused bits are filled") {
    const auto check = [](DataType dtype, std::string_view values) {
      const Result<Tensor> t = Golden(std::string(Name(dtype)), {dtype});
      REQUIRE_MESSAGE(t.ok(), t.status().message());
      CHECK(t->dtype() == dtype);
      CHECK(t->SummarizeValue(-1) == values);
    };
    check(DataType::kInt4, "[-3 -2 -1][0 1 2]");
    check(DataType::kUint4, "[10 11 12][13 14 15]");
    check(DataType::kInt2, "[-2 -1 0][1 -2 -1]");
    check(DataType::kUint2, "[0 1 2][3 0 1]");
    check(DataType::kFloat4E2M1FN, "[-3 -2 -1][0 1 2]");
    const TempFile filled("f.npy", Npy("{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }", "\x0f\xff\x18"));
    CHECK(ReadNpy(filled.path(), {DataType::kInt4})->SummarizeValue(-1) == "-1 -1 -8");
    CHECK(ReadNpy(filled.path(), {DataType::kUint2})->SummarizeValue(-1) == "3 3 0");
  }
  TEST_CASE("formats 2 and 3") {
    const Result<Tensor> two = Golden("version_2"), three = Golden("version_3");
    REQUIRE_MESSAGE(two.ok(), two.status().message());
    REQUIRE_MESSAGE(three.ok(), three.status().message());
    for (Index i = 0; i < 24; ++i) {
      CHECK(two->flat<std::int32_t>()[i] == i / 12 + 2 * (i / 4 % 3) + 6 * (i % 4));
      CHECK(three->flat<std::int16_t>()[i] == i);
    }
  }
  TEST_CASE("what has no place in a tensor") {
    for (const char* name : {"object", "fields", "datetime", "longdouble"})
      CHECK_MESSAGE(Golden(name).status().code() == Code::kInvalidArgument, name);
  }
}
#endif

TEST_SUITE("WriteNpy") {
  TEST_CASE("every type that NumPy has is the same when read") {
    RoundTrips<float>(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, -0.0f}),
                      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    RoundTrips<double>(Tensor::Scalar(2.5), "{'descr': '<f8', 'fortran_order': False, 'shape': (), }");
    RoundTrips<half>(MakeTensor<half>({1}, {half(1.0f)}), "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }");
    RoundTrips<bool>(MakeTensor<bool>({2}, {true, false}), "{'descr': '|b1'");
    RoundTrips<std::int8_t>(MakeTensor<std::int8_t>({2}, {-1, 1}), "{'descr': '|i1'");
    RoundTrips<std::uint8_t>(MakeTensor<std::uint8_t>({2}, {255, 1}), "{'descr': '|u1'");
    RoundTrips<std::int16_t>(MakeTensor<std::int16_t>({2}, {-1, 1}), "{'descr': '<i2'");
    RoundTrips<std::uint16_t>(MakeTensor<std::uint16_t>({2}, {65535, 1}), "{'descr': '<u2'");
    RoundTrips<std::int32_t>(MakeTensor<std::int32_t>({2}, {-1, 1}), "{'descr': '<i4'");
    RoundTrips<std::uint32_t>(MakeTensor<std::uint32_t>({2}, {4000000000u, 1}), "{'descr': '<u4'");
    RoundTrips<std::int64_t>(MakeTensor<std::int64_t>({2}, {-1, 1}), "{'descr': '<i8'");
    RoundTrips<std::uint64_t>(MakeTensor<std::uint64_t>({2}, {1, 2}), "{'descr': '<u8'");
    RoundTrips<complex64>(MakeTensor<complex64>({1}, {{1, 2}}), "{'descr': '<c8'");
    RoundTrips<complex128>(MakeTensor<complex128>({1}, {{1, 2}}), "{'descr': '<c16'");
    RoundTrips<float>(Tensor(DataType::kFloat, TensorShape({0, 2})),
                      "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }");
  }
  TEST_CASE("data start at a multiple of 64") {
    const TempFile temp("w.npy");
    REQUIRE(WriteNpy(temp.path(), Tensor::Scalar(1.0f)).ok());
    const std::string bytes = temp.Read();
    CHECK(bytes.size() % 64 == 4);
    CHECK(bytes.substr(0, 8) == "\x93NUMPY\x01\x00"s);
    CHECK(bytes[bytes.size() - 5] == '\n');
  }
  TEST_CASE("strings, bfloat16, float8 and quantised types") {
    const TempFile temp("w.npy");
    const auto round = [&](const Tensor& tensor, std::string_view descr, const NpyOptions& options = {}) {
      REQUIRE(WriteNpy(temp.path(), tensor).ok());
      CHECK(Has(errors::Internal(temp.Read()), descr));
      Result<Tensor> back = ReadNpy(temp.path(), options);
      REQUIRE_MESSAGE(back.ok(), back.status().message());
      CHECK(back->dtype() == tensor.dtype());
      CHECK(back->shape() == tensor.shape());
      CHECK(back->SummarizeValue(-1) == tensor.SummarizeValue(-1));
    };
    round(MakeTensor<tstring>({2, 2}, {"", "abc", "a\0b"s, "\xff"}), "{'descr': '|S3', ");
    round(MakeTensor<tstring>({1}, {""}), "{'descr': '|S1', ");
    round(Tensor(DataType::kString, TensorShape({0, 2})), "{'descr': '|S1', ");
    round(MakeTensor<bfloat16>({1}, {bfloat16(1.5f)}), "{'descr': '<V2', ");
    round(MakeTensor<float8_e5m2>({1}, {float8_e5m2(1.5f)}), "{'descr': '<V1', ", {DataType::kFloat8E5M2});
    round(MakeTensor<float8_e4m3fn>({1}, {float8_e4m3fn(1.5f)}), "{'descr': '<V1', ", {DataType::kFloat8E4M3FN});
    round(MakeTensor<int4>({3}, {int4(-8), int4(7), int4(-1)}), "{'descr': '<V1', ", {DataType::kInt4});
    round(MakeTensor<uint2>({2}, {uint2(3), uint2(0)}), "{'descr': '<V1', ", {DataType::kUint2});
    round(MakeTensor<float4_e2m1fn>({1}, {float4_e2m1fn(-1.5f)}), "{'descr': '<V1', ", {DataType::kFloat4E2M1FN});
    round(MakeTensor<qint32>({1}, {qint32(7)}), "{'descr': [('qint32','<i4')], ");
  }
  TEST_CASE("says which types and strings NumPy does not have") {
    const TempFile temp("w.npy");
    const Status s = WriteNpy(temp.path(), Tensor(DataType::kResource, TensorShape({1})));
    CHECK(s.code() == Code::kUnimplemented);
    CHECK(s.message() == "WriteNpy: '" + temp.path() + "': NumPy has no type for elements of type resource");
    const Status zero = WriteNpy(temp.path(), MakeTensor<tstring>({2}, {"a", "b\0"s}));
    CHECK(zero.code() == Code::kInvalidArgument);
    CHECK(Has(zero, "string number 1 ends in a zero byte, which NumPy drops"));
    CHECK(WriteNpy("/no/such/folder/x.npy", Tensor::Scalar(1.0f)).code() == Code::kNotFound);
    CHECK(WriteNpy(temp.path(), Tensor(DataType::kFloat, TensorShape({1}), nullptr)).code() ==
          Code::kFailedPrecondition);
  }
}
}  // namespace npy_test
