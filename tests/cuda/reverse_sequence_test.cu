// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/reverse_sequence.cuh>

#include <doctest/doctest.h>

#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace reverse_sequence_test {
using tenon::Cpu;
using tenon::DataType;
using tenon::Index;
using tenon::MoverOf;
using tenon::Status;
using tenon::Tensor;
using tenon::TensorShape;

TEST_CASE("ReverseSequence on a GPU reverses each sequence within its length" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  struct Case {
    TensorShape shape;
    int seq, batch;
  };
  const Case cases[] = {{{3, 5}, 1, 0},          {{5, 3}, 0, 1},    {{2, 4, 3, 6, 4}, 3, 1},
                        {{2, 4, 3, 6, 4}, 0, 3}, {{1000, 3}, 1, 0},  // more lengths than travel with a launch
                        {{2, 0}, 1, 0}};
  for (const DataType type : kTypeOfEachSize)
    for (const Case& c : cases) {
      CAPTURE(type);
      CAPTURE(c.shape.DebugString());
      std::vector<Index> lengths;
      for (Index b = 0; b < c.shape.dim_size(c.batch); ++b) lengths.push_back(b * 3 % (c.shape.dim_size(c.seq) + 1));
      const Tensor in = Bytes(type, c.shape.num_elements()), in_there = gpu.Up(in);
      Tensor want(type, in.shape()), out = gpu.New(type, in.shape());
      Cpu cpu;
      ReverseSequence(cpu, MoverOf(type), c.shape, c.seq, c.batch, {lengths.data(), lengths.size()}, in.raw_data(),
                      want.raw_data());
      const Status status = ReverseSequence(gpu.cuda(), MoverOf(type), c.shape, c.seq, c.batch,
                                            {lengths.data(), lengths.size()}, in_there.raw_data(), out.raw_data());
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(IsSame(gpu.Down(out), want));
    }
}
}  // namespace reverse_sequence_test
