// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/slice_update.hpp>

#include <doctest/doctest.h>

#include <limits>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "ops/support.hpp"

namespace slice_update_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct Case {
  std::initializer_list<std::int32_t> begin, end, strides;
  AttrArgs masks;
};
const Case kCases[] = {
    {{1, 0, 0}, {2, 3, 5}, {1, 1, 2}, {}},
    {{-1, 2, 4}, {-3, -9, 0}, {-1, -2, -3}, {}},
    {{0, 1}, {0, 2}, {1, 1}, {{"begin_mask", 1}, {"end_mask", 1}, {"shrink_axis_mask", 2}}},
    {{0, 0, 3}, {0, 0, 4}, {1, 1, 1}, {{"ellipsis_mask", 1}, {"new_axis_mask", 2}, {"shrink_axis_mask", 4}}},
    {{1, 1}, {1, 3}, {1, 1}, {}},
    {{}, {}, {}, {}}};

}  // namespace

TEST_SUITE("StridedSliceGrad, TensorStridedSliceUpdate") {
  TEST_CASE("the slice of the update is the value, the rest is the input; the gradient has zeros there") {
    for (const Case& c : kCases) {
      for (const DataType dtype : {DataType::kFloat, DataType::kUint8, DataType::kComplex64, DataType::kString}) {
        const Tensor x = AnyBits(dtype, {2, 3, 5}), begin = Ints(c.begin), end = Ints(c.end), strides = Ints(c.strides);
        const Tensor part = RunAll("StridedSlice", c.masks, {x, begin, end, strides}, 1)[0];
        const Tensor value = AnyBits(dtype, part.shape(), 7);
        const Tensor y = Run<ops::TensorStridedSliceUpdate>(c.masks, {x, begin, end, strides, value});
        REQUIRE(y.shape() == x.shape());
        CHECK(SameTensor(RunAll("StridedSlice", c.masks, {y, begin, end, strides}, 1)[0], value));
        // Put back what was there, and it is the input again.
        CHECK(SameTensor(Run<ops::TensorStridedSliceUpdate>(c.masks, {y, begin, end, strides, part}), x));
        const Tensor grad = Run<ops::StridedSliceGrad>(c.masks, {Ints({2, 3, 5}), begin, end, strides, value});
        const Tensor zeros = RunAll("ZerosLike", {}, {x}, 1)[0];
        CHECK(SameTensor(grad, Run<ops::TensorStridedSliceUpdate>(c.masks, {zeros, begin, end, strides, value})));
      }
    }
  }
  TEST_CASE("a value is broadcast") {
    const Tensor x = Tensor::Zeros<std::int32_t>({2, 3});
    CHECK(SameTensor(Run<ops::TensorStridedSliceUpdate>({}, {x, Ints({0, 1}), Ints({2, 3}), Ints({1, 1}), Int(7)}),
                     MakeTensor<std::int32_t>({2, 3}, {0, 7, 7, 0, 7, 7})));
    CHECK(SameTensor(Run<ops::TensorStridedSliceUpdate>(
                         {}, {x, Ints({0, 1}), Ints({2, 3}), Ints({1, 1}), MakeTensor<std::int32_t>({2, 1}, {1, 2})}),
                     MakeTensor<std::int32_t>({2, 3}, {0, 1, 1, 0, 2, 2})));
    CHECK(ErrorOf<ops::TensorStridedSliceUpdate>({}, {x, Ints({0, 1}), Ints({2, 3}), Ints({1, 1}), Ints({1, 2, 3})})
              .find("Cannot broadcast input shape [3] into final shape [2,2]") != std::string::npos);
  }
  TEST_CASE("the ends of the integers; no stride is refused") {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min(),
                           kMax = std::numeric_limits<std::int64_t>::max();
    const Tensor x = Ints({1, 2, 3});
    CHECK(SameTensor(Run<ops::TensorStridedSliceUpdate>({}, {x, Longs({kMin}), Longs({kMax}), Longs({kMax}), Int(9)}),
                     Ints({9, 2, 3})));
    CHECK(SameTensor(Run<ops::TensorStridedSliceUpdate>({}, {x, Longs({kMax}), Longs({kMin}), Longs({kMin}), Int(9)}),
                     Ints({1, 2, 9})));
    CHECK(ErrorOf<ops::TensorStridedSliceUpdate>({}, {x, Ints({0}), Ints({1}), Ints({0}), Int(9)})
              .find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::StridedSliceGrad>({}, {Ints({3}), Ints({0}), Ints({1}), Ints({0}), Ints({9})})
              .find("INVALID_ARGUMENT: ") == 0);
  }
  TEST_CASE("what StridedSliceGrad refuses") {
    const auto error = [](const Tensor& shape, const Tensor& dy) {
      return ErrorOf<ops::StridedSliceGrad>({}, {shape, Ints({0}), Ints({2}), Ints({1}), dy});
    };
    CHECK(error(Ints({3}), Ints({1, 2, 3})).find("shape of dy was [3] instead of [2]") != std::string::npos);
    CHECK(error(Int(3), Ints({1, 2})).find("INVALID_ARGUMENT: ") == 0);
    CHECK(error(Ints({-3}), Ints({1, 2})).find("INVALID_ARGUMENT: ") == 0);
    CHECK(
        error(Ints({2147483647, 2147483647, 2147483647}), Make<std::int32_t>({2, 1}, {1})).find("INVALID_ARGUMENT: ") ==
        0);
    CHECK(ErrorOf<ops::StridedSliceGrad>({}, {Ints({3}), Ints({0}), Ints({1, 2}), Ints({1}), Ints({1})})
              .find("INVALID_ARGUMENT: ") == 0);
  }
  TEST_CASE("a gradient keeps its plan for equal sizes and indices alone") {
    // One kernel, called with other values each time, and with the first ones again.
    GraphBuilder b;
    SlimVector<Output> in;
    for (const char* name : {"shape", "begin", "end", "strides"})
      in.push_back(b.Placeholder(name, DataType::kInt32, PartialTensorShape()));
    in.push_back(b.Placeholder("dy", DataType::kInt32, PartialTensorShape()));
    b.Add("StridedSliceGrad", "y", {in[0], in[1], in[2], in[3], in[4]});
    const auto session = Session::FromGraphDef(b.graph_def());
    REQUIRE(session.ok());
    const auto run = [&](const Tensor& shape, const Tensor& begin, const Tensor& end, const Tensor& dy) {
      return session->Run({{"shape", shape}, {"begin", begin}, {"end", end}, {"strides", Ints({1})}, {"dy", dy}},
                          {"y:0"}, {});
    };
    for (int i = 0; i < 2; ++i) {
      CHECK(SameTensor((*run(Ints({4}), Ints({0}), Ints({2}), Ints({1, 2})))[0], Ints({1, 2, 0, 0})));
      CHECK(SameTensor((*run(Ints({4}), Ints({0}), Ints({2}), Ints({3, 4})))[0], Ints({3, 4, 0, 0})));
      CHECK(SameTensor((*run(Ints({4}), Ints({1}), Ints({3}), Ints({1, 2})))[0], Ints({0, 1, 2, 0})));
      CHECK(SameTensor((*run(Ints({3}), Ints({1}), Ints({3}), Ints({1, 2})))[0], Ints({0, 1, 2})));
      // A list is refused where the plan has another length, or the list is not a vector.
      CHECK(!run(Ints({3}), Int(1), Ints({3}), Ints({1, 2})).ok());
      CHECK(!run(Int(3), Ints({1}), Ints({3}), Ints({1, 2})).ok());
      CHECK(!run(Ints({3}), Ints({1}), Ints({3}), Ints({1})).ok());
    }
  }
  TEST_CASE("a gradient larger than memory is ResourceExhausted") {
    const Tensor huge = Longs({std::int64_t{1} << 40, 1 << 10});
    CHECK(
        CallOp("StridedSliceGrad", {}, {huge, Longs({0, 0}), Longs({1, 1}), Longs({1, 1}), Make<float>({1, 1}, {1})}, 1)
            .status()
            .code() == Code::kResourceExhausted);
  }
}
}  // namespace slice_update_test
