// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/data/global_shuffle.hpp>

#include "ops/support.hpp"

namespace data_global_shuffle_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The dataset of the numbers below 6 in batches of 2, as a node of `b`.
Output Batches(GraphBuilder* b) {
  const auto number = [b](const char* name, std::int64_t n) { return b->Const(name, Tensor::Scalar(n)); };
  const std::vector<DataType> types{DataType::kInt64};
  const std::vector<PartialTensorShape> shapes{PartialTensorShape()};
  const Output range = b->Add("RangeDataset", "range", {number("start", 0), number("stop", 6), number("step", 1)},
                              {{"output_types", types}, {"output_shapes", shapes}});
  return b->Add("BatchDatasetV2", "batch", {range, number("size", 2), b->Const("drop", Tensor::Scalar(true))},
                {{"output_types", types}, {"output_shapes", shapes}});
}

}  // namespace

TEST_SUITE("GlobalShuffleDataset and ComputeBatchSize") {
  TEST_CASE("the shuffled dataset has as many batches of the same size") {
    GraphBuilder b;
    const Output batches = Batches(&b), one = b.Const("one", Tensor::Scalar(std::int64_t{1}));
    const Output generator = b.Add("DummySeedGenerator", "generator", std::vector<Output>{}, {});
    const Output shuffled = b.Add("GlobalShuffleDataset", "shuffled", {batches, one, one, generator},
                                  {{"output_types", std::vector<DataType>{DataType::kInt64}},
                                   {"output_shapes", std::vector<PartialTensorShape>{PartialTensorShape()}}});
    b.Add("ComputeBatchSize", "size_of", {shuffled});
    b.Add("DatasetCardinality", "count", {shuffled});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Result<std::vector<Tensor>> got = session->Run({}, std::vector<std::string>{"size_of:0", "count:0"});
    REQUIRE_MESSAGE(got.ok(), got.status().message());
    CHECK(*(*got)[0].data<std::int64_t>() == 2);
    CHECK(*(*got)[1].data<std::int64_t>() == 3);
  }
}
}  // namespace data_global_shuffle_test
