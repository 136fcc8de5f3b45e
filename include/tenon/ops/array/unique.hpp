// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where, Unique, UniqueWithCounts, ListDiff: which elements there are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/elementwise/cast.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/array/places.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The elements of a tensor of plain real numbers, bools or strings as keys. Numbers are their bits, but both zeros are
// one number, and a NaN differs from everything.
class ElementKeys {
 public:
  explicit ElementKeys(const Tensor& x) : data_(x.raw_data()), bytes_(SizeOf(x.dtype())), size_(x.NumElements()) {
    switch (x.dtype()) {
      case DataType::kHalf: infinity_ = 0x7c00; break;
      case DataType::kBfloat16: infinity_ = 0x7f80; break;
      case DataType::kFloat: infinity_ = 0x7f800000; break;
      case DataType::kDouble: infinity_ = 0x7ff0000000000000; break;
      default: break;
    }
  }
  Index size() const { return size_; }
  bool is_text() const { return bytes_ == 0; }
  std::string_view Text(Index i) const { return static_cast<const tstring*>(data_)[i]; }
  std::uint64_t Number(Index i) const {
    std::uint64_t bits = 0;  // little-endian, as all formats here
    switch (bytes_) {
      case 1: bits = static_cast<const std::uint8_t*>(data_)[i]; break;
      case 2: bits = static_cast<const std::uint16_t*>(data_)[i]; break;
      case 4: bits = static_cast<const std::uint32_t*>(data_)[i]; break;
      default: bits = static_cast<const std::uint64_t*>(data_)[i];
    }
    return infinity_ != 0 && Magnitude(bits) == 0 ? 0 : bits;
  }
  bool IsNan(Index i) const { return infinity_ != 0 && Magnitude(Number(i)) > infinity_; }
  std::uint64_t Hash(Index i) const {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    if (is_text())
      for (const char c : Text(i)) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    else
      h ^= Number(i);
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
    return h ^ h >> 29;
  }
  bool Equal(Index i, const ElementKeys& other, Index j) const {
    if (is_text()) return Text(i) == other.Text(j);
    return Number(i) == other.Number(j) && !IsNan(i);
  }

 private:
  std::uint64_t Magnitude(std::uint64_t bits) const { return bits & ((std::uint64_t{1} << (8 * bytes_ - 1)) - 1); }
  const void* data_;
  int bytes_;
  Index size_;
  std::uint64_t infinity_ = 0;  // bits of infinity; 0 for types that are not floating
};

// Numbers of elements, by their values: open addressing, at most half full.
class ElementTable {
 public:
  ElementTable(const Cpu& device, const ElementKeys& keys)
      : keys_(keys), size_(SizeFor(keys.size())), memory_(device, size_ * sizeof(Index)), slots_(memory_.As<Index>()) {
    if (slots_ != nullptr) std::fill_n(slots_, size_, Index{-1});
  }
  Status status(std::string_view who) const { return memory_.status(who); }
  // The element that equals other[j], or -1.
  Index Find(const ElementKeys& other, Index j) const { return slots_[SlotOf(other, j)]; }
  // The element that equals element j of the table's own keys. Without one, adds j and returns -1. A NaN is never found
  // and not added.
  Index FindOrAdd(Index j) {
    if (!keys_.is_text() && keys_.IsNan(j)) return -1;
    Index& slot = slots_[SlotOf(keys_, j)];
    if (slot >= 0) return slot;
    slot = j;
    return -1;
  }

 private:
  static std::size_t SizeFor(Index keys) {
    std::size_t size = 16;
    while (size < 2 * static_cast<std::size_t>(keys)) size *= 2;
    return size;
  }
  std::size_t SlotOf(const ElementKeys& other, Index j) const {
    const std::size_t mask = size_ - 1;
    std::size_t at = static_cast<std::size_t>(other.Hash(j)) & mask;
    while (slots_[at] >= 0 && !other.Equal(j, keys_, slots_[at])) at = (at + 1) & mask;
    return at;
  }
  const ElementKeys& keys_;
  std::size_t size_;
  Scratch memory_;
  Index* slots_;
};

inline constexpr DataTypeSet kListDiffTypes = kRealNumberTypes | ToSet(DataType::kString);
inline constexpr DataTypeSet kUniqueTypes = kListDiffTypes | ToSet(DataType::kBool);

inline Status WhereShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  c->set_output(0, c->Matrix(c->UnknownDim(), c->RankKnown(input) ? c->MakeDim(c->Rank(input)) : c->UnknownDim()));
  return OkStatus();
}
// As TensorFlow's, which looks at the rank for Unique only.
inline Status UniqueShape(InferenceContext* c) {
  ShapeHandle unused;
  if (c->num_outputs() == 2) TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  const ShapeHandle found = c->Vector(c->UnknownDim());
  c->set_output(0, found);
  c->set_output(1, c->input(0));
  if (c->num_outputs() > 2) c->set_output(2, found);
  return OkStatus();
}
inline Status ListDiffShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  const ShapeHandle out = c->Vector(c->UnknownDim());
  c->set_output(0, out);
  c->set_output(1, out);
  return OkStatus();
}

// Output number `output` becomes the elements of x that `chosen` numbers.
inline Status TakeElements(OpKernelContext& context, int output, const Tensor& x, Span<const Index> chosen) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(output, TensorShape({static_cast<Index>(chosen.size())}), &out));
  const ElementMover mover = MoverOf(x.dtype());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    CopyRun(mover, mover.At(x.raw_data(), chosen[i]), mover.At(out->raw_data(), static_cast<Index>(i)), 1);
  return OkStatus();
}

inline Status RunUnique(OpKernelContext& context, const Cpu& device, const Tensor& x, bool with_counts) {
  if (x.dims() != 1) return errors::InvalidArgument("Unique: unique expects a 1D vector, got shape ", x.shape());
  const ElementKeys keys(x);
  ElementTable table(device, keys);
  TENON_RETURN_IF_ERROR(table.status("Unique"));
  const Scratch memory(device, 3 * static_cast<std::size_t>(x.NumElements()) * sizeof(Index));
  TENON_RETURN_IF_ERROR(memory.status("Unique"));
  // First position and count of each distinct element, and the number of the one that each element equals.
  Index *const first = memory.As<Index>(), *const counts = first + x.NumElements();
  Index* const number = counts + x.NumElements();
  Index found = 0;
  Tensor *idx = nullptr, *count = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(1, x.shape(), &idx));
  for (Index i = 0; i < x.NumElements(); ++i) {
    const Index same = table.FindOrAdd(i);
    const Index n = same < 0 ? found : number[same];
    if (same < 0) {
      first[found] = i;
      counts[found++] = 0;
    }
    number[i] = n;
    ++counts[n];
    StoreIndex(idx, i, n);
  }
  TENON_RETURN_IF_ERROR(TakeElements(context, 0, x, {first, static_cast<std::size_t>(found)}));
  if (!with_counts) return OkStatus();
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({found}), &count));
  for (Index i = 0; i < found; ++i) StoreIndex(count, i, counts[i]);
  return OkStatus();
}

}  // namespace detail

// input: [a, b]  ->  [n, 2]: the indices of the n elements that are not zero, in row-major order
struct Where {
  static constexpr auto signature =
      Op("Where")
          .Input("input: T")
          .Output("index: int64")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = DT_BOOL")
          .SetShapeFn(detail::WhereShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kPodTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& index) const {
      return Run(context.op(), context.device(), input, &index);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Tensor& input, Tensor* index) {
    const int rank = input.dims();
    if (rank < 1 || rank > 8) return errors::InvalidArgument("WhereOp : Unhandled input dimensions: ", rank);
    if (input.dtype() == DataType::kHalf)
      return errors::Unimplemented("No WhereOp available for float16/half type on CPU");
    const Index n = input.NumElements(), parts = IsComplex(input.dtype()) ? 2 : 1;
    const DataType part = input.dtype() == DataType::kComplex64    ? DataType::kFloat
                          : input.dtype() == DataType::kComplex128 ? DataType::kDouble
                                                                   : input.dtype();
    const bool is_mask = part == DataType::kBool;
    const Scratch scratch(device, is_mask ? 0 : static_cast<std::size_t>(n * parts));
    TENON_RETURN_IF_ERROR(scratch.status("Where"));
    if (!is_mask)
      TENON_RETURN_IF_ERROR(
          tenon::Cast(device, part, input.raw_data(), DataType::kBool, scratch.As<bool>(), n * parts, false));
    if (parts == 2) {
      bool* const set = scratch.As<bool>();
      for (Index i = 0; i < n; ++i) set[i] = set[2 * i] || set[2 * i + 1];
    }
    const bool* const set = is_mask ? input.data<bool>() : scratch.As<bool>();
    Index count = 0;
    for (Index i = 0; i < n; ++i) count += set[i] ? 1 : 0;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({count, Index{rank}}), &index));
    if (count > 0) WritePlaces(input.shape(), set, index->data<std::int64_t>());
    return OkStatus();
  }
  static void WritePlaces(const TensorShape& shape, const bool* set, std::int64_t* out) {
    const int last = shape.dims() - 1;
    const Index row = shape.dim_size(last), rows = shape.num_elements() / row;
    std::int64_t at[8] = {};  // indices of the row
    for (Index r = 0; r < rows; ++r, set += row) {
      for (Index i = 0; i < row; ++i) {
        if (!set[i]) continue;
        for (int d = 0; d < last; ++d) out[d] = at[d];
        out[last] = i;
        out += last + 1;
      }
      for (int d = last - 1; d >= 0 && ++at[d] == shape.dim_size(d); --d) at[d] = 0;
    }
  }
};

// y: the distinct elements in the order of their first appearance; x[i] = y[idx[i]]
struct Unique {
  static constexpr auto signature = Op("Unique")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Output("idx: out_idx")
                                        .Attr("T: type")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UniqueShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUniqueTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor&, Tensor&) const {
      return detail::RunUnique(context.op(), context.device(), x, false);
    }
  };
};

// And how often each of y is there.
struct UniqueWithCounts {
  static constexpr auto signature = Op("UniqueWithCounts")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Output("idx: out_idx")
                                        .Output("count: out_idx")
                                        .Attr("T: type")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::UniqueShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kUniqueTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, Tensor&, Tensor&, Tensor&) const {
      return detail::RunUnique(context.op(), context.device(), x, true);
    }
  };
};

// The elements of x that y does not have, and where they are in x.
struct ListDiff {
  static constexpr auto signature = Op("ListDiff")
                                        .Input("x: T")
                                        .Input("y: T")
                                        .Output("out: T")
                                        .Output("idx: out_idx")
                                        .Attr("T: type")
                                        .Attr("out_idx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::ListDiffShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kListDiffTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, const Tensor& y, Tensor&, Tensor& idx) const {
      return Run(context.op(), context.device(), x, y, &idx);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Cpu& device, const Tensor& x, const Tensor& y, Tensor* idx) {
    if (x.dims() != 1) return errors::InvalidArgument("ListDiff: x should be a 1D vector, got shape ", x.shape());
    if (y.dims() != 1) return errors::InvalidArgument("ListDiff: y should be a 1D vector, got shape ", y.shape());
    const detail::ElementKeys keys(x), others(y);
    detail::ElementTable table(device, others);
    TENON_RETURN_IF_ERROR(table.status("ListDiff"));
    for (Index j = 0; j < y.NumElements(); ++j) (void)table.FindOrAdd(j);
    SlimVector<Index> left;
    for (Index i = 0; i < x.NumElements(); ++i)
      if (table.Find(keys, i) < 0) left.push_back(i);
    TENON_RETURN_IF_ERROR(detail::TakeElements(context, 0, x, left));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({static_cast<Index>(left.size())}), &idx));
    for (std::size_t i = 0; i < left.size(); ++i) detail::StoreIndex(idx, static_cast<Index>(i), left[i]);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
