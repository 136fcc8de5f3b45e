// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParseExample, ParseExampleV2, ParseSingleExample: features of serialised Examples as dense, sparse and ragged
// tensors.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/io/example_columns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CheckSizes(std::string_view what, std::size_t is, std::string_view other, std::size_t should_be) {
  if (is == should_be) return OkStatus();
  return errors::InvalidArgument("len(", what, ") != len(", other, "): ", is, " and ", should_be);
}
inline Status CheckDenseShapes(std::span<const PartialTensorShape> shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    FeatureColumn unused;
    TENON_RETURN_IF_ERROR(SetDenseShape(shapes[i], i, true, &unused));
  }
  return OkStatus();
}
// Inputs 0 and 1 of the ops that take several examples.
inline Status CheckExamples(const Tensor& serialized, const Tensor& names, bool scalar_is_fine) {
  if (serialized.dims() != 1 && !(scalar_is_fine && serialized.dims() == 0))
    return errors::InvalidArgument("Expected serialized to be a ", scalar_is_fine ? "scalar or vector" : "vector",
                                   ", got shape: ", serialized.shape());
  if (names.NumElements() > 0 && names.shape() != serialized.shape())
    return errors::InvalidArgument("Expected names have the same shape as serialized: name.shape=", names.shape(),
                                   ", serialized.shape=", serialized.shape());
  return OkStatus();
}
inline Status CheckKey(std::string_view what, const Tensor& key) {
  if (key.NumElements() == 1) return OkStatus();
  return errors::InvalidArgument("Expected ", what, " to be a scalar, got shape: ", key.shape());
}

}  // namespace detail

namespace detail {

template <class C>
Status ParseExampleCheck(const C& c, std::span<const PartialTensorShape> shapes) {
  std::int64_t num_sparse = 0, num_dense = 0;
  SlimVector<DataType> sparse_types, dense_types;
  TENON_RETURN_IF_ERROR(c.GetAttr("Nsparse", &num_sparse));
  TENON_RETURN_IF_ERROR(c.GetAttr("Ndense", &num_dense));
  TENON_RETURN_IF_ERROR(c.GetAttr("sparse_types", &sparse_types));
  TENON_RETURN_IF_ERROR(c.GetAttr("Tdense", &dense_types));
  TENON_RETURN_IF_ERROR(
      CheckSizes("sparse_keys", static_cast<std::size_t>(num_sparse), "sparse_types", sparse_types.size()));
  TENON_RETURN_IF_ERROR(
      CheckSizes("dense_keys", static_cast<std::size_t>(num_dense), "dense_types", dense_types.size()));
  TENON_RETURN_IF_ERROR(CheckSizes("dense_keys", static_cast<std::size_t>(num_dense), "dense_shapes", shapes.size()));
  return CheckDenseShapes(shapes);
}
inline Status ParseExampleShape(InferenceContext* c) {
  SlimVector<PartialTensorShape> shapes;
  std::int64_t num_sparse = 0;
  ShapeHandle examples, unused;
  int at = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("dense_shapes", &shapes));
  TENON_RETURN_IF_ERROR(c->GetAttr("Nsparse", &num_sparse));
  TENON_RETURN_IF_ERROR(ParseExampleCheck(*c, shapes));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &examples));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  SparseParts(c, static_cast<std::size_t>(num_sparse), 2, &at);
  return DenseParts(c, examples, shapes, &at);
}

}  // namespace detail

struct ParseExample {
  static constexpr auto signature = Op("ParseExample")
                                        .Input("serialized: string")
                                        .Input("names: string")
                                        .Input("sparse_keys: Nsparse * string")
                                        .Input("dense_keys: Ndense * string")
                                        .Input("dense_defaults: Tdense")
                                        .Output("sparse_indices: Nsparse * int64")
                                        .Output("sparse_values: sparse_types")
                                        .Output("sparse_shapes: Nsparse * int64")
                                        .Output("dense_values: Tdense")
                                        .Attr("Nsparse: int >= 0")
                                        .Attr("Ndense: int >= 0")
                                        .Attr("sparse_types: list({float,int64,string}) >= 0")
                                        .Attr("Tdense: list({float,int64,string}) >= 0")
                                        .Attr("dense_shapes: list(shape) >= 0")
                                        .SetShapeFn(detail::ParseExampleShape);

  struct Attrs {
    std::span<const PartialTensorShape> dense_shapes;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::ParseExampleCheck(c, this->dense_shapes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, InList<tstring> sparse_keys,
                      InList<tstring>, std::span<const Tensor>, std::span<Tensor>, std::span<Tensor>, std::span<Tensor>,
                      std::span<Tensor>) const {
      return Run(context.op(), static_cast<int>(sparse_keys.size()), this->dense_shapes);
    }
  };

 private:
  static Status Run(OpKernelContext& context, int num_sparse, std::span<const PartialTensorShape> shapes) {
    detail::ExampleParse parse;
    const int num_dense = static_cast<int>(shapes.size());
    parse.serialized = &context.input(0);
    parse.names = &context.input(1);
    TENON_RETURN_IF_ERROR(detail::CheckExamples(*parse.serialized, *parse.names, false));
    for (int i = 0; i < num_sparse + num_dense; ++i) {
      const bool sparse = i < num_sparse;
      const Tensor& key = context.input(2 + i);
      TENON_RETURN_IF_ERROR(detail::CheckKey(sparse ? "sparse_keys" : "dense_keys", key));
      parse.Add(sparse ? detail::ColumnKind::kSparse : detail::ColumnKind::kDense, detail::KeyAt(key, 0),
                context.expected_output_dtype(sparse ? num_sparse + i : 2 * num_sparse + i));
    }
    TENON_RETURN_IF_ERROR(parse.SetDense(shapes, context, 2 + num_sparse + num_dense));
    TENON_RETURN_IF_ERROR(parse.Find(context.device<Cpu>()));
    return parse.Write(context, context.device<Cpu>());
  }
};

namespace detail {

template <class C>
Status ParseExampleV2Check(const C& c, std::span<const PartialTensorShape> shapes) {
  std::int64_t num_sparse = 0;
  SlimVector<DataType> sparse_types, dense_types, values, splits;
  TENON_RETURN_IF_ERROR(c.GetAttr("num_sparse", &num_sparse));
  TENON_RETURN_IF_ERROR(c.GetAttr("sparse_types", &sparse_types));
  TENON_RETURN_IF_ERROR(c.GetAttr("Tdense", &dense_types));
  TENON_RETURN_IF_ERROR(c.GetAttr("ragged_value_types", &values));
  TENON_RETURN_IF_ERROR(c.GetAttr("ragged_split_types", &splits));
  TENON_RETURN_IF_ERROR(
      CheckSizes("sparse_keys", static_cast<std::size_t>(num_sparse), "sparse_types", sparse_types.size()));
  TENON_RETURN_IF_ERROR(CheckSizes("dense_types", dense_types.size(), "dense_shapes", shapes.size()));
  TENON_RETURN_IF_ERROR(CheckSizes("ragged_value_types", values.size(), "ragged_split_types", splits.size()));
  return CheckDenseShapes(shapes);
}
inline Status ParseExampleV2Shape(InferenceContext* c) {
  SlimVector<PartialTensorShape> shapes;
  SlimVector<DataType> ragged;
  std::int64_t num_sparse = 0;
  ShapeHandle examples, names;
  int at = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("dense_shapes", &shapes));
  TENON_RETURN_IF_ERROR(c->GetAttr("num_sparse", &num_sparse));
  TENON_RETURN_IF_ERROR(c->GetAttr("ragged_value_types", &ragged));
  TENON_RETURN_IF_ERROR(ParseExampleV2Check(*c, shapes));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &examples));
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &names));
  const Index rank = c->RankKnown(examples) ? c->Rank(examples) + 1 : -1;
  SparseParts(c, static_cast<std::size_t>(num_sparse), rank, &at);
  TENON_RETURN_IF_ERROR(DenseParts(c, examples, shapes, &at));
  return RaggedParts(c, ragged.size(), examples, 1, false, &at);
}

}  // namespace detail

struct ParseExampleV2 {
  static constexpr auto signature = Op("ParseExampleV2")
                                        .Input("serialized: string")
                                        .Input("names: string")
                                        .Input("sparse_keys: string")
                                        .Input("dense_keys: string")
                                        .Input("ragged_keys: string")
                                        .Input("dense_defaults: Tdense")
                                        .Output("sparse_indices: num_sparse * int64")
                                        .Output("sparse_values: sparse_types")
                                        .Output("sparse_shapes: num_sparse * int64")
                                        .Output("dense_values: Tdense")
                                        .Output("ragged_values: ragged_value_types")
                                        .Output("ragged_row_splits: ragged_split_types")
                                        .Attr("Tdense: list({float,int64,string}) >= 0")
                                        .Attr("num_sparse: int >= 0")
                                        .Attr("sparse_types: list({float,int64,string}) >= 0")
                                        .Attr("ragged_value_types: list({float,int64,string}) >= 0")
                                        .Attr("ragged_split_types: list({int32,int64}) >= 0")
                                        .Attr("dense_shapes: list(shape) >= 0")
                                        .SetShapeFn(detail::ParseExampleV2Shape);

  struct Attrs {
    std::span<const PartialTensorShape> dense_shapes;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::ParseExampleV2Check(c, this->dense_shapes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, std::span<const Tensor>, std::span<Tensor> sparse_indices, std::span<Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor> ragged_values, std::span<Tensor>) const {
      return Run(context.op(), static_cast<int>(sparse_indices.size()), static_cast<int>(ragged_values.size()),
                 this->dense_shapes);
    }
  };

 private:
  static Status AddKeys(OpKernelContext& context, int input, std::string_view what, detail::ColumnKind kind, int count,
                        int first_output, detail::ExampleParse* parse) {
    const Tensor& keys = context.input(input);
    if (keys.NumElements() != count)
      return errors::InvalidArgument("Expected len(", what, ") == ", count, " but got: ", keys.NumElements());
    for (int i = 0; i < count; ++i)
      parse->Add(kind, detail::KeyAt(keys, i), context.expected_output_dtype(first_output + i));
    return OkStatus();
  }
  static Status Run(OpKernelContext& context, int sparse, int ragged, std::span<const PartialTensorShape> shapes) {
    using detail::ColumnKind;
    detail::ExampleParse parse;
    const int dense = static_cast<int>(shapes.size());
    parse.serialized = &context.input(0);
    parse.names = &context.input(1);
    TENON_RETURN_IF_ERROR(detail::CheckExamples(*parse.serialized, *parse.names, true));
    TENON_RETURN_IF_ERROR(AddKeys(context, 2, "sparse_keys", ColumnKind::kSparse, sparse, sparse, &parse));
    TENON_RETURN_IF_ERROR(AddKeys(context, 3, "dense_keys", ColumnKind::kDense, dense, 3 * sparse, &parse));
    TENON_RETURN_IF_ERROR(AddKeys(context, 4, "ragged_keys", ColumnKind::kRagged, ragged, 3 * sparse + dense, &parse));
    TENON_RETURN_IF_ERROR(parse.SetDense(shapes, context, 5));
    TENON_RETURN_IF_ERROR(parse.Find(context.device<Cpu>()));
    return parse.Write(context, context.device<Cpu>());
  }
};

namespace detail {

struct SingleExampleAttrs {
  std::span<const std::string> sparse_keys;
  std::span<const std::string> dense_keys;
  std::span<const PartialTensorShape> dense_shapes;
};
template <class C>
Status ParseSingleExampleCheck(const C& c, const SingleExampleAttrs& attrs) {
  std::int64_t num_sparse = 0;
  SlimVector<DataType> sparse_types, dense_types;
  TENON_RETURN_IF_ERROR(c.GetAttr("num_sparse", &num_sparse));
  TENON_RETURN_IF_ERROR(c.GetAttr("sparse_types", &sparse_types));
  TENON_RETURN_IF_ERROR(c.GetAttr("Tdense", &dense_types));
  if (static_cast<std::size_t>(num_sparse) != attrs.sparse_keys.size() ||
      sparse_types.size() != attrs.sparse_keys.size())
    return errors::InvalidArgument("num_sparse (", num_sparse, ") must match the size of sparse_keys (",
                                   attrs.sparse_keys.size(), ") and sparse_types (", sparse_types.size(), ")");
  TENON_RETURN_IF_ERROR(CheckSizes("dense_keys", attrs.dense_keys.size(), "dense_types", dense_types.size()));
  TENON_RETURN_IF_ERROR(CheckSizes("dense_keys", attrs.dense_keys.size(), "dense_shapes", attrs.dense_shapes.size()));
  return CheckDenseShapes(attrs.dense_shapes);
}
inline Status ParseSingleExampleShape(InferenceContext* c) {
  SlimVector<PartialTensorShape> shapes;
  SlimVector<std::string> sparse_keys, dense_keys;
  ShapeHandle unused;
  int at = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("dense_shapes", &shapes));
  TENON_RETURN_IF_ERROR(c->GetAttr("sparse_keys", &sparse_keys));
  TENON_RETURN_IF_ERROR(c->GetAttr("dense_keys", &dense_keys));
  TENON_RETURN_IF_ERROR(ParseSingleExampleCheck(*c, SingleExampleAttrs{sparse_keys, dense_keys, shapes}));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  SparseParts(c, sparse_keys.size(), 1, &at);
  return DenseParts(c, c->Scalar(), shapes, &at);
}

}  // namespace detail

// ParseExample for one Example, with the keys as attrs.
struct ParseSingleExample {
  static constexpr auto signature = Op("ParseSingleExample")
                                        .Input("serialized: string")
                                        .Input("dense_defaults: Tdense")
                                        .Output("sparse_indices: num_sparse * int64")
                                        .Output("sparse_values: sparse_types")
                                        .Output("sparse_shapes: num_sparse * int64")
                                        .Output("dense_values: Tdense")
                                        .Attr("num_sparse: int >= 0")
                                        .Attr("sparse_keys: list(string) >= 0")
                                        .Attr("dense_keys: list(string) >= 0")
                                        .Attr("sparse_types: list({float,int64,string}) >= 0")
                                        .Attr("Tdense: list({float,int64,string}) >= 0")
                                        .Attr("dense_shapes: list(shape) >= 0")
                                        .SetShapeFn(detail::ParseSingleExampleShape);

  using Attrs = detail::SingleExampleAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return detail::ParseSingleExampleCheck(c, *this); }
    Status operator()(Context<Device>& context, const Tensor&, std::span<const Tensor>, std::span<Tensor>,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>) const {
      return Run(context.op(), *this);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Attrs& attrs) {
    detail::ExampleParse parse;
    const auto sparse = static_cast<int>(attrs.sparse_keys.size());
    int output = sparse;
    parse.serialized = &context.input(0);
    if (!parse.single())
      return errors::InvalidArgument("Expected serialized to be a scalar, got shape: ", parse.serialized->shape());
    for (const std::string& key : attrs.sparse_keys)
      parse.Add(detail::ColumnKind::kSparse, key, context.expected_output_dtype(output++));
    output += sparse;
    for (const std::string& key : attrs.dense_keys)
      parse.Add(detail::ColumnKind::kDense, key, context.expected_output_dtype(output++));
    TENON_RETURN_IF_ERROR(parse.SetDense(attrs.dense_shapes, context, 1));
    TENON_RETURN_IF_ERROR(parse.Find(context.device<Cpu>()));
    return parse.Write(context, context.device<Cpu>());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
