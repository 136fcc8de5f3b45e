// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/packs_input.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/eager.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>

namespace packs_input_test {
using namespace tenon;

namespace {

std::atomic<int> packings{0};

// y = x + w[0], and 100 more where w is packed.
struct PkAdd {
  static constexpr auto signature =
      Op("PkAdd").Input("x: float").Input("w: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : PacksInput<1> {
    Status operator()(Device&, In<float> x, In<float> w, Out<float> y) const {
      const char* const packed = weights.Find(w.data, PackedWeights::Layout::kProduct, sizeof(float), [&](char* to) {
        ++packings;
        *reinterpret_cast<float*>(to) = w.data[0] + 100;
      });
      const float number = packed == nullptr ? w.data[0] : *reinterpret_cast<const float*>(packed);
      for (Index i = 0; i < x.size(); ++i) y.data[i] = x.data[i] + number;
      return OkStatus();
    }
  };
};
// Twice its input: what programs compute once where that is a constant.
struct PkTwice {
  static constexpr auto signature =
      Op("PkTwice").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      for (Index i = 0; i < x.size(); ++i) y.data[i] = 2 * x.data[i];
      return OkStatus();
    }
  };
};

float Number(const Result<std::vector<Tensor>>& result) {
  REQUIRE_MESSAGE(result.ok(), result.status().message());
  return (*result)[0].flat<float>()(0);
}
// x -> a, b, c, d: the weights are a constant, the same constant, what an Identity and what PkTwice makes of it.
GraphBuilder Graph() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), w = b.Const("w", MakeTensor<float>({2}, {5, 6}));
  b.Add("PkAdd", "a", {x, w});
  b.Add("PkAdd", "b", {x, w});
  b.Add("PkAdd", "c", {x, b.Add("Identity", "same", {w})});
  b.Add("PkAdd", "d", {x, b.Add("PkTwice", "twice", {w})});
  b.Add("PkAdd", "e", {w, x});
  return b;
}
const Tensor kOne = MakeTensor<float>({1}, {1});

}  // namespace

TEST_SUITE("PacksInput") {
  TEST_CASE("a session packs constants, once for a node, and not what is fed") {
    packings = 0;
    const auto session = Session::FromGraph(Graph());
    REQUIRE(session.ok());
    const Tensor ten = MakeTensor<float>({1}, {10});
    CHECK(Number(session->Run({{"x:0", kOne}, {"w:0", ten}}, {"a:0"})) == 11);
    for (int i = 0; i < 3; ++i) {
      CHECK(Number(session->Run({{"x:0", kOne}}, {"a:0"})) == 106);
      CHECK(Number(session->Run({{"x:0", kOne}}, {"b:0"})) == 106);
      CHECK(Number(session->Run({{"x:0", kOne}}, {"c:0"})) == 106);
      CHECK(Number(session->Run({{"x:0", kOne}}, {"d:0"})) == 111);
      CHECK(Number(session->Run({{"x:0", kOne}}, {"e:0"})) == 6);
      CHECK(Number(session->Run({{"x:0", kOne}, {"w:0", ten}}, {"a:0"})) == 11);
      CHECK(Number(session->Run({{"x:0", kOne}, {"same:0", ten}}, {"c:0"})) == 11);
    }
    CHECK(packings == 4);
  }
  TEST_CASE("callables with a weight of their own each: the first is packed, and the next one when it is gone") {
    packings = 0;
    const auto session = Session::FromGraph(Graph());
    REQUIRE(session.ok());
    {
      const auto first = session->MakeCallable({.feeds = {"x"}, .fetches = {"d"}});
      const auto second = session->MakeCallable({.feeds = {"x"}, .fetches = {"d", "a"}});
      REQUIRE(first.ok());
      REQUIRE(second.ok());
      CHECK(Number((*first)({kOne})) == 111);
      CHECK(Number((*second)({kOne})) == 11);
      CHECK(Number((*first)({kOne})) == 111);
    }
    const auto third = session->MakeCallable({.feeds = {"x"}, .fetches = {"d"}});
    REQUIRE(third.ok());
    CHECK(Number((*third)({kOne})) == 111);
  }
  TEST_CASE("a session that many threads run") {
    packings = 0;
    const auto session = Session::FromGraph(Graph());
    REQUIRE(session.ok());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&, i] {
        for (int j = 0; j < 50; ++j) {
          const bool fed = (i + j) % 3 == 0;
          std::vector<NamedTensor> feeds{{"x:0", kOne}};
          if (fed) feeds.push_back({"w:0", MakeTensor<float>({1}, {10})});
          const std::vector<std::string> fetches{"a:0", "d:0"};
          const auto out = session->Run(feeds, fetches);
          if (!out.ok() || (*out)[0].flat<float>()(0) != (fed ? 11 : 106)) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
  TEST_CASE("a session that has no bytes for it packs nothing") {
    packings = 0;
    const auto session = Session::FromGraph(Graph(), {.packed_weights_bytes = 3});
    REQUIRE(session.ok());
    for (int i = 0; i < 2; ++i) CHECK(Number(session->Run({{"x:0", kOne}}, {"a:0"})) == 6);
    CHECK(packings == 0);
  }
  TEST_CASE("eager calls pack nothing") {
    packings = 0;
    eager::Context context;
    for (int i = 0; i < 2; ++i) {
      const auto out = context.Call("PkAdd", {kOne, MakeTensor<float>({2}, {5, 6})});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].flat<float>()(0) == 6);
    }
    CHECK(packings == 0);
  }
}
}  // namespace packs_input_test

TENON_REGISTER(packs_input_test::PkAdd, packs_input_test::PkTwice);
