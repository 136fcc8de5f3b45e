// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/eigen_tensor.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include <tenon/tensor/tensor.hpp>

#include "base/child_process.hpp"

namespace eigen_views_test {
using namespace tenon;

TEST_SUITE("EigenViews") {
  TEST_CASE("see the elements under every shape") {
    Tensor t(DataType::kFloat, {2, 3, 4});
    for (int i = 0; i < 24; ++i) t.flat<float>()[i] = static_cast<float>(i);
    const Tensor& c = t;
    CHECK(EigenViews(c).flat<float>()(23) == 23);
    CHECK(EigenViews(c).tensor<float, 3>()(1, 2, 3) == 23);
    CHECK(EigenViews(c).tensor<float, 3>().data() == t.raw_data());
    const Index sizes[2] = {4, 6};
    CHECK(EigenViews(c).shaped<float, 2>(sizes)(1, 1) == 7);
    CHECK(EigenViews(c).flat_inner_dims<float>().dimension(0) == 6);
    CHECK(EigenViews(c).flat_inner_dims<float>()(5, 3) == 23);
    CHECK(EigenViews(c).flat_outer_dims<float>()(1, 11) == 23);
    CHECK(EigenViews(c).flat_outer_dims<float, 4>().dimension(3) == 1);
    CHECK(EigenViews(c).flat_inner_outer_dims<float, 2>(1).dimension(0) == 6);
    const Index bits[1] = {24};
    CHECK(EigenViews(c).bit_casted_shaped<std::uint32_t, 1>(bits)(1) == 0x3f800000);
    CHECK(EigenViews(c).bit_casted_tensor<std::int32_t, 3>()(0, 0, 1) == 0x3f800000);
    EigenViews(t).tensor<float, 3>()(0, 0, 0) = 50;
    CHECK(t.flat<float>()[0] == 50);
  }
  TEST_CASE("see vectors, matrices, scalars and last dimensions as one value") {
    Tensor v = MakeTensor<std::int64_t>({2}, {7, 9});
    CHECK(EigenViews(v).vec<std::int64_t>()(1) == 9);
    const Tensor m = MakeTensor<float>({1, 2}, {1, 2});
    CHECK(EigenViews(m).matrix<float>()(0, 1) == 2);
    const Tensor s = MakeTensor<float>({1, 1}, {4});
    CHECK(EigenViews(s).scalar<float>()() == 4);
    Tensor one = Tensor::Scalar(1.0f);
    EigenViews(one).scalar<float>()() = 8;
    CHECK(one.scalar<float>()() == 8);
    CHECK(EigenViews(m).reinterpret_last_dimension<double, 1>().dimension(0) == 1);
    const Tensor none(DataType::kFloat, {0, 3});
    CHECK(EigenViews(none).matrix<float>().size() == 0);
    const Tensor texts = MakeTensor<tstring>({2}, {"a", "b"});
    CHECK(EigenViews(texts).vec<tstring>()(1) == "b");
  }
  TEST_CASE("are what Eigen computes with") {
    const Tensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
    Tensor y(DataType::kFloat, {2, 2});
    EigenViews(y).flat<float>() = EigenViews(x).flat<float>() * 2.0f + 1.0f;
    CHECK(y.matrix<float>()(1, 1) == 9);
    const Eigen::array<Eigen::IndexPair<int>, 1> inner = {Eigen::IndexPair<int>(1, 0)};
    EigenViews(y).matrix<float>() = EigenViews(x).matrix<float>().contract(EigenViews(x).matrix<float>(), inner);
    CHECK(y.matrix<float>()(1, 0) == 15);
  }
  TEST_CASE("of misaligned elements are refused, but for the unaligned ones") {
    Tensor t = MakeTensor<float>({5}, {0, 1, 2, 3, 4});
    const Tensor part = t.Slice(1, 5);
    CHECK(EigenViews(part).unaligned_flat<float>()(3) == 4);
    const Index sizes[2] = {2, 2};
    CHECK(EigenViews(part).unaligned_shaped<float, 2>(sizes)(1, 0) == 3);
    const Status s = CheckedEigenViews(part).flat<float>().status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message().find("EigenViews: ptr = ") == 0);
    const ChildResult child = RunInChild([&] { static_cast<void>(EigenViews(part).vec<float>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "as Eigen wants it; unaligned_flat and unaligned_shaped see such elements"));
  }
  TEST_CASE("say what is wrong with a status, or end the program with the same text") {
    const Tensor t(DataType::kFloat, {2, 3});
    CHECK(CheckedEigenViews(t).matrix<float>().ok());
    CHECK(CheckedEigenViews(t).matrix<double>().status().message() ==
          "Tensor::matrix: double expected, got float; the tensor has shape [2,3]");
    CHECK(CheckedEigenViews(t).scalar<float>().status().message() ==
          "Tensor::scalar: Must have a one element tensor, got shape [2,3]");
    const ChildResult child = RunInChild([&] { static_cast<void>(EigenViews(t).vec<float>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Asking for tensor of 1 dimensions from a tensor of 2 dimensions: [2,3]"));
  }
}
}  // namespace eigen_views_test
