// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParseExampleDataset, ParseExampleDatasetV2: features of the serialised Examples of an input.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/map.hpp>
#include <tenon/ops/io/example_columns.hpp>
#include <tenon/ops/ragged/variant.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Plain data: a feature that is read from every Example.
struct WantedFeature {
  std::string key;
  ColumnKind kind;
  DataType type = DataType::kInvalid,
           splits = DataType::kInvalid;  // types of the values and of a ragged feature's splits
  PartialTensorShape shape;  // a dense feature's
  Tensor missing;  // a dense feature's default
  std::size_t place = 0;  // among the tensors of an element, which come by their keys
};
using WantedFeatures = SlimVector<WantedFeature>;  // sparse ones, dense ones, ragged ones

// Allocates what ExampleParse writes.
class ParsedTensors {
 public:
  ParsedTensors(IteratorContext& context, const WantedFeatures& features) : context_(context) {
    const auto add = [&](ColumnKind kind, auto type) {
      for (const WantedFeature& feature : features)
        if (feature.kind == kind) tensors_.push_back(Tensor(type(feature)));
    };
    const auto values = [](const WantedFeature& feature) { return feature.type; };
    const auto numbers = [](const WantedFeature&) { return DataType::kInt64; };
    add(ColumnKind::kSparse, numbers);
    add(ColumnKind::kSparse, values);
    add(ColumnKind::kSparse, numbers);
    add(ColumnKind::kDense, values);
    add(ColumnKind::kRagged, values);
    add(ColumnKind::kRagged, [](const WantedFeature& feature) { return feature.splits; });
  }
  Status allocate_output(int i, const TensorShape& shape, Tensor** tensor) {
    *tensor = &tensors_[static_cast<std::size_t>(i)];
    return context_.Allocate((*tensor)->dtype(), shape, *tensor);
  }
  Tensor& at(std::size_t i) { return tensors_[i]; }

 private:
  IteratorContext& context_;
  DatasetElement tensors_;
};

class ParseExampleData final : public UnaryDataset {
 public:
  ParseExampleData(Ref<const DatasetBase> input, ElementSpec spec, WantedFeatures list)
      : UnaryDataset(std::move(input), std::move(spec)), wanted(std::move(list)) {}
  std::string_view TypeString() const override { return "ParseExample"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const WantedFeatures wanted;

 private:
  class Iterator final : public UnaryIterator<ParseExampleData> {
   public:
    using UnaryIterator::UnaryIterator;
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      DatasetElement texts;
      TENON_RETURN_IF_ERROR(NextOfInput(context, &texts, end));
      if (*end) return OkStatus();
      const Status status = Parse(context, texts, element);
      if (!status.ok()) element->clear();
      return status;
    }

   private:
    Status Parse(IteratorContext& context, const DatasetElement& texts, DatasetElement* element) const {
      const WantedFeatures& features = dataset().wanted;
      if (texts.size() != 1 || texts[0].dtype() != DataType::kString)
        return errors::InvalidArgument("ParseExampleDataset: an element of the input must be one tensor of strings");
      Tensor examples(DataType::kString);
      if (!examples.CopyFrom(texts[0], TensorShape({texts[0].NumElements()})))
        return errors::Internal("ParseExampleDataset: the examples cannot be made a vector");
      ExampleParse parse;
      parse.serialized = &examples;
      for (std::size_t i = 0; i < features.size(); ++i) {
        const WantedFeature& feature = features[i];
        if (feature.type == DataType::kInvalid ||
            (feature.kind == ColumnKind::kRagged && feature.splits == DataType::kInvalid))
          return errors::InvalidArgument("ParseExampleDataset: the attrs name no type for the feature ", feature.key);
        parse.Add(feature.kind, feature.key, feature.type);
        if (feature.kind != ColumnKind::kDense) continue;
        TENON_RETURN_IF_ERROR(SetDenseShape(feature.shape, i - parse.sparse, true, &parse.columns.back()));
        TENON_RETURN_IF_ERROR(SetDefault(feature.missing, i - parse.sparse, &parse.columns.back()));
      }
      Cpu& device = *static_cast<Cpu*>(context.environment().device);
      ParsedTensors tensors(context, features);
      TENON_RETURN_IF_ERROR(parse.Find(device));
      TENON_RETURN_IF_ERROR(parse.Write(tensors, device));
      element->resize(features.size(), Tensor(DataType::kInvalid));
      const std::size_t sparse = parse.sparse, dense = parse.dense, ragged = parse.ragged;
      for (std::size_t i = 0; i < features.size(); ++i) {
        Tensor& tensor = (*element)[features[i].place];
        if (i < sparse) {
          TENON_RETURN_IF_ERROR(context.Allocate(DataType::kVariant, TensorShape({3}), &tensor));
          for (std::size_t part = 0; part < 3; ++part)
            tensor.data<Variant>()[part] = std::move(tensors.at(part * sparse + i));
        } else if (i < sparse + dense) {
          tensor = std::move(tensors.at(2 * sparse + i));
        } else {
          RaggedTensorVariant both;
          both.values = std::move(tensors.at(2 * sparse + i));
          both.splits.push_back(std::move(tensors.at(2 * sparse + i + ragged)));
          TENON_RETURN_IF_ERROR(context.Allocate(DataType::kVariant, TensorShape(), &tensor));
          tensor.data<Variant>()[0] = std::move(both);
        }
      }
      return Check(*element);
    }
    Status Check(const DatasetElement& element) const {
      const ElementSpec& spec = dataset().spec();
      if (spec.types.size() != element.size())
        return errors::Internal("Expected ", spec.types.size(), " components but got ", element.size(), ".");
      for (std::size_t i = 0; i < element.size(); ++i) {
        if (element[i].dtype() != spec.types[i])
          return errors::InvalidArgument("Got wrong type for FastParseExample return value ", i, " (expected ",
                                         spec.types[i], ", got ", element[i].dtype(), ").");
        if (!spec.shapes[i].IsCompatibleWith(element[i].shape()))
          return errors::InvalidArgument("Got wrong shape for FastParseExample return value ", i, " (expected ",
                                         spec.shapes[i], ", got ", element[i].shape(), ").");
      }
      return OkStatus();
    }
  };
};

// The keys and types of an attr pair, as features of a kind.
inline Status AddFeatures(const DatasetMaker& m, ColumnKind kind, std::string_view keys_attr,
                          std::string_view types_attr, WantedFeatures* features) {
  SlimVector<std::string_view> keys;
  SlimVector<DataType> types;
  if (!m.HasAttr(keys_attr)) return OkStatus();
  TENON_RETURN_IF_ERROR(m.Attr(keys_attr, &keys));
  TENON_RETURN_IF_ERROR(m.Attr(types_attr, &types));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    WantedFeature& feature = features->emplace_back();
    feature.key = keys[i];
    feature.kind = kind;
    feature.type = i < types.size() ? types[i] : DataType::kInvalid;  // it fails when an element is read
  }
  return OkStatus();
}
inline Status MakeParseExample(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  ElementSpec spec;
  WantedFeatures features;
  DatasetElement missing;
  SlimVector<PartialTensorShape> shapes;
  SlimVector<DataType> splits;
  std::int64_t calls = 0;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(RegisterRaggedVariant());
  TENON_RETURN_IF_ERROR(AddFeatures(m, ColumnKind::kSparse, "sparse_keys", "sparse_types", &features));
  const std::size_t sparse = features.size();
  TENON_RETURN_IF_ERROR(AddFeatures(m, ColumnKind::kDense, "dense_keys", "Tdense", &features));
  const std::size_t dense = features.size() - sparse;
  TENON_RETURN_IF_ERROR(AddFeatures(m, ColumnKind::kRagged, "ragged_keys", "ragged_value_types", &features));
  const std::size_t ragged = features.size() - sparse - dense;
  if (m.HasAttr("ragged_split_types")) TENON_RETURN_IF_ERROR(m.Attr("ragged_split_types", &splits));
  for (std::size_t i = 0; i < ragged && i < splits.size(); ++i) features[sparse + dense + i].splits = splits[i];
  TENON_RETURN_IF_ERROR(m.Scalar("num_parallel_calls", &calls));
  TENON_RETURN_IF_ERROR(CheckParallelCalls(calls));
  TENON_RETURN_IF_ERROR(CheckDeterminism(m));
  TENON_RETURN_IF_ERROR(m.List("dense_defaults", &missing));
  TENON_RETURN_IF_ERROR(m.Attr("dense_shapes", &shapes));
  if (missing.size() != dense || shapes.size() < dense)
    return errors::InvalidArgument("Expected ", dense,
                                   " dense_defaults and dense_shapes, as there are dense_keys, got ", missing.size(),
                                   " and ", shapes.size());
  for (std::size_t i = 0; i < dense; ++i) {
    WantedFeature& feature = features[sparse + i];
    FeatureColumn column;
    column.dtype = feature.type;
    TENON_RETURN_IF_ERROR(SetDenseShape(shapes[i], i, true, &column));
    TENON_RETURN_IF_ERROR(SetDefault(missing[i], i, &column));
    feature.shape = shapes[i];
    feature.missing = missing[i];
  }
  for (WantedFeature& feature : features)
    for (const WantedFeature& other : features) {
      if (&feature != &other && feature.key == other.key)
        return errors::InvalidArgument("Duplicate key not allowed: ", feature.key);
      if (other.key < feature.key) ++feature.place;
    }
  *out = Own(new ParseExampleData(std::move(input), std::move(spec), std::move(features)));
  return OkStatus();
}

}  // namespace detail

// The wanted features of the Examples in every element, by their keys: sparse and ragged ones as variants.
struct ParseExampleDataset : detail::DatasetOp<&detail::MakeParseExample> {
  static constexpr auto signature = Op("ParseExampleDataset")
                                        .Input("input_dataset: variant")
                                        .Input("num_parallel_calls: int64")
                                        .Input("dense_defaults: Tdense")
                                        .Output("handle: variant")
                                        .Attr("sparse_keys: list(string) >= 0")
                                        .Attr("dense_keys: list(string) >= 0")
                                        .Attr("sparse_types: list({float,int64,string}) >= 0")
                                        .Attr("Tdense: list({float,int64,string}) >= 0")
                                        .Attr("dense_shapes: list(shape) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("sloppy: bool = false")
                                        .Attr("ragged_keys: list(string) >= 0 = []")
                                        .Attr("ragged_value_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("ragged_split_types: list({int32,int64}) >= 0 = []")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// As ParseExampleDataset.
struct ParseExampleDatasetV2 : detail::DatasetOp<&detail::MakeParseExample> {
  static constexpr auto signature = Op("ParseExampleDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("num_parallel_calls: int64")
                                        .Input("dense_defaults: Tdense")
                                        .Output("handle: variant")
                                        .Attr("sparse_keys: list(string) >= 0")
                                        .Attr("dense_keys: list(string) >= 0")
                                        .Attr("sparse_types: list({float,int64,string}) >= 0")
                                        .Attr("Tdense: list({float,int64,string}) >= 0")
                                        .Attr("dense_shapes: list(shape) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("deterministic: string = 'default'")
                                        .Attr("ragged_keys: list(string) >= 0 = []")
                                        .Attr("ragged_value_types: list({float,int64,string}) >= 0 = []")
                                        .Attr("ragged_split_types: list({int32,int64}) >= 0 = []")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
