// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/immutable_const.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/temp_file.hpp"
#include "ops/support.hpp"

namespace immutable_const_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Region(DataType dtype, const PartialTensorShape& shape, const std::string& path) {
  return {{"dtype", dtype}, {"shape", shape}, {"memory_region_name", path}};
}

}  // namespace

TEST_SUITE("ImmutableConst, GuaranteeConst") {
  TEST_CASE("the elements are the bytes of the file; more bytes do not matter") {
    const std::vector<float> values{1, -2, 3.5f, 4, 5, 6, 7};
    const TempFile file("region", {reinterpret_cast<const char*>(values.data()), 28});
    CHECK(SameTensor(Run<ops::ImmutableConst>(Region(DataType::kFloat, TensorShape({2, 3}), file.path()), {}),
                     Make<float>({2, 3}, {1, -2, 3.5, 4, 5, 6})));
    CHECK(SameTensor(Run<ops::ImmutableConst>(Region(DataType::kFloat, TensorShape(), file.path()), {}),
                     Tensor::Scalar(1.f)));
    CHECK(Run<ops::ImmutableConst>(Region(DataType::kInt8, TensorShape({28}), file.path()), {}).NumElements() == 28);
  }
  TEST_CASE("what is refused") {
    const TempFile file("region", "0123456");
    const auto error = [&](DataType dtype, const PartialTensorShape& shape, const std::string& path) {
      return ErrorOf<ops::ImmutableConst>(Region(dtype, shape, path), {});
    };
    CHECK(error(DataType::kFloat, TensorShape({2}), file.path())
              .find("has 7 bytes, but a tensor of type float and shape "
                    "[2] has 8") != std::string::npos);
    CHECK(error(DataType::kFloat, TensorShape({2}), "/nowhere/x").find("NOT_FOUND: ") == 0);
    CHECK(error(DataType::kString, TensorShape({2}), "/nowhere/x").find("NOT_FOUND: ") == 0);
    CHECK(error(DataType::kString, TensorShape({2}), file.path()).find("UNIMPLEMENTED: ") == 0);
    CHECK(error(DataType::kVariant, TensorShape({2}), file.path()).find("INVALID_ARGUMENT: ") == 0);
    CHECK(error(DataType::kFloat, PartialTensorShape(), file.path()).find("INVALID_ARGUMENT: ") == 0);
    CHECK(error(DataType::kDouble, TensorShape({Index{1} << 62}), file.path()).find("INVALID_ARGUMENT: ") == 0);
  }
  TEST_CASE("GuaranteeConst is its input") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {2, 0, 3});
      CHECK(SameTensor(Run<ops::GuaranteeConst>({}, {x}), x));
    }
    const Tensor x = Make<float>({2}, {kNaN});
    CHECK(Run<ops::GuaranteeConst>({}, {x}).raw_data() == x.raw_data());
  }
}
}  // namespace immutable_const_test
