// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/remap_matrix.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/io/bundle_writer.hpp>

#include "ops/outputs.hpp"
#include "temp_folder.hpp"

namespace io_remap_matrix_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("LoadAndRemapMatrix") {
  TEST_CASE("rows and columns move; the others get new values") {
    const TempFolder folder;
    const std::string prefix = folder / "ck";
    {
      BundleWriter writer(prefix);
      REQUIRE(writer.Open().ok());
      REQUIRE(writer.Add("m", Make<float>({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})).ok());
      REQUIRE(writer.Add("i", Ints({1, 2})).ok());
      REQUIRE(writer.Finish().ok());
    }
    const auto load = [&](const Tensor& rows, const Tensor& columns, const Tensor& values, std::int64_t width,
                          std::int64_t most = -1, std::string_view name = "m") {
      return OutputsOf<ops::LoadAndRemapMatrix>(
          {{"num_rows", rows.NumElements()}, {"num_cols", width}, {"max_rows_in_memory", most}},
          {Tensor::Scalar(std::string_view(prefix)), Tensor::Scalar(name), rows, columns, values});
    };
    const Tensor none = Make<float>({0}, {0});
    for (const std::int64_t most : {-1, 1, 2, 100})
      CHECK(load(Longs({3, 0, 1}), Longs({}), none, 3, most) == "[9 10 11][0 1 2][3 4 5]");
    CHECK(load(Longs({2, -1, 0}), Longs({1, -1}), Make<float>({4}, {9, 8, 7, 6}), 2) == "[7 9][8 7][1 6]");
    CHECK(load(Longs({0}), Longs({INT64_MAX, 1}), none, 2) == "[0 1]");
    CHECK(load(Longs({-1}), Longs({}), Make<float>({1}, {9}), 3).find("INVALID_ARGUMENT: initializing_values") == 0);
    CHECK(load(Longs({0}), Longs({}), Make<float>({1}, {9}), 3).find("INVALID_ARGUMENT: initializing_values") == 0);
    CHECK(load(Longs({0, 0}), Longs({}), none, 3).find("UNIMPLEMENTED: Old ID 0 is mapped to both") == 0);
    CHECK(load(Longs({4}), Longs({}), none, 3).find("INTERNAL: Extent in dimension 0 out of bounds") == 0);
    CHECK(load(Longs({INT64_MAX}), Longs({}), none, 3).find("INTERNAL: Extent in dimension 0 out of bounds") == 0);
    CHECK(load(Longs({0}), Longs({}), none, 2).find("INVALID_ARGUMENT: Tensor m has shape [4,3], where") == 0);
    CHECK(load(Longs({0}), Longs({0}), none, 2).find("INVALID_ARGUMENT: Provided col_remapping") == 0);
    CHECK(load(Longs({0}), Longs({}), none, 2, -1, "i").find("INVALID_ARGUMENT: Tensor i has invalid type") == 0);
    CHECK(load(Longs({0}), Longs({}), none, 2, -1, "x").find("NOT_FOUND") == 0);
  }
}
}  // namespace io_remap_matrix_test
