// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "runtime/graphs.hpp"

namespace prepared_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("What a prepared signature runs") {
  TEST_CASE("a feed at an address that does not suit its elements is refused") {
    const auto session = Session::FromGraph(SmallGraph());
    REQUIRE(session.ok());
    alignas(64) char bytes[64] = {};
    for (const int shift : {1, 2, 3}) {
      const Tensor odd = Tensor::FromMemory(DataType::kFloat, {2}, bytes + shift);
      const Status s = session->Run({{"x:0", odd}}, {"z:0"}).status();
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(Contains(s.message(), "Feed 'x:0': ptr = "));
      CHECK(Contains(s.message(),
                     " is not a multiple of 4; unaligned_flat and unaligned_shaped see such elements, "
                     "DeepCopy gives them aligned memory"));
      const auto out = session->Run({{"x:0", odd.DeepCopy()}}, {"z:0"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].flat<float>()(1) == 1);
    }
    CHECK(session->Run({{"x:0", Tensor::FromMemory(DataType::kFloat, {2}, bytes + 4)}}, {"z:0"}).ok());
  }
  TEST_CASE("results outlive the session") {
    std::vector<Tensor> kept;
    {
      const auto session = Session::FromGraph(SmallGraph());
      kept = *session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"z"});
    }
    CHECK(kept[0].flat<float>()(0) == 9);
  }
  TEST_CASE("many threads may run one session") {
    const auto session = Session::FromGraph(WideGraph(4, 3), {.inter_op_threads = 2});
    REQUIRE(session.ok());
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const float x = static_cast<float>(t * 100 + static_cast<std::size_t>(i));
          const auto out = session->Run({{"x", Tensor::Scalar(x)}}, {"out"});
          wrong[t] += !out.ok() || (*out)[0].scalar<float>()[0] != 17 * x;
        }
      });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == std::vector<int>(4, 0));
  }
}
}  // namespace prepared_test
