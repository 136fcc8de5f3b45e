// SPDX-License-Identifier: Apache-2.0
#pragma once
// Summary messages, as TensorBoard reads them: their parts are written as text, and summaries of others are checked.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/wire/utf8.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// ---- parts of messages, in the order of their field numbers

inline void PutVarint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}
// A number that is 0 is left out.
inline void PutInt(std::uint32_t field, std::int64_t value, std::string* out) {
  if (value == 0) return;
  PutVarint(field << 3, out);
  PutVarint(static_cast<std::uint64_t>(value), out);
}
inline void PutBytes(std::uint32_t field, std::string_view bytes, std::string* out) {
  PutVarint(field << 3 | 2, out);
  PutVarint(bytes.size(), out);
  out->append(bytes);
}
inline void PutText(std::uint32_t field, std::string_view text, std::string* out) {
  if (!text.empty()) PutBytes(field, text, out);
}
inline void PutFloat(std::uint32_t field, float value, std::string* out) {
  PutVarint(field << 3 | 5, out);
  char bytes[4];
  std::memcpy(bytes, &value, 4);
  out->append(bytes, 4);
}
inline void PutDouble(std::uint32_t field, double value, std::string* out) {
  char bytes[8];
  std::memcpy(bytes, &value, 8);
  if (std::string_view(bytes, 8) == std::string_view("\0\0\0\0\0\0\0\0", 8)) return;
  PutVarint(field << 3 | 1, out);
  out->append(bytes, 8);
}
inline void PutDoubles(std::uint32_t field, const SlimVector<double>& values, std::string* out) {
  PutBytes(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)}, out);
}

// Fields of Summary and of Summary.Value.
inline constexpr std::uint32_t kSummaryValue = 1;
inline constexpr std::uint32_t kValueTag = 1, kValueNumber = 2, kValueImage = 4, kValueHistogram = 5, kValueAudio = 6,
                               kValueNode = 7, kValueTensor = 8, kValueMetadata = 9;

// Sets *message to a TensorProto: strings and handles in their fields, other values as they lie in memory.
inline Status TensorMessage(const Tensor& tensor, std::string* message) {
  TENON_RETURN_IF_ERROR(CheckTensorCanBeWritten(tensor));
  const bool plain = kPlainTypes.contains(tensor.dtype());
  TensorToProto(tensor, message, plain ? TensorProtoForm::kContent : TensorProtoForm::kTyped);
  return OkStatus();
}

// ---- numbers

// Element i as a float or a double; 0 of a type that is not a number.
template <class F>
F ElementAs(const Tensor& tensor, Index i) {
  switch (tensor.dtype()) {
    case DataType::kFloat: return static_cast<F>(tensor.data<float>()[i]);
    case DataType::kDouble: return static_cast<F>(tensor.data<double>()[i]);
    case DataType::kHalf: return static_cast<F>(static_cast<float>(tensor.data<half>()[i]));
    case DataType::kBfloat16: return static_cast<F>(static_cast<float>(tensor.data<bfloat16>()[i]));
    case DataType::kInt8: return static_cast<F>(tensor.data<std::int8_t>()[i]);
    case DataType::kUint8: return static_cast<F>(tensor.data<std::uint8_t>()[i]);
    case DataType::kInt16: return static_cast<F>(tensor.data<std::int16_t>()[i]);
    case DataType::kUint16: return static_cast<F>(tensor.data<std::uint16_t>()[i]);
    case DataType::kInt32: return static_cast<F>(tensor.data<std::int32_t>()[i]);
    case DataType::kUint32: return static_cast<F>(tensor.data<std::uint32_t>()[i]);
    case DataType::kInt64: return static_cast<F>(tensor.data<std::int64_t>()[i]);
    case DataType::kUint64: return static_cast<F>(tensor.data<std::uint64_t>()[i]);
    case DataType::kBool: return static_cast<F>(tensor.data<bool>()[i]);
    default: return F(0);
  }
}

// A value with one number.
inline void ScalarValue(std::string_view tag, float number, std::string* value) {
  PutText(kValueTag, tag, value);
  PutFloat(kValueNumber, number, value);
}

// ---- histograms

// The upper limits of TensorFlow's buckets: each is a tenth larger than the one before, on both sides of 0.
inline SlimVector<double> BucketLimits() {
  SlimVector<double> limits, positive;
  for (double limit = 1.0e-12; limit < 1.0e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(std::numeric_limits<double>::max());
  for (std::size_t i = positive.size(); i-- > 0;) limits.push_back(-positive[i]);
  limits.push_back(0.0);
  for (const double limit : positive) limits.push_back(limit);
  return limits;
}

// Numbers counted in TensorFlow's buckets.
class HistogramCounts {
 public:
  void Add(double value) {
    const double* const bucket = std::upper_bound(limits_.begin(), limits_.end(), value);
    counts_[std::min(static_cast<std::size_t>(bucket - limits_.begin()), counts_.size() - 1)] += 1;
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
    sum_ += value;
    squares_ += value * value;
    ++number_;
  }
  // Appends a HistogramProto. Of empty buckets in a row only the last one is written.
  void Append(std::string* message) const {
    SlimVector<double> kept_limits, kept_counts;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] == 0 && i + 1 < counts_.size() && counts_[i + 1] == 0) continue;
      kept_limits.push_back(limits_[i]);
      kept_counts.push_back(counts_[i]);
    }
    PutDouble(1, least_, message);
    PutDouble(2, greatest_, message);
    PutDouble(3, number_, message);
    PutDouble(4, sum_, message);
    PutDouble(5, squares_, message);
    PutDoubles(6, kept_limits, message);
    PutDoubles(7, kept_counts, message);
  }

 private:
  SlimVector<double> limits_ = BucketLimits(), counts_ = SlimVector<double>(limits_.size());
  double least_ = limits_.back(), greatest_ = limits_.front(), sum_ = 0, squares_ = 0, number_ = 0;
};

// Appends a HistogramProto of all elements to *message.
inline Status HistogramMessage(const Tensor& values, std::string_view where, std::string* message) {
  HistogramCounts counts;
  for (Index i = 0; i < values.NumElements(); ++i) {
    const double value = ElementAs<double>(values, i);
    if (std::isnan(value)) return errors::InvalidArgument("Nan in summary histogram for: ", where);
    if (std::isinf(value)) return errors::InvalidArgument("Infinity in summary histogram for: ", where);
    counts.Add(value);
  }
  counts.Append(message);
  return OkStatus();
}

// ---- messages that are given

// The fields of a message that are messages themselves, or texts.
struct GivenField {
  std::uint32_t field;
  const struct GivenMessage* message;  // null: text in UTF-8
};
struct GivenMessage {
  std::size_t count;
  const GivenField* fields;
};
inline constexpr GivenMessage kGivenBytes{0, nullptr};
inline constexpr GivenField kPluginFields[] = {{1, nullptr}};
inline constexpr GivenMessage kGivenPlugin{1, kPluginFields};
inline constexpr GivenField kMetadataFields[] = {{1, &kGivenPlugin}, {2, nullptr}, {3, nullptr}};
inline constexpr GivenMessage kGivenMetadata{3, kMetadataFields};
inline constexpr GivenField kTensorFields[] = {{2, &kGivenBytes}};
inline constexpr GivenMessage kGivenTensor{1, kTensorFields};
inline constexpr GivenField kAudioFields[] = {{5, nullptr}};
inline constexpr GivenMessage kGivenAudio{1, kAudioFields};
inline constexpr GivenField kValueFields[] = {
    {kValueTag, nullptr},  {kValueImage, &kGivenBytes},   {kValueHistogram, &kGivenBytes},  {kValueAudio, &kGivenAudio},
    {kValueNode, nullptr}, {kValueTensor, &kGivenTensor}, {kValueMetadata, &kGivenMetadata}};
inline constexpr GivenMessage kGivenValue{7, kValueFields};
inline constexpr GivenField kSummaryFields[] = {{kSummaryValue, &kGivenValue}};
inline constexpr GivenMessage kGivenSummary{1, kSummaryFields};
inline constexpr GivenField kSourceFields[] = {{1, nullptr}};
inline constexpr GivenMessage kGivenSource{1, kSourceFields};
inline constexpr GivenField kEventFields[] = {{3, nullptr}, {5, &kGivenSummary}, {10, &kGivenSource}};
inline constexpr GivenMessage kGivenEvent{3, kEventFields};

inline bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = wire::detail::Utf8Size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

// Whether the bytes are such a message, as far as protocol buffers check it.
inline bool IsMessage(std::string_view bytes, const GivenMessage& message) {
  wire::Reader reader({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  wire::Tag tag;
  while (reader.ReadTag(&tag)) {
    if (tag.type != wire::WireType::kBytes) {
      if (!reader.Skip(tag)) return false;
      continue;
    }
    std::string_view part;
    if (!reader.ReadBytes(&part)) return false;
    for (std::size_t i = 0; i < message.count; ++i) {
      const GivenField& known = message.fields[i];
      if (known.field != tag.field) continue;
      if (known.message == nullptr ? !IsUtf8(part) : !IsMessage(part, *known.message)) return false;
    }
  }
  return reader.ok();
}

// Appends the values of a Summary to *out, and their tags to *tags. False if the bytes are not a Summary.
inline bool AppendValues(std::string_view summary, std::string* out, SlimVector<std::string_view>* tags) {
  if (!IsMessage(summary, kGivenSummary)) return false;
  wire::Reader values({reinterpret_cast<const std::byte*>(summary.data()), summary.size()});
  for (wire::Tag tag; values.ReadTag(&tag);) {
    std::string_view value, text;
    if (tag.field != kSummaryValue || tag.type != wire::WireType::kBytes) {
      if (!values.Skip(tag)) return false;
      continue;
    }
    if (!values.ReadBytes(&value)) return false;
    PutBytes(kSummaryValue, value, out);
    if (tags == nullptr) continue;
    wire::Reader fields({reinterpret_cast<const std::byte*>(value.data()), value.size()});
    for (wire::Tag field; fields.ReadTag(&field);) {
      const bool is_tag = field.field == kValueTag && field.type == wire::WireType::kBytes;
      if (is_tag ? !fields.ReadBytes(&text) : !fields.Skip(field)) return false;
    }
    if (!text.empty()) tags->push_back(text);
  }
  return true;
}

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
