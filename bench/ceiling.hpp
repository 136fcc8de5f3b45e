// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the processor can do with so many bytes, as peers of what is measured. Both use one thread.

#include <cstddef>

#include "harness.hpp"

namespace tenon::bench {

// So many bytes read and as many written, by memcpy: "copying". Half of `bytes` each.
void AddCopying(State& state, std::size_t bytes);
// So many bytes read: "reading".
void AddReading(State& state, std::size_t bytes);

}  // namespace tenon::bench
