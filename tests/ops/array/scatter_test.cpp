// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/scatter.hpp>

#include <cmath>

#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_scatter_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const Tensor kPlaces = MakeTensor<std::int32_t>({3, 2}, {2, 0, 0, 1, 1, 1});  // different ones, of [3, 2, ...]

Tensor GatherNd(const Tensor& x, const Tensor& indices) { return RunAll("GatherNd", {}, {x, indices}, 1)[0]; }

}  // namespace

TEST_SUITE("Scatter") {
  TEST_CASE("what was scattered is gathered; what was gathered changes nothing where it is put back") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {3, 2, 2}, 1), updates = AnyBits(dtype, {3, 2}, 2);
      CHECK(SameTensor(Run<ops::TensorScatterUpdate>({}, {x, kPlaces, GatherNd(x, kPlaces)}), x));
      CHECK(SameTensor(GatherNd(Run<ops::TensorScatterUpdate>({}, {x, kPlaces, updates}), kPlaces), updates));
    }
    const Tensor updates = Random<std::int64_t>({3, 2}, 5);
    const Tensor scattered = Run<ops::ScatterNd>({}, {kPlaces, updates, Ints({3, 2, 2})});
    CHECK(SameTensor(GatherNd(scattered, kPlaces), updates));
    CHECK(Numbered<std::int64_t>(GatherNd(scattered, Make<std::int32_t>({1, 2}, {0}))) == std::vector<double>{0, 0});
  }
  TEST_CASE("adding and subtracting the same is nothing, also where integers wrap") {
    const Tensor x = MakeTensor<std::int32_t>({3}, {std::numeric_limits<std::int32_t>::min(), 0, 7});
    const Tensor places = MakeTensor<std::int64_t>({4, 1}, {0, 2, 0, 1}),
                 updates = Ints({-1, 5, -9, std::numeric_limits<std::int32_t>::min()});
    const Tensor sum = Run<ops::TensorScatterAdd>({}, {x, places, updates});
    CHECK(sum.data<std::int32_t>()[0] == std::numeric_limits<std::int32_t>::max() - 9);
    CHECK(SameTensor(Run<ops::TensorScatterSub>({}, {sum, places, updates}), x));
  }
  TEST_CASE("several updates of one place: the last, their sum, the least, the greatest, the joined texts") {
    const Tensor zero = Make<float>({2}, {0}), places = Make<std::int32_t>({3, 1}, {1}),
                 updates = Make<float>({3}, {4, -9, 2});
    CHECK(Numbered<float>(Run<ops::TensorScatterUpdate>({}, {zero, places, updates})) == std::vector<double>{0, 2});
    CHECK(Numbered<float>(Run<ops::ScatterNd>({}, {places, updates, Ints({2})})) == std::vector<double>{0, -3});
    CHECK(Numbered<float>(Run<ops::TensorScatterMin>({}, {zero, places, updates})) == std::vector<double>{0, -9});
    CHECK(Numbered<float>(Run<ops::TensorScatterMax>({}, {zero, places, updates})) == std::vector<double>{0, 4});
    const Tensor text = MakeTensor<tstring>({2}, {tstring("a"), tstring("b")});
    CHECK(Run<ops::ScatterNd>({}, {Make<std::int32_t>({2, 1}, {0}), text, Ints({1})}).data<tstring>()[0] ==
          tstring("ab"));
  }
  TEST_CASE("takes over a tensor that nobody else reads") {
    bool took_over = false;
    const std::vector<Tensor> in{Make<float>({3}, {1, 2, 3}), Make<float>({1}, {5})};
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), one = b.Const("one", Tensor::Scalar<float>(1));
    const Output own = b.Add("Mul", "own", {x, one});
    b.Add("TensorScatterAdd", "y", {own, b.Const("i", Make<std::int32_t>({1, 1}, {1})), b.Const("u", in[1])});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Result<std::vector<Tensor>> y = session->Run({{"x:0", in[0]}}, {"y:0"});
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    took_over = (*y)[0].buffer()->allocator() != CpuAllocator();
    CHECK(took_over);
    CHECK(Numbered<float>((*y)[0]) == std::vector<double>{1, 7, 3});
  }
  TEST_CASE("an index outside is named, or left out where the op says so") {
    const Tensor x = Make<float>({3, 2}, {1, 2, 3, 4, 5, 6}), updates = Make<float>({2}, {7, 8});
    const Tensor bad = MakeTensor<std::int32_t>({2, 2}, {0, 1, 1, -1});
    CHECK(ErrorOf<ops::TensorScatterUpdate>({}, {x, bad, updates}) ==
          "INVALID_ARGUMENT: Scatter: indices[1] = [1, -1] does not index into shape [3,2]");
    CHECK(Numbered<float>(Run<ops::TensorScatterUpdate>({{"bad_indices_policy", "IGNORE"}}, {x, bad, updates})) ==
          std::vector<double>{1, 7, 3, 4, 5, 6});
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(ErrorOf<ops::ScatterNd>({}, {MakeTensor<std::int64_t>({1, 1}, {kMost}), Make<float>({1}, {1}), Longs({4})})
              .find("indices[0] = [9223372036854775807] does not index into shape [4]") != std::string::npos);
    CHECK(ErrorOf<ops::TensorScatterAdd>({{"bad_indices_policy", "MAYBE"}}, {x, bad, updates})
              .find("Unknown bad indices handling attribute: MAYBE") != std::string::npos);
  }
  TEST_CASE("no updates; sizes that do not fit; sizes without end") {
    const Tensor x = Make<float>({3}, {1, 2, 3}), none(DataType::kInt32, {0, 1}), nothing(DataType::kFloat, {0});
    CHECK(SameTensor(Run<ops::TensorScatterAdd>({}, {x, none, nothing}), x));
    CHECK(ErrorOf<ops::TensorScatterAdd>({}, {x, Make<std::int32_t>({2, 1}, {0}), Make<float>({3}, {1})})
              .find("INVALID_ARGUMENT") == 0);
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    const Tensor place = MakeTensor<std::int64_t>({1, 2}, {0, 0}), update = Make<float>({1}, {1});
    CHECK(Call<ops::ScatterNd>({}, {place, update, Longs({kHalf, kHalf})}).status().code() == Code::kInvalidArgument);
    CHECK(Call<ops::ScatterNd>({}, {place, update, Longs({-1, 2})}).status().code() == Code::kInvalidArgument);
    LimitedAllocator memory(CpuAllocator(), 1 << 20, "small");
    CHECK(Call<ops::ScatterNd>({}, {place, update, Longs({kHalf, 1})}, {.allocator = &memory}).status().code() ==
          Code::kResourceExhausted);
  }
}
}  // namespace array_scatter_test
