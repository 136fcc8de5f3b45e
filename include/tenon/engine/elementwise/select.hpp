// SPDX-License-Identifier: Apache-2.0
#pragma once
// Choosing between two tensors element by element, with all three operands broadcast against each other. Elements are
// moved, never looked at: there is a loop per size of an element.

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/element_copy.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Positions of the three operands, or their steps: the condition, the values where it holds and the values where it
// does not.
struct SelectSteps {
  Index condition, yes, no;
};

// out[i] = condition[i] ? yes[i] : no[i] for i in [0, n), each operand with a step of 0 or 1 elements.
using SelectLoop = void (*)(const bool* condition, const void* yes, const void* no, void* out, Index n,
                            SelectSteps steps);

struct SixteenBytes {
  std::uint64_t low, high;
};

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void RunSelectAll(const bool* condition, const T* yes, const T* no, T* out, Index n) {
  [[maybe_unused]] const auto* const bytes = reinterpret_cast<const unsigned char*>(condition);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) {
    const T a = yes[i], b = no[i];
    if constexpr (std::is_integral_v<T>)  // g++ makes vectors of this, not of a choice by a bool
      out[i] = static_cast<T>(b ^ ((a ^ b) & static_cast<T>(T(0) - static_cast<T>(bytes[i] != 0))));
    else
      out[i] = condition[i] ? a : b;
  }
}

TENON_DETAIL_LOOPS_END

template <class T>
void RunSelect(const bool* condition, const void* pyes, const void* pno, void* pout, Index n, SelectSteps steps) {
  const T* yes = static_cast<const T*>(pyes);
  const T* no = static_cast<const T*>(pno);
  T* out = static_cast<T*>(pout);
  if constexpr (std::is_trivially_copyable_v<T>)
    if (steps.condition == 1 && steps.yes == 1 && steps.no == 1) return RunSelectAll(condition, yes, no, out, n);
  for (Index i = 0; i < n; ++i) out[i] = condition[i * steps.condition] ? yes[i * steps.yes] : no[i * steps.no];
}

inline SelectLoop SelectLoopOf(DataType dtype) {
  switch (dtype) {
    case DataType::kString: return &RunSelect<tstring>;
    case DataType::kResource: return &RunSelect<ResourceHandle>;
    case DataType::kVariant: return &RunSelect<Variant>;
    default: break;
  }
  switch (ElementBytes(dtype)) {
    case 1: return &RunSelect<std::uint8_t>;
    case 2: return &RunSelect<std::uint16_t>;
    case 4: return &RunSelect<std::uint32_t>;
    case 8: return &RunSelect<std::uint64_t>;
    default: return &RunSelect<SixteenBytes>;
  }
}

// The dimensions of the output, innermost first, with those of size 1 left out and neighbours that all operands treat
// alike joined. A step is 0 where the operand repeats.
struct SelectPlan {
  int rank = 0;
  Index size[kMaxTensorRank + 1];
  SelectSteps step[kMaxTensorRank + 1];

  SelectPlan(const TensorShape& condition, const TensorShape& yes, const TensorShape& no, const TensorShape& out) {
    SelectSteps next{1, 1, 1};
    for (int d = out.dims() - 1; d >= 0; --d) {
      const Index n = out.dim_size(d);
      if (n == 1) continue;
      const SelectSteps s{AlignedDim(condition, d, out.dims()) == 1 ? 0 : next.condition,
                          AlignedDim(yes, d, out.dims()) == 1 ? 0 : next.yes,
                          AlignedDim(no, d, out.dims()) == 1 ? 0 : next.no};
      const bool joins = rank > 0 && (s.condition != 0) == (step[rank - 1].condition != 0) &&
                         (s.yes != 0) == (step[rank - 1].yes != 0) && (s.no != 0) == (step[rank - 1].no != 0);
      if (joins) {
        size[rank - 1] = MultiplySizes(size[rank - 1], n);
      } else {
        size[rank] = n;
        step[rank++] = s;
      }
      if (s.condition != 0) next.condition = MultiplySizes(next.condition, n);
      if (s.yes != 0) next.yes = MultiplySizes(next.yes, n);
      if (s.no != 0) next.no = MultiplySizes(next.no, n);
    }
    if (rank == 0) {
      size[rank] = 1;
      step[rank++] = {1, 1, 1};
    }
  }
};

// Shared by all threads that work on one Select.
struct SelectWork {
  const SelectPlan& plan;
  SelectLoop loop;
  Index bytes;  // size of one element
  const bool* condition;
  const char* yes;
  const char* no;
  char* out;

  // Elements [begin, end) of the output.
  void Range(Index begin, Index end) const {
    Index at[kMaxTensorRank + 1];  // in each dimension
    Index rest = begin;
    SelectSteps start{0, 0, 0};
    for (int d = 0; d < plan.rank; ++d) {
      at[d] = d + 1 < plan.rank ? rest % plan.size[d] : rest;
      rest /= plan.size[d];
      Move(&start, plan.step[d], at[d]);
    }
    while (begin < end) {
      const Index left = plan.size[0] - at[0], n = left < end - begin ? left : end - begin;
      loop(condition + start.condition, yes + start.yes * bytes, no + start.no * bytes, out + begin * bytes, n,
           plan.step[0]);
      begin += n;
      Move(&start, plan.step[0], n);
      at[0] += n;
      for (int d = 0; d + 1 < plan.rank && at[d] == plan.size[d]; ++d) {
        Move(&start, plan.step[d], -plan.size[d]);
        Move(&start, plan.step[d + 1], 1);
        at[d] = 0;
        ++at[d + 1];
      }
    }
  }

 private:
  static void Move(SelectSteps* place, const SelectSteps& step, Index n) {
    place->condition += n * step.condition;
    place->yes += n * step.yes;
    place->no += n * step.no;
  }
};

}  // namespace detail

// out = condition ? yes : no. The three shapes broadcast to out_shape; yes, no and out are of type `dtype`. `out` may
// be yes or no where that one has its shape.
inline Status Select(Cpu& device, DataType dtype, const bool* condition, const TensorShape& condition_shape,
                     const void* yes, const TensorShape& yes_shape, const void* no, const TensorShape& no_shape,
                     void* out, const TensorShape& out_shape) {
  const detail::SelectPlan plan(condition_shape, yes_shape, no_shape, out_shape);
  const ElementMover mover = MoverOf(dtype);
  const detail::SelectWork work{plan,
                                detail::SelectLoopOf(dtype),
                                mover.bytes,
                                condition,
                                static_cast<const char*>(yes),
                                static_cast<const char*>(no),
                                static_cast<char*>(out)};
  ParallelFor(device, out_shape.num_elements(), mover.cost_ns() + 0.2,
              [&](Index begin, Index end) { work.Range(begin, end); });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
