// SPDX-License-Identifier: Apache-2.0
#pragma once
// AsString, StringToNumber: numbers written and read.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/printf.hpp>
#include <tenon/engine/text/strings.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Elements of one dtype as the type that printf takes.
template <class T>
void PrintIntegers(const Tensor& in, const NumberFormat& f, tstring* out) {
  using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
  const PrintfFormat format(f, "ll");
  const bool plain = f.is_plain() && sizeof(T) < sizeof(std::int64_t) + std::size_t{std::is_signed_v<T>};
  for (Index i = 0; i < in.NumElements(); ++i) {
    if (plain)
      AppendInteger(static_cast<std::int64_t>(in.data<T>()[i]), out + i);
    else
      PrintNumber(format, static_cast<Wide>(in.data<T>()[i]), out + i);
  }
}
inline void PrintReal(const NumberFormat& f, const PrintfFormat& format, double value, tstring* out) {
  constexpr int kDefaultPrecision = 6;
  if (f.conversion == 'f' && f.is_plain() && AppendFixed(value, f.precision < 0 ? kDefaultPrecision : f.precision, out))
    return;
  PrintNumber(format, value, out);
}
template <class T>
void PrintReals(const Tensor& in, const NumberFormat& f, tstring* out) {
  const PrintfFormat format(f, "");
  for (Index i = 0; i < in.NumElements(); ++i)
    PrintReal(f, format, static_cast<double>(static_cast<float>(in.data<T>()[i])), out + i);
}
inline void PrintDoubles(const Tensor& in, const NumberFormat& f, tstring* out) {
  const PrintfFormat format(f, "");
  for (Index i = 0; i < in.NumElements(); ++i) PrintReal(f, format, in.data<double>()[i], out + i);
}
template <class T>
void PrintComplex(const Tensor& in, const NumberFormat& f, tstring* out) {
  const PrintfFormat format(f, "");
  for (Index i = 0; i < in.NumElements(); ++i) {
    out[i].append("(");
    PrintReal(f, format, static_cast<double>(in.data<T>()[i].real()), out + i);
    out[i].append(",");
    PrintReal(f, format, static_cast<double>(in.data<T>()[i].imag()), out + i);
    out[i].append(")");
  }
}

// Texts get blanks up to the width, in front or, with the flag '-', behind; where there is one, a precision cuts them
// off.
inline void PrintTexts(const Tensor& in, const NumberFormat& f, tstring* out) {
  for (Index i = 0; i < in.NumElements(); ++i) {
    std::string_view text = in.data<tstring>()[i].view();
    if (f.width > 0 && f.precision >= 0) text = text.substr(0, static_cast<std::size_t>(f.precision));
    const std::size_t width = f.width < 0 ? 0 : static_cast<std::size_t>(f.width);
    const std::size_t blanks = width > text.size() ? width - text.size() : 0;
    if (f.flag != '-') out[i].append(blanks, ' ');
    out[i].append(text);
    if (f.flag == '-') out[i].append(blanks, ' ');
  }
}

inline void PrintTensor(const Tensor& in, const NumberFormat& f, tstring* out) {
  switch (in.dtype()) {
    case DataType::kInt8: return PrintIntegers<std::int8_t>(in, f, out);
    case DataType::kInt16: return PrintIntegers<std::int16_t>(in, f, out);
    case DataType::kInt32: return PrintIntegers<std::int32_t>(in, f, out);
    case DataType::kInt64: return PrintIntegers<std::int64_t>(in, f, out);
    case DataType::kUint8: return PrintIntegers<std::uint8_t>(in, f, out);
    case DataType::kUint16: return PrintIntegers<std::uint16_t>(in, f, out);
    case DataType::kUint32: return PrintIntegers<std::uint32_t>(in, f, out);
    case DataType::kUint64: return PrintIntegers<std::uint64_t>(in, f, out);
    case DataType::kHalf: return PrintReals<half>(in, f, out);
    case DataType::kBfloat16: return PrintReals<bfloat16>(in, f, out);
    case DataType::kFloat: return PrintReals<float>(in, f, out);
    case DataType::kDouble: return PrintDoubles(in, f, out);
    case DataType::kComplex64: return PrintComplex<complex64>(in, f, out);
    case DataType::kComplex128: return PrintComplex<complex128>(in, f, out);
    case DataType::kString: return PrintTexts(in, f, out);
    case DataType::kBool:
      for (Index i = 0; i < in.NumElements(); ++i) out[i].assign(in.data<bool>()[i] ? "true" : "false");
      return;
    default:
      for (Index i = 0; i < in.NumElements(); ++i) out[i].assign(in.data<Variant>()[i].DebugString());
  }
}

}  // namespace detail

// As printf writes numbers: %d, %f, %e (scientific), %g (shortest). `fill` is one of printf's flags.
struct AsString {
  static constexpr auto signature =
      Op("AsString")
          .Input("input: T")
          .Output("output: string")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, complex128, bool, variant, string}")
          .Attr("precision: int = -1")
          .Attr("scientific: bool = false")
          .Attr("shortest: bool = false")
          .Attr("width: int = -1")
          .Attr("fill: string = ''")
          .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    std::int64_t precision;
    bool scientific;
    bool shortest;
    std::int64_t width;
    std::string_view fill;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return Plan(*this, c.input_type(0), &format); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      detail::PrintTensor(input, format, out->data<tstring>());
      return OkStatus();
    }
    NumberFormat format;
  };

 private:
  static Status Plan(const Attrs& attrs, DataType dtype, NumberFormat* format) {
    constexpr DataTypeSet kReal = ToSet(DataType::kHalf) | ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat) |
                                  ToSet(DataType::kDouble) | kComplexTypes;
    const bool real = kReal.contains(dtype);
    if (!real && dtype != DataType::kString) {
      if (attrs.scientific || attrs.shortest)
        return errors::InvalidArgument("AsString: scientific and shortest format not supported for datatype ", dtype);
      if (attrs.precision >= 0)
        return errors::InvalidArgument("AsString: precision not supported for datatype ", dtype);
    }
    if (attrs.fill.size() > 1)
      return errors::InvalidArgument("AsString: Fill string must be one or fewer characters, got '", attrs.fill, "'");
    if (attrs.scientific && attrs.shortest)
      return errors::InvalidArgument("AsString: Cannot select both scientific and shortest notation");
    if (!attrs.fill.empty() && std::string_view(" +-0#").find(attrs.fill) == std::string_view::npos)
      return errors::InvalidArgument("AsString: Fill argument not supported: \"", attrs.fill, "\"");
    if (attrs.width > kLongestNumber || attrs.precision > kLongestNumber)
      return errors::InvalidArgument("AsString: width ", attrs.width, " and precision ", attrs.precision,
                                     " must be at most ", kLongestNumber);
    format->flag = attrs.fill.empty() ? '\0' : attrs.fill[0];
    format->width = attrs.width < 0 ? -1 : static_cast<int>(attrs.width);
    format->precision = attrs.precision < 0 ? -1 : static_cast<int>(attrs.precision);
    format->conversion = attrs.scientific ? 'e' : attrs.shortest ? 'g' : 'f';
    if (!real) format->conversion = kUnsignedTypes.contains(dtype) ? 'u' : 'd';
    return OkStatus();
  }
  static constexpr DataTypeSet kUnsignedTypes =
      ToSet(DataType::kUint8) | ToSet(DataType::kUint16) | ToSet(DataType::kUint32) | ToSet(DataType::kUint64);
};

// The whole text must be a number; blanks around it are allowed.
struct StringToNumber {
  static constexpr auto signature = Op("StringToNumber")
                                        .Input("string_tensor: string")
                                        .Output("output: out_type")
                                        .Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor& output) const {
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      for (Index i = 0; i < input.NumElements(); ++i)
        if (!Read(input.data<tstring>()[i].view(), out, i))
          return errors::InvalidArgument("StringToNumberOp could not correctly convert string: ",
                                         input.data<tstring>()[i].view());
      return OkStatus();
    }
  };

  // Element i of *out := the number that `text` is, if it is one.
  static bool Read(std::string_view text, Tensor* out, Index i) {
    const DataType dtype = out->dtype();
    if (dtype == DataType::kFloat || dtype == DataType::kDouble) {
      double value = 0;
      if (!ReadReal(text, &value)) return false;
      if (dtype == DataType::kFloat)
        out->data<float>()[i] = static_cast<float>(value);
      else
        out->data<double>()[i] = value;
      return true;
    }
    const bool wide = dtype == DataType::kInt64 || dtype == DataType::kUint64;
    std::uint64_t value = 0;
    if (!ReadInteger(text, dtype == DataType::kInt32 || dtype == DataType::kInt64, wide ? 64 : 32, &value))
      return false;
    if (wide)
      static_cast<std::uint64_t*>(out->raw_data())[i] = value;
    else
      static_cast<std::uint32_t*>(out->raw_data())[i] = static_cast<std::uint32_t>(value);
    return true;
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
