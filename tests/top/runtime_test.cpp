// SPDX-License-Identifier: Apache-2.0
// A second file of the program with the runtime's definitions; the first is the target tenon::runtime.
#include <tenon/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>

#include "runtime/api/session_user.hpp"

using namespace tenon;

namespace {

// Two outputs: -x and x + x.
struct TopTestTwo {
  static constexpr auto signature = Op("TopTestTwo")
                                        .Input("x: float")
                                        .Output("minus: float")
                                        .Output("twice: float")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          for (int i = 0; i < 2; ++i) c->set_output(i, c->input(0));
                                          return OkStatus();
                                        });
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> minus, Out<float> twice) const {
      for (Index i = 0; i < x.size(); ++i) {
        minus[i] = -x[i];
        twice[i] = x[i] + x[i];
      }
      return OkStatus();
    }
  };
};

std::string Names(const std::vector<Endpoint>& endpoints) {
  std::string names;
  for (const Endpoint& e : endpoints) StrAppend(&names, names.empty() ? "" : ", ", e.name, " ", e.dtype, " ", e.shape);
  return names;
}

}  // namespace

TENON_REGISTER(TopTestTwo);

TEST_SUITE("Runtime's definitions") {
  TEST_CASE("are the same in every file of the program") {
    const bool same = top_test::LoaderOfOtherFile() == &detail::Runtime::FromGraphFile;
    CHECK(same);
  }

  TEST_CASE("a session made here runs there") {
    GraphBuilder b;
    const Output two = b.Add("TopTestTwo", "two", {b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}))});
    b.Add("AddV2", "y", {two[0], two[1]});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Result<float> y = top_test::CallSession(*session, 3);
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK(*y == 3);
  }

  TEST_CASE("endpoints: placeholders in the graph's order, and every output that nobody reads") {
    GraphBuilder b;
    b.Placeholder("unread", DataType::kInt32, PartialTensorShape({2}));
    const Output two = b.Add("TopTestTwo", "two", {b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 3}))});
    b.Add("TopTestTwo", "last", {two[1]});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    CHECK(Names(session->inputs()) == "unread:0 int32 [2], x:0 float [?,3]");
    CHECK(Names(session->outputs()) == "unread:0 int32 [2], two:0 float [?,3], last:0 float [?,3], last:1 float [?,3]");
  }

  TEST_CASE("a builder's mistake is the session's") {
    GraphBuilder b;
    b.Add("TopTestTwo", "two", {});
    REQUIRE(!b.status().ok());
    const Status status = Session::FromGraph(b).status();
    CHECK(status.code() == b.status().code());
    CHECK(status.message() == b.status().message());
  }
}
