// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/adapted_async_kernel.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/runtime/api/session.hpp>

#include "run_op.hpp"

// Uses all its parameters after its call has returned: y[i] = x[i] + more[i], and all of these in a row.
struct AakLists {
  static constexpr auto signature = tenon::Op("AakLists")
                                        .Input("x: N * float")
                                        .Input("more: N * float")
                                        .Output("y: N * float")
                                        .Output("all: float")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn([](tenon::InferenceContext* c) {
                                          for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(0));
                                          c->set_output(c->num_outputs() - 1, c->UnknownShape());
                                          return tenon::OkStatus();
                                        });
  template <class Device>
  struct kernel {
    void operator()(Device&, tenon::InList<float> x, std::span<const tenon::Tensor> more, tenon::OutList<float> y,
                    tenon::Late<float>& all, tenon::Done done) const {
      std::thread([x, more, y, &all, finish = std::move(done)]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        tenon::Result<tenon::Out<float>> row = all.Allocate({x.size()});
        if (!row.ok()) return finish(row.status());
        for (int i = 0; i < x.size(); ++i) {
          y[i][0] = x[i][0] + more[static_cast<std::size_t>(i)].scalar<float>()();
          (*row)[i] = y[i][0];
        }
        finish();
      }).detach();
    }
  };
};
TENON_REGISTER(AakLists);

// Fails in its shape function, before its call.
struct AakShape {
  static constexpr auto signature = tenon::Op("AakShape")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .SetShapeFn([](tenon::InferenceContext* c) -> tenon::Status {
                                          if (c->RankKnown(c->input(0)) && c->Rank(c->input(0)) == 1)
                                            return tenon::errors::Aborted("AakShape: a vector");
                                          c->set_output(0, c->input(0));
                                          return tenon::OkStatus();
                                        });
  template <class Device>
  struct kernel {
    void operator()(Device&, tenon::In<float> x, tenon::Out<float> y, tenon::Done done) const {
      y[0] = x[0];
      done();
    }
  };
};
TENON_REGISTER(AakShape);

namespace adapted_async_kernel_test {
using namespace tenon;

TEST_SUITE("AdaptedAsyncKernel") {
  TEST_CASE("lists, spans and late outputs are there until Done is called") {
    for (const int count : {1, 2, 10}) {
      CAPTURE(count);
      std::vector<Tensor> inputs;
      for (int i = 0; i < 2 * count; ++i) inputs.push_back(Tensor::Scalar(static_cast<float>(i)));
      GraphBuilder b;
      SlimVector<Output> x, more;
      std::vector<NamedTensor> feeds;
      for (int i = 0; i < 2 * count; ++i) {
        const std::string name = StrCat("in", i);
        (i < count ? x : more).push_back(b.Placeholder(name, DataType::kFloat));
        feeds.push_back({name, inputs[static_cast<std::size_t>(i)]});
      }
      const std::vector<GraphBuilder::Input> lists{x, more};
      const std::vector<GraphBuilder::Attr> attrs{{"N", std::int64_t{count}}};
      b.AddNode("AakLists", "call", lists, attrs);
      const Result<Session> session = Session::FromGraph(b);
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      const std::vector<std::string> fetches{StrCat("call:", count - 1), StrCat("call:", count)};
      const Result<std::vector<Tensor>> out = session->Run(feeds, fetches);
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK((*out)[0].scalar<float>()() == static_cast<float>(3 * count - 2));
      REQUIRE((*out)[1].NumElements() == count);
      for (int i = 0; i < count; ++i) CHECK((*out)[1].data<float>()[i] == static_cast<float>(2 * i + count));
    }
  }
  TEST_CASE("a call that is refused before it begins ends with the error") {
    const auto out = kernel_test::RunOp("AakShape", {}, {Tensor::Scalar(2.0f)});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].scalar<float>()() == 2);
    const auto bad = kernel_test::RunOp("AakShape", {}, {MakeTensor<float>({1}, {1})});
    CHECK(errors::IsAborted(bad.status()));
    CHECK(bad.status().message().find("AakShape: a vector") != std::string_view::npos);
  }
}
}  // namespace adapted_async_kernel_test
