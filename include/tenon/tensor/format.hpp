// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor's values as a string, in TensorFlow's two layouts. Tensor::SummarizeValue is the way in.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/variant_element.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN
namespace detail {

// C escapes, but bytes of UTF-8 stay as they are.
inline std::string Utf8SafeCEscape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += c;
    } else {
      out += CEscape(std::string_view(&c, 1));
    }
  }
  return out;
}

// Types whose values TensorFlow prints as "?" or each in its own way: their layout has no brackets of dimensions.
inline constexpr DataTypeSet kIrregularlyPrintedTypes =
    kComplexTypes | ToSet(DataType::kQint32) | ToSet(DataType::kFloat8E4M3FNUZ) | ToSet(DataType::kFloat8E5M2FNUZ) |
    ToSet(DataType::kResource) | ToSet(DataType::kVariant);

// Writes the elements of one packed, row-major array.
class ArrayFormatter {
 public:
  // `limit`: elements in all (first layout), or at each end of every dimension (second).
  ArrayFormatter(DataType dtype, const void* data, Span<const Index> dims, Index limit, bool quoted)
      : dtype_(dtype), data_(data), dims_(dims), limit_(limit), quoted_(quoted) {}

  void AppendElement(Index i) {
    switch (dtype_) {
      case DataType::kFloat: return Real(At<float>(i));
      case DataType::kDouble: return StrAppend(&out_, At<double>(i));
      case DataType::kInt32: return Integer(At<std::int32_t>(i));
      case DataType::kUint32: return Integer(At<std::uint32_t>(i));
      case DataType::kInt16: return Integer(At<std::int16_t>(i));
      case DataType::kUint16: return Integer(At<std::uint16_t>(i));
      case DataType::kInt8: return Integer(static_cast<int>(At<std::int8_t>(i)));
      case DataType::kUint8: return Integer(static_cast<int>(At<std::uint8_t>(i)));
      case DataType::kInt64: return Integer(At<std::int64_t>(i));
      case DataType::kUint64: return StrAppend(&out_, At<std::uint64_t>(i));
      case DataType::kBool: out_ += static_cast<const unsigned char*>(data_)[i] != 0 ? '1' : '0'; return;
      case DataType::kHalf: return Real(static_cast<float>(At<half>(i)));
      case DataType::kBfloat16: return Real(static_cast<float>(At<bfloat16>(i)));
      case DataType::kFloat8E5M2: return Real(static_cast<float>(At<float8_e5m2>(i)));
      case DataType::kFloat8E4M3FN: return Real(static_cast<float>(At<float8_e4m3fn>(i)));
      case DataType::kFloat8E4M3B11FNUZ: return Real(static_cast<float>(At<float8_e4m3b11fnuz>(i)));
      case DataType::kFloat4E2M1FN: return Real(static_cast<float>(At<float4_e2m1fn>(i)));
      case DataType::kQint8: return Integer(static_cast<int>(At<qint8>(i)));
      case DataType::kQuint8: return Integer(static_cast<int>(At<quint8>(i)));
      case DataType::kQint16: return Integer(static_cast<int>(At<qint16>(i)));
      case DataType::kQuint16: return Integer(static_cast<int>(At<quint16>(i)));
      case DataType::kInt4: return Integer(static_cast<int>(At<int4>(i)));
      case DataType::kUint4: return Integer(static_cast<int>(At<uint4>(i)));
      case DataType::kInt2: return Integer(static_cast<int>(At<int2>(i)));
      case DataType::kUint2: return Integer(static_cast<int>(At<uint2>(i)));
      case DataType::kString: {
        const std::string text = Utf8SafeCEscape(static_cast<const tstring*>(data_)[i].view());
        return quoted_ ? StrAppend(&out_, "\"", text, "\"") : StrAppend(&out_, text);
      }
      case DataType::kResource:
        return StrAppend(&out_, "<", static_cast<const ResourceHandle*>(data_)[i].SummarizeValue(), ">");
      case DataType::kVariant:
        return StrAppend(&out_, "<", static_cast<const Variant*>(data_)[i].SummarizeValue(), ">");
      default: out_ += '?';
    }
  }

  // Elements one after the other.
  void AppendFlat(Index count) {
    for (Index i = 0; i < count; ++i) {
      if (i > 0) out_ += ' ';
      AppendElement(i);
    }
  }

  // First layout: brackets around every dimension but the innermost, up to `limit` elements.
  void AppendPlain(std::size_t d = 0) {
    if (next_ >= limit_) return;
    if (d + 1 == dims_.size()) {
      for (Index i = 0; i < dims_[d]; ++i) {
        if (next_ >= limit_) {
          if (d != 0) out_ += "...";
          return;
        }
        if (i > 0) out_ += ' ';
        AppendElement(next_++);
      }
      return;
    }
    for (Index i = 0; i < dims_[d] && next_ < limit_; ++i) {
      out_ += '[';
      AppendPlain(d + 1);
      out_ += ']';
    }
  }

  // Second layout, as tf.print: brackets around every dimension, the first and last `limit` items of each.
  void AppendNested(std::size_t d = 0, Index first = 0) {
    if (d == dims_.size()) return AppendElement(first);
    out_ += '[';
    const Index count = dims_[d];
    Index stride = 1;
    for (std::size_t inner = d + 1; inner < dims_.size(); ++inner) stride = MultiplySizes(stride, dims_[inner]);
    for (Index i = 0; i < limit_ && i < count; ++i) {
      if (i > 0) AppendSpacing(d);
      AppendNested(d + 1, first + stride * i);
    }
    if (count - limit_ > limit_) {
      AppendSpacing(d);
      out_ += "...";
    }
    for (Index i = limit_ > count - limit_ ? limit_ : count - limit_; i < count; ++i) {
      AppendSpacing(d);
      AppendNested(d + 1, first + stride * i);
    }
    out_ += ']';
  }

  void AppendText(std::string_view text) { out_ += text; }
  std::string Take() { return std::move(out_); }

 private:
  template <class T>
  TENON_DETAIL_ALWAYS_INLINE const T& At(Index i) const {
    return static_cast<const T*>(data_)[i];
  }
  void Integer(std::int64_t value) { StrAppend(&out_, value); }
  void Real(float value) { StrAppend(&out_, value); }
  void AppendSpacing(std::size_t d) {
    if (d + 1 == dims_.size()) {
      out_ += ' ';
      return;
    }
    out_.append(dims_.size() - d - 1, '\n');
    out_.append(d + 1, ' ');
  }

  DataType dtype_;
  const void* data_;
  Span<const Index> dims_;
  Index limit_;
  bool quoted_;
  Index next_ = 0;
  std::string out_;
};

// `data`: the elements, or null if there are none yet. max_entries < 0: all.
inline std::string SummarizeArray(DataType dtype, const void* data, const TensorShape& shape, Index max_entries,
                                  bool print_v2) {
  const Index n = shape.num_elements();
  if (max_entries < 0) max_entries = n;
  const Index limit = max_entries < n ? max_entries : n;
  if (limit > 0 && data == nullptr) {
    return StrCat("uninitialized Tensor of ", n, " elements of type ", static_cast<std::int32_t>(dtype));
  }
  if (limit == 0 && dtype == DataType::kBool) return "";  // as TensorFlow: no "..." for this type
  ArrayFormatter out(dtype, data, shape.dim_sizes(), limit, print_v2);
  if (kIrregularlyPrintedTypes.contains(dtype) || shape.dims() == 0) {
    const bool brackets = print_v2 && shape.dims() != 0;
    if (brackets) out.AppendText("[");
    out.AppendFlat(limit);
    if (n > limit) out.AppendText("...");
    if (brackets) out.AppendText("]");
  } else if (print_v2) {
    out.AppendNested();
  } else {
    out.AppendPlain();
    if (n > limit) out.AppendText("...");
  }
  return out.Take();
}

}  // namespace detail
TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
