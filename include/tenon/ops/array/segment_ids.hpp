// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ids of segments: read and checked in blocks.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/params.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// A few ids at a time, as Index.
class IdBlock {
 public:
  static constexpr Index kSize = 256;
  // Reads ids[begin ...]; returns how many.
  Index Read(const HostIndices& ids, Index begin) {
    const Index n = ids.size() - begin < kSize ? ids.size() - begin : kSize;
    ids.Copy(begin, n, ids_);
    return n;
  }
  const Index* ids() const { return ids_; }

 private:
  Index ids_[kSize];
};

// Whether n ids ascend from `previous` on, all below `rows`.
inline bool AscendBelow(const Index* ids, Index n, Index previous, Index rows) {
  bool falls = ids[0] < previous;
  for (Index i = 1; i < n; ++i) falls |= ids[i] < ids[i - 1];
  return !falls && ids[n - 1] < rows;
}
// Ids must ascend within [0, rows).
inline Status CheckSegmentIds(std::string_view op, const HostIndices& ids, Index rows) {
  Index previous = 0;
  bool good = true;
  IdBlock block;
  for (Index begin = 0, n = 0; begin < ids.size(); begin += n) {
    n = block.Read(ids, begin);
    good = AscendBelow(block.ids(), n, previous, rows) && good;
    previous = block.ids()[n - 1];
  }
  if (good) return OkStatus();
  previous = 0;
  for (Index i = 0; i < ids.size(); ++i) {
    const Index id = ids[i];
    if (id < previous || id >= rows) [[unlikely]] {
      if (i > 0 && id < previous)
        return errors::InvalidArgument(op, ": segment ids are not increasing: segment_ids[", i, "] = ", id,
                                       " comes after ", previous);
      return errors::InvalidArgument(op, ": Segment id ", id, " out of range [0, ", rows,
                                     "), possibly because 'segment_ids' input is not sorted.");
    }
    previous = id;
  }
  return OkStatus();
}

// Where the first block of ids begins that has one of at least `most`, or the number of ids.
inline Index FirstBlockAbove(const HostIndices& ids, Index most) {
  IdBlock block;
  for (Index begin = 0, n = 0; begin < ids.size(); begin += n) {
    n = block.Read(ids, begin);
    bool above = false;
    for (Index i = 0; i < n; ++i) above |= block.ids()[i] >= most;
    if (above) return begin;
  }
  return ids.size();
}

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
