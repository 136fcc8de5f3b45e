// SPDX-License-Identifier: Apache-2.0
#pragma once
// Examples and SequenceExamples from bytes and to bytes, and their features as tensors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/example.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Returns the Example that the bytes hold. DataLoss: the bytes are not an Example; the message has the offset.
inline Result<Example> ParseExample(std::string_view bytes) {
  Example example;
  TENON_RETURN_IF_ERROR(wire::Parse(wire::AsBytes(bytes), &example));
  return example;
}
// Returns the SequenceExample that the bytes hold. DataLoss: the bytes are not a SequenceExample; the message has the
// offset.
inline Result<SequenceExample> ParseSequenceExample(std::string_view bytes) {
  SequenceExample example;
  TENON_RETURN_IF_ERROR(wire::Parse(wire::AsBytes(bytes), &example));
  return example;
}

namespace detail {

// Writes a map in front, its keys in order; of equal keys the last entry only.
template <class Entry>
void WriteMap(wire::MessageWriter& writer, const SlimVector<Entry>& entries) {
  const SlimVector<std::size_t> order =
      SortedOrder(entries.size(), [&](std::size_t a, std::size_t b) { return entries[a].key < entries[b].key; });
  for (std::size_t i = order.size(); i-- > 0;) {
    const Entry& entry = entries[order[i]];
    if (i + 1 < order.size() && entries[order[i + 1]].key == entry.key) continue;
    const std::size_t end = writer.size();
    wire::SerializeMessage(wire::Schema<Entry>::message, writer, &entry);
    writer.BytesTag(1, writer.size() - end);
  }
}
inline void WriteFeatures(wire::MessageWriter& writer, const Features& features) {
  const std::size_t end = writer.size();
  WriteMap(writer, features.feature);
  writer.BytesTag(1, writer.size() - end);
}

}  // namespace detail

// Returns the bytes, keys in order, as TensorFlow's deterministic serialisation: equal examples give equal bytes.
inline std::string SerializeExample(const Example& example) {
  wire::MessageWriter writer = wire::MakeMessageWriter();
  if (example.features) detail::WriteFeatures(writer, *example.features);
  return std::string(writer.view());
}
// Does so for a SequenceExample.
inline std::string SerializeSequenceExample(const SequenceExample& example) {
  wire::MessageWriter writer = wire::MakeMessageWriter();
  if (example.feature_lists) {
    detail::WriteMap(writer, example.feature_lists->feature_list);
    writer.BytesTag(2, writer.size());
  }
  if (example.context) detail::WriteFeatures(writer, *example.context);
  return std::string(writer.view());
}

namespace detail {

inline std::size_t ValueCount(const Feature& feature) {
  return feature.bytes_list   ? feature.bytes_list->value.size()
         : feature.float_list ? feature.float_list->value.size()
         : feature.int64_list ? feature.int64_list->value.size()
                              : 0;
}
// Writes the values of a feature to the elements from `first` on of a tensor of its dtype.
inline void CopyValues(const Feature& feature, Tensor* tensor, std::size_t first) {
  if (feature.bytes_list) {
    tstring* to = tensor->data<tstring>() + first;
    for (const std::string& value : feature.bytes_list->value) (to++)->assign(value);
  } else if (feature.float_list && !feature.float_list->value.empty()) {
    const SlimVector<float>& values = feature.float_list->value;
    std::memcpy(tensor->data<float>() + first, values.data(), values.size() * sizeof(float));
  } else if (feature.int64_list && !feature.int64_list->value.empty()) {
    const SlimVector<std::int64_t>& values = feature.int64_list->value;
    std::memcpy(tensor->data<std::int64_t>() + first, values.data(), values.size() * sizeof(std::int64_t));
  }
}
template <class T>
void AddIntegers(const Tensor& tensor, Index first, Index count, Int64List* list) {
  for (Index i = first; i < first + count; ++i) list->value.push_back(static_cast<std::int64_t>(tensor.data<T>()[i]));
}
// The `count` elements from `first` on.
inline Result<Feature> FeatureOfElements(const Tensor& tensor, Index first, Index count) {
  if (!tensor.IsInitialized())
    return errors::ResourceExhausted("FeatureFromTensor: the tensor has no memory for its ", tensor.NumElements(),
                                     " elements; make it with Tensor::Make, which says why");
  Feature feature;
  Int64List integers;
  integers.value.reserve(static_cast<std::size_t>(count));
  switch (tensor.dtype()) {
    case DataType::kString: {
      BytesList& list = feature.bytes_list.emplace();
      for (Index i = first; i < first + count; ++i) list.value.emplace_back(tensor.data<tstring>()[i].view());
      return feature;
    }
    case DataType::kFloat:
      feature.float_list.emplace();
      if (count != 0)
        feature.float_list->value.assign(tensor.data<float>() + first, tensor.data<float>() + first + count);
      return feature;
    case DataType::kInt64: AddIntegers<std::int64_t>(tensor, first, count, &integers); break;
    case DataType::kInt32: AddIntegers<std::int32_t>(tensor, first, count, &integers); break;
    case DataType::kInt16: AddIntegers<std::int16_t>(tensor, first, count, &integers); break;
    case DataType::kInt8: AddIntegers<std::int8_t>(tensor, first, count, &integers); break;
    case DataType::kUint32: AddIntegers<std::uint32_t>(tensor, first, count, &integers); break;
    case DataType::kUint16: AddIntegers<std::uint16_t>(tensor, first, count, &integers); break;
    case DataType::kUint8: AddIntegers<std::uint8_t>(tensor, first, count, &integers); break;
    case DataType::kBool: AddIntegers<bool>(tensor, first, count, &integers); break;
    default:
      return errors::InvalidArgument("FeatureFromTensor: a feature cannot hold ", tensor.dtype(),
                                     "; cast it to float, int64, or string");
  }
  feature.int64_list = static_cast<Int64List&&>(integers);
  return feature;
}

}  // namespace detail

// Returns the values as a tensor of `shape`: float, int64, or string. InvalidArgument: the feature has no list, or the
// shape has another number of elements.
inline Result<Tensor> FeatureToTensor(const Feature& feature, const TensorShape& shape) {
  const std::size_t count = detail::ValueCount(feature);
  if (feature.dtype() == DataType::kInvalid)
    return errors::InvalidArgument("FeatureToTensor: the feature has no list; it needs bytes, floats, or integers");
  if (shape.num_elements() != static_cast<Index>(count))
    return errors::InvalidArgument("FeatureToTensor: the feature has ", count, " values, and shape ", shape, " needs ",
                                   shape.num_elements());
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(feature.dtype(), shape));
  detail::CopyValues(feature, &tensor, 0);
  return tensor;
}
// Does so for a vector of all values.
inline Result<Tensor> FeatureToTensor(const Feature& feature) {
  return FeatureToTensor(feature, TensorShape{static_cast<Index>(detail::ValueCount(feature))});
}
// Returns the elements of a tensor, row by row. InvalidArgument: the dtype is not float, string, bool, or an integer
// that int64 holds.
inline Result<Feature> FeatureFromTensor(const Tensor& tensor) {
  return detail::FeatureOfElements(tensor, 0, tensor.NumElements());
}

// Returns the steps of a list as a tensor [steps, n]. InvalidArgument: no steps, or steps of unequal length or type.
inline Result<Tensor> FeatureListToTensor(const FeatureList& list) {
  if (list.feature.empty() || list.feature[0].dtype() == DataType::kInvalid)
    return errors::InvalidArgument("FeatureListToTensor: the first step has no values; it decides the dtype");
  const DataType dtype = list.feature[0].dtype();
  const std::size_t width = detail::ValueCount(list.feature[0]);
  for (std::size_t i = 1; i < list.feature.size(); ++i) {
    const Feature& feature = list.feature[i];
    if (feature.dtype() != dtype || detail::ValueCount(feature) != width)
      return errors::InvalidArgument("FeatureListToTensor: step ", i, " has ", detail::ValueCount(feature),
                                     " values of ", feature.dtype(), ", and step 0 has ", width, " of ", dtype);
  }
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(dtype, TensorShape{static_cast<Index>(list.feature.size()),
                                                                        static_cast<Index>(width)}));
  for (std::size_t i = 0; i < list.feature.size(); ++i) detail::CopyValues(list.feature[i], &tensor, i * width);
  return tensor;
}
// Returns a step for each row of a tensor [steps, ...]. InvalidArgument: a scalar, or a dtype that features cannot
// hold.
inline Result<FeatureList> FeatureListFromTensor(const Tensor& tensor) {
  if (tensor.dims() == 0)
    return errors::InvalidArgument("FeatureListFromTensor: a scalar has no steps; the shape must be [steps, ...]");
  const Index steps = tensor.dim_size(0), width = steps == 0 ? 0 : tensor.NumElements() / steps;
  FeatureList list;
  for (Index i = 0; i < steps; ++i) {
    TENON_ASSIGN_OR_RETURN(Feature feature, detail::FeatureOfElements(tensor, i * width, width));
    list.feature.push_back(static_cast<Feature&&>(feature));
  }
  return list;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
