// SPDX-License-Identifier: Apache-2.0
// The runtime and the kernels that the benchmarks of single ops need.
#include <tenon/runtime.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/pad.hpp>
#include <tenon/ops/array/reverse.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/linalg/fft.hpp>
#include <tenon/ops/math/arg_reduction.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/cumulative.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/math/special_higher.hpp>
#include <tenon/ops/math/top_k.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/batch_norm.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/pool.hpp>
#include <tenon/ops/nn/pool_average.hpp>
#include <tenon/ops/nn/pool_max.hpp>
#include <tenon/ops/nn/softmax.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t>, ops::Placeholder, ops::Const);
TENON_REGISTER(Types<float>, ops::MatMul);
TENON_REGISTER(Types<float>, ops::AddV2, ops::Mul, ops::Maximum, ops::RealDiv, ops::Less, ops::SelectV2);
TENON_REGISTER(Types<float>, ops::Exp, ops::Log, ops::Tanh, ops::Sigmoid, ops::Erf, ops::Rsqrt, ops::Sin, ops::Pow);
TENON_REGISTER(Types<float>, ops::Atan2, ops::Atanh, ops::Asinh, ops::Acosh, ops::Asin, ops::Acos, ops::Atan,
               ops::Round, ops::Xlogy, ops::Erfc, ops::Erfinv, ops::Ndtri);
TENON_REGISTER(Types<float>, ops::Dawsn, ops::Expint, ops::BesselI0e, ops::BesselI1e, ops::Igamma, ops::Zeta);
TENON_REGISTER(Types<float>, ops::Relu, ops::Elu, ops::Softplus, ops::BiasAdd, ops::Softmax, ops::LogSoftmax);
TENON_REGISTER(Types<float, std::int32_t>, ops::Sum, ops::Mean, ops::Max, ops::Prod, ops::TopKV2, ops::Cumsum);
TENON_REGISTER(Types<float, std::int32_t>, ops::Transpose, ops::ConcatV2, ops::GatherV2, ops::Pad, ops::Slice,
               ops::Tile, ops::ReverseV2);
TENON_REGISTER(Types<float, std::int32_t, std::int64_t>, ops::ArgMax);
TENON_REGISTER(ops::Cast);
TENON_REGISTER(ops::FFT, ops::FFT2D, ops::RFFT, ops::RFFT2D);
TENON_REGISTER(Types<float>, ops::FusedBatchNormV3, ops::MaxPool, ops::AvgPool);
