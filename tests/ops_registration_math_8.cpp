// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: segments.

#include "registration.hpp"
#include <tenon/ops/math/segment.hpp>
#include <tenon/ops/math/sparse_segment.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::SegmentMax, ops::SegmentMaxV2, ops::SegmentMean, ops::SegmentMin, ops::SegmentMinV2,
                    ops::SegmentProd, ops::SegmentProdV2, ops::SegmentSum, ops::SegmentSumV2);
TENON_TEST_REGISTER(ops::UnsortedSegmentMax, ops::UnsortedSegmentMin, ops::UnsortedSegmentProd,
                    ops::UnsortedSegmentSum);
TENON_TEST_REGISTER(ops::SparseSegmentMean, ops::SparseSegmentMeanGrad, ops::SparseSegmentMeanWithNumSegments,
                    ops::SparseSegmentSqrtN, ops::SparseSegmentSqrtNGrad, ops::SparseSegmentSqrtNWithNumSegments,
                    ops::SparseSegmentSum, ops::SparseSegmentSumGrad, ops::SparseSegmentSumWithNumSegments);
