// SPDX-License-Identifier: Apache-2.0
// The ops of this program: tenon::ops::Cnn, in its main file, is what the digits networks need; these are what other
// frozen networks for images and sounds have besides (ResNet, MobileNet, U-Net, generators, keyword spotting, ...).
// A graph with other ops says which. <tenon/ops.hpp> has all of them in tenon::ops::All and takes longer to compile.
#include <cstdint>

#include <tenon/ops/cnn.hpp>
#include <tenon/tenon.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/space_batch.hpp>
#include <tenon/ops/array/split.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/image/resize.hpp>
#include <tenon/ops/math/arg_reduction.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/batch_norm.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/depthwise.hpp>
#include <tenon/ops/nn/pool_average.hpp>
#include <tenon/ops/nn/softmax.hpp>

namespace {
using namespace tenon::ops;
using OfFloats = tenon::OpList<AvgPool, Conv2DBackpropInput, DepthwiseConv2dNative, Elu, Floor, FusedBatchNormV3,
                               LeakyRelu, Log, LogSoftmax, Softplus, SquaredDifference, Tanh>;
// Ops of tenon::ops::Cnn that compute sizes as well.
using OfSizes = tenon::OpList<Add, AddV2, ConcatV2, ExpandDims, Max, Maximum, Min, Minimum, Mul, Neg, Pack, Pad, Prod,
                              Reshape, Shape, Squeeze, StridedSlice, Sub, Sum>;
using OfIndicesToo =
    tenon::OpList<Abs, AddN, ArgMax, BatchToSpaceND, Cast, ClipByValue, DepthToSpace, Fill, GatherV2, Greater,
                  GreaterEqual, Less, LessEqual, Range, ResizeBilinear, ResizeNearestNeighbor, SelectV2, Slice,
                  SpaceToBatchND, SpaceToDepth, Split, SplitV, Tile, Transpose, Unpack>;
}  // namespace

// Images and weights are floats, sizes are int32.
TENON_REGISTER(tenon::Types<float>, tenon::ops::Cnn, OfFloats);
TENON_REGISTER(tenon::Types<std::int32_t>, OfSizes);
TENON_REGISTER(tenon::Types<float, std::int32_t>, OfIndicesToo);
