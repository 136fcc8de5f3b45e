// SPDX-License-Identifier: Apache-2.0
// Sources as they are written for TensorFlow (sources/*.cc), compiled as they stand, run in sessions.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/io/load_library.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/types/numeric.hpp>

namespace compat_sources_test {
using namespace tenon;
namespace {

template <class T>
std::vector<T> Values(const Tensor& tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.NumElements());
}
Result<std::vector<Tensor>> RunOne(std::string_view op, const AttrMap& attrs, const std::vector<Tensor>& inputs,
                                   const std::vector<std::string>& fetches) {
  GraphBuilder b;
  std::vector<Output> ends;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    feeds.push_back({"x" + std::to_string(i), inputs[i]});
    ends.push_back(b.Placeholder("x" + std::to_string(i), inputs[i].dtype()));
  }
  b.Add(op, "n", ends, attrs);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  return session.Run(feeds, fetches);
}

}  // namespace

TEST_SUITE("sources of TensorFlow") {
  TEST_CASE("ZeroOut") {
    const auto out = RunOne("ZeroOut", {}, {MakeTensor<std::int32_t>({3}, {5, 4, 3})}, {"n"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<std::int32_t>((*out)[0]) == std::vector<std::int32_t>{5, 0, 0});
  }
  TEST_CASE("ZeroOut with an attr: the value that stays, and its errors") {
    const Tensor x = MakeTensor<float>({3}, {5, 4, 3});
    const auto out = RunOne("ZeroOutAttr", {{"preserve_index", 2}}, {x}, {"n"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<float>((*out)[0]) == std::vector<float>{0, 0, 3});
    const Status high = RunOne("ZeroOutAttr", {{"preserve_index", 3}}, {x}, {"n"}).status();
    CHECK(high.code() == Code::kInvalidArgument);
    CHECK(high.message().find("preserve_index out of range") == 0);
    const Status negative = RunOne("ZeroOutAttr", {{"preserve_index", -1}}, {x}, {"n"}).status();
    CHECK(negative.message().find("Need preserve_index >= 0, got -1") != std::string_view::npos);
  }
  TEST_CASE("a product and a sum on the device's threads") {
    const Tensor a = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), b = MakeTensor<float>({2, 3}, {1, 0, 1, 0, 1, 0});
    const auto product = RunOne("CompatMatMul", {{"transpose_b", true}}, {a, b}, {"n"});
    REQUIRE_MESSAGE(product.ok(), product.status().message());
    CHECK(Values<float>((*product)[0]) == std::vector<float>{4, 2, 10, 5});
    CHECK(RunOne("CompatMatMul", {}, {a, b}, {"n"}).status().code() == Code::kInvalidArgument);
    const auto sum = RunOne("CompatAdd", {}, {a, b}, {"n"});
    REQUIRE_MESSAGE(sum.ok(), sum.status().message());
    CHECK(Values<float>((*sum)[0]) == std::vector<float>{2, 2, 4, 4, 6, 6});
    const auto large = RunOne("CompatAdd", {},
                              {Tensor::Zeros<std::int64_t>({1 << 20}), Tensor::Zeros<std::int64_t>({1 << 20})}, {"n"});
    REQUIRE_MESSAGE(large.ok(), large.status().message());
    CHECK((*large)[0].NumElements() == 1 << 20);
  }
  TEST_CASE("Eigen's device without its macro") {
    const auto out = RunOne("CompatWhereabouts", {}, {MakeTensor<std::int32_t>({3}, {5, 4, 3})}, {"n", "n:1"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].data<tstring>()[0] == "CPU");
    CHECK(Values<std::int64_t>((*out)[1]) == std::vector<std::int64_t>{3});
    CHECK_FALSE(RunOne("CompatWhereabouts", {}, {MakeTensor<std::int32_t>({1}, {5})}, {"n"}).ok());
  }
  TEST_CASE("slices that do not lie as Eigen's maps want them") {
    const Tensor part = MakeTensor<float>({7}, {0, 1, 2, 3, 4, 5, 6}).Slice(1, 7);
    const auto sum = RunOne("CompatAdd", {}, {part, part}, {"n"});
    REQUIRE_MESSAGE(sum.ok(), sum.status().message());
    CHECK(Values<float>((*sum)[0]) == std::vector<float>{2, 4, 6, 8, 10, 12});
    const auto later = RunOne("CompatLater", {}, {part}, {"n"});
    REQUIRE_MESSAGE(later.ok(), later.status().message());
    CHECK(Values<float>((*later)[0]) == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(RunOne("CompatLater", {{"fail", true}}, {part}, {"n"}).status().code() == Code::kAborted);
    CHECK(Values<float>(part)[0] == 1);
  }
  TEST_CASE("strings, and lists of attrs") {
    const Tensor lines = MakeTensor<tstring>({3}, {"one two", "", "three,  a word longer than twenty-two characters"});
    const auto out = RunOne("CompatSplit", {{"delimiters", std::vector<std::string>{" ", ","}}}, {lines}, {"n", "n:1"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<std::int64_t>((*out)[1]) == std::vector<std::int64_t>{2, 0, 7});
    CHECK((*out)[0].NumElements() == 9);
    CHECK((*out)[0].data<tstring>()[7] == "twenty-two");
  }
  TEST_CASE("lists of tensors, shapes by value") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Placeholder("y", DataType::kFloat);
    const Output shape = b.Placeholder("shape", DataType::kInt32);
    b.Add("CompatStack", "n", {x, y, shape}, {{"N", 2}, {"scales", std::vector<float>{1, 10}}});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto run = [&](std::initializer_list<std::int32_t> sizes) {
      return session->Run({{"x", MakeTensor<float>({2}, {1, 2})},
                           {"y", MakeTensor<float>({2}, {3, 4})},
                           {"shape", Tensor::From<std::int32_t>(sizes, {static_cast<Index>(sizes.size())})}},
                          {"n", "n:1", "n:2"});
    };
    const auto out = run({2});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<float>((*out)[0]) == std::vector<float>{1, 2, 30, 40});
    CHECK((*out)[0].shape() == TensorShape({2, 2}));
    CHECK(Values<float>((*out)[1]) == std::vector<float>{2});
    CHECK(Values<float>((*out)[2]) == std::vector<float>{40});
    CHECK(run({3}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("a resource outlives the run") {
    GraphBuilder b;
    const Output handle = b.Add("CompatHistogram", "h", {});
    b.Add("CompatCount", "n", {handle, b.Placeholder("keys", DataType::kInt64)});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto count = [&] { return session->Run({{"keys", MakeTensor<std::int64_t>({3}, {7, 8, 7})}}, {"n"}); };
    auto out = count();
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<std::int64_t>((*out)[0]) == std::vector<std::int64_t>{1, 1, 2});
    out = count();
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<std::int64_t>((*out)[0]) == std::vector<std::int64_t>{3, 2, 4});
  }
  TEST_CASE("an asynchronous kernel ends on another thread, or with an error") {
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    const auto out = RunOne("CompatLater", {}, {x}, {"n"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<float>((*out)[0]) == std::vector<float>{2, 4});
    const Status failed = RunOne("CompatLater", {{"fail", true}}, {x}, {"n"}).status();
    CHECK(failed.code() == Code::kAborted);
    CHECK(failed.message().find("asked to fail by n") == 0);
  }
#if defined(TENON_TENSORFLOW_OP)
  TEST_CASE("a library of such sources alone is a plug-in") {
    const auto library = LoadLibrary(TENON_TENSORFLOW_OP);
    REQUIRE_MESSAGE(library.ok(), library.status().message());
    REQUIRE(library->ops.size() == 1);
    CHECK(library->ops[0]->name == "CompatLeaky");
    const auto out = RunOne("CompatLeaky", {{"slope", 0.5f}}, {MakeTensor<float>({2}, {-2, 2})}, {"n"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<float>((*out)[0]) == std::vector<float>{-1, 2});
  }
#endif
  TEST_CASE("functors over Eigen's devices, types by lists") {
    const Tensor x = MakeTensor<float>({2, 2}, {0, 1, -1, 30});
    const auto out = RunOne("Compat>Swish", {{"beta", 2.0f}}, {x}, {"n"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    const float sigmoid = 1 / (1 + std::exp(-2.0f));
    const std::vector<float> wanted = {0, sigmoid, sigmoid - 1, 30};
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(Values<float>((*out)[0])[i] == doctest::Approx(static_cast<double>(wanted[i])));
    const Tensor h = MakeTensor<half>({2}, {half(0.0f), half(4.0f)});
    const auto small = RunOne("Compat>Swish", {}, {h}, {"n"});
    REQUIRE_MESSAGE(small.ok(), small.status().message());
    CHECK(static_cast<float>(Values<half>((*small)[0])[1]) == doctest::Approx(3.928).epsilon(0.001));
    const auto grad = RunOne("Compat>SwishGrad", {}, {MakeTensor<float>({1}, {3}), MakeTensor<float>({1}, {0})}, {"n"});
    REQUIRE_MESSAGE(grad.ok(), grad.status().message());
    CHECK(Values<float>((*grad)[0])[0] == 1.5f);
    const Status none = RunOne("Compat>Swish", {}, {MakeTensor<std::int32_t>({1}, {1})}, {"n"}).status();
    CHECK(none.code() == Code::kInvalidArgument);
    const Status shapes =
        RunOne("Compat>SwishGrad", {}, {MakeTensor<float>({1}, {3}), MakeTensor<float>({2}, {0, 1})}, {"n"}).status();
    CHECK(shapes.code() == Code::kInvalidArgument);
  }
  TEST_CASE("a ResourceOpKernel: the resource is made once, filled and read") {
    GraphBuilder b;
    const Output reservoir = b.Add("CompatReservoir", "r", {}, {{"capacity", 2}});
    b.Add("CompatReservoirAdd", "add", {reservoir, b.Placeholder("row", DataType::kFloat)});
    b.Add("CompatReservoirMean", "mean", {reservoir});
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    CHECK(session->Run({}, {"mean"}).status().code() == Code::kFailedPrecondition);
    for (const float value : {1.0f, 3.0f, 5.0f})
      CHECK(session->Run({{"row", MakeTensor<float>({2}, {value, 2 * value})}}, {}, {"add"}).ok());
    const auto mean = session->Run({}, {"mean"});
    REQUIRE_MESSAGE(mean.ok(), mean.status().message());
    CHECK(Values<float>((*mean)[0]) == std::vector<float>{4, 8});
    CHECK(session->Run({{"row", MakeTensor<float>({1, 1}, {1})}}, {}, {"add"}).status().code() ==
          Code::kInvalidArgument);
    CHECK(RunOne("CompatReservoir", {{"capacity", 0}}, {}, {"n"}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("an asynchronous kernel with a pool of its own") {
    const auto out = RunOne("CompatBatchedSum", {{"num_threads", 3}},
                            {MakeTensor<float>({5, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})}, {"n"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<float>((*out)[0]) == std::vector<float>{3, 7, 11, 15, 19});
    const auto empty = RunOne("CompatBatchedSum", {}, {Tensor::Zeros<float>({0, 2})}, {"n"});
    REQUIRE_MESSAGE(empty.ok(), empty.status().message());
    CHECK((*empty)[0].NumElements() == 0);
    const Status threads =
        RunOne("CompatBatchedSum", {{"num_threads", 0}}, {Tensor::Zeros<float>({1, 2})}, {"n"}).status();
    CHECK(threads.message().find("num_threads must be positive, got 0") == 0);
    CHECK(RunOne("CompatBatchedSum", {}, {Tensor::Zeros<float>({2})}, {"n"}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("tensors of rank 4 in shards, lists of attrs") {
    AttrMap attrs = {
        {"ksize", std::vector<std::int64_t>{2, 2}}, {"weights", std::vector<float>{1, 2, 3, 4}}, {"padding", "VALID"}};
    const Tensor images = MakeTensor<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const auto valid = RunOne("CompatWeightedPool", attrs, {images}, {"n"});
    REQUIRE_MESSAGE(valid.ok(), valid.status().message());
    CHECK((*valid)[0].shape() == TensorShape({1, 2, 2, 1}));
    CHECK(Values<float>((*valid)[0]) == std::vector<float>{37, 47, 67, 77});
    attrs.Set("padding", "SAME");
    attrs.Set("stride", 2);
    const auto same = RunOne("CompatWeightedPool", attrs, {images}, {"n"});
    REQUIRE_MESSAGE(same.ok(), same.status().message());
    CHECK(Values<float>((*same)[0]) == std::vector<float>{37, 21, 23, 9});
    attrs.Set("weights", std::vector<float>{1});
    CHECK(RunOne("CompatWeightedPool", attrs, {images}, {"n"}).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("an op for TensorFlow and TensorFlow Lite") {
    const Tensor splits = MakeTensor<std::int64_t>({4}, {0, 3, 3, 5}), none = MakeTensor<std::int32_t>({}, {0});
    const Tensor values = MakeTensor<float>({5}, {1, 2, 3, 4, 5});
    const AttrMap attrs = {{"most", 1}, {"word", "row"}, {"scale", 10.0f}};
    const auto out = RunOne("CompatFirstOfRows", attrs, {values, splits, none}, {"n", "n:1", "n:2", "n:3"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Values<float>((*out)[0]) == std::vector<float>{10, 40});
    CHECK(Values<std::int64_t>((*out)[1]) == std::vector<std::int64_t>{0, 1, 1, 2});
    CHECK(Values<tstring>((*out)[2]) == std::vector<tstring>{"row0", "row1", "row2"});
    CHECK((*out)[3].shape() == TensorShape({2, 3}));
    CHECK(Values<float>((*out)[3]) == std::vector<float>{0, 1, 2, 10, 11, 12});
    const auto ints = RunOne("CompatFirstOfRows", {{"most", 1}, {"upper", true}},
                             {MakeTensor<std::int32_t>({3}, {7, 8, 9}), MakeTensor<std::int32_t>({2}, {0, 3}),
                              MakeTensor<std::int32_t>({}, {1})},
                             {"n", "n:2"});
    REQUIRE_MESSAGE(ints.ok(), ints.status().message());
    CHECK(Values<std::int32_t>((*ints)[0]) == std::vector<std::int32_t>{7, 8});
    CHECK((*ints)[1].data<tstring>()[0] == "W0");
    CHECK(RunOne("CompatFirstOfRows", {{"most", -1}}, {values, splits, none}, {"n"}).status().code() ==
          Code::kInvalidArgument);
    GraphBuilder b;
    b.Add("CompatFirstOfRows", "n",
          {b.Const("v", Tensor::Zeros<float>({1, 1})), b.Const("s", splits), b.Const("m", none)}, {{"most", 1}});
    CHECK(Session::FromGraph(b).status().message().find("Shape must be rank 1: [ 1 1 ]") != std::string_view::npos);
  }
  TEST_CASE("random numbers are those of the seeds") {
    const Tensor shape = MakeTensor<std::int32_t>({1}, {1000});
    const AttrMap seeds = {{"seed", 3}, {"seed2", 5}};
    const auto a = RunOne("CompatNoise", seeds, {shape}, {"n"}), b = RunOne("CompatNoise", seeds, {shape}, {"n"});
    REQUIRE_MESSAGE(a.ok(), a.status().message());
    REQUIRE_MESSAGE(b.ok(), b.status().message());
    CHECK(Values<float>((*a)[0]) == Values<float>((*b)[0]));
    double mean = 0;
    for (const float value : Values<float>((*a)[0])) {
      CHECK(value >= 0);
      CHECK(value < 1);
      mean += static_cast<double>(value) / 1000;
    }
    CHECK(mean > 0.45);
    CHECK(mean < 0.55);
  }
}
}  // namespace compat_sources_test
