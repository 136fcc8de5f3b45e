// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's TF_CPU_ALLOCATOR_USE_BFC for a program that includes this in one file: its environment may choose a
// BFCAllocator for all memory of tensors and sessions. Not part of tenon.hpp: it registers before main.

#include <tenon/memory/env_allocator.hpp>
