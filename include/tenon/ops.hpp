// SPDX-License-Identifier: Apache-2.0
#pragma once
// All standard ops, and tenon::ops::All to register them:
//
//   TENON_REGISTER(tenon::ops::All);                                          every type
//   TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::All);       these types only: smaller and faster to
//   compile

#include <tenon/cnn_ops.hpp>
#include <tenon/mlp_ops.hpp>
#include <tenon/register.hpp>
#include <tenon/engine/simd.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/dynamic.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/matrix_diag.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/pad.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/reverse.hpp>
#include <tenon/ops/array/scatter.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/space_batch.hpp>
#include <tenon/ops/array/split.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/array/unique.hpp>
#include <tenon/ops/flow/functional.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/bitwise.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/complex_parts.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/logical.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/activation_gradient.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/pool.hpp>
#include <tenon/ops/nn/softmax.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

using All = OpList<
    // array
    Identity, Pack, Reshape, Shape, StridedSlice,
    // array: the elements as they are
    Concat, ConcatOffset, ConcatV2, ConjugateTranspose, EnsureShape, ExpandDims, IdentityN, InvertPermutation,
    PreventGradient, Rank, ShapeN, Size, Snapshot, Split, SplitV, Squeeze, StopGradient, Transpose, Unpack,
    // array: by index
    DynamicPartition, DynamicStitch, Gather, GatherNd, GatherV2, ListDiff, ScatterNd, TensorScatterAdd,
    TensorScatterMax, TensorScatterMin, TensorScatterSub, TensorScatterUpdate, Unique, UniqueWithCounts, Where,
    // array: made, repeated, framed, turned round
    BroadcastArgs, BroadcastTo, CheckNumerics, Empty, Fill, LinSpace, MirrorPad, OneHot, OnesLike, Pad, PadV2, Range,
    Reverse, ReverseSequence, ReverseV2, Roll, Slice, Tile, ZerosLike,
    // array: blocks and diagonals
    BatchToSpace, BatchToSpaceND, DepthToSpace, Diag, DiagPart, MatrixBandPart, MatrixDiag, MatrixDiagPart,
    MatrixDiagPartV3, MatrixDiagV3, MatrixSetDiag, MatrixSetDiagV3, SpaceToBatch, SpaceToBatchND, SpaceToDepth,
    // control flow
    Case, For, If, NoOp, PartitionedCall, StatefulPartitionedCall, StatelessCase, StatelessIf, StatelessWhile, While,
    // inputs and constants
    Const, Placeholder, PlaceholderV2, PlaceholderWithDefault,
    // math: element by element
    Abs, Add, AddV2, DivNoNan, Inv, Maximum, Minimum, Mul, MulNoNan, Neg, RealDiv, Reciprocal, Sign, Square,
    SquaredDifference, Sub,                                                             // arithmetic
    Div, FloorDiv, FloorMod, Mod, Pow, TruncateDiv, TruncateMod,                        // division
    ApproximateEqual, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual,          // comparison
    LogicalAnd, LogicalNot, LogicalOr,                                                  // logical
    BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, PopulationCount, RightShift,  // bitwise
    Exp, Expm1, Log, Log1p, Rsqrt, Sigmoid, Sqrt, Xdivy, Xlog1py, Xlogy,                // exponential
    Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh,      // trigonometric
    Ceil, Floor, IsFinite, IsInf, IsNan, NextAfter, Rint, Round,                        // rounding
    Digamma, Erf, Erfc, Erfinv, Lgamma, Ndtri,                                          // special functions
    Angle, Complex, ComplexAbs, Conj, Imag, Real,                                       // complex numbers
    Bitcast, Cast, Select, SelectV2,                                                    // types and choices
    AccumulateNV2, AddN, ClipByValue, L2Loss,                                           // of several tensors
    InvGrad, ReciprocalGrad, RsqrtGrad, SigmoidGrad, SqrtGrad, TanhGrad,                // gradients
    // math: products of matrices, reductions
    MatMul, Max, Mean, Min, Prod, Sum,
    // neural networks
    BiasAdd, Conv2D, MaxPool, Elu, LeakyRelu, LogSoftmax, Relu, Relu6, Selu, Softmax, Softplus,
    Softsign,  // activations
    EluGrad, LeakyReluGrad, Relu6Grad, ReluGrad, SeluGrad, SoftplusGrad, SoftsignGrad>;

}  // namespace ops

TENON_NAMESPACE_END
