// SPDX-License-Identifier: Apache-2.0
#include <tenon/types/dtype.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace dtype_test {
using namespace tenon;

namespace {
DataType At(int n) { return static_cast<DataType>(n); }
std::vector<int> Numbers(DataTypeSet set) {
  std::vector<int> numbers;
  for (const DataType type : set) numbers.push_back(static_cast<int>(type));
  return numbers;
}
}  // namespace

TEST_SUITE("DataType") {
  TEST_CASE("has TensorFlow's wire numbers, names and sizes") {
    struct Row {
      int number;
      const char* enum_name;
      const char* name;
      int size;
    };
    const Row rows[] = {{1, "DT_FLOAT", "float", 4},
                        {2, "DT_DOUBLE", "double", 8},
                        {3, "DT_INT32", "int32", 4},
                        {4, "DT_UINT8", "uint8", 1},
                        {5, "DT_INT16", "int16", 2},
                        {6, "DT_INT8", "int8", 1},
                        {7, "DT_STRING", "string", 0},
                        {8, "DT_COMPLEX64", "complex64", 8},
                        {9, "DT_INT64", "int64", 8},
                        {10, "DT_BOOL", "bool", 1},
                        {11, "DT_QINT8", "qint8", 1},
                        {12, "DT_QUINT8", "quint8", 1},
                        {13, "DT_QINT32", "qint32", 4},
                        {14, "DT_BFLOAT16", "bfloat16", 2},
                        {15, "DT_QINT16", "qint16", 2},
                        {16, "DT_QUINT16", "quint16", 2},
                        {17, "DT_UINT16", "uint16", 2},
                        {18, "DT_COMPLEX128", "complex128", 16},
                        {19, "DT_HALF", "half", 2},
                        {20, "DT_RESOURCE", "resource", 0},
                        {21, "DT_VARIANT", "variant", 0},
                        {22, "DT_UINT32", "uint32", 4},
                        {23, "DT_UINT64", "uint64", 8},
                        {24, "DT_FLOAT8_E5M2", "float8_e5m2", 1},
                        {25, "DT_FLOAT8_E4M3FN", "float8_e4m3fn", 1},
                        {26, "DT_FLOAT8_E4M3FNUZ", "float8_e4m3fnuz", 1},
                        {27, "DT_FLOAT8_E4M3B11FNUZ", "float8_e4m3b11fnuz", 1},
                        {28, "DT_FLOAT8_E5M2FNUZ", "float8_e5m2fnuz", 1},
                        {29, "DT_INT4", "int4", 1},
                        {30, "DT_UINT4", "uint4", 1},
                        {31, "DT_INT2", "int2", 1},
                        {32, "DT_UINT2", "uint2", 1},
                        {33, "DT_FLOAT4_E2M1FN", "float4_e2m1fn", 1}};
    CHECK(std::size(rows) + 1 == kDataTypeCount);
    for (const Row& row : rows) {
      CAPTURE(row.name);
      const DataType type = At(row.number), ref = At(row.number + 100);
      CHECK(EnumName(type) == row.enum_name);
      CHECK(Name(type) == row.name);
      CHECK(SizeOf(type) == row.size);
      CHECK(AlignmentOf(type) == (IsComplex(type) ? row.size / 2 : row.size));
      CHECK(AlignmentOf(ref) == 0);
      CHECK(DataTypeFromName(row.name) == type);
      CHECK(DataTypeFromEnumName(row.enum_name) == type);
      CHECK_FALSE(IsRefType(type));

      CHECK(MakeRefType(type) == ref);
      CHECK(RemoveRefType(ref) == type);
      CHECK(BaseType(ref) == type);
      CHECK(BaseType(type) == type);
      CHECK(IsRefType(ref));
      CHECK(EnumName(ref) == std::string(row.enum_name) + "_REF");
      CHECK(Name(ref) == std::string(row.name) + "_ref");
      CHECK(DataTypeFromName(Name(ref)) == ref);
      CHECK(DataTypeFromEnumName(EnumName(ref)) == ref);
      CHECK(SizeOf(ref) == 0);
      CHECK(kAllTypes.contains(type));
      CHECK_FALSE(kAllTypes.contains(ref));
    }
    CHECK(DataType::kFloat4E2M1FN == At(33));
    CHECK(DataType::kUint16 == At(17));
  }
  TEST_CASE("prints the invalid and the unknown, but parses neither") {
    CHECK(Name(DataType::kInvalid) == "INVALID");
    CHECK(EnumName(DataType::kInvalid) == "DT_INVALID");
    for (const int n : {-1, 34, 63, 64, 99, 100, 134, 1000}) {
      CAPTURE(n);
      CHECK(Name(At(n)) == "unknown dtype enum");
      CHECK(EnumName(At(n)) == "");
      CHECK(SizeOf(At(n)) == 0);
      CHECK_FALSE(IsKnownType(At(n)));
      CHECK_FALSE(kAllTypes.contains(At(n)));
    }
    for (const char* name :
         {"INVALID", "", "_ref", "Float", "FLOAT", "float_ref_ref", "float32 ", "DT_FLOAT", "unknown dtype enum"}) {
      CAPTURE(name);
      CHECK(DataTypeFromName(name) == DataType::kInvalid);
    }
    CHECK(DataTypeFromEnumName("float") == DataType::kInvalid);
    CHECK(DataTypeFromEnumName("DT_INVALID") == DataType::kInvalid);
    CHECK(DataTypeFromEnumName("DT_INVALID_REF") == DataType::kInvalid);
  }
  TEST_CASE("knows the second names") {
    CHECK(DataTypeFromName("float32") == DataType::kFloat);
    CHECK(DataTypeFromName("float64") == DataType::kDouble);
    CHECK(DataTypeFromName("float16") == DataType::kHalf);
    CHECK(DataTypeFromName("float16_ref") == At(119));
  }
  TEST_CASE("iterates sets in ascending order of the numbers") {
    CHECK(Numbers(kNumberTypes) ==
          std::vector<int>{1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 22, 23});
    CHECK(Numbers(kRealNumberTypes) == std::vector<int>{1, 2, 3, 4, 5, 6, 9, 14, 17, 19, 22, 23});
    CHECK(Numbers(kQuantizedTypes) == std::vector<int>{11, 12, 13, 15, 16});
    CHECK(Numbers(kFloatingTypes) == std::vector<int>{1, 2, 14, 19, 24, 25, 26, 27, 28, 33});
    CHECK(Numbers(kIntegerTypes) == std::vector<int>{3, 4, 5, 6, 9, 17, 22, 23, 29, 30, 31, 32});
    CHECK(kPlainTypes.mask == (std::uint64_t{8586788734} | ToSet(DataType::kFloat4E2M1FN).mask));  // TensorFlow's, and
    CHECK(Numbers(kSignedTypes) == std::vector<int>{3, 5, 6, 9, 29, 31});
    CHECK(Numbers(kComplexTypes) == std::vector<int>{8, 18});
    CHECK((kPlainTypes | ToSet(DataType::kString) | ToSet(DataType::kResource) | ToSet(DataType::kVariant)) ==
          kAllTypes);
    CHECK(kAllTypes.size() == 33);
    CHECK(Numbers({}).empty());
  }
  TEST_CASE("builds sets from single types") {
    DataTypeSet set = ToSet(DataType::kHalf) | ToSet(DataType::kFloat);
    CHECK(Numbers(set) == std::vector<int>{1, 19});
    CHECK((set & ToSet(DataType::kHalf)) == ToSet(DataType::kHalf));
    CHECK_FALSE(set.contains(DataType::kInvalid));
    set.insert(At(119));  // a reference has no place in a set
    CHECK(set.size() == 2);
    CHECK_FALSE(set.contains(At(119)));
    CHECK(DataTypeSet{}.empty());
  }
  TEST_CASE("answers every predicate for every number and reference as the sets do") {
    for (int n = -2; n < 240; ++n) {
      CAPTURE(n);
      const DataType type = At(n);
      CHECK(IsKnownType(type) == ((n >= 1 && n <= 33) || (n >= 101 && n <= 133)));
      CHECK(IsRefType(type) == (n > 100));
      CHECK(IsPlain(type) == kPlainTypes.contains(type));
      CHECK(IsPlain(type) == (SizeOf(type) > 0));
      CHECK(IsFloating(type) == kFloatingTypes.contains(type));
      CHECK(IsInteger(type) == (IsSigned(type) || IsUnsigned(type)));
      CHECK_FALSE((IsSigned(type) && IsUnsigned(type)));
      CHECK(IsQuantized(type) == kQuantizedTypes.contains(type));
      CHECK(IsSubByte(type) == (n >= 29 && n <= 33));
      CHECK(IsFloating(type) + IsInteger(type) + IsQuantized(type) + IsComplex(type) <= 1);
      if (n > 33) CHECK_FALSE((IsPlain(type) || IsFloating(type) || IsInteger(type) || IsQuantized(type)));
      if (!IsKnownType(type)) continue;
      CHECK(DataTypeFromName(Name(type)) == type);
      CHECK(DataTypeFromEnumName(EnumName(type)) == type);
      CHECK(kAllTypes.contains(BaseType(type)));
    }
  }
  TEST_CASE("answers the predicates as TensorFlow does") {
    CHECK(IsFloating(DataType::kBfloat16));
    CHECK_FALSE(IsFloating(DataType::kComplex64));
    CHECK_FALSE(IsFloating(At(101)));
    CHECK(IsInteger(DataType::kUint4));
    CHECK_FALSE(IsInteger(DataType::kBool));
    CHECK_FALSE(IsInteger(DataType::kQint8));
    CHECK(IsSigned(DataType::kInt2));
    CHECK_FALSE(IsSigned(DataType::kFloat));
    CHECK(IsUnsigned(DataType::kUint64));
    CHECK_FALSE(IsUnsigned(DataType::kQuint8));
    CHECK(IsQuantized(DataType::kQint32));
    CHECK(IsComplex(DataType::kComplex128));
    CHECK(IsPlain(DataType::kBool));
    CHECK_FALSE(IsPlain(DataType::kString));
    CHECK(AlwaysOnHost(DataType::kString));
    CHECK(AlwaysOnHost(At(107)));
    CHECK(AlwaysOnHost(DataType::kResource));
    CHECK_FALSE(AlwaysOnHost(At(120)));
    CHECK_FALSE(AlwaysOnHost(DataType::kVariant));
  }
  TEST_CASE("lets a reference be read as a value, never the reverse") {
    CHECK(TypesCompatible(DataType::kFloat, DataType::kFloat));
    CHECK(TypesCompatible(DataType::kFloat, At(101)));
    CHECK_FALSE(TypesCompatible(At(101), DataType::kFloat));
    CHECK(TypesCompatible(At(101), At(101)));
    CHECK_FALSE(TypesCompatible(DataType::kFloat, At(102)));
  }
}

static_assert(Name(DataType::kFloat) == "float" && DataTypeFromName("int32_ref") == static_cast<DataType>(103));
}  // namespace dtype_test
