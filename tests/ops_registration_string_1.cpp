// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: texts, one by one, cut and joined; numbers of texts.

#include "registration.hpp"
#include <tenon/ops/string/each.hpp>
#include <tenon/ops/string/hash_bucket.hpp>
#include <tenon/ops/string/join.hpp>
#include <tenon/ops/string/split.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::DecodeBase64, ops::EncodeBase64, ops::StringLength, ops::StringLower, ops::StringStrip,
                    ops::StringUpper, ops::Substr);
TENON_TEST_REGISTER(ops::ReduceJoin, ops::StringJoin, ops::StringSplit, ops::StringSplitV2, ops::StringToHashBucket,
                    ops::StringToHashBucketFast, ops::StringToHashBucketStrong, ops::UnsortedSegmentJoin);
