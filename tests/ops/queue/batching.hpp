// SPDX-License-Identifier: Apache-2.0
#pragma once
// A graph with BatchFunction, and runs of it in threads, for the tests of batches.

#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/runtime/api/session.hpp>

#include "ops/state/state_test.hpp"
#include "op_call.hpp"

namespace batching_test {
using namespace tenon;

struct Limits {
  std::int64_t max_rows = 4, timeout_micros = 1000, waiting = 10;
  bool fails = false, splits = false;
  bool meets = false;  // the function calls the PyFunction "meet"
};

// A session that serves y = f(x) in batches; f(x) = x + the number of elements of the batch.
struct Served {
  explicit Served(const Limits& limits, int threads = 2) {
    const std::string text = StrCat(
        R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
           node { name: "y" op: "BatchFunction" input: "x"
             attr { key: "f" value { func { name: "f" } } }
             attr { key: "Tin" value { list { type: DT_FLOAT } } }
             attr { key: "Tcaptured" value { list { } } }
             attr { key: "Tout" value { list { type: DT_FLOAT } } }
             attr { key: "num_batch_threads" value { i: 2 } }
             attr { key: "max_batch_size" value { i: )",
        limits.max_rows, R"( } } attr { key: "batch_timeout_micros" value { i: )", limits.timeout_micros,
        R"( } } attr { key: "max_enqueued_batches" value { i: )", limits.waiting,
        limits.splits ? R"( } } attr { key: "allowed_batch_sizes" value { list { i: 4 } } }
                            attr { key: "enable_large_batch_splitting" value { b: true )"
                      : "",
        R"( } } }
           library { function {
             signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
             node_def { name: "n" op: "Size" input: "x" attr { key: "T" value { type: DT_FLOAT } }
                        attr { key: "out_type" value { type: DT_INT32 } } }
             node_def { name: "c" op: "Cast" input: "n:output:0" attr { key: "SrcT" value { type: DT_INT32 } }
                        attr { key: "DstT" value { type: DT_FLOAT } } }
             )",
        limits.meets
            ? R"(node_def { name: "met" op: "PyFuncStateless" input: "x" attr { key: "token" value { s: "meet" } }
                           attr { key: "Tin" value { list { type: DT_FLOAT } } }
                           attr { key: "Tout" value { list { type: DT_FLOAT } } } })"
            : "",
        R"(node_def { name: "a" op: "AddV2" input: ")", limits.meets ? "met:output:0" : "x",
        R"(" input: "c:y:0" attr { key: "T" value { type: DT_FLOAT } } }
             node_def { name: "inf" op: "Sub" input: "a:z:0" input: ")",
        limits.fails ? "big:output:0" : "zero:output:0", R"(" attr { key: "T" value { type: DT_FLOAT } } }
             node_def { name: "big" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
               attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: inf } } } }
             node_def { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
               attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 0 } } } }
             node_def { name: "checked" op: "CheckNumerics" input: "inf:z:0" attr { key: "T" value { type: DT_FLOAT } }
                        attr { key: "message" value { s: "bad" } } }
             ret { key: "y" value: "checked:output:0" } } })");
    const Result<GraphDef> graph = ParseTextGraphDef(text);
    REQUIRE_MESSAGE(graph.ok(), graph.status().message());
    Result<Session> made = Session::FromGraphDef(*graph, {.inter_op_threads = threads});
    REQUIRE_MESSAGE(made.ok(), made.status().message());
    session = *std::move(made);
  }
  // Starts a run; the calling thread goes on.
  std::future<std::vector<float>> Start(std::vector<float> x) const {
    auto promise = std::make_shared<std::promise<std::vector<float>>>();
    session.RunAsync(
        std::vector<NamedTensor>{{"x", VectorOf(x)}}, std::vector<std::string>{"y"}, {}, {},
        [promise](Result<std::vector<Tensor>> result) {
          promise->set_value(result.ok() ? state_test::Machine::ToVector((*result)[0]) : std::vector<float>{});
        });
    return promise->get_future();
  }
  static Tensor VectorOf(const std::vector<float>& x) {
    return MakeTensor<float>({static_cast<Index>(x.size())}, std::span<const float>(x));
  }

  Session session;
};

// One run in a thread of its own.
struct Call {
  Call(const Served& served, const std::vector<float>& x) : Call(served, Served::VectorOf(x)) {}
  Call(const Served& served, Tensor x, RunOptions options = {})
      : thread([&served, x = std::move(x), options = std::move(options), this] {
          Result<std::vector<Tensor>> got = served.session.Run(
              std::vector<NamedTensor>{{"x", x}}, std::vector<std::string>{"y"}, std::vector<std::string>{}, options);
          status = got.status();
          if (got.ok()) values = state_test::Machine::ToVector((*got)[0]);
        }) {}
  void Join() { thread.join(); }

  Status status;
  std::vector<float> values;
  std::thread thread;
};

}  // namespace batching_test
