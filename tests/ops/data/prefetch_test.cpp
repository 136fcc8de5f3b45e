// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/data/prefetch.hpp>

#include <chrono>
#include <thread>

#include "in_child.hpp"
#include "ops/data/pipeline.hpp"

namespace data_prefetch_test {
using namespace data_test;

namespace {

// endless(x): a loop without end.
FunctionDef Endless() {
  FunctionDef f;
  f.signature.name = "endless";
  f.signature.input_arg = {function_test::Arg("x", DataType::kInt64)};
  f.signature.output_arg = {function_test::Arg("y", DataType::kInt64)};
  f.node_def = {function_test::MakeNode("loop", "StatelessWhile", {"x"},
                                        {{"T", TypesOf({DataType::kInt64})},
                                         {"cond", function_test::Call("yes")},
                                         {"body", function_test::Call("twice")}})};
  f.ret = {{"y", "loop:output:0"}};
  return f;
}
FunctionDef Yes() {
  FunctionDef f;
  f.signature.name = "yes";
  f.signature.input_arg = {function_test::Arg("x", DataType::kInt64)};
  f.signature.output_arg = {function_test::Arg("y", DataType::kBool)};
  f.node_def = {function_test::MakeNode(
      "yes", "Const", {}, {{"dtype", AttrValue(DataType::kBool)}, {"value", AttrValue(Tensor::Scalar(true))}})};
  f.ret = {{"y", "yes:output:0"}};
  return f;
}

}  // namespace

TEST_SUITE("prefetching") {
  TEST_CASE("elements come in order, through several buffers") {
    Pipeline p;
    p.functions.push_back(Doubling("twice"));
    const Output inner = p.Of("PrefetchDataset", "inner", p.Range("range", 50), {3});
    const Output mapped = p.Calling("MapDataset", "map", "f", "twice", inner);
    p.Iterate(p.Of("PrefetchDataset", "outer", mapped, {-1}));
    p.Start();
    const Numbers all = p.Take(100);
    REQUIRE(all.size() == 50);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == 2 * static_cast<std::int64_t>(i));
  }
  TEST_CASE("an iterator may go in the middle, with its session or before") {
    for (int taken = 0; taken < 4; ++taken) {
      Pipeline p;
      p.functions.push_back(Doubling("twice"));
      const Output mapped = p.Calling("MapDataset", "map", "f", "twice", p.Range("range", 1000));
      p.Iterate(p.Of("PrefetchDataset", "prefetch", mapped, {5}));
      p.Start();
      CHECK(p.Take(taken).size() == static_cast<std::size_t>(taken));
      if (taken % 2 == 0) p.Do("init");
      CHECK(p.Take(1).size() == 1);
    }
  }
#if TENON_TEST_FORKS
  TEST_CASE("the child of a fork() is told that the thread is the parent's") {
    Pipeline p;
    p.Iterate(p.Of("PrefetchDataset", "prefetch", p.Range("range", 1000), {5}));
    p.Start();
    CHECK(p.Take(2).size() == 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the buffer is full: no call is under way
    CHECK(test::InChild([&] {
            const Status status = p.session.Run({}, {"next"}).status();
            return status.code() == Code::kFailedPrecondition ? 0 : 1;
          }) == 0);
    CHECK(p.Take(1).size() == 1);
  }
#endif
  TEST_CASE("a run that waits for an element ends at its deadline, and the session can go") {
    Pipeline p;
    p.functions = {Doubling("twice"), Endless(), Yes()};
    const Output mapped = p.Calling("MapDataset", "map", "f", "endless", p.Range("range", 1000));
    p.Iterate(p.Of("PrefetchDataset", "prefetch", mapped, {2}));
    p.Start();
    const Result<std::vector<Tensor>> got = p.session.Run({}, {"next"}, {}, {.timeout_in_ms = 50});
    CHECK(got.status().code() == Code::kDeadlineExceeded);
  }
  TEST_CASE("two runs that ask at one time get an element each") {
    Pipeline p;
    p.Iterate(p.Of("PrefetchDataset", "prefetch", p.Range("range", 200), {4}));
    p.Start();
    std::int64_t sums[2] = {0, 0};
    std::thread threads[2];
    for (int t = 0; t < 2; ++t)
      threads[t] = std::thread([&, t] {
        for (Result<std::vector<Tensor>> got = p.Next(); got.ok(); got = p.Next())
          sums[t] += *(*got)[0].data<std::int64_t>();
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(sums[0] + sums[1] == 199 * 200 / 2);
  }
}

}  // namespace data_prefetch_test
