// SPDX-License-Identifier: Apache-2.0
#pragma once
// PacksInput: the base of a kernel struct that reads an input, which may be constant, in packed form.

#include <tenon/base/status.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/kernel/construction.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A kernel with an Init of its own calls this one.
template <int input>
struct PacksInput {
  mutable PackedWeights weights;  // offered by the session where the input is constant

  Status Init(OpKernelConstruction& c) {
    c.PackInput(input, &weights);
    return OkStatus();
  }
};

TENON_DETAIL_NAMESPACE_END
