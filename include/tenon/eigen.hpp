// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors as Eigen::TensorMap: EigenViews(t).matrix<float>(); kernel arguments as Eigen::Map: AsEigen(a). Not part of
// tenon.hpp, because Eigen's Tensor module costs the compiler seconds. Needs Eigen 3.4 or newer with its unsupported
// modules.

#include <tenon/engine/linalg/eigen.hpp>
#include <tenon/engine/linalg/eigen_tensor.hpp>
