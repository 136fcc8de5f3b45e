// SPDX-License-Identifier: Apache-2.0
#pragma once
// DataFormatDimMap and DataFormatVecPermute: numbers of dimensions, and lists with an entry for each, from one order of
// an image's dimensions to another.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct DataFormatAttrs {
  std::string_view src_format, dst_format;
};

// A format's letters, at most five; those that count.
struct FormatLetters {
  char letters[5] = {};
  int size = 0;

  int Find(char letter) const {
    for (int i = 0; i < size; ++i)
      if (letters[i] == letter) return i;
    return -1;
  }
};

// `space_only`: leaves out what is not D, H or W (with two of them: not H or W).
inline FormatLetters LettersOf(std::string_view format, bool space_only) {
  FormatLetters all;
  for (const char c : format)
    if (!space_only || c == 'H' || c == 'W' || (c == 'D' && format.size() == 5)) all.letters[all.size++] = c;
  return all;
}

inline Status CheckFormats(std::string_view op, const DataFormatAttrs& a) {
  if (a.src_format.size() != 4 && a.src_format.size() != 5)
    return errors::InvalidArgument(op,
                                   ": Source format must be of length 4 or 5, received src_format = ", a.src_format);
  if (a.dst_format.size() != 4 && a.dst_format.size() != 5)
    return errors::InvalidArgument(
        op, ": Destination format must be of length 4 or 5, received dst_format = ", a.dst_format);
  // Each letter once, the same in both.
  const FormatLetters source = LettersOf(a.src_format, false), target = LettersOf(a.dst_format, false);
  bool permutes = source.size == target.size;
  for (int i = 0; permutes && i < source.size; ++i)
    permutes = source.Find(source.letters[i]) == i && target.Find(source.letters[i]) >= 0;
  if (permutes) return OkStatus();
  return errors::InvalidArgument(op, ": Destination and source format must determine a permutation, got ", a.src_format,
                                 " and ", a.dst_format);
}

template <class T>
void MapDimensions(const T* x, Index n, const int (&map)[5], int rank, T* out) {
  using U = std::make_unsigned_t<T>;
  for (Index i = 0; i < n; ++i) {
    const T place = static_cast<T>(static_cast<U>(x[i]) + static_cast<U>(rank)) % static_cast<T>(rank);
    out[i] = static_cast<T>(map[place < 0 ? rank - 1 : place]);  // below -rank: TensorFlow's answer
  }
}

}  // namespace detail

// x: numbers of dimensions in src_format, -4 to 3  ->  where these are in dst_format
struct DataFormatDimMap {
  static constexpr auto signature = Op("DataFormatDimMap")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .Attr("src_format: string = 'NHWC'")
                                        .Attr("dst_format: string = 'NCHW'")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  using Attrs = detail::DataFormatAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      TENON_RETURN_IF_ERROR(detail::CheckFormats("DataFormatDimMap", *this));
      const detail::FormatLetters source = detail::LettersOf(this->src_format, false),
                                  target = detail::LettersOf(this->dst_format, false);
      int map[5] = {};
      for (int i = 0; i < source.size; ++i) map[i] = target.Find(source.letters[i]);
      Tensor* out = &y;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, x.shape(), &out));
      if (x.dtype() == DataType::kInt32)
        detail::MapDimensions(x.template data<std::int32_t>(), x.NumElements(), map, source.size,
                              out->template data<std::int32_t>());
      else
        detail::MapDimensions(x.template data<std::int64_t>(), x.NumElements(), map, source.size,
                              out->template data<std::int64_t>());
      return OkStatus();
    }
  };
};

// x: [4] or [4, 2], or of the dimensions of space alone [2] or [2, 2] (one more for formats of five)  ->  the same, in
// another order
struct DataFormatVecPermute {
  static constexpr auto signature = Op("DataFormatVecPermute")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .Attr("src_format: string = 'NHWC'")
                                        .Attr("dst_format: string = 'NCHW'")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  using Attrs = detail::DataFormatAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& x, Tensor& y) const {
      constexpr std::string_view kName = "DataFormatVecPermute";
      TENON_RETURN_IF_ERROR(detail::CheckFormats(kName, *this));
      if (x.dims() != 1 && x.dims() != 2)
        return errors::InvalidArgument(kName, ": input must be a vector or 2D tensor, but got shape ", x.shape());
      const Index all = static_cast<Index>(this->src_format.size()), rows = x.dim_size(0);
      if (rows != all && rows != all - 2)
        return errors::InvalidArgument(kName, x.dims() == 1 ? ": 1D input" : ": First dimension of 2D input",
                                       " must be of size ", all - 2, " or ", all, ", but got shape ", x.shape());
      if (x.dims() == 2 && x.dim_size(1) != 2)
        return errors::InvalidArgument(kName, ": Second dimension of 2D input must be of size 2, but got shape ",
                                       x.shape());
      const detail::FormatLetters source = detail::LettersOf(this->src_format, rows != all),
                                  target = detail::LettersOf(this->dst_format, rows != all);
      if (source.size != rows || target.size != rows)
        return errors::InvalidArgument(kName, ": Format specifier must contain H and W (and D) for ", rows,
                                       " dimensions of space, got ", this->src_format);
      Tensor* out = &y;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, x.shape(), &out));
      const auto bytes = static_cast<std::size_t>(x.NumElements() / rows) * (x.dtype() == DataType::kInt32 ? 4U : 8U);
      for (int i = 0; i < source.size; ++i) {
        const auto to = static_cast<std::size_t>(target.Find(source.letters[i]));
        std::memcpy(static_cast<char*>(out->raw_data()) + to * bytes,
                    static_cast<const char*>(x.raw_data()) + static_cast<std::size_t>(i) * bytes, bytes);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
