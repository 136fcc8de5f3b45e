// SPDX-License-Identifier: Apache-2.0
#pragma once
// InitializeTableFromTextFileV2: a lookup table filled from the lines of a text file.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/strings.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/table/table_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Where a key or a value stands: a column from 0 on, or one of these.
inline constexpr std::int64_t kLineNumber = -1, kWholeLine = -2;

inline Status CheckTextColumn(std::string_view what, std::string_view role, std::int64_t column, DataType dtype) {
  if (column == kLineNumber && dtype != DataType::kInt64)
    return errors::InvalidArgument(what, " index for line number requires table ", role, " dtype of int64, got ",
                                   dtype);
  if (column == kWholeLine && dtype != DataType::kString && !tenon::kIntegerTypes.contains(dtype))
    return errors::InvalidArgument(what, " index for whole line requires table ", role,
                                   " dtype of integer or string, got ", dtype);
  return OkStatus();
}

struct VocabularyRule {
  std::string_view file;
  std::int64_t key, value;  // columns
  std::int64_t size;        // lines to read, -1: all
  std::int64_t offset;      // added to the numbers of lines
  char delimiter;
};

inline Status BadTextField(std::string_view text, Index line, std::string_view type) {
  return errors::InvalidArgument("Field ", text, " in line ", line, " is not a valid ", type, ".");
}
// Spaces around a number are allowed, as in TensorFlow.
inline Status StoreTextField(std::string_view text, Index line, Tensor* to) {
  std::uint64_t number = 0;
  double real = 0;
  switch (to->dtype()) {
    case DataType::kString: to->data<tstring>()[line].assign(text); return OkStatus();
    case DataType::kInt32:
      if (!ReadInteger(text, true, 32, &number)) return BadTextField(text, line, "int32");
      to->data<std::int32_t>()[line] = static_cast<std::int32_t>(number);
      return OkStatus();
    case DataType::kInt64:
      if (!ReadInteger(text, true, 64, &number)) return BadTextField(text, line, "int64");
      to->data<std::int64_t>()[line] = static_cast<std::int64_t>(number);
      return OkStatus();
    case DataType::kFloat:
    case DataType::kDouble:
      if (!ReadReal(text, &real)) return BadTextField(text, line, to->dtype() == DataType::kFloat ? "float" : "double");
      if (to->dtype() == DataType::kFloat)
        to->data<float>()[line] = static_cast<float>(real);
      else
        to->data<double>()[line] = real;
      return OkStatus();
    default: return errors::InvalidArgument("Data type ", to->dtype(), " not supported.");
  }
}

// As in TensorFlow, a table of nothing is not filled.
inline Status CheckAnyLine(const SlimVector<std::string_view>& lines, const VocabularyRule& rule) {
  if (!lines.empty()) return OkStatus();
  return errors::OutOfRange("Finished reading 0 of lines from ", rule.file);
}
// The lines of `text` that count, without their ends.
inline Status VocabularyLines(std::string_view text, const VocabularyRule& rule, SlimVector<std::string_view>* lines) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (rule.size != -1 && static_cast<std::int64_t>(lines->size()) >= rule.size) return CheckAnyLine(*lines, rule);
    if (line.empty() && at > text.size()) break;  // "\r" without an end of its own is no line
    if (line.empty())
      return errors::InvalidArgument("Invalid content in ", rule.file, ": empty line found at position ",
                                     std::min(at, text.size()), ".");
    lines->push_back(line);
  }
  const auto count = static_cast<std::int64_t>(lines->size());
  if (rule.size != -1 && count != rule.size)
    return errors::InvalidArgument("Invalid vocab_size in ", rule.file, ": expected ", rule.size, " but got ", count);
  return CheckAnyLine(*lines, rule);
}

// keys, values: a vector of as many elements as there are lines.
inline Status ReadVocabulary(const SlimVector<std::string_view>& lines, const VocabularyRule& rule, Tensor* keys,
                             Tensor* values) {
  const std::int64_t last = std::max(rule.key, rule.value);  // column that is read
  SlimVector<std::string_view> fields;
  for (Index i = 0; i < static_cast<Index>(lines.size()); ++i) {
    const std::string_view line = lines[static_cast<std::size_t>(i)];
    if (last >= 0) {
      fields.clear();
      for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(rule.delimiter, at), line.size());
        fields.push_back(line.substr(at, end - at));
        at = end + 1;
      }
      if (static_cast<std::int64_t>(fields.size()) <= last)
        return errors::InvalidArgument("Invalid number of columns in ", rule.file, " line ", i, " (", line,
                                       ") : expected at least ", static_cast<std::uint64_t>(last) + 1, " got ",
                                       fields.size());
    }
    for (const auto& [column, to] : {std::pair(rule.key, keys), std::pair(rule.value, values)}) {
      if (column == kLineNumber)
        to->data<std::int64_t>()[i] =  // wraps around, as in TensorFlow
            static_cast<std::int64_t>(static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(rule.offset));
      else
        TENON_RETURN_IF_ERROR(
            StoreTextField(column == kWholeLine ? line : fields[static_cast<std::size_t>(column)], i, to));
    }
  }
  return OkStatus();
}

inline Status InitializeTableFromFile(const OpKernelContext& context, const Tensor& filename, VocabularyRule rule) {
  if (filename.dims() != 0)
    return errors::InvalidArgument("filename should be a single string, but got ", filename.shape());
  Ref<LookupTable> table;
  TENON_RETURN_IF_ERROR(LookupEither<LookupTable>(context, 0, &table));
  if (!table->once()) return errors::InvalidArgument("Table ", table->name(), " is not initializable");
  TENON_RETURN_IF_ERROR(CheckTextColumn("Key", "key", rule.key, table->key_dtype()));
  TENON_RETURN_IF_ERROR(CheckTextColumn("Value", "value", rule.value, table->value_dtype()));
  rule.file = filename.data<tstring>()->view();
  if (rule.file.empty()) return errors::InvalidArgument("filename cannot be empty.");
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(std::string(rule.file), FileAccess::kRead));
  SlimVector<std::string_view> lines;
  TENON_RETURN_IF_ERROR(
      VocabularyLines({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, rule, &lines));
  const TensorShape shape({static_cast<Index>(lines.size())});
  TENON_ASSIGN_OR_RETURN(Tensor keys, Tensor::Make(table->key_dtype(), shape));
  TENON_ASSIGN_OR_RETURN(Tensor values, Tensor::Make(table->value_dtype(), shape));
  TENON_RETURN_IF_ERROR(ReadVocabulary(lines, rule, &keys, &values));
  return table->Initialize(keys, values);
}

}  // namespace detail

// key_index, value_index: a column, -1 the line's number (from `offset` on), -2 the whole line.
struct InitializeTableFromTextFileV2 {
  static constexpr auto signature = Op("InitializeTableFromTextFileV2")
                                        .Input("table_handle: resource")
                                        .Input("filename: string")
                                        .Attr("key_index: int >= -2")
                                        .Attr("value_index: int >= -2")
                                        .Attr("vocab_size: int >= -1 = -1")
                                        .Attr("delimiter: string = '\\t'")
                                        .Attr("offset: int = 0")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          return c->WithRank(c->input(1), 0, &unused);
                                        });

  struct Attrs {
    std::int64_t key_index;
    std::int64_t value_index;
    std::int64_t vocab_size;
    std::string_view delimiter;
    std::int64_t offset;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      if (this->delimiter.size() != 1)
        return errors::InvalidArgument("delimiter should be only 1 char, got '", this->delimiter, "'");
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor& filename) const {
      return detail::InitializeTableFromFile(
          context.op(), filename,
          {{}, this->key_index, this->value_index, this->vocab_size, this->offset, this->delimiter.front()});
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
