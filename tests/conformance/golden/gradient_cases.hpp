// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded gradients (gradients.proto): forward graphs that are derived with AddGradients and compared with
// TensorFlow's tf.gradients; and short trainings.

#include <string>
#include <string_view>

#include <tenon/base/status.hpp>

#include "outcome.hpp"

namespace golden {

// Checks the cases of a GradientFile whose names contain `filter`; prints what fails.
tenon::Status RunGradientFile(const std::string& path, std::string_view filter, Counts* counts);
// Does so for a TrainingFile.
tenon::Status RunTrainingFile(const std::string& path, std::string_view filter, Counts* counts);

}  // namespace golden
