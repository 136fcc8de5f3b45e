// SPDX-License-Identifier: Apache-2.0
// Iterators by name, and their positions saved and restored at every element of pipelines of each kind. TensorFlow's
// recorded answers are in tests/golden/ops/data.pb.
#include <tenon/ops/data/iterator_handle.hpp>
#include <tenon/ops/data/multi_device.hpp>
#include <tenon/ops/data/statistics.hpp>

#include "ops/data/pipeline.hpp"

namespace data_iterator_handle_test {
using namespace data_test;

namespace {

// Saves at every position, goes on, restores, and compares what comes then.
void CheckRestores(Pipeline& p) {
  p.Start();
  const Numbers all = p.Take(40);
  REQUIRE(!all.empty());
  for (int at = 0; at <= 9; ++at) {
    p.Do("init");
    (void)p.Take(at);
    const Result<std::vector<Tensor>> saved = p.session.Run({}, std::vector<std::string>{"save"});
    REQUIRE(saved.status().message() == "");
    const Numbers rest = p.Take(20);
    p.Do("restore", {{"saved", (*saved)[0]}});
    CHECK(p.Take(20) == rest);
  }
}
Output Scalar(Pipeline& p, const std::string& name, bool value) { return p.b.Const(name, Tensor::Scalar(value)); }
Output Batch(Pipeline& p, Output input, std::int64_t size) {
  return p.Of("BatchDatasetV2", "batch", input, {size}, {Scalar(p, "drop", false)});
}

}  // namespace

TEST_SUITE("positions of iterators") {
  TEST_CASE("of sources and selections") {
    Pipeline p;
    const Output skipped = p.Of("SkipDataset", "skip", p.Range("range", 20), {2});
    const Output shard = p.Of("ShardDataset", "shard", skipped, {2, 1});
    p.Iterate(p.Of("RepeatDataset", "repeat", p.Of("TakeDataset", "take", shard, {5}), {3}));
    CheckRestores(p);
    p.Do("init");
    CHECK(p.Take(6) == Numbers{3, 5, 7, 9, 11, 3});
  }
  TEST_CASE("of joined datasets") {
    Pipeline p;
    const Output both =
        p.Of("ConcatenateDataset", "both", p.Range("a", 3), {}, {p.Of("UniqueDataset", "unique", p.Range("b", 4))});
    p.Iterate(Batch(p, both, 2));
    CheckRestores(p);
  }
  TEST_CASE("of shuffles, with their random numbers") {
    for (const std::int64_t buffer : {3, 100}) {
      Pipeline p;
      const Output shuffled = p.Of("ShuffleDataset", "shuffle", p.Range("range", 6), {buffer, 7, 8});
      // At the end of a round no iterator holds the seeds of the next one.
      p.Iterate(p.Of("RepeatDataset", "repeat", Batch(p, shuffled, 4), {3}));
      CheckRestores(p);
    }
    Pipeline p;
    p.Iterate(p.Of("ShuffleAndRepeatDataset", "shuffle", p.Range("range", 4), {3, 7, 8, 4}));
    CheckRestores(p);
  }
  TEST_CASE("of buffers: caches, prefetching, batches taken apart") {
    Pipeline p;
    const Output cached =
        p.Of("CacheDataset", "cache", p.Range("range", 5), {}, {p.b.Const("file", Tensor::Scalar(""))});
    const Output repeated = p.Of("RepeatDataset", "repeat", cached, {2});
    p.Iterate(p.Of("PrefetchDataset", "prefetch", p.Of("UnbatchDataset", "unbatch", Batch(p, repeated, 3)), {2}));
    CheckRestores(p);
  }
  TEST_CASE("of elements that are measured, whose numbers come behind a thread's buffer, too") {
    Pipeline p;
    const GraphBuilder::Attr name[] = {{"shared_name", "numbers"}};
    const Output numbers = p.b.AddNode("StatsAggregatorHandle", "numbers", {}, name);
    const auto text = [&](const std::string& node, const char* value) {
      return p.b.Const(node, Tensor::Scalar(value));
    };
    const Output measured =
        p.Of("BytesProducedStatsDataset", "bytes", p.Range("range", 8), {}, {text("bytes/tag", "bytes")});
    p.Iterate(p.Of("SetStatsAggregatorDataset", "set", p.Of("PrefetchDataset", "prefetch", measured, {2}), {},
                   {numbers, text("set/tag", "in"), text("set/prefix", "")}));
    p.b.Add("StatsAggregatorSummary", "summary", {numbers});
    CheckRestores(p);
    const Result<std::vector<Tensor>> summary = p.session.Run({}, std::vector<std::string>{"summary"});
    REQUIRE(summary.status().message() == "");
    CHECK((*summary)[0].data<tstring>()[0].view().find("in::bytes") != std::string_view::npos);
  }
  TEST_CASE("of functions") {
    Pipeline p;
    p.functions.push_back(Doubling("twice"));
    p.Iterate(p.Calling("MapDataset", "map", "f", "twice", p.Range("range", 8)));
    CheckRestores(p);
    p.Do("init");
    CHECK(p.Take(3) == Numbers{0, 2, 4});
  }
  TEST_CASE("the state of another dataset is refused, and the iterator stays where it is") {
    Pipeline p;
    p.Iterate(p.Of("ShuffleDataset", "shuffle", p.Range("range", 6), {3, 7, 8}));
    p.Start();
    Tensor wrong(DataType::kVariant, TensorShape({1}));
    wrong.data<Variant>()[0] = IteratorState{"short", {}};
    const auto restore = [&](const Tensor& state) {
      const std::vector<NamedTensor> feeds = {{"saved", state}};
      return p.session.Run(feeds, std::vector<std::string>(), std::vector<std::string>{"restore"}).status().code();
    };
    CHECK(restore(wrong) == Code::kInvalidArgument);
    wrong.data<Variant>()[0] = Tensor::Scalar(1.0f);
    CHECK(restore(wrong) == Code::kInvalidArgument);
    CHECK(restore(Tensor(DataType::kVariant, TensorShape({2}))) == Code::kInvalidArgument);
    CHECK(p.Take(10).size() == 6);
  }
}

}  // namespace data_iterator_handle_test
