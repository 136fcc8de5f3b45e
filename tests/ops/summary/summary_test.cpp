// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/summary/summary.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace summary_summary_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
std::string_view BytesOf(const Tensor& tensor) { return tensor.data<tstring>()->view(); }

}  // namespace

TEST_SUITE("summaries") {
  TEST_CASE("numbers, and merged") {
    const Tensor a = Run<ops::ScalarSummary>({}, {Text("a"), Tensor::Scalar(1.0f)});
    CHECK(BytesOf(a) == std::string_view("\x0a\x08\x0a\x01"
                                         "a\x15\0\0\x80\x3f",
                                         10));
    const Tensor b = Run<ops::ScalarSummary>({}, {Text("b"), Tensor::Scalar(1.0f)});
    CHECK(BytesOf(Run<ops::MergeSummary>({}, {a, b})) == std::string(BytesOf(a)) + std::string(BytesOf(b)));
    CHECK(ErrorOf<ops::MergeSummary>({}, {a, a}) == "INVALID_ARGUMENT: Duplicate tag a found in summary inputs");
    CHECK(ErrorOf<ops::MergeSummary>({}, {a, Text("abc")}) ==
          "INVALID_ARGUMENT: Could not parse one of the summary inputs");
    CHECK(ErrorOf<ops::ScalarSummary>({}, {Text("a"), Make<float>({1}, {1})})
              .find("INVALID_ARGUMENT: tags and values are not the same shape") == 0);
  }
  TEST_CASE("tensors") {
    const Tensor got = Run<ops::TensorSummaryV2>({}, {Text("a"), Ints({1, 2}), Text("")});
    CHECK(BytesOf(got) == std::string_view("\x0a\x19\x0a\x01\x61\x42\x12\x08\x03\x12\x04\x12\x02\x08\x02\x22\x08"
                                           "\x01\0\0\0\x02\0\0\0\x4a\0",
                                           27));
    CHECK(BytesOf(Run<ops::TensorSummary>({}, {Ints({1})})).find("call") != std::string_view::npos);
    CHECK(ErrorOf<ops::TensorSummaryV2>({}, {MakeTensor<tstring>({1}, {tstring("a")}), Ints({1}), Text("")}) ==
          "INVALID_ARGUMENT: tag must be scalar");
  }
  TEST_CASE("sound") {
    const Tensor tensor = Make<float>({4, 3}, {0.5});
    const Tensor got = Run<ops::AudioSummaryV2>({{"max_outputs", 2}}, {Text("s"), tensor, Tensor::Scalar(8000.0f)});
    CHECK(BytesOf(got).find("s/audio/1") != std::string_view::npos);
    CHECK(BytesOf(got).find("s/audio/2") == std::string_view::npos);
    CHECK(ErrorOf<ops::AudioSummaryV2>({}, {Text("s"), tensor, Tensor::Scalar(0.0f)}) ==
          "INVALID_ARGUMENT: sample_rate must be > 0");
    CHECK(ErrorOf<ops::AudioSummaryV2>({}, {Text("s"), tensor, Make<float>({2}, {1})}) ==
          "INVALID_ARGUMENT: sample_rate must be rank-0 or contain a single value");
  }
#ifdef TENON_WITH_IMAGE
  TEST_CASE("pictures") {
    const Tensor got = Run<ops::ImageSummary>({}, {Text("i"), Make<float>({5, 2, 3, 1}, {0, 1, 2})});
    CHECK(BytesOf(got).find("i/image/2") != std::string_view::npos);
    CHECK(BytesOf(got).find("i/image/3") == std::string_view::npos);
    CHECK(BytesOf(got).find("\x89PNG") != std::string_view::npos);
    CHECK(ErrorOf<ops::ImageSummary>({{"bad_color", Make<std::uint8_t>({1, 4}, {0})}},
                                     {Text("i"), Make<float>({1, 2, 3, 1}, {0})})
              .find("INVALID_ARGUMENT: bad_color must be a vector") == 0);
    CHECK(
        ErrorOf<ops::ImageSummary>({{"bad_color", Make<float>({4}, {0})}}, {Text("i"), Make<float>({1, 2, 3, 1}, {0})})
            .find("INVALID_ARGUMENT: bad_color must be uint8") == 0);
  }
#endif
}
}  // namespace summary_summary_test
