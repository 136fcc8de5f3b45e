// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include <tenon/ops/cnn.hpp> or <tenon/ops.hpp>.
#pragma message("<tenon/cnn_ops.hpp> is deprecated: include <tenon/ops/cnn.hpp> or <tenon/ops.hpp>")

#include <tenon/tenon.hpp>
#include <tenon/ops/cnn.hpp>
