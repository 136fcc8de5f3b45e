// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/training/initializers.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <tenon/optimizer.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "gradients/training/trained.hpp"

namespace initializers_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// The first value of a variable.
template <class Initializer>
std::vector<float> Bits(const Initializer& initializer, const TensorShape& shape) {
  GraphBuilder b;
  const auto v = AddVariable(&b, "v", DataType::kFloat, shape, initializer);
  REQUIRE_MESSAGE(v.ok(), v.status().ToString());
  const auto session = Session::FromGraphDef(b.graph_def());
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const Status status = session->Run({}, {}, {v->initializer}).status();
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  const std::vector<std::string> fetches{b.Name(v->value)};
  const Result<std::vector<Tensor>> value = session->Run({}, fetches, {});
  REQUIRE_MESSAGE(value.ok(), value.status().ToString());
  return {(*value)[0].data<float>(), (*value)[0].data<float>() + (*value)[0].NumElements()};
}
}  // namespace

TEST_SUITE("initializers") {
  // Numbers of tools/training_numbers.py initializers, bit for bit.
  TEST_CASE("are those of Keras for a seed") {
    using namespace initializers;
    CHECK(Bits(RandomUniform{-1, 3, 7}, {4}) ==
          std::vector<float>{0x1.fd0238p+0f, 0x1.b05p+0f, -0x1.89aaep-1f, 0x1.93acap+0f});
    CHECK(Bits(RandomNormal{0.5, 2, 7}, {4}) ==
          std::vector<float>{-0x1.b25a58p-1f, -0x1.bd3468p-3f, -0x1.a12c44p+1f, -0x1.390f86p+1f});
    CHECK(Bits(TruncatedNormal{0.5, 2, 7}, {4}) ==
          std::vector<float>{-0x1.b25a58p-1f, -0x1.bd3468p-3f, -0x1.a12c44p+1f, -0x1.390f86p+1f});
    CHECK(Bits(GlorotUniform{3}, {2, 3}) == std::vector<float>{-0x1.551bp-1f, 0x1.ecd45p-1f, 0x1.21a24p-4f,
                                                               0x1.7e8eecp-1f, -0x1.63cd34p-1f, -0x1.ab7a4p-1f});
    CHECK(Bits(GlorotNormal{3}, {2, 3}) == std::vector<float>{-0x1.ee7646p-2f, 0x1.3480bap+0f, -0x1.5b9b14p-1f,
                                                              0x1.bf9a1ep-2f, -0x1.348c26p-2f, -0x1.6d05p-2f});
    CHECK(Bits(HeUniform{-5}, {2, 1, 2, 1}) ==
          std::vector<float>{-0x1.5face4p-1f, 0x1.169ecp-4f, 0x1.51ddap-2f, -0x1.204a1ep+0f});
    CHECK(Bits(HeNormal{3}, {2, 3}) == std::vector<float>{-0x1.86e812p-1f, 0x1.e7c92ap+0f, -0x1.12ce76p+0f,
                                                          0x1.61dc48p-1f, -0x1.e7db3cp-2f, -0x1.2092c2p-1f});
    CHECK(Bits(LecunUniform{2147483653}, {4}) ==
          std::vector<float>{0x1.b6394cp-2f, 0x1.3161dcp-2f, -0x1.882a6p-1f, 0x1.ff8f08p-3f});
    CHECK(Bits(LecunNormal{3}, {2, 3}) == std::vector<float>{-0x1.1469a4p-1f, 0x1.58eaaap+0f, -0x1.84a294p-1f,
                                                             0x1.f46f2cp-2f, -0x1.58f77p-2f, -0x1.981abp-2f});
    CHECK(Bits(VarianceScaling{2, FanMode::kOut, FanDistribution::kNormal, 3}, {2, 3}) ==
          std::vector<float>{-0x1.18c0e6p-1f, 0x1.5e5554p+0f, -0x1.8abdp-1f, 0x1.fc4b1p-2f, 0x1.05dc6ep+0f,
                             0x1.1ab1ap+0f});
    CHECK(Bits(Identity{2}, {2, 3}) == std::vector<float>{0x1p+1f, 0, 0, 0, 0x1p+1f, 0});
    CHECK(Bits(Zeros{}, {2}) == std::vector<float>{0, 0});
    CHECK(Bits(Ones{}, {2}) == std::vector<float>{1, 1});
    CHECK(Bits(Constant{0.5}, {2}) == std::vector<float>{0.5f, 0.5f});
    CHECK(Bits(Values{Floats({4, 5}, {2})}, {2}) == std::vector<float>{4, 5});
  }
  TEST_CASE("Orthogonal has the numbers of Keras up to the rounding of Qr") {
    using initializers::Orthogonal;
    const auto near = [](const std::vector<float>& got, std::initializer_list<float> want) {
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - want.begin()[i]) < 1e-6f);
    };
    near(Bits(Orthogonal{1, 3}, {2, 3}),
         {-0x1.92fe5p-2f, -0x1.1b4db4p-1f, 0x1.77e00cp-1f, 0x1.7f306ap-1f, 0x1.15654cp-2f, 0x1.35f4dcp-1f});
    near(Bits(Orthogonal{2, 3}, {4, 2}), {-0x1.85c378p-1f, 0x1.58926cp+0f, -0x1.1200c2p+0f, 0x1.361d94p-1f,
                                          0x1.6b891cp+0f, 0x1.920512p-1f, 0x1.0439a4p-1f, 0x1.190268p+0f});
  }
  // Folded into a constant of the initializer's program, the value would lie beside the variable's.
  TEST_CASE("a session holds a first value once") {
    GraphBuilder b;
    const auto v = AddVariable(&b, "v", DataType::kFloat, {256, 256}, initializers::GlorotUniform{3});
    REQUIRE_MESSAGE(v.ok(), v.status().ToString());
    for (const OptimizerLevel level : {OptimizerLevel::kOff, OptimizerLevel::kFast}) {
      TrackingAllocator memory(CpuAllocator());
      const auto session = Session::FromGraphDef(b.graph_def(), {.allocator = &memory, .optimizer = {.level = level}});
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      const Status status = session->Run({}, {}, {v->initializer}).status();
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      constexpr std::int64_t kBytes = 256 * 256 * sizeof(float);
      CHECK(memory.GetStats()->bytes_in_use >= kBytes);
      CHECK(memory.GetStats()->bytes_in_use < kBytes + kBytes / 2);
    }
  }
  TEST_CASE("AddVariable refuses shapes that do not suit") {
    GraphBuilder b;
    CHECK(AddVariable(&b, "v", DataType::kFloat, {3}, initializers::Identity{}).status().code() ==
          Code::kInvalidArgument);
    CHECK(AddVariable(&b, "v", DataType::kFloat, {3}, initializers::Orthogonal{}).status().code() ==
          Code::kInvalidArgument);
    CHECK(AddVariable(&b, "v", DataType::kFloat, {3}, initializers::Zeros{}).ok());
    CHECK_FALSE(AddVariable(&b, "v", DataType::kFloat, {3}, initializers::Zeros{}).ok());
  }
}

}  // namespace initializers_test
