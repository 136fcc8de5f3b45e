// SPDX-License-Identifier: Apache-2.0
#pragma once
// OptionsDataset, ModelDataset, OptimizeDataset and others that change how TensorFlow runs a dataset, not its elements.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// The input's elements, with more options.
class OptionsData final : public UnaryDataset {
 public:
  // Messages that stand behind each other are merged.
  OptionsData(Ref<const DatasetBase> input, std::string_view serialized)
      : UnaryDataset(input), options_(StrCat(input->options(), serialized)) {}
  std::string_view TypeString() const override { return "Options"; }
  std::string_view options() const override { return options_; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return input().MakeIterator(context, iterator);
  }

 private:
  const std::string options_;
};

inline Status MakeOptions(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  std::string_view serialized;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(m.Attr("serialized_options", &serialized));
  wire::Reader reader(Span<const std::byte>(reinterpret_cast<const std::byte*>(serialized.data()), serialized.size()));
  for (wire::Tag tag; reader.ReadTag(&tag);)
    if (!reader.Skip(tag)) break;
  if (!reader.ok())
    return errors::InvalidArgument("Could not parse serialized_options as valid Options: ",
                                   reader.status("Options").message());
  *out = Own(new OptionsData(std::move(input), serialized));
  return OkStatus();
}

// The vectors of names and the settings of optimizations, which change nothing here.
inline Status MakeOptimize(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const int last = m.IsOp("OptimizeDataset") ? 1 : 3;
  for (int i = 1; i <= last; ++i)
    if (m.context().input(i).dims() != 1)
      return errors::InvalidArgument("optimizations",
                                     i == 1 && last == 1 ? ""
                                     : i == 1            ? "_enabled"
                                     : i == 2            ? "_disabled"
                                                         : "_default",
                                     " must be a vector, not of shape ", m.context().input(i).shape());
  SlimVector<std::string_view> configs;
  TENON_RETURN_IF_ERROR(m.Attr("optimization_configs", &configs));
  if (m.context().input(1).NumElements() > 0)
    for (const std::string_view config : configs)
      if (std::count(config.begin(), config.end(), ':') != 2)
        return errors::Internal(
            "Wrong format for optimizer options. Expect <optimizer name>:<config key>:<config value>, received: ",
            config);
  return m.Dataset(0, out);
}

// The input itself.
inline Status MakeSame(const DatasetMaker& m, Ref<const DatasetBase>* out) { return m.Dataset(0, out); }

inline Status MakeWithThreads(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const bool pool = m.IsOp("PrivateThreadPoolDataset") || m.IsOp("ExperimentalPrivateThreadPoolDataset");
  std::int64_t count = 0;
  TENON_RETURN_IF_ERROR(m.Scalar(pool ? "num_threads" : "max_intra_op_parallelism", &count));
  if (count < 0)
    return errors::InvalidArgument(pool ? "`num_threads` must be greater than or equal to 0"
                                        : "`max_intra_op_parallelism` must be greater than or equal to 0");
  return m.Dataset(0, out);
}

}  // namespace detail

// The input with options, which GetOptions reads.
struct OptionsDataset {
  static constexpr auto signature = Op("OptionsDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("serialized_options: string")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeOptions> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct ModelDataset {
  static constexpr auto signature = Op("ModelDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("algorithm: int = 0")
                                        .Attr("cpu_budget: int = 0")
                                        .Attr("ram_budget: int = 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSame> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct OptimizeDataset {
  static constexpr auto signature = Op("OptimizeDataset")
                                        .Input("input_dataset: variant")
                                        .Input("optimizations: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("optimization_configs: list(string) = []")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeOptimize> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct OptimizeDatasetV2 {
  static constexpr auto signature = Op("OptimizeDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("optimizations_enabled: string")
                                        .Input("optimizations_disabled: string")
                                        .Input("optimizations_default: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("optimization_configs: list(string) = []")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeOptimize> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct FinalizeDataset {
  static constexpr auto signature = Op("FinalizeDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("has_captured_ref: bool = false")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSame> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct NonSerializableDataset {
  static constexpr auto signature = Op("NonSerializableDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSame> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct RewriteDataset {
  static constexpr auto signature = Op("RewriteDataset")
                                        .Input("input_dataset: variant")
                                        .Input("rewrite_name: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSame> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct MaxIntraOpParallelismDataset {
  static constexpr auto signature = Op("MaxIntraOpParallelismDataset")
                                        .Input("input_dataset: variant")
                                        .Input("max_intra_op_parallelism: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeWithThreads> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct PrivateThreadPoolDataset {
  static constexpr auto signature = Op("PrivateThreadPoolDataset")
                                        .Input("input_dataset: variant")
                                        .Input("num_threads: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeWithThreads> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
