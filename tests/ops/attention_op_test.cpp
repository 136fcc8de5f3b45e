// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/attention.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/nn/gelu.hpp>
#include <tenon/engine/nn/layer_norm.hpp>
#include <tenon/engine/random/threefry.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <tenon/kernel/register.hpp>
#include <tenon/runtime.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/ops/io/constant.hpp>

#include <doctest/doctest.h>

namespace attention_op_test {
using namespace tenon;

// An op of one's own that calls an engine.
struct Attention {
  static constexpr auto signature = Op("TopTestAttention")
                                        .Input("query: T")
                                        .Input("key: T")
                                        .Input("value: T")
                                        .Output("result: T")
                                        .Attr("T: {float, double}")
                                        .Attr("causal: bool = false")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), c->Dim(c->input(2), 1)));
                                          return OkStatus();
                                        });
  struct Attrs {
    bool causal;
  };

  template <class Device, class T>
  struct kernel : Attrs {
    Status operator()(Device& device, In<T, 2> q, In<T, 2> k, In<T, 2> v, Out<T, 2> y) const {
      const AttentionShape shape{1, q.dim(0), k.dim(0), q.dim(1), v.dim(1)};
      return ScaledDotProductAttention<T>(device, shape, q.data, k.data, v.data, y.data, {.causal = this->causal});
    }
  };
};
TENON_REGISTER(Attention);

TEST_CASE("an op of a program calls the attention engine") {
  GraphBuilder b;
  Tensor numbers = Tensor::Zeros<float>({2, 1});
  const auto query = b.Const("query", Tensor::Zeros<float>({2, 1}));
  numbers.data<float>()[0] = 1;
  numbers.data<float>()[1] = 3;
  const auto value = b.Const("value", numbers);
  b.Add("TopTestAttention", "all", {query, query, value});
  b.Add("TopTestAttention", "causal", {query, query, value}, {{"causal", true}});
  const auto session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const auto outputs = session->Run({}, {"all", "causal"});
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
  CHECK((*outputs)[0].data<float>()[0] == 2);
  CHECK((*outputs)[1].data<float>()[0] == 1);  // the first query sees the first key only
  CHECK((*outputs)[1].data<float>()[1] == 2);

  Cpu device;
  std::vector<float> x{1, 3};
  REQUIRE(LayerNorm<float>(device, x.data(), nullptr, nullptr, 0.f, x.data(), 1, 2).ok());
  CHECK(x == std::vector<float>{-1, 1});
  REQUIRE(Gelu<float>(device, x.data(), x.data(), 2).ok());
  CHECK(std::abs(x[1] - 0.8413447f) < 1e-6f);
  CHECK(ThreeFry{}.Next().word[0] == 0x6b200159);
  const unsigned char bytes[] = {2, 3};
  std::int32_t product = 0;
  REQUIRE(GemmInt8(device, 1, 1, 2, {bytes, false, 2, 1}, {bytes, true, 1, 1}, &product, 1).ok());
  CHECK(product == 13);
}
}  // namespace attention_op_test
