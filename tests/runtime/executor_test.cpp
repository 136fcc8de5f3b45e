// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "graphs.hpp"

using namespace tenon;
using namespace runtime_test;

TEST_SUITE("Engines") {
  TEST_CASE("give the same results on the same graphs") {
    for (const int width : {1, 2, 9})
      for (const int depth : {1, 7}) {
        const GraphBuilder graph = WideGraph(width, depth);
        std::vector<float> results;
        for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kSequential, ExecutorKind::kDataflow})
          for (const int threads : {1, 3}) {
            const auto session = Session::FromGraph(graph, {.inter_op_threads = threads, .executor = executor});
            REQUIRE(session.ok());
            for (int i = 0; i < 3; ++i) {
              const auto out = session->Run({{"x", Tensor::Scalar(0.5f)}}, {"out"});
              REQUIRE_MESSAGE(out.ok(), out.status().message());
              results.push_back((*out)[0].scalar<float>()[0]);
            }
          }
        for (const float r : results) CHECK(r == 0.5f * static_cast<float>(1 + width * (depth + 1)));
      }
  }
  TEST_CASE("report the error of a node with its name and device") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output y = b.Placeholder("y", DataType::kFloat);
    b.Add("MatMul", "dense/MatMul", {x, y});
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = executor});
      const auto out =
          session->Run({{"x", Tensor::Zeros<float>({2, 3})}, {"y", Tensor::Zeros<float>({4, 2})}}, {"dense/MatMul"});
      CHECK(out.status().code() == Code::kInvalidArgument);
      CHECK(Contains(out.status().message(), "[node 'dense/MatMul', CPU:0]"));
      CHECK(session->Run({{"x", Tensor::Zeros<float>({2, 3})}, {"y", Tensor::Zeros<float>({3, 2})}}, {"dense/MatMul"})
                .ok());
    }
  }
}
