// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/npy_header.hpp>

#include <doctest/doctest.h>

#include <string>

#include "io/npy_files.hpp"
#include "io/temp_file.hpp"

namespace npy_header_test {
using namespace tenon;
using namespace npy_files;

TEST_SUITE("ReadNpy, its header") {
  TEST_CASE("takes the header's entries in any order and spelling of Python") {
    const TempFile temp("h.npy", Npy("{\"shape\":(3L,),'fortran_order':True,\"descr\":\"=f4\"}", kFloats));
    const Result<Tensor> t = ReadNpy(temp.path());
    REQUIRE_MESSAGE(t.ok(), t.status().message());
    CHECK(t->shape() == TensorShape({3}));
  }
  TEST_CASE("refuses headers that cannot be read, and says where and what would be right") {
    struct Case {
      const char* header;
      std::size_t at;  // in the header's text
      const char* expected;
    };
    for (const Case& c : {
             Case{"", 0, "'{'"},
             {"{}", 2, "the keys 'descr', 'fortran_order' and 'shape' before '}'"},
             {"{'descr': '<f4'}", 16, "the keys 'descr', 'fortran_order' and 'shape' before '}'"},
             {"{'descr': '<f4', 'descr': '<f4'}", 17, "each of the keys"},
             {"{'descr': '<f4', 'colour': '<f4'}", 17, "each of the keys"},
             {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}", 34, "True or False"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,,)}", 53, "a size between 0 and 2**63 - 1"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 51, "a size between 0 and 2**63 - 1"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 51, "a size between 0 and 2**63 - 1"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 51, "a size between"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", 52, "',' after the first size"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3 4)}", 56, "',' or ')'"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", 50, "a shape like (2, 3), (2,) or ()"},
             {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", 56, "only blanks after '}'"},
             {"{'descr': '<f4' 'shape': (3,)}", 16, "',' or '}'"},
             {"{'descr': <f4}", 10, "a type in quotes or a list of fields"},
             {"{'descr': [('a', '<i4')}", 0, ""},
             {"{'descr': [('a', '<i4", 17, "a closing quote"},
             {"{'descr': '<f4\\x20', 'shape': (3,)}", 10, "a type in quotes"},
             {"{descr: '<f4'}", 1, "a key in quotes or '}'"},
             {"{'descr' '<f4'}", 9, "':'"},
         }) {
      const Status s = Error(Npy(c.header, kFloats));
      CHECK_MESSAGE(s.code() == Code::kDataLoss, c.header);
      CHECK_MESSAGE(Has(s, "has a header that cannot be read: at byte "), c.header);
      if (c.at != 0) {
        CHECK_MESSAGE(Has(s, "at byte " + std::to_string(10 + c.at) + ": expected "), s.message());
      }
      CHECK_MESSAGE(Has(s, c.expected), s.message());
    }
    std::string many = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (int i = 0; i < 255; ++i) many += "1, ";
    CHECK(Has(Error(Npy(many + ")}", kFloats)), "expected at most 254 dimensions"));
    const std::string deep(60000, '[');  // no recursion
    CHECK(Has(Error(Npy("{'descr': " + deep, kFloats)), "expected ']' at the end of the list of fields"));
  }
  TEST_CASE("refuses shapes with more elements than can be counted") {
    const Status s =
        Error(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", kFloats));
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(Has(s, "overflow"));
    CHECK(Error(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }", kFloats)).code() ==
          Code::kDataLoss);
    CHECK(Error(Npy("{'descr': '<U999999999', 'fortran_order': False, 'shape': (4611686018427387904,), }", kFloats))
              .code() == Code::kDataLoss);
  }
  TEST_CASE("says what it cannot read") {
    const auto refused = [](const char* descr, const NpyOptions& options = {}) {
      const TempFile temp(
          "r.npy", Npy(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,), }", kFloats));
      const Status s = ReadNpy(temp.path(), options).status();
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(Has(s, temp.path() + "': at byte 20: elements of NumPy type '" + descr + "' have no place in a tensor; "));
      return s;
    };
    CHECK(Has(refused("|O"), "they are Python objects (dtype object); save an array of numbers or strings"));
    CHECK(Has(refused("<f16"), "save array.astype('float64')"));
    CHECK(Has(refused("<c32"), "save array.astype('complex128')"));
    CHECK(Has(refused("<M8[s]"), "save array.astype('int64')"));
    CHECK(Has(refused("|V2"), "NpyOptions::void_dtype says that they are bfloat16, float8 or of less than a byte"));
    CHECK(Has(refused("<V1"), "NpyOptions::void_dtype"));
    CHECK(Has(refused("|S0"), "strings of at least one character are wanted"));
    for (const char* descr : {"", "<", "<x4", "<i3", "<U", "<U-1", "|S+1", "S4294967296", "<i4 ", "i44444444444444"})
      CHECK(Has(refused(descr), "numbers, bools, complex numbers and strings can be read"));
    CHECK(Has(refused("<V1", {DataType::kBfloat16}), "NpyOptions::void_dtype is bfloat16, and must be"));
    CHECK(Has(refused("<V4", {DataType::kFloat}), "NpyOptions::void_dtype is float, and must be"));
    const Status fields = Error(Npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", kFloats));
    CHECK(fields.code() == Code::kInvalidArgument);
    CHECK(Has(fields, "save each field as an array of its own"));
    CHECK(Has(Error(Npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x01\x02")),
              "at byte 129: a bool that is neither 0 nor 1, but 2"));
    for (const char* wrong : {"\x00\xd8\0\0", "\x00\x00\x11\0", "\xff\xff\xff\xff"}) {
      const Status s = Error(Npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", {wrong, 4}));
      CHECK(s.code() == Code::kDataLoss);
      CHECK(Has(s, "which is no Unicode character"));
    }
  }
}
}  // namespace npy_header_test
