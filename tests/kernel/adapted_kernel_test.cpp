// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/adapted_kernel.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/tensor/variant.hpp>

#include "run_op.hpp"

// Values of any kind, one after the other in the other direction.
struct AkBackwards {
  static constexpr auto signature = tenon::Op("AkBackwards")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {int32, string, variant}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Out<T> y) const {
      for (tenon::Index i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i];
      return tenon::OkStatus();
    }
  };
};
TENON_REGISTER(AkBackwards);

// Each input, and its number added; then how many there are.
struct AkWide {
  static constexpr auto signature = tenon::Op("AkWide")
                                        .Input("first: float")
                                        .Input("x: N * float")
                                        .Output("y: N * float")
                                        .Output("count: float")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(tenon::shape_inference::UnknownShape);
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, const tenon::Tensor& first, std::span<const tenon::Tensor> x,
                             std::span<tenon::Tensor> y, tenon::Tensor& count) const {
      for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = tenon::Tensor::Scalar(x[i].scalar<float>()() + static_cast<float>(i));
      count = tenon::Tensor::Scalar(first.scalar<float>()() + static_cast<float>(x.size()));
      return tenon::OkStatus();
    }
  };
};
TENON_REGISTER(AkWide);

namespace adapted_kernel_test {
using namespace tenon;

TEST_SUITE("AdaptedKernel") {
  TEST_CASE("a rank in the parameter's type is checked before the call") {
    const auto out = kernel_test::RunOp("KtTrace", {}, {MakeTensor<float>({3}, {1, 2, 3})});
    CHECK(out.status().code() == Code::kInvalidArgument);
    CHECK(out.status().message() == "KtTrace: input 'm' must have rank 2, got shape [3] [node 'call', CPU:0]");
  }
  TEST_CASE("Init runs after the attrs are bound") {
    const auto out = kernel_test::RunOp("KtTrace", {{"scale", 3.0f}}, {MakeTensor<float>({2, 2}, {1, 9, 9, 2})});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<float>()(0) == 18);
  }
  TEST_CASE("an error of Init refuses the node") {
    const auto out = kernel_test::RunOp("KtTrace", {{"scale", -1.0f}}, {MakeTensor<float>({1, 1}, {1})});
    CHECK(out.status().message() == "KtTrace: scale = -1 is negative; it must be at least 0 [node 'call']");
  }
  TEST_CASE("an output of kind Out needs a complete shape") {
    const auto out = kernel_test::RunOp("KtIncomplete", {}, {MakeTensor<float>({1}, {1})});
    CHECK(out.status().code() == Code::kInternal);
    CHECK(out.status().message().find("KtIncomplete: the shape function leaves output 0 as [?]") == 0);
  }
  TEST_CASE("a node has more tensors than 16 bits count") {
    constexpr int kMany = 70'000;
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    std::vector<GraphBuilder::Input> arguments{x};
    arguments.emplace_back(std::vector<Output>(kMany, x));
    b.AddNode("AkWide", "wide", arguments);
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const Result<Session> session = Session::FromGraph(b, {.executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      for (int run = 0; run < 4; ++run) {
        const auto out =
            session->Run({{"x", Tensor::Scalar(0.5f)}}, {"wide:0", StrCat("wide:", kMany - 1), StrCat("wide:", kMany)});
        REQUIRE_MESSAGE(out.ok(), out.status().message());
        CHECK((*out)[0].scalar<float>()() == 0.5f);
        CHECK((*out)[1].scalar<float>()() == kMany - 0.5f);
        CHECK((*out)[2].scalar<float>()() == kMany + 0.5f);
      }
    }
  }
  TEST_CASE("a kernel is made for texts and variants, too") {
    const auto texts = kernel_test::RunOp("AkBackwards", {}, {MakeTensor<tstring>({2}, {"a", "b"})});
    REQUIRE_MESSAGE(texts.ok(), texts.status().message());
    CHECK((*texts)[0].data<tstring>()[0] == "b");

    Tensor values(DataType::kVariant, {2});
    values.data<Variant>()[0] = std::int32_t{7};
    values.data<Variant>()[1] = MakeTensor<float>({3}, {1, 2, 3});
    const auto out = kernel_test::RunOp("AkBackwards", {}, {values});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    REQUIRE((*out)[0].data<Variant>()[0].get<Tensor>() != nullptr);
    CHECK((*out)[0].data<Variant>()[0].get<Tensor>()->shape() == TensorShape{3});
    REQUIRE((*out)[0].data<Variant>()[1].get<std::int32_t>() != nullptr);
    CHECK(*(*out)[0].data<Variant>()[1].get<std::int32_t>() == 7);
    CHECK(values.data<Variant>()[0].get<std::int32_t>() != nullptr);
  }
  TEST_CASE("outputs follow the input's shape from run to run") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("KtAddIndex", "y", {x, b.Const("i", Tensor::Scalar<std::int32_t>(1))});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (const Index n : {3, 1, 5, 5, 0, 3}) {
      const auto out = session->Run({{"x", Tensor::Zeros<float>({n})}}, {"y"});
      REQUIRE(out.ok());
      CHECK((*out)[0].shape() == TensorShape{n});
    }
  }
  TEST_CASE("asynchronous kernels are waited for, and report through Done") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto run = [&](int mode) {
        return kernel_test::RunOp("KtAsync", {{"mode", mode}}, {MakeTensor<float>({2}, {1, 2})}, 1, false,
                                  {.inter_op_threads = 2, .executor = executor});
      };
      const auto out = run(0);
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].flat<float>()(1) == -2);
      CHECK(run(1).status().message() == "KtAsync: asked to fail [node 'call', CPU:0]");
      CHECK(run(2).status().code() == Code::kInternal);
    }
  }
}
}  // namespace adapted_kernel_test
