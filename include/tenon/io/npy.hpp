// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's .npy files: one array, as numpy.save writes it. Numbers, bools, complex numbers, byte strings and Unicode
// strings, in either byte order and either order of dimensions.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/npy_header.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Copies elements of `width` bytes whose first dimension runs fastest into row-major order.
inline void FromFortranOrder(const char* from, char* to, const TensorShape& shape, std::size_t width) {
  const int last = shape.dims() - 1;
  const auto row = static_cast<std::size_t>(shape.dim_size(last));
  std::size_t index[kMaxTensorRank] = {}, stride[kMaxTensorRank];  // in elements, of `from`
  std::size_t total = 1;
  for (int d = 0; d <= last; ++d) {
    stride[d] = total;
    total *= static_cast<std::size_t>(shape.dim_size(d));
  }
  const std::size_t step = stride[last] * width;
  const auto copy_row = [&]<std::size_t kWidth>(const char* source, char* out) {
    const std::size_t bytes = kWidth == 0 ? width : kWidth;
    for (std::size_t i = 0; i < row; ++i) std::memcpy(out + i * bytes, source + i * step, bytes);
  };
  std::size_t start = 0;
  for (std::size_t rows = total / row; rows > 0; --rows, to += row * width) {
    const char* const source = from + start * width;
    switch (width) {
      case 1: copy_row.template operator()<1>(source, to); break;
      case 2: copy_row.template operator()<2>(source, to); break;
      case 4: copy_row.template operator()<4>(source, to); break;
      case 8: copy_row.template operator()<8>(source, to); break;
      default: copy_row.template operator()<0>(source, to); break;
    }
    for (int d = last - 1; d >= 0; --d) {
      start += stride[d];
      if (++index[d] < static_cast<std::size_t>(shape.dim_size(d))) break;
      start -= index[d] * stride[d];
      index[d] = 0;
    }
  }
}

inline void SwapBytes(char* bytes, std::size_t count, std::size_t number_bytes) {
  for (std::size_t i = 0; i + number_bytes <= count; i += number_bytes) {
    for (std::size_t a = i, b = i + number_bytes - 1; a < b; ++a, --b) std::swap(bytes[a], bytes[b]);
  }
}

// Converts a NumPy string of `count` characters of four bytes to UTF-8, without the zeros at its end. Returns false
// for a code that is not a character; *wrong then holds it.
inline bool NpyTextToUtf8(const char* from, std::size_t count, bool swapped, std::string* text, std::uint32_t* wrong) {
  text->clear();
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t c = 0;
    for (std::size_t b = 0; b < 4; ++b)
      c |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[4 * i + b])) << (8 * (swapped ? 3 - b : b));
    if (c == 0) {
      ++zeros;
      continue;
    }
    text->append(zeros, '\0');
    zeros = 0;
    *wrong = c;
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    const auto tail = [&](int shift) { text->push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3f))); };
    if (c < 0x80) {
      text->push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      text->push_back(static_cast<char>(0xc0 | (c >> 6))), tail(0);
    } else if (c < 0x10000) {
      text->push_back(static_cast<char>(0xe0 | (c >> 12))), tail(6), tail(0);
    } else {
      text->push_back(static_cast<char>(0xf0 | (c >> 18))), tail(12), tail(6), tail(0);
    }
  }
  return true;
}

// `at`: offset of the data in the file.
inline Result<Tensor> NpyStrings(const char* data, const TensorShape& shape, const NpyElement& element, bool reorder,
                                 std::string_view where, std::size_t at) {
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(DataType::kString, shape));
  Tensor ordered;
  const auto count = static_cast<std::size_t>(shape.num_elements());
  const auto width = static_cast<std::size_t>(element.bytes);
  if (reorder) {
    TENON_ASSIGN_OR_RETURN(ordered, Tensor::Make(DataType::kUint8, TensorShape({static_cast<Index>(count * width)})));
    FromFortranOrder(data, static_cast<char*>(ordered.raw_data()), shape, width);
    data = static_cast<const char*>(ordered.raw_data());
  }
  auto* const out = static_cast<tstring*>(tensor.raw_data());
  std::string text;
  for (std::size_t i = 0; i < count; ++i, data += width) {
    if (element.kind == NpyElement::Kind::kBytes) {
      const std::size_t last = std::string_view(data, width).find_last_not_of('\0');
      out[i].assign(std::string_view(data, last == std::string_view::npos ? 0 : last + 1));
      continue;
    }
    std::uint32_t wrong = 0;
    if (!NpyTextToUtf8(data, width / 4, element.swapped, &text, &wrong)) {
      return errors::DataLoss(where, ": data from byte ", at, " on: text number ", i,
                              reorder ? " in row-major order" : "", " has the code ", wrong,
                              ", which is no Unicode character");
    }
    out[i].assign(text);
  }
  return tensor;
}

// The bytes of a .npy file: `header`, then `data`, which is memory of the tensor or of `padded`.
struct NpyImage {
  std::string header;
  std::string_view data;
  Tensor padded;
};

inline Status NpyPadStrings(const Tensor& tensor, std::string_view where, std::string* descr, NpyImage* image) {
  std::size_t width = 1;
  const Span<const tstring> texts(static_cast<const tstring*>(tensor.raw_data()),
                                  static_cast<std::size_t>(tensor.NumElements()));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    if (!text.empty() && text.back() == '\0') {
      return errors::InvalidArgument(where, ": string number ", i,
                                     " ends in a zero byte, which NumPy drops; add a last byte that is not zero");
    }
    if (text.size() > width) width = text.size();
  }
  const Index bytes = MultiplyWithoutOverflow(static_cast<Index>(width), tensor.NumElements());
  if (bytes < 0 || width > 0x7fffffff) {
    return errors::InvalidArgument(where, ": ", texts.size(), " strings of ", width,
                                   " bytes each are too many; NumPy pads all strings to the longest");
  }
  TENON_ASSIGN_OR_RETURN(image->padded, Tensor::Make(DataType::kUint8, TensorShape({bytes})));
  char* to = static_cast<char*>(image->padded.raw_data());
  for (const tstring& text : texts) {
    std::memcpy(to, text.data(), text.size());
    std::memset(to + text.size(), 0, width - text.size());
    to += width;
  }
  image->data = image->padded.tensor_data();
  *descr = StrCat("'|S", width, "'");
  return OkStatus();
}

inline Result<NpyImage> MakeNpy(const Tensor& tensor, std::string_view where) {
  if (!tensor.IsInitialized()) return errors::FailedPrecondition(where, ": the tensor is not initialised");
  if (!tensor.HostAccessible())
    return errors::FailedPrecondition(where, ": the tensor is in memory of a device; copy it to the host first");
  NpyImage image;
  std::string descr;
  for (const NpyType& known : kNpyTypes) {
    if (known.dtype == tensor.dtype()) descr = StrCat("'", SizeOf(known.dtype) == 1 ? "|" : "<", known.descr, "'");
  }
  for (const NpyType& known : kNpyWholeTypes) {
    if (known.dtype == tensor.dtype() && known.descr.front() == '[') descr = known.descr;
  }
  if (kNpyVoidTypes.contains(tensor.dtype())) descr = StrCat("'<V", SizeOf(tensor.dtype()), "'");
  if (tensor.dtype() == DataType::kString) {
    TENON_RETURN_IF_ERROR(NpyPadStrings(tensor, where, &descr, &image));
  } else {
    image.data = tensor.tensor_data();
  }
  if (descr.empty()) return errors::Unimplemented(where, ": NumPy has no type for elements of type ", tensor.dtype());
  std::string text = StrCat("{'descr': ", descr, ", 'fortran_order': False, 'shape': (", StrJoin(tensor.shape(), ", "),
                            tensor.dims() == 1 ? ",), }" : "), }");
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';  // 254 dimensions need less than the 64 KiB of format 1
  text += '\n';
  image.header =
      StrCat(kNpyMagic, '\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8), text);
  return image;
}

}  // namespace detail

// Returns the array in the bytes of a .npy file (format 1, 2 or 3). It is a view of the bytes, which belong to
// `owner`, where they are in row-major order, little-endian, aligned for the type and of whole bytes. Otherwise, and
// without an owner, it is a copy. Ignores bytes behind the array. DataLoss: the bytes are not a whole .npy file.
// InvalidArgument: no tensor can hold the array. ResourceExhausted: beyond the limit. The messages start with `where`
// and have the byte's number.
inline Result<Tensor> ParseNpy(Span<const std::byte> file, Buffer* owner, std::string_view where,
                               const NpyOptions& options = {}) {
  using detail::NpyElement;
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.substr(0, 6) != detail::kNpyMagic)
    return errors::DataLoss(where, " is not a .npy file: it does not start with \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t start = bytes.size() > 6 && byte(6) == 1 ? 10 : 12;
  if (bytes.size() < start) return errors::DataLoss(where, " ends inside its header, at byte ", bytes.size());
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    return errors::InvalidArgument(where, ": at byte 6: it has format version ", byte(6), ".", byte(7),
                                   "; 1.0, 2.0 and 3.0 can be read");
  }
  std::size_t header_bytes = byte(8) | byte(9) << 8;
  if (start == 12) header_bytes |= byte(10) << 16 | byte(11) << 24;
  if (header_bytes > bytes.size() - start) {
    return errors::DataLoss(where, " ends inside its header, at byte ", bytes.size(), "; the header needs ",
                            header_bytes, " bytes from byte ", start, " on");
  }

  detail::NpyHeader header;
  if (!header.Parse(bytes.substr(start, header_bytes))) {
    const std::size_t at = start + header.at();
    return errors::DataLoss(where, " has a header that cannot be read: at byte ", at, ": expected ", header.expected(),
                            ", got '", CEscape(bytes.substr(start, header_bytes).substr(header.at(), 20)), "'");
  }
  NpyElement element;
  TENON_RETURN_IF_ERROR(detail::NpyElementOf(header, options, where, start + header.descr_at, &element));
  TensorShape shape;
  if (Status s = TensorShape::Build({header.shape.data(), header.shape.size()}, &shape); !s.ok())
    return Status(s.code(), StrCat(where, ": ", s.message()));

  const std::size_t data_at = start + header_bytes;
  const std::string_view data = bytes.substr(data_at);
  const auto elements = static_cast<std::uint64_t>(shape.num_elements());
  if (elements > data.size() / element.bytes) {
    return errors::DataLoss(where, " is cut short: it has ", data.size(), " bytes of data from byte ", data_at,
                            " on, and shape ", shape, " of type ", element.dtype, " needs ", elements, " times ",
                            element.bytes);
  }
  if (elements == 0) return Tensor(element.dtype, shape, nullptr);
  const auto check_memory = [&] {
    const std::uint64_t each = detail::ElementBytes(element.dtype);
    if (elements <= options.max_bytes / each) return OkStatus();
    return errors::ResourceExhausted(where, ": shape ", shape, " of type ", element.dtype, " needs ", elements,
                                     " times ", each, " bytes of memory, and the limit is ", options.max_bytes);
  };
  int wide_dims = 0;
  for (const Index size : shape) wide_dims += size != 1 ? 1 : 0;
  const bool reorder = header.fortran_order && wide_dims > 1;
  if (element.dtype == DataType::kString) {
    TENON_RETURN_IF_ERROR(check_memory());
    return detail::NpyStrings(data.data(), shape, element, reorder, where, data_at);
  }

  const auto data_bytes = static_cast<std::size_t>(elements * element.bytes);
  if (element.dtype == DataType::kBool) {
    for (std::size_t i = 0; i < data_bytes; ++i) {
      if (static_cast<unsigned char>(data[i]) > 1) {
        return errors::DataLoss(where, ": at byte ", data_at + i, ": a bool that is neither 0 nor 1, but ",
                                byte(data_at + i));
      }
    }
  }
  const std::size_t alignment =
      IsComplex(element.dtype) ? element.swapped_bytes : static_cast<std::size_t>(element.bytes);
  if (owner != nullptr && !reorder && !element.swapped && !IsSubByte(element.dtype) &&
      reinterpret_cast<std::uintptr_t>(data.data()) % alignment == 0) {
    return Tensor::ViewOf(owner, element.dtype, shape, data.data());
  }
  TENON_RETURN_IF_ERROR(check_memory());
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(element.dtype, shape));
  char* const out = static_cast<char*>(tensor.raw_data());
  if (reorder) {
    detail::FromFortranOrder(data.data(), out, shape, static_cast<std::size_t>(element.bytes));
  } else {
    std::memcpy(out, data.data(), data_bytes);
  }
  if (element.swapped) detail::SwapBytes(out, data_bytes, element.swapped_bytes);
  if (IsSubByte(element.dtype)) detail::WrapSubBytes(element.dtype, out, data_bytes);
  return tensor;
}

// Reads the array of a .npy file, as ParseNpy, where possible as a view of the mapped file, which must then not be
// written to in place (io/mapped_file.hpp). NotFound: no such file. Each message names the path. Byte strings ('S')
// come as they are, Unicode strings ('U') as UTF-8.
inline Result<Tensor> ReadNpy(const std::string& path, const NpyOptions& options = {}) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  return ParseNpy(file.bytes(), file.buffer(), StrCat("ReadNpy: '", path, "'"), options);
}

// Writes the tensor, which must be in memory of the host, as numpy.save would: strings as byte strings of the longest
// one's size, the types of ml_dtypes as void elements of as many bytes (in NumPy: array.view(ml_dtypes.bfloat16)).
// Unimplemented for resources and variants.
inline Status WriteNpy(const std::string& path, const Tensor& tensor) {
  TENON_ASSIGN_OR_RETURN(const detail::NpyImage image, detail::MakeNpy(tensor, StrCat("WriteNpy: '", path, "'")));
  const std::string_view pieces[] = {image.header, image.data};
  return WriteFile(path, pieces);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
