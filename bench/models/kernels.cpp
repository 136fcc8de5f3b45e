// SPDX-License-Identifier: Apache-2.0
// The runtime and the standard ops, for the types that the models use.
#include <tenon/cnn_ops.hpp>
#include <tenon/tenon.hpp>

TENON_REGISTER(tenon::Types<float, std::int32_t, std::int64_t>, tenon::ops::Cnn);
