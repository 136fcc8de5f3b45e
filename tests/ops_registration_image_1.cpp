// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: images resized, cropped, coloured.

#include "registration.hpp"
#include <tenon/ops/image/color.hpp>
#include <tenon/ops/image/crop_resize.hpp>
#include <tenon/ops/image/resize.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AdjustContrastv2, ops::AdjustHue, ops::AdjustSaturation, ops::HSVToRGB, ops::RGBToHSV);
TENON_TEST_REGISTER(ops::CropAndResize, ops::CropAndResizeGradBoxes, ops::CropAndResizeGradImage, ops::ResizeArea,
                    ops::ResizeBicubic, ops::ResizeBicubicGrad, ops::ResizeBilinear, ops::ResizeBilinearGrad,
                    ops::ResizeNearestNeighbor, ops::ResizeNearestNeighborGrad);
