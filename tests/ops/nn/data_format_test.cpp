// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/data_format.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_data_format_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("data formats") {
  TEST_CASE_TEMPLATE("numbers of dimensions, TensorFlow's answers outside of the range too", T, std::int32_t,
                     std::int64_t) {
    CHECK(Numbered<T>(Run<ops::DataFormatDimMap>({}, {Make<T>({8}, {-9, -5, -4, -1, 0, 3, 5, 9})})) ==
          std::vector<double>{1, 1, 0, 1, 0, 1, 2, 2});
    CHECK(Numbered<T>(Run<ops::DataFormatDimMap>({{"src_format", "NDHWC"}, {"dst_format", "NCDHW"}},
                                                 {Make<T>({5}, {-11, -5, -1, 4, 9})})) ==
          std::vector<double>{1, 0, 1, 1, 1});
  }
  TEST_CASE("the largest int32 wraps around") {
    CHECK(Numbered<std::int32_t>(Run<ops::DataFormatDimMap>(
              {}, {Make<std::int32_t>({2}, {2147483647, -2147483648.0})})) == std::vector<double>{1, 0});
  }
  TEST_CASE_TEMPLATE("lists", T, std::int32_t, std::int64_t) {
    CHECK(Numbered<T>(Run<ops::DataFormatVecPermute>({}, {Make<T>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})})) ==
          std::vector<double>{1, 2, 7, 8, 3, 4, 5, 6});
    CHECK(Numbered<T>(Run<ops::DataFormatVecPermute>({{"dst_format", "NCWH"}}, {Make<T>({2}, {1, 2})})) ==
          std::vector<double>{2, 1});
    CHECK(Numbered<T>(Run<ops::DataFormatVecPermute>({{"src_format", "NDHWC"}, {"dst_format", "NCWHD"}},
                                                     {Make<T>({3}, {1, 2, 3})})) == std::vector<double>{3, 2, 1});
  }
  TEST_CASE("refuses what is no permutation") {
    const Tensor four = Make<std::int32_t>({4}, {1, 2, 3, 4});
    CHECK(ErrorOf<ops::DataFormatVecPermute>({{"src_format", "NHHC"}, {"dst_format", "NCHH"}}, {four})
              .find("must determine a permutation, got NHHC and NCHH") != std::string::npos);
    CHECK(ErrorOf<ops::DataFormatDimMap>({{"src_format", "NHC"}}, {four})
              .find("Source format must be of length 4 or 5") != std::string::npos);
    CHECK(ErrorOf<ops::DataFormatVecPermute>({}, {Make<std::int32_t>({5}, {1})})
              .find("1D input must be of size 2 or 4, but got shape [5]") != std::string::npos);
    CHECK(ErrorOf<ops::DataFormatVecPermute>({}, {Make<std::int32_t>({4, 3}, {1})})
              .find("Second dimension of 2D input must be of size 2") != std::string::npos);
    CHECK(ErrorOf<ops::DataFormatVecPermute>({}, {Make<std::int32_t>({}, {1})}).find("must be a vector or 2D tensor") !=
          std::string::npos);
  }
}
}  // namespace nn_data_format_test
