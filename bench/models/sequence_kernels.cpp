// SPDX-License-Identifier: Apache-2.0
// The ops that language models and loops need beside those of kernels.cpp.
#include <tenon/tenon.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/split.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/flow/loop.hpp>
#include <tenon/ops/flow/merge.hpp>
#include <tenon/ops/flow/switch.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/batch_matmul.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/logical.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/list/tensor_array.hpp>
#include <tenon/ops/list/tensor_array_pack.hpp>

TENON_REGISTER(tenon::Types<float, std::int32_t, std::int64_t>, tenon::ops::BatchMatMulV2, tenon::ops::Enter,
               tenon::ops::Erf, tenon::ops::Exit, tenon::ops::GatherV2, tenon::ops::Less, tenon::ops::LogicalAnd,
               tenon::ops::LoopCond, tenon::ops::Merge, tenon::ops::NextIteration, tenon::ops::Range, tenon::ops::Split,
               tenon::ops::SquaredDifference, tenon::ops::Switch, tenon::ops::Tanh, tenon::ops::TensorArrayGatherV3,
               tenon::ops::TensorArrayReadV3, tenon::ops::TensorArrayScatterV3, tenon::ops::TensorArraySizeV3,
               tenon::ops::TensorArrayV3, tenon::ops::TensorArrayWriteV3, tenon::ops::Transpose);
