// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: histograms, searches, gradients of slices and frames, rows put into tensors.

#include "registration.hpp"
#include <tenon/ops/array/broadcast_gradient.hpp>
#include <tenon/ops/array/inplace.hpp>
#include <tenon/ops/array/pad_gradient.hpp>
#include <tenon/ops/array/parallel_stitch.hpp>
#include <tenon/ops/array/scatter_non_aliasing.hpp>
#include <tenon/ops/array/search_sorted.hpp>
#include <tenon/ops/array/slice_update.hpp>
#include <tenon/ops/array/unique_axis.hpp>
#include <tenon/ops/io/immutable_const.hpp>
#include <tenon/ops/math/edit_distance.hpp>
#include <tenon/ops/math/histogram.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Bincount, ops::Bucketize, ops::DenseBincount, ops::EditDistance, ops::HistogramFixedWidth);
TENON_TEST_REGISTER(ops::LowerBound, ops::UniqueV2, ops::UniqueWithCountsV2, ops::UpperBound);
TENON_TEST_REGISTER(ops::BroadcastGradientArgs, ops::MirrorPadGrad, ops::StridedSliceGrad,
                    ops::TensorStridedSliceUpdate);
TENON_TEST_REGISTER(ops::DeepCopy, ops::GuaranteeConst, ops::ImmutableConst, ops::InplaceAdd, ops::InplaceSub,
                    ops::InplaceUpdate, ops::ParallelDynamicStitch, ops::ScatterNdNonAliasingAdd);
