// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/exponential.hpp>

#include <cmath>

#include "ops/outputs.hpp"

namespace linalg_exponential_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The op in a graph of this version.
Result<std::vector<Tensor>> Exponential(const Tensor& input, int version) {
  GraphBuilder b;
  b.Add("MatrixExponential", "call", {b.Placeholder("in", input.dtype())});
  GraphDef graph = b.graph_def();
  graph.versions.producer = version;
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph));
  const std::vector<std::string> fetches{"call:0"};
  const std::vector<NamedTensor> feeds{{"in:0", input}};
  return session.Run(feeds, fetches);
}

}  // namespace

TEST_SUITE("MatrixExponential") {
  TEST_CASE("a batch, in graphs of old") {
    const Result<std::vector<Tensor>> out = Exponential(Make<float>({2, 2, 2}, {1, 0, 0, 2, 0, 3, 0, 0}), 26);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    const float* const at = (*out)[0].data<float>();
    CHECK(at[0] == doctest::Approx(std::exp(1.0)));
    CHECK(at[3] == doctest::Approx(std::exp(2.0)));
    CHECK(at[5] == doctest::Approx(3));
    const Result<std::vector<Tensor>> small = Exponential(Make<half>({1, 1}, {1}), 26);
    REQUIRE(small.ok());
    CHECK(ToDouble((*small)[0].data<half>()[0]) == doctest::Approx(std::exp(1.0)).epsilon(1e-3));
  }
  TEST_CASE("refused in newer graphs, and for what is not square") {
    CHECK(Exponential(Make<float>({1, 1}, {1}), 27).status().code() == Code::kUnimplemented);
    CHECK(Exponential(Make<float>({1, 2}, {1}), 26).status().message().find("must be square") != std::string::npos);
  }
}
}  // namespace linalg_exponential_test
