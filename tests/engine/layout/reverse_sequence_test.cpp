// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/reverse_sequence.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace reverse_sequence_test {
using namespace tenon;

TEST_SUITE("ReverseSequence") {
  TEST_CASE("each sequence is reversed within its length, whichever dimension comes first") {
    const Index lengths[] = {0, 4, 2};
    for (const bool batch_first : {true, false}) {
      const TensorShape shape = batch_first ? TensorShape{3, 4, 2} : TensorShape{4, 3, 2};
      const Index batch_step = batch_first ? 8 : 2, seq_step = batch_first ? 2 : 6;
      std::vector<int> in(24), out(24, -1);
      for (int i = 0; i < 24; ++i) in[static_cast<std::size_t>(i)] = i;
      Cpu device;
      ReverseSequence(device, ElementMover{sizeof(int)}, shape, batch_first ? 1 : 0, batch_first ? 0 : 1, {lengths, 3},
                      in.data(), out.data());
      for (Index b = 0; b < 3; ++b)
        for (Index s = 0; s < 4; ++s)
          for (Index k = 0; k < 2; ++k) {
            const Index from = s < lengths[b] ? lengths[b] - 1 - s : s;
            CHECK(out[static_cast<std::size_t>(b * batch_step + s * seq_step + k)] ==
                  b * batch_step + from * seq_step + k);
          }
    }
  }
}

}  // namespace reverse_sequence_test
