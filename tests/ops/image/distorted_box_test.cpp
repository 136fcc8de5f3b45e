// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/distorted_box.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace image_distorted_box_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("SampleDistortedBoundingBox") {
  const Tensor size = Ints({40, 50, 3}), boxes = Make<float>({1, 1, 4}, {0, 0, 1, 1}), part = Make<float>({}, {0.1});

  TEST_CASE("begin and size are those of the box") {
    const Result<std::vector<Tensor>> x = Call<ops::StatelessSampleDistortedBoundingBox>(
        {{"T", DataType::kInt32}, {"Tseed", DataType::kInt64}}, {size, boxes, part, Longs({1, 2})});
    REQUIRE(x.ok());
    const std::int32_t *begin = (*x)[0].data<std::int32_t>(), *extent = (*x)[1].data<std::int32_t>();
    const float* box = (*x)[2].data<float>();
    CHECK(box[0] == doctest::Approx(begin[0] / 40.0));
    CHECK(box[3] == doctest::Approx((begin[1] + extent[1]) / 50.0));
    CHECK((begin[2] == 0 && extent[2] == -1));
  }
  TEST_CASE("refuses no boxes, unless told to take the image") {
    const std::vector<Tensor> inputs{size, Tensor(DataType::kFloat, TensorShape({1, 0, 4})), part};
    CHECK(ErrorOf<ops::SampleDistortedBoundingBoxV2>({{"T", DataType::kInt32}}, inputs)
              .find("No bounding boxes provided as input") != std::string::npos);
    CHECK(Call<ops::SampleDistortedBoundingBoxV2>({{"T", DataType::kInt32}, {"use_image_if_no_bounding_boxes", true}},
                                                  inputs)
              .ok());
  }
  TEST_CASE("two runs of one session differ") {
    const Result<std::vector<Tensor>> x =
        Call<ops::SampleDistortedBoundingBox>({{"T", DataType::kInt32}, {"seed", std::int64_t{3}}}, {size, boxes});
    CHECK(x.ok());
    CHECK(ErrorOf<ops::SampleDistortedBoundingBox>({{"T", DataType::kInt32}, {"max_attempts", std::int64_t{0}}},
                                                   {size, boxes})
              .find("Max attempts must be non-negative: 0") != std::string::npos);
  }
}
}  // namespace image_distorted_box_test
