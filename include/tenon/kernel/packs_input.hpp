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
  PackedWeights* packed() const { return &weights; }
};

// Does so for kernels of the CPU. Other devices read the input as it is: packed() is null.
template <class Device, int input>
struct PacksInputOn {
  PackedWeights* packed() const { return nullptr; }
};
template <class Device, int input>
  requires(Device::type == "CPU")
struct PacksInputOn<Device, input> : PacksInput<input> {};

TENON_DETAIL_NAMESPACE_END
