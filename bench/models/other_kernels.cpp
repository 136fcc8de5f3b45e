// SPDX-License-Identifier: Apache-2.0
// The optimizer, the ops that it makes, and those that the models from EfficientNet to TextCNN need beside the others.
#include <tenon/tenon.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/pad.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/flow/functional.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/cumulative.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/fake_quant.hpp>
#include <tenon/ops/math/histogram.hpp>
#include <tenon/ops/math/logical.hpp>
#include <tenon/ops/math/reduction_logical.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/top_k.hpp>
#include <tenon/ops/nn/attention.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/fused.hpp>
#include <tenon/ops/nn/fused_elementwise.hpp>
#include <tenon/ops/nn/layer_norm.hpp>
#include <tenon/ops/nn/relu.hpp>
#include <tenon/ops/quantize/int8_layer.hpp>
#include <tenon/ops/string/each.hpp>
#include <tenon/ops/string/hash_bucket.hpp>
#include <tenon/ops/string/regex.hpp>
#include <tenon/ops/string/split.hpp>

TENON_REGISTER(tenon::Types<float>, tenon::ops::FusedAttention, tenon::ops::FusedElementwise, tenon::ops::FusedProducer,
               tenon::ops::FusedConv2D, tenon::ops::FusedMatMul, tenon::ops::LayerNorm, tenon::ops::Conv2DBackpropInput,
               tenon::ops::FakeQuantWithMinMaxVars, tenon::ops::LeakyRelu, tenon::ops::Log, tenon::ops::Pow);
TENON_REGISTER(tenon::Types<>, tenon::ops::DequantizeUint8, tenon::ops::Int8Conv2D, tenon::ops::Int8DepthwiseConv2D,
               tenon::ops::Int8MatMul, tenon::ops::QuantizeUint8);
TENON_REGISTER(tenon::Types<float, std::int32_t, std::int64_t, bool>, tenon::ops::ReduceAll, tenon::ops::ReduceAny,
               tenon::ops::Cast, tenon::ops::Ceil, tenon::ops::Cumsum, tenon::ops::DenseBincount, tenon::ops::Equal,
               tenon::ops::Fill, tenon::ops::FloorDiv, tenon::ops::FloorMod, tenon::ops::Greater,
               tenon::ops::GreaterEqual, tenon::ops::IdentityN, tenon::ops::LessEqual, tenon::ops::LogicalNot,
               tenon::ops::PartitionedCall, tenon::ops::Select, tenon::ops::SelectV2, tenon::ops::Size,
               tenon::ops::Slice, tenon::ops::StatelessIf, tenon::ops::StatelessWhile, tenon::ops::Tile,
               tenon::ops::TopKV2);
TENON_REGISTER(tenon::Types<tenon::tstring, std::int32_t, std::int64_t>, tenon::ops::StaticRegexReplace,
               tenon::ops::StringLower, tenon::ops::StringSplitV2, tenon::ops::StringToHashBucketFast);
