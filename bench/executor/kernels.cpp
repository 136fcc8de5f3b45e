// SPDX-License-Identifier: Apache-2.0
// The runtime and the few kernels that the executor's benchmarks need.
#include <cstdint>

#include <tenon/runtime.hpp>
#include <tenon/devices.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/flow/functional.hpp>
#include <tenon/ops/flow/loop.hpp>
#include <tenon/ops/flow/merge.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/flow/switch.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/list/tensor_list_element.hpp>

#include "axpy_op.hpp"

TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::Placeholder, tenon::ops::Identity, tenon::ops::AddV2,
               tenon::ops::Minimum, tenon::ops::Less, tenon::ops::NoOp);
TENON_REGISTER(tenon::Types<float>, tenon::bench::BenchAxpy);
TENON_REGISTER(tenon::Types<std::int32_t, bool>, tenon::ops::Const, tenon::ops::Enter, tenon::ops::Merge,
               tenon::ops::LoopCond, tenon::ops::Switch, tenon::ops::NextIteration, tenon::ops::Exit,
               tenon::ops::StatelessWhile, tenon::ops::IdentityN, tenon::ops::TensorListReserve,
               tenon::ops::TensorListGetItem, tenon::ops::TensorListSetItem);
