// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/patches.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace image_patches_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using Sizes = SlimVector<std::int64_t>;

AttrArgs Window(const Sizes& sizes, const Sizes& strides, const Sizes& rates, std::string_view padding) {
  return {{"ksizes", sizes}, {"strides", strides}, {"rates", rates}, {"padding", padding}};
}
std::string Error(const TensorShape& shape, const AttrArgs& attrs) {
  return ErrorOf<ops::ExtractImagePatches>(attrs, {Tensor(DataType::kFloat, shape)});
}
Status Checked(std::initializer_list<std::int64_t> list) {
  return ops::detail::CheckPatchAttr("Op", "rates", Sizes(list), 4);
}

}  // namespace

TEST_SUITE("patches") {
  TEST_CASE("are what a loop over places, rows and columns of the window finds") {
    const Tensor image = Random<float>({2, 5, 6, 3}, 1);
    const Tensor got = Run<ops::ExtractImagePatches>(Window({1, 2, 3, 1}, {1, 2, 1, 1}, {1, 2, 1, 1}, "SAME"), {image});
    REQUIRE(got.shape() == TensorShape({2, 3, 6, 18}));
    // SAME: rows need 2 * 2 + 3 - 5 = 2 more, columns 5 + 3 - 6 = 2, half of them before.
    std::vector<double> want;
    for (int n = 0; n < 2; ++n)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 6; ++x)
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j)
              for (int d = 0; d < 3; ++d) {
                const int row = 2 * y - 1 + 2 * i, column = x - 1 + j;
                const bool inside = row >= 0 && row < 5 && column >= 0 && column < 6;
                want.push_back(inside ? image.data<float>()[((n * 5 + row) * 6 + column) * 3 + d] : 0);
              }
    CHECK(Numbered<float>(got) == want);
  }
  TEST_CASE("of volumes, one of which a window of the whole size takes") {
    const Tensor volume = Random<std::int16_t>({1, 2, 3, 2, 2}, 2);
    const AttrArgs attrs{{"ksizes", Sizes{1, 2, 3, 2, 1}}, {"strides", Sizes{1, 1, 1, 1, 1}}, {"padding", "VALID"}};
    const Tensor got = Run<ops::ExtractVolumePatches>(attrs, {volume});
    CHECK(got.shape() == TensorShape({1, 1, 1, 1, 24}));
    CHECK(Numbered<std::int16_t>(got) == Numbered<std::int16_t>(volume));
  }
  TEST_CASE("there are none of nothing") {
    const AttrArgs attrs = Window({1, 2, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "VALID");
    for (const TensorShape& shape : {TensorShape({0, 4, 4, 1}), TensorShape({1, 4, 4, 0})})
      CHECK(Run<ops::ExtractImagePatches>(attrs, {Tensor(DataType::kInt32, shape)}).NumElements() == 0);
    CHECK(Run<ops::ExtractImagePatches>(attrs, {Tensor(DataType::kFloat, {1, 1, 4, 1})}).shape() ==
          TensorShape({1, 0, 3, 4}));
  }
  TEST_CASE("a window is 1 along batch and depth, and positive") {
    CHECK(Checked({1, 2, 3, 1}).ok());
    CHECK(Checked({1, 2, 3}).ToString() == "INVALID_ARGUMENT: Op: rates attribute should have 4 elements, got 3");
    CHECK(Checked({2, 2, 3, 1}).ToString() == "UNIMPLEMENTED: Op: Only support rates across space.");
    CHECK(Checked({1, 2, 3, 0}).ToString() == "UNIMPLEMENTED: Op: Only support rates across space.");
    CHECK(Checked({1, 0, 3, 1}).ToString() == "OUT_OF_RANGE: Op: rates is out of range, must be positive, got 0");
  }
  TEST_CASE("what no memory holds is refused before it is asked for") {
    const std::int64_t huge = std::int64_t{1} << 31;
    CHECK(Error({4, 4, 1}, Window({1, 2, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME")) ==
          "INVALID_ARGUMENT: ExtractImagePatches: input must be 4-dimensional, got shape [4,4,1]");
    CHECK(Error({1, 4, 4, 1}, Window({1, huge + 1, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME")) ==
          "INVALID_ARGUMENT: ExtractImagePatches: ksize 2147483649 or rate 1 is too large, at most 2147483648 would be "
          "right");
    CHECK(Error({1, 4, 4, 2}, Window({1, huge, huge, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, "SAME")) ==
          "INVALID_ARGUMENT: ExtractImagePatches: the depth of the patches overflows with 2147483648 places along "
          "dimension 2");
  }
  TEST_CASE("shapes are inferred; between volumes of unknown size two dimensions, as in TensorFlow") {
    const auto image = [](StaticInput in) {
      return InferredShape<ops::ExtractImagePatches>(
          {in}, {{"ksizes", {1, 2, 3, 1}}, {"strides", {1, 2, 1, 1}}, {"rates", {1, 2, 1, 1}}, {"padding", "SAME"}});
    };
    CHECK(image({-1, 5, 6, 3}) == "[?,3,6,18]");
    CHECK(image({2, -1, 6, 3}) == "[2,?,?,18]");
    CHECK(image({2, 5, 6, -1}) == "[2,3,6,?]");
    const auto volume = [](StaticInput in) {
      return InferredShape<ops::ExtractVolumePatches>(
          {in}, {{"ksizes", {1, 2, 3, 2, 1}}, {"strides", {1, 1, 1, 1, 1}}, {"padding", "VALID"}});
    };
    CHECK(volume({1, 2, 3, 2, 2}) == "[1,1,1,1,24]");
    CHECK(volume({1, 2, -1, 2, 2}) == "[1,?,?,24]");
  }
}
}  // namespace image_patches_test
