// SPDX-License-Identifier: Apache-2.0
#pragma once
// Examples and SequenceExamples for the tests of the ops that parse them, serialised.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/io/example.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/graph_def/node_def.hpp>

#include "op_call.hpp"

namespace io_examples {
using namespace tenon;

inline Feature Floats(std::initializer_list<float> values) {
  Feature feature;
  feature.float_list = FloatList{values};
  return feature;
}
inline Feature Longs(std::initializer_list<std::int64_t> values) {
  Feature feature;
  feature.int64_list = Int64List{values};
  return feature;
}
inline Feature Words(std::initializer_list<std::string> values) {
  Feature feature;
  feature.bytes_list = BytesList{values};
  return feature;
}

inline Features Named(std::initializer_list<std::pair<std::string_view, Feature>> features) {
  Features all;
  for (const auto& [key, value] : features) all.feature.push_back({std::string(key), value});
  return all;
}
template <class Message>
std::string Serialized(const Message& message) {
  std::string bytes;
  wire::SerializeTo(message, &bytes);
  return bytes;
}
inline std::string ExampleOf(std::initializer_list<std::pair<std::string_view, Feature>> features) {
  return Serialized(Example{Named(features)});
}
inline std::string SequenceOf(
    std::initializer_list<std::pair<std::string_view, Feature>> context,
    std::initializer_list<std::pair<std::string_view, std::initializer_list<Feature>>> lists) {
  SequenceExample example;
  example.context = Named(context);
  FeatureLists& all = example.feature_lists.emplace();
  for (const auto& [key, rows] : lists) all.feature_list.push_back({std::string(key), FeatureList{rows}});
  return Serialized(example);
}

inline Tensor Texts(std::initializer_list<std::string_view> values) {
  Tensor tensor(DataType::kString, {static_cast<Index>(values.size())});
  Index i = 0;
  for (const std::string_view value : values) tensor.data<tstring>()[i++].assign(value);
  return tensor;
}

// What the op's shape function says of an output, or why it refuses: for attrs that no constant expression knows.
template <class Op>
std::string Inferred(const testing::AttrArgs& attrs, std::initializer_list<PartialTensorShape> inputs, int output) {
  NodeDef node;
  node.name = "call";
  node.op = std::string(Op::signature.name);
  for (const auto& [name, value] : attrs) node.attr.Set(name, value);
  const OpView view = Op::signature.view();
  const SlimVector<PartialTensorShape> shapes(inputs);
  InferenceContext c(InferenceContext::kGraphDefVersion, &node, &view, shapes);
  const Status status = RunShapeFn(&c, Op::signature.shape_fn);
  if (status.ok()) return c.DebugString(c.output(output));
  return std::string(status.message().substr(0, status.message().find(" for '")));
}

}  // namespace io_examples
