// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/params.hpp>

#include <doctest/doctest.h>

#include <tenon/kernel/context.hpp>

#include "run_op.hpp"

namespace params_test {
using namespace tenon;

static_assert(detail::ParamTraits<In<float, 2>>::info.rank == 2);
static_assert(detail::ParamTraits<Forward<float, 0, 2>>::info.forward_mask == 5);
static_assert(detail::ParamTraits<Late<int>&>::info.kind == detail::ParamKind::kLate);
static_assert(detail::IsInputKind(detail::ParamKind::kTensorsIn) && detail::IsOutputKind(detail::ParamKind::kOutList));

TEST_SUITE("Parameters") {
  TEST_CASE("Late sizes an output while the kernel runs") {
    const auto out = kernel_test::RunOp("KtPositive", {}, {MakeTensor<float>({4}, {1, -2, 3, -4})});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].shape() == TensorShape{2});
    CHECK((*out)[0].flat<float>()(1) == 3);
  }
  TEST_CASE("lists arrive and leave as lists") {
    const auto out = kernel_test::RunOp(
        "KtDouble", {}, {MakeTensor<std::int32_t>({2}, {1, 2}), MakeTensor<std::int32_t>({1}, {3})}, 2, true);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<std::int32_t>()(1) == 4);
    CHECK((*out)[1].flat<std::int32_t>()(0) == 6);
  }
  TEST_CASE("spans of tensors carry any types") {
    const std::vector<DataType> in{DataType::kFloat, DataType::kString}, out_types{DataType::kString, DataType::kFloat};
    const auto out = kernel_test::RunOp("KtReverse", {{"In", in}, {"Out", out_types}},
                                        {MakeTensor<float>({1}, {5}), Tensor::Scalar("s")}, 2, true);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(std::string_view((*out)[0].flat<tstring>()(0)) == "s");
    CHECK((*out)[1].flat<float>()(0) == 5);
  }
  TEST_CASE_TEMPLATE("HostIndices read any integer type", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
    const auto out = kernel_test::RunOp("KtAddIndex", {}, {MakeTensor<float>({2}, {1, 2}), Tensor::Scalar<T>(T(-3))});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    const Tensor sum = (*out)[0];
    CHECK(sum.NumElements() == 2);
    CHECK(static_cast<const float*>(sum.raw_data())[1] == -1);
    const Tensor numbers = MakeTensor<T>({4}, {T(1), T(-2), T(3), T(4)});
    Index copied[3] = {0, 0, 9};
    HostIndices(numbers.any_view(), numbers.dtype()).Copy(1, 2, copied);
    CHECK(copied[0] == -2);
    CHECK(copied[1] == 3);
    CHECK(copied[2] == 9);
  }
  TEST_CASE("Forward never overwrites what the caller still holds") {
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    const auto out = kernel_test::RunOp("KtAddIndex", {}, {x, Tensor::Scalar<std::int32_t>(1)});
    REQUIRE(out.ok());
    CHECK(x.flat<float>()(0) == 1);
    CHECK((*out)[0].flat<float>()(0) == 2);
  }
  TEST_CASE("a Done that is dropped reports Internal") {
    Status got;
    {
      Done done([](void* to, Status s) { *static_cast<Status*>(to) = std::move(s); }, &got);
    }
    CHECK(got.code() == Code::kInternal);
    CHECK(got.message() == "the kernel dropped its Done without calling it");
  }
  TEST_CASE("a Done reports once, also after a move") {
    struct Calls {
      int count = 0;
      Status last;
    } calls;
    const auto callback = [](void* to, Status s) {
      ++static_cast<Calls*>(to)->count;
      static_cast<Calls*>(to)->last = std::move(s);
    };
    {
      Done first(callback, &calls);
      Done second(std::move(first));
      second();
    }
    CHECK(calls.count == 1);
    CHECK(calls.last.ok());
  }
}
}  // namespace params_test
