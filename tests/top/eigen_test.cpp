// SPDX-License-Identifier: Apache-2.0
#include <tenon/eigen.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

#include <tenon/tensor/tensor.hpp>

using namespace tenon;

namespace {

bool SameElements(const Tensor& t, std::initializer_list<double> want) {
  return std::equal(want.begin(), want.end(), t.data<double>(), t.data<double>() + t.NumElements());
}

}  // namespace

TEST_CASE("eigen.hpp has both kinds of views, and both are the tensor's own elements") {
  Tensor a = MakeTensor<double>({2, 2}, {1, 2, 3, 4});
  const Tensor b = MakeTensor<double>({2, 2}, {0, 1, 1, 0});
  Tensor product(DataType::kDouble, {2, 2});
  AsEigen(product.matrix<double>()).noalias() =
      AsEigen(static_cast<const Tensor&>(a).matrix<double>()) * AsEigen(b.matrix<double>());
  CHECK(SameElements(product, {2, 1, 4, 3}));
  EigenViews(a).matrix<double>() = EigenViews(product).matrix<double>() + EigenViews(b).matrix<double>();
  CHECK(SameElements(a, {2, 2, 5, 3}));
  EigenViews(a).flat<double>()(3) = 9;
  CHECK(AsEigen(a.matrix<double>())(1, 1) == 9);
}
