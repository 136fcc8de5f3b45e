// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/tensors_map.hpp>

#include "ops/outputs.hpp"

namespace sparse_tensors_map_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// A session that adds the rows of a sparse tensor [4, 2] to a map and takes those with the numbers fed.
Session MapOf(DataType taken) {
  GraphBuilder b;
  const Output indices = b.Const("indices", MakeTensor<std::int64_t>({3, 2}, {0, 1, 2, 0, 2, 1}));
  const Output values = b.Const("values", MakeTensor<float>({3}, {5.F, 6.F, 7.F}));
  const Output shape = b.Const("shape", Longs({4, 2}));
  b.Add("AddManySparseToTensorsMap", "add", {indices, values, shape}, {{"shared_name", "map"}});
  b.Add("AddSparseToTensorsMap", "add_whole", {indices, values, shape}, {{"shared_name", "map"}});
  const Output numbers = b.Placeholder("numbers", DataType::kInt64, PartialTensorShape());
  b.Add("TakeManySparseFromTensorsMap", "take", {numbers}, {{"dtype", taken}, {"shared_name", "map"}});
  Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  return *std::move(session);
}
std::string Added(const Session& session, const char* node) {
  const std::vector<std::string> fetches{node};
  const Result<std::vector<Tensor>> outputs = session.Run(std::vector<NamedTensor>{}, fetches);
  return outputs.ok() ? (*outputs)[0].SummarizeValue(30) : outputs.status().ToString();
}
std::string Taken(const Session& session, const Tensor& numbers) {
  const std::vector<std::string> fetches{"take:0", "take:1", "take:2"};
  const std::vector<NamedTensor> feeds{{"numbers:0", numbers}};
  const Result<std::vector<Tensor>> outputs = session.Run(feeds, fetches);
  if (!outputs.ok()) return outputs.status().ToString();
  std::string text;
  for (const Tensor& tensor : *outputs) StrAppend(&text, tensor.SummarizeValue(30), "; ");
  return text;
}

}  // namespace

TEST_SUITE("SparseTensorsMap") {
  TEST_CASE("rows come back once, in the order of their numbers") {
    const Session session = MapOf(DataType::kFloat);
    CHECK(Added(session, "add:0") == "0 2 1 3");  // rows with elements first
    CHECK(Taken(session, Longs({1, 3, 0})) == "[0 0][0 1][2 1]; 6 7 5; 3 2; ");
    CHECK(Taken(session, Longs({1})).find("Unable to find SparseTensor: 1 in map: map") != std::string::npos);
    CHECK(Taken(session, Longs({2})) == "; ; 1 2; ");
  }
  TEST_CASE("tensors of different ranks or another type are refused") {
    const Session session = MapOf(DataType::kFloat), integers = MapOf(DataType::kInt32);
    CHECK(Added(session, "add:0") == "0 2 1 3");
    CHECK(Added(session, "add_whole:0") == "4");
    CHECK(
        Taken(session, Longs({0, 4})).find("rank prior to SparseTensor[1] was: 1 but rank of SparseTensor[1] is: 2") !=
        std::string::npos);
    CHECK(Added(integers, "add_whole:0") == "0");
    CHECK(Taken(integers, Longs({0})).find("Requested SparseTensor of type int32") != std::string::npos);
    CHECK(Taken(integers, Longs({})).find("Must have at least 1 serialized SparseTensor") != std::string::npos);
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<ops::AddSparseToTensorsMap>({{5, 2}, {5}, {2}}) == "[]");
    CHECK(ShapesOf<ops::AddManySparseToTensorsMap>({{5, 2}, {5}, {2}}) == "[?]");
    CHECK(ShapesOf<ops::TakeManySparseFromTensorsMap>({{4}}) == "[?,?] [?] [?]");
    CHECK(ShapesOf<ops::TakeManySparseFromTensorsMap>({{4, 1}}) ==
          "INVALID_ARGUMENT: Shape must be rank 1 but is rank 2");
  }
}
}  // namespace sparse_tensors_map_test
