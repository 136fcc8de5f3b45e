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

using namespace tenon;
using namespace std::string_literals;

namespace {

// A .npy file with this header text and data, in format `version`.
std::string Npy(std::string header, std::string_view data, int version = 1, std::size_t align = 64) {
  const std::size_t start = version == 1 ? 10 : 12;
  while ((start + header.size() + 1) % align != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (std::size_t i = 0; i < start - 8; ++i) out += static_cast<char>(header.size() >> (8 * i));
  return out + header + std::string(data);
}
const std::string kFloats("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12);  // 1, 2, 3

bool Has(const Status& status, std::string_view text) { return status.message().find(text) != std::string_view::npos; }
Status Error(const std::string& bytes) {
  const TempFile temp("error.npy", bytes);
  const Status s = ReadNpy(temp.path()).status();
  CHECK(Has(s, temp.path()));
  return s;
}

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
    CHECK(!t->buffer()->OwnsMemory());
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
  TEST_CASE("takes the header's entries in any order and spelling of Python") {
    const TempFile temp("h.npy", Npy("{\"shape\":(3L,),'fortran_order':True,\"descr\":\"=f4\"}", kFloats));
    const Result<Tensor> t = ReadNpy(temp.path());
    REQUIRE_MESSAGE(t.ok(), t.status().message());
    CHECK(t->shape() == TensorShape({3}));
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
              "is cut short: it has 11 bytes of data, and shape [3] of type float needs 3 times 4"));
    CHECK(Has(Error(good.substr(0, 40)), "ends inside its header"));
    std::string version = good;
    version[6] = 9;
    CHECK(Has(Error(version), "has format version 9; 1 to 3 can be read"));
  }
  TEST_CASE("refuses headers that cannot be read") {
    for (const char* header :
         {"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3", "{'descr': '<f4, 'shape': (3,)}"}) {
      const Status s = Error(Npy(header, kFloats));
      CHECK_MESSAGE(s.code() == Code::kDataLoss, header);
      CHECK_MESSAGE(Has(s, "has a header that cannot be read"), header);
    }
  }
  TEST_CASE("refuses shapes with more elements than can be counted") {
    const Status s =
        Error(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", kFloats));
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(Has(s, "overflow"));
    CHECK(Error(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }", kFloats)).code() ==
          Code::kDataLoss);
  }
  TEST_CASE("says what it cannot read") {
    const auto array = [](const char* descr) {
      return Npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,), }", kFloats);
    };
    CHECK(Error(array(">f4")).code() == Code::kUnimplemented);
    CHECK(Has(Error(array(">f4")),
              "has big-endian elements ('>f4'); save it with array.astype(array.dtype.newbyteorder('<'))"));
    CHECK(Has(Error(array("|O")), "has Python objects as elements (dtype object); an array of numbers is wanted"));
    CHECK(Has(Error(array("<U5")), "has elements of NumPy type '<U5'; numbers, bools and complex numbers can be read"));
    CHECK(Error(Npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", kFloats)).code() ==
          Code::kUnimplemented);
    const Status fortran = Error(Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "abcdef"));
    CHECK(fortran.code() == Code::kUnimplemented);
    CHECK(Has(fortran, "is in Fortran order; save it with numpy.ascontiguousarray(array)"));
    CHECK(Has(Error(Npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\x02")),
              "has a bool that is neither 0 nor 1"));
  }
}

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
  TEST_CASE("says which types NumPy does not have") {
    const TempFile temp("w.npy");
    const Status s = WriteNpy(temp.path(), Tensor::Scalar("text"));
    CHECK(s.code() == Code::kUnimplemented);
    CHECK(s.message() == "WriteNpy: '" + temp.path() + "': NumPy has no type for elements of type string");
    CHECK(WriteNpy(temp.path(), MakeTensor<bfloat16>({1}, {bfloat16(1.0f)})).code() == Code::kUnimplemented);
    CHECK(WriteNpy("/no/such/folder/x.npy", Tensor::Scalar(1.0f)).code() == Code::kNotFound);
  }
}
