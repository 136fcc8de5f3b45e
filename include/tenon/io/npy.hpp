// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumPy's .npy files: one array, written by numpy.save. Numbers, bools and complex numbers, little-endian, C order.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "tenon: .npy files are read and written on little-endian machines");

struct NpyType {
  std::string_view descr;  // without the byte order
  DataType dtype;
};
inline constexpr NpyType kNpyTypes[] = {
    {"f4", DataType::kFloat},     {"f8", DataType::kDouble},      {"f2", DataType::kHalf},   {"b1", DataType::kBool},
    {"i1", DataType::kInt8},      {"i2", DataType::kInt16},       {"i4", DataType::kInt32},  {"i8", DataType::kInt64},
    {"u1", DataType::kUint8},     {"u2", DataType::kUint16},      {"u4", DataType::kUint32}, {"u8", DataType::kUint64},
    {"c8", DataType::kComplex64}, {"c16", DataType::kComplex128},
};

// The header's text, a Python dict: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class NpyHeader {
 public:
  std::string descr;
  bool fortran_order = false;
  InlinedVector<Index, 8> shape;

  bool Parse(std::string_view text) {
    text_ = text;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return false;
    while (!Take('}')) {
      std::string key;
      if (!String(&key) || !Take(':')) return false;
      if (key == "descr") {
        if (Peek('[')) return descr = "[...]", Skip();  // a structured type: refused by its descr
        has_descr = String(&descr);
        if (!has_descr) return false;
      } else if (key == "fortran_order") {
        has_order = Word("True") ? (fortran_order = true) : Word("False");
        if (!has_order) return false;
      } else if (key == "shape") {
        has_shape = Shape();
        if (!has_shape) return false;
      } else {
        return false;
      }
      if (!Take(',') && !Peek('}')) return false;
    }
    return has_descr && has_order && has_shape;
  }

 private:
  void Blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t'))
      text_.remove_prefix(1);
  }
  bool Peek(char c) {
    Blanks();
    return !text_.empty() && text_.front() == c;
  }
  bool Take(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Word(std::string_view word) {
    Blanks();
    if (!StartsWith(text_, word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool String(std::string* out) {
    Blanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return false;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return false;
    out->assign(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return true;
  }
  bool Shape() {
    if (!Take('(')) return false;
    while (!Take(')')) {
      Blanks();
      std::size_t digits = 0;
      while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') ++digits;
      Index size = 0;
      if (!ParseInt64(text_.substr(0, digits), &size) || shape.size() > kMaxTensorRank) return false;
      text_.remove_prefix(digits);
      static_cast<void>(Word("L"));  // Python 2
      shape.push_back(size);
      if (!Take(',') && !Peek(')')) return false;
    }
    return true;
  }
  bool Skip() {
    text_ = {};
    return true;
  }

  std::string_view text_;
};

inline Status NpyDataType(const NpyHeader& header, const std::string& path, DataType* dtype) {
  std::string_view type = header.descr;
  const char order = type.empty() ? '?' : type.front();
  if (order == '<' || order == '>' || order == '|' || order == '=') type.remove_prefix(1);
  for (const NpyType& known : kNpyTypes) {
    if (known.descr != type) continue;
    if (order == '>' && SizeOf(known.dtype) > 1) {
      return errors::Unimplemented("ReadNpy: '", path, "' has big-endian elements ('", header.descr,
                                   "'); save it with array.astype(array.dtype.newbyteorder('<'))");
    }
    *dtype = known.dtype;
    return OkStatus();
  }
  if (StartsWith(type, "O")) {
    return errors::Unimplemented("ReadNpy: '", path,
                                 "' has Python objects as elements (dtype object); an array of numbers is wanted");
  }
  return errors::Unimplemented("ReadNpy: '", path, "' has elements of NumPy type '", header.descr,
                               "'; numbers, bools and complex numbers can be read");
}

}  // namespace detail

// The array of a .npy file (format 1, 2 or 3) as a view of the mapped file. NotFound when there is no such file,
// DataLoss when it is no .npy file or cut short, Unimplemented for elements or a layout that tensors do not have; each
// names the path.
inline Result<Tensor> ReadNpy(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (bytes.size() < 10 || bytes.substr(0, 6) != "\x93NUMPY") {
    return errors::DataLoss("ReadNpy: '", path, "' is not a .npy file: it does not start with \\x93NUMPY");
  }
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return errors::Unimplemented("ReadNpy: '", path, "' has format version ", version, "; 1 to 3 can be read");
  std::size_t start = 10, header_bytes = byte(8) | byte(9) << 8;
  if (version > 1) {
    if (bytes.size() < 12) return errors::DataLoss("ReadNpy: '", path, "' ends inside its header");
    start = 12;
    header_bytes |= byte(10) << 16 | byte(11) << 24;
  }
  if (header_bytes > bytes.size() - start) return errors::DataLoss("ReadNpy: '", path, "' ends inside its header");

  detail::NpyHeader header;
  if (!header.Parse(bytes.substr(start, header_bytes))) {
    return errors::DataLoss("ReadNpy: '", path, "' has a header that cannot be read: ",
                            CEscape(bytes.substr(start, header_bytes).substr(0, 200)));
  }
  DataType dtype = DataType::kInvalid;
  TENON_RETURN_IF_ERROR(detail::NpyDataType(header, path, &dtype));
  TensorShape shape;
  if (Status s = TensorShape::Build({header.shape.data(), header.shape.size()}, &shape); !s.ok()) {
    return Status(s.code(), StrCat("ReadNpy: '", path, "': ", s.message()));
  }
  int wide_dims = 0;
  for (const Index size : shape) wide_dims += size != 1 ? 1 : 0;
  if (header.fortran_order && wide_dims > 1 && shape.num_elements() > 0) {
    return errors::Unimplemented("ReadNpy: '", path,
                                 "' is in Fortran order; save it with numpy.ascontiguousarray(array)");
  }

  const std::string_view data = bytes.substr(start + header_bytes);
  const auto elements = static_cast<std::uint64_t>(shape.num_elements());
  const auto element = static_cast<std::uint64_t>(SizeOf(dtype));
  if (elements > data.size() / element) {
    return errors::DataLoss("ReadNpy: '", path, "' is cut short: it has ", data.size(), " bytes of data, and shape ",
                            shape, " of type ", dtype, " needs ", elements, " times ", element);
  }
  if (elements == 0) return Tensor(dtype, shape, nullptr);
  if (dtype == DataType::kBool) {
    for (const char c : data.substr(0, static_cast<std::size_t>(elements))) {
      if (static_cast<unsigned char>(c) > 1)
        return errors::DataLoss("ReadNpy: '", path, "' has a bool that is neither 0 nor 1");
    }
  }
  if (reinterpret_cast<std::uintptr_t>(data.data()) % Allocator::kAlignment == 0) {
    return Tensor::ViewOf(file.buffer(), dtype, shape, data.data());
  }
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(dtype, shape));
  std::memcpy(tensor.raw_data(), data.data(), static_cast<std::size_t>(elements * element));
  return tensor;
}

// Writes the tensor, which must be in memory of the host, as numpy.save would. Unimplemented for types that NumPy does
// not have.
inline Status WriteNpy(const std::string& path, const Tensor& tensor) {
  std::string_view descr;
  for (const detail::NpyType& known : detail::kNpyTypes) {
    if (known.dtype == tensor.dtype()) descr = known.descr;
  }
  if (descr.empty())
    return errors::Unimplemented("WriteNpy: '", path, "': NumPy has no type for elements of type ", tensor.dtype());
  if (!tensor.IsInitialized())
    return errors::FailedPrecondition("WriteNpy: '", path, "': the tensor is not initialised");
  std::string header =
      StrCat("{'descr': '", SizeOf(tensor.dtype()) == 1 ? "|" : "<", descr, "', 'fortran_order': False, 'shape': (",
             StrJoin(tensor.shape(), ", "), tensor.dims() == 1 ? ",), }" : "), }");
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';  // 254 dimensions need less than the 64 KiB of format 1
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  if (tensor.NumElements() > 0) out += tensor.tensor_data();
  return WriteFile(path, out);
}

TENON_NAMESPACE_END
