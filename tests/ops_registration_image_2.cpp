// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: boxes in images, patches of images.

#include "registration.hpp"
#include <tenon/ops/image/boxes.hpp>
#include <tenon/ops/image/combined_suppression.hpp>
#include <tenon/ops/image/patches.hpp>
#include <tenon/ops/image/suppression.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::CombinedNonMaxSuppression, ops::DrawBoundingBoxes, ops::DrawBoundingBoxesV2,
                    ops::ExtractImagePatches, ops::ExtractVolumePatches, ops::NonMaxSuppression,
                    ops::NonMaxSuppressionV2, ops::NonMaxSuppressionV3, ops::NonMaxSuppressionV4,
                    ops::NonMaxSuppressionV5);
