// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/eigen.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace eigen_test {
using namespace tenon;

TEST_CASE("views of rank 2 are Eigen's matrices without a copy") {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 2};
  std::vector<float> c(2);
  const Index a_dims[] = {2, 3}, b_dims[] = {3, 1}, c_dims[] = {2, 1};
  const In<float, 2> left(a.data(), a_dims), right(b.data(), b_dims);
  const Out<float, 2> product(c.data(), c_dims);
  AsEigen(product).noalias() = AsEigen(left) * AsEigen(right);
  CHECK(c == std::vector<float>{7, 16});
  CHECK(AsEigen(left).data() == a.data());
}
}  // namespace eigen_test
