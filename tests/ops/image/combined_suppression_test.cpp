// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/combined_suppression.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace image_combined_suppression_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using ops::CombinedNonMaxSuppression;
using ops::detail::Detection;

// Three boxes, the second over the first and the third apart, of two classes.
Tensor Boxes() { return Make<float>({1, 3, 1, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3}); }
Tensor Scores() { return Make<float>({1, 3, 2}, {.5, .25, .75, .125, .5, .625}); }
std::vector<Tensor> Inputs(std::int32_t per_class, std::int32_t total, float overlap = .5f, float least = 0) {
  return {Boxes(), Scores(), Int(per_class), Int(total), Tensor::Scalar(overlap), Tensor::Scalar(least)};
}
std::vector<Tensor> Outputs(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> out = Call<CombinedNonMaxSuppression>(attrs, inputs);
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  return *out;
}

}  // namespace

TEST_SUITE("CombinedNonMaxSuppression") {
  TEST_CASE("the best first; of equal ones the lower class, then the earlier box") {
    const float boxes[8] = {};
    const Detection a{boxes, 1, 0}, later{boxes + 4, 1, 0}, other{boxes, 1, 1}, better{boxes + 4, 2, 9};
    CHECK(Detection::Better(better, a));
    CHECK(Detection::Better(a, other));
    CHECK(Detection::Better(a, later));
    CHECK_FALSE(Detection::Better(a, a));
    CHECK(Detection::Better(later, other));
  }
  TEST_CASE("a class suppresses only its own boxes, and keeps no more than it may") {
    const Tensor boxes = Boxes(), scores = Scores();
    const ops::detail::DetectionImage image{boxes.data<float>(), scores.data<float>(), 3, 1, 2};
    SlimVector<Detection> memory, found;
    ops::detail::DetectClass(image, 0, 5, {.5f, 0}, &memory, &found);
    REQUIRE(found.size() == 2);
    CHECK(found[0].box == image.boxes + 4);  // .75 rules out the same place with .5
    CHECK(found[1].box == image.boxes + 8);
    ops::detail::DetectClass(image, 1, 1, {.5f, 0}, &memory, &found);
    REQUIRE(found.size() == 3);
    CHECK(found[2].score == .625f);
    CHECK(found[2].class_number == 1);
    // A score must exceed the threshold, and an overlap the other one: 1 never does.
    found.clear();
    ops::detail::DetectClass(image, 0, 5, {1, .5f}, &memory, &found);
    CHECK(found.size() == 1);
    found.clear();
    ops::detail::DetectClass(image, 0, 5, {1, 0}, &memory, &found);
    CHECK(found.size() == 3);
  }
  TEST_CASE("classes are mixed by score; what is left over is 0") {
    const std::vector<Tensor> out = Outputs({}, Inputs(5, 6));
    CHECK(Numbered<float>(out[1]) == std::vector<double>{.75, .625, .5, .25, 0, 0});
    CHECK(Numbered<float>(out[2]) == std::vector<double>{0, 1, 0, 1, 0, 0});
    CHECK(*out[3].data<std::int32_t>() == 4);
    // Boxes are clipped to [0, 1] unless that is not wanted.
    CHECK(out[0].data<float>()[4] == 1);
    CHECK(Outputs({{"clip_boxes", false}}, Inputs(5, 6))[0].data<float>()[4] == 2);
  }
  TEST_CASE("padded per class there is no more room than classes can fill") {
    const AttrArgs padded{{"pad_per_class", true}};
    CHECK(Outputs(padded, Inputs(2, 100))[1].shape() == TensorShape({1, 4}));
    CHECK(Outputs(padded, Inputs(2, 3))[1].shape() == TensorShape({1, 3}));
    CHECK(Outputs({}, Inputs(2, 100))[1].shape() == TensorShape({1, 100}));
  }
  TEST_CASE("no boxes, no batch") {
    std::vector<Tensor> inputs = Inputs(2, 3);
    inputs[0] = Tensor(DataType::kFloat, {1, 0, 1, 4});
    inputs[1] = Tensor(DataType::kFloat, {1, 0, 2});
    CHECK(*Outputs({}, inputs)[3].data<std::int32_t>() == 0);
    inputs[0] = Tensor(DataType::kFloat, {0, 3, 1, 4});
    inputs[1] = Tensor(DataType::kFloat, {0, 3, 2});
    CHECK(Outputs({}, inputs)[0].shape() == TensorShape({0, 3, 4}));
  }
  TEST_CASE("says what is wrong, with the value") {
    const std::string start = "INVALID_ARGUMENT: CombinedNonMaxSuppression: ";
    const auto error = [&](const TensorShape& boxes, const TensorShape& scores) {
      std::vector<Tensor> inputs = Inputs(1, 1);
      inputs[0] = Tensor(DataType::kFloat, boxes);
      inputs[1] = Tensor(DataType::kFloat, scores);
      return ErrorOf<CombinedNonMaxSuppression>({}, inputs);
    };
    CHECK(error({3, 4}, {1, 3, 2}) == start + "boxes must be 4-D, got shape [3,4]");
    CHECK(error({1, 3, 1, 4}, {3, 2}) == start + "scores must be 3-D, got shape [3,2]");
    CHECK(error({1, 3, 1, 4}, {1, 2, 2}) == start + "scores has incompatible shape [1,2,2], boxes have [1,3,1,4]");
    CHECK(error({1, 3, 3, 4}, {1, 3, 2}) ==
          start + "third dimension of boxes must be either 1 or num classes, got 3 and 2 classes");
    CHECK(error({1, 3, 1, 5}, {1, 3, 2}) == start + "boxes must have 4 columns, got shape [1,3,1,5]");
    const auto refused = [](const std::vector<Tensor>& inputs) {
      return ErrorOf<CombinedNonMaxSuppression>({}, inputs);
    };
    CHECK(refused(Inputs(0, 1)) == start + "max_size_per_class must be positive, got 0");
    CHECK(refused(Inputs(1, -1)) == start + "max_total_size must be > 0, got -1");
    CHECK(refused(Inputs(1, 1, 1.5f)) == start + "iou_threshold must be in [0, 1], got 1.5");
  }
  TEST_CASE("the shape function knows the sizes that are constants") {
    const auto shape = [](StaticInput boxes, std::int64_t per_class, std::int64_t total, bool padded) {
      return InferredShape<CombinedNonMaxSuppression>(
          {boxes, {2, 3, 2}, StaticInput::Scalar(per_class), StaticInput::Scalar(total), {}, {}},
          {{"pad_per_class", padded}});
    };
    CHECK(shape({2, 3, 1, 4}, 2, 100, false) == "[2,100,4]");
    CHECK(shape({2, 3, 1, 4}, 2, 100, true) == "[2,4,4]");
    CHECK(shape({2, 3, 3, 4}, 2, 100, true) ==
          "third dimension of boxes must be either 1 or equal to the third dimension of scores, got 3 and 2");
    CHECK(shape({2, 3, 1, 4}, 2, 0, true) == "max_total_size should be > 0, got 0");
    CHECK(shape({2, 3, 1, 4}, -1, 1, true) == "max_output_size_per_class should be > 0, got -1");
  }
}
}  // namespace image_combined_suppression_test
