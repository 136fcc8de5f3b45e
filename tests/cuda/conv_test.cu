// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv.cuh>

#include <doctest/doctest.h>

#include <cstdint>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>

namespace conv_test {
using tenon::Conv2DGeometry;
using tenon::Index;
using tenon::Padding;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

struct Case {
  Index input[4];   // n, h, w, c
  Index filter[4];  // fh, fw, c / groups, k
  Index strides[2], dilations[2];
  Padding padding;
  Index paddings[4] = {};  // top, bottom, left, right
};

// Tiles of every kind: whole and cut, one and several, both formats' neighbours; groups; windows beyond the border.
const Case kCases[] = {
    {{1, 5, 6, 3}, {3, 3, 3, 4}, {1, 1}, {1, 1}, Padding::kSame},
    {{2, 7, 5, 8}, {3, 2, 8, 33}, {2, 1}, {1, 2}, Padding::kValid},
    {{3, 9, 8, 6}, {3, 3, 2, 9}, {1, 2}, {2, 1}, Padding::kSame},
    {{1, 4, 4, 2}, {2, 3, 2, 5}, {1, 1}, {1, 1}, Padding::kExplicit, {3, 0, 1, 4}},
    {{2, 6, 6, 5}, {1, 1, 5, 7}, {1, 1}, {1, 1}, Padding::kValid},  // a product of matrices
    {{2, 6, 6, 5}, {1, 1, 5, 7}, {2, 2}, {1, 1}, Padding::kValid},
    {{1, 12, 11, 20}, {3, 3, 20, 70}, {1, 1}, {1, 1}, Padding::kSame},
    {{1, 3, 3, 1}, {5, 5, 1, 1}, {1, 1}, {1, 1}, Padding::kSame},
};

template <class T>
Tensor Sums(const Conv2DGeometry& g, const Tensor& input, const Tensor& filter) {
  Tensor output(tenon::dtype_of_v<T>, g.output_shape());
  const auto at = [&](Index rows, Index columns, Index depth, Index n, Index y, Index x, Index c) {
    return g.channels_first ? ((n * depth + c) * rows + y) * columns + x : ((n * rows + y) * columns + x) * depth + c;
  };
  const Index channels = g.out_depth / g.groups;
  for (Index n = 0; n < g.batch; ++n)
    for (Index y = 0; y < g.rows.output; ++y)
      for (Index x = 0; x < g.columns.output; ++x)
        for (Index k = 0; k < g.out_depth; ++k) {
          double sum = 0;
          for (Index r = 0; r < g.rows.size; ++r)
            for (Index s = 0; s < g.columns.size; ++s)
              for (Index c = 0; c < g.group_depth(); ++c) {
                const Index row = y * g.rows.stride - g.rows.pad_before + r * g.rows.dilation,
                            column = x * g.columns.stride - g.columns.pad_before + s * g.columns.dilation;
                if (row < 0 || row >= g.rows.input || column < 0 || column >= g.columns.input) continue;
                const Index from = at(g.rows.input, g.columns.input, g.in_depth, n, row, column,
                                      k / channels * g.group_depth() + c),
                            tap = ((r * g.columns.size + s) * g.group_depth() + c) * g.out_depth + k;
                sum += static_cast<double>(static_cast<float>(input.flat<T>()[from])) *
                       static_cast<double>(static_cast<float>(filter.flat<T>()[tap]));
              }
          output.flat<T>()[at(g.rows.output, g.columns.output, g.out_depth, n, y, x, k)] =
              static_cast<T>(static_cast<float>(sum));
        }
  return output;
}

// Small whole numbers: sums are exact, half and bfloat16 round once. `multiprocessors` 1 asks for large tiles.
template <class T>
void CheckConvolutions(Gpu& gpu, bool channels_first, int multiprocessors) {
  tenon::Cuda device = gpu.cuda();
  device.multiprocessors = multiprocessors;
  for (const Case& c : kCases) {
    const Index *i = c.input, *s = c.strides, *d = c.dilations, *p = c.paddings;
    const auto shape = tenon::ImageShape(channels_first, i[0], i[1], i[2], i[3]);
    const Index strides[] = {1, channels_first ? 1 : s[0], channels_first ? s[0] : s[1], channels_first ? s[1] : 1};
    const Index dilations[] = {1, channels_first ? 1 : d[0], channels_first ? d[0] : d[1], channels_first ? d[1] : 1};
    const Index last[] = {0, 0, p[0], p[1], p[2], p[3], 0, 0}, first[] = {0, 0, 0, 0, p[0], p[1], p[2], p[3]};
    tenon::Span<const Index> paddings;
    if (c.padding == Padding::kExplicit) paddings = channels_first ? first : last;
    Conv2DGeometry g;
    Status status = tenon::MakeConv2DGeometry(shape, TensorShape(c.filter), strides, dilations, c.padding, paddings, &g,
                                              channels_first);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CAPTURE(g.output_shape().DebugString());
    const Tensor input = Pattern<T>(shape, 3, 7, -3), filter = Pattern<T>(TensorShape(c.filter), 5, 11, -5);
    const Tensor input_there = gpu.Up(input), filter_there = gpu.Up(filter);
    Tensor output_there = gpu.New(tenon::dtype_of_v<T>, g.output_shape());
    status = tenon::Conv2D(device, g, input_there.data<T>(), filter_there.data<T>(), output_there.data<T>());
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    const Tensor output = gpu.Down(output_there), wanted = Sums<T>(g, input, filter);
    Index wrong = 0;
    for (Index at = 0; at < output.NumElements(); ++at) wrong += !(output.flat<T>()[at] == wanted.flat<T>()[at]);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("convolutions are the sums of their windows, in both data formats" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool channels_first : {false, true}) {
    CAPTURE(channels_first);
    CheckConvolutions<float>(gpu, channels_first, 100);
    CheckConvolutions<float>(gpu, channels_first, 1);
    CheckConvolutions<double>(gpu, channels_first, 100);
    CheckConvolutions<tenon::half>(gpu, channels_first, 100);
    CheckConvolutions<tenon::bfloat16>(gpu, channels_first, 1);
    CheckConvolutions<std::int32_t>(gpu, channels_first, 1);
  }
}

TEST_CASE("a convolution without output starts nothing, with or without a GPU") {
  tenon::Cuda device;
  Conv2DGeometry g;
  CHECK(tenon::Conv2D<float>(device, g, nullptr, nullptr, nullptr).ok());
}

TEST_CASE("positions beyond the kernel's are refused before anything runs") {
  tenon::Cuda device;
  Conv2DGeometry g;
  g.batch = g.in_depth = g.out_depth = 1;
  g.rows = {.input = Index{1} << 40, .size = 3, .output = (Index{1} << 40) - 2};
  g.columns = {.input = 1, .output = 1};
  const Status status = tenon::Conv2D<float>(device, g, nullptr, nullptr, nullptr);
  CHECK(status.code() == tenon::Code::kUnimplemented);
  CHECK(status.message() ==
        "Conv2D: on a GPU, positions of a window must be at most 536870912; got a window of 3 with stride 1 over "
        "1099511627776 elements");
}
}  // namespace conv_test
