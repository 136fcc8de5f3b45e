// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/layer_norm.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ops/support.hpp"

namespace nn_layer_norm_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
Result<Tensor> Normalise(const Tensor& x, const Tensor& scale, const Tensor& offset) {
  GraphBuilder b;
  std::vector<GraphBuilder::Input> in;
  for (const auto& [name, tensor] : {std::pair{"x", &x}, std::pair{"scale", &scale}, std::pair{"offset", &offset}})
    in.emplace_back(b.Placeholder(name, dtype_of_v<T>, PartialTensorShape()));
  b.Add("_LayerNorm", "y", in, AttrArgs{{"epsilon", 0.01f}});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                         session.Run({{"x", x}, {"scale", scale}, {"offset", offset}}, {"y"}));
  return out[0];
}
template <class T>
Tensor Ramp(const TensorShape& shape, double scale) {
  Tensor out(dtype_of_v<T>, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<T>()[i] = static_cast<T>(scale * static_cast<double>((7 * i) % 11 - 4));
  return out;
}
template <class T>
void Check(double tolerance) {
  const Tensor x = Ramp<T>({2, 3, 8}, 0.7), scale = Ramp<T>({8}, 0.3), offset = Ramp<T>({8}, 0.2);
  const Result<Tensor> y = Normalise<T>(x, scale, offset);
  REQUIRE_MESSAGE(y.ok(), y.status().ToString());
  CHECK(y->shape() == x.shape());
  for (Index r = 0; r < 6; ++r) {
    const T* const row = x.data<T>() + 8 * r;
    double mean = 0, variance = 0;
    for (Index i = 0; i < 8; ++i) mean += static_cast<double>(row[i]) / 8;
    for (Index i = 0; i < 8; ++i) variance += std::pow(static_cast<double>(row[i]) - mean, 2) / 8;
    for (Index i = 0; i < 8; ++i) {
      const double want =
          (static_cast<double>(row[i]) - mean) / std::sqrt(variance + 0.01f) * static_cast<double>(scale.data<T>()[i]) +
          static_cast<double>(offset.data<T>()[i]);
      CHECK(static_cast<double>(y->data<T>()[8 * r + i]) == doctest::Approx(want).epsilon(tolerance));
    }
  }
}

}  // namespace

TEST_SUITE("_LayerNorm") {
  TEST_CASE("it normalises the last axis") {
    Check<float>(1e-5);
    Check<double>(1e-12);
  }
  TEST_CASE("scale and offset have an element for each column") {
    const Tensor x = Ramp<float>({2, 8}, 1), short_one = Ramp<float>({7}, 1), fits = Ramp<float>({8}, 1);
    CHECK(errors::IsInvalidArgument(Normalise<float>(x, short_one, fits).status()));
    CHECK(errors::IsInvalidArgument(Normalise<float>(x, fits, short_one).status()));
    CHECK(Normalise<float>(Tensor(DataType::kFloat, {0, 8}), fits, fits).ok());
  }
}

}  // namespace nn_layer_norm_test
