// SPDX-License-Identifier: Apache-2.0
#pragma once
// ExperimentalScanDataset, ExperimentalUniqueDataset and others: older names of dataset ops, which TensorFlow keeps.

#include <tenon/ops/data/combine.hpp>
#include <tenon/ops/data/csv.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/files.hpp>
#include <tenon/ops/data/filter.hpp>
#include <tenon/ops/data/group.hpp>
#include <tenon/ops/data/iterator_handle.hpp>
#include <tenon/ops/data/map_and_batch.hpp>
#include <tenon/ops/data/matching_files.hpp>
#include <tenon/ops/data/options.hpp>
#include <tenon/ops/data/parse_examples.hpp>
#include <tenon/ops/data/rebatch.hpp>
#include <tenon/ops/data/scan.hpp>
#include <tenon/ops/data/select.hpp>
#include <tenon/ops/data/shuffle.hpp>
#include <tenon/ops/data/single_element.hpp>
#include <tenon/ops/data/sleep.hpp>
#include <tenon/ops/data/sliding_window.hpp>
#include <tenon/ops/data/sparse_rows.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// As DatasetCardinality.
struct ExperimentalDatasetCardinality {
  static constexpr auto signature = Op("ExperimentalDatasetCardinality")
                                        .Input("input_dataset: variant")
                                        .Output("cardinality: int64")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CardinalityKernel {
    explicit kernel(OpKernelConstruction* c) : CardinalityKernel(c) {}
  };
};

// As DenseToSparseBatchDataset.
struct ExperimentalDenseToSparseBatchDataset {
  static constexpr auto signature = Op("ExperimentalDenseToSparseBatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("batch_size: int64")
                                        .Input("row_shape: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(detail::SparseBatchShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeSparseBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As DirectedInterleaveDataset.
struct ExperimentalDirectedInterleaveDataset {
  static constexpr auto signature = Op("ExperimentalDirectedInterleaveDataset")
                                        .Input("selector_input_dataset: variant")
                                        .Input("data_input_datasets: N * variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeDirectedInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As GroupByReducerDataset.
struct ExperimentalGroupByReducerDataset {
  static constexpr auto signature = Op("ExperimentalGroupByReducerDataset")
                                        .Input("input_dataset: variant")
                                        .Input("key_func_other_arguments: Tkey_func_other_arguments")
                                        .Input("init_func_other_arguments: Tinit_func_other_arguments")
                                        .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
                                        .Input("finalize_func_other_arguments: Tfinalize_func_other_arguments")
                                        .Output("handle: variant")
                                        .Attr("key_func: func")
                                        .Attr("init_func: func")
                                        .Attr("reduce_func: func")
                                        .Attr("finalize_func: func")
                                        .Attr("Tkey_func_other_arguments: list(type) >= 0")
                                        .Attr("Tinit_func_other_arguments: list(type) >= 0")
                                        .Attr("Treduce_func_other_arguments: list(type) >= 0")
                                        .Attr("Tfinalize_func_other_arguments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeGroupByReducer> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As GroupByWindowDataset.
struct ExperimentalGroupByWindowDataset {
  static constexpr auto signature = Op("ExperimentalGroupByWindowDataset")
                                        .Input("input_dataset: variant")
                                        .Input("key_func_other_arguments: Tkey_func_other_arguments")
                                        .Input("reduce_func_other_arguments: Treduce_func_other_arguments")
                                        .Input("window_size_func_other_arguments: Twindow_size_func_other_arguments")
                                        .Output("handle: variant")
                                        .Attr("key_func: func")
                                        .Attr("reduce_func: func")
                                        .Attr("window_size_func: func")
                                        .Attr("Tkey_func_other_arguments: list(type) >= 0")
                                        .Attr("Treduce_func_other_arguments: list(type) >= 0")
                                        .Attr("Twindow_size_func_other_arguments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeGroupByWindow> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As IgnoreErrorsDataset.
struct ExperimentalIgnoreErrorsDataset {
  static constexpr auto signature = Op("ExperimentalIgnoreErrorsDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("log_warning: bool = false")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeIgnoreErrors> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As MapAndBatchDataset.
struct ExperimentalMapAndBatchDataset {
  static constexpr auto signature = Op("ExperimentalMapAndBatchDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("batch_size: int64")
                                        .Input("num_parallel_calls: int64")
                                        .Input("drop_remainder: bool")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("preserve_cardinality: bool = false")
                                        .SetShapeFn(detail::MapAndBatchShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeMapAndBatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct ExperimentalMaxIntraOpParallelismDataset {
  static constexpr auto signature = Op("ExperimentalMaxIntraOpParallelismDataset")
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
struct ExperimentalNonSerializableDataset {
  static constexpr auto signature = Op("ExperimentalNonSerializableDataset")
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

// As InterleaveDataset.
struct ExperimentalParallelInterleaveDataset {
  static constexpr auto signature = Op("ExperimentalParallelInterleaveDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Input("cycle_length: int64")
                                        .Input("block_length: int64")
                                        .Input("sloppy: bool")
                                        .Input("buffer_output_elements: int64")
                                        .Input("prefetch_input_elements: int64")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeInterleave> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// The input.
struct ExperimentalPrivateThreadPoolDataset {
  static constexpr auto signature = Op("ExperimentalPrivateThreadPoolDataset")
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

// As ScanDataset.
struct ExperimentalScanDataset {
  static constexpr auto signature = Op("ExperimentalScanDataset")
                                        .Input("input_dataset: variant")
                                        .Input("initial_state: Tstate")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("f: func")
                                        .Attr("Tstate: list(type) >= 1")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("preserve_cardinality: bool = false")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeScan> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As TakeWhileDataset.
struct ExperimentalTakeWhileDataset {
  static constexpr auto signature = Op("ExperimentalTakeWhileDataset")
                                        .Input("input_dataset: variant")
                                        .Input("other_arguments: Targuments")
                                        .Output("handle: variant")
                                        .Attr("predicate: func")
                                        .Attr("Targuments: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeFilter> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As UnbatchDataset.
struct ExperimentalUnbatchDataset {
  static constexpr auto signature = Op("ExperimentalUnbatchDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeUnbatch> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// As UniqueDataset.
struct ExperimentalUniqueDataset {
  static constexpr auto signature = Op("ExperimentalUniqueDataset")
                                        .Input("input_dataset: variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DatasetKernelOf<&detail::MakeUnique> {
    using DatasetKernelOf::DatasetKernelOf;
  };
};

// Older names of equal ops.
struct ExperimentalCSVDataset : CSVDataset {
  static constexpr auto signature = detail::Renamed(CSVDataset::signature, "ExperimentalCSVDataset");
};
struct ExperimentalDatasetToTFRecord : DatasetToTFRecord {
  static constexpr auto signature = detail::Renamed(DatasetToTFRecord::signature, "ExperimentalDatasetToTFRecord");
};
struct ExperimentalIteratorGetDevice : IteratorGetDevice {
  static constexpr auto signature = detail::Renamed(IteratorGetDevice::signature, "ExperimentalIteratorGetDevice");
};
struct ExperimentalMatchingFilesDataset : MatchingFilesDataset {
  static constexpr auto signature =
      detail::Renamed(MatchingFilesDataset::signature, "ExperimentalMatchingFilesDataset");
};
struct ExperimentalRebatchDataset : RebatchDataset {
  static constexpr auto signature = detail::Renamed(RebatchDataset::signature, "ExperimentalRebatchDataset");
};
struct ExperimentalSleepDataset : SleepDataset {
  static constexpr auto signature = detail::Renamed(SleepDataset::signature, "ExperimentalSleepDataset");
};

// As ParseExampleDataset, without ragged features.
struct ExperimentalParseExampleDataset : ParseExampleDataset {
  static constexpr auto signature = Op("ExperimentalParseExampleDataset")
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
                                        .SetShapeFn(shape_inference::ScalarShape);
};

// As RandomDataset.
struct ExperimentalRandomDataset : RandomDataset {
  static constexpr auto signature = Op("ExperimentalRandomDataset")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn((detail::ScalarsShape<0, 1>));
};

// As SlidingWindowDataset, without windows at the end that are too short.
struct ExperimentalSlidingWindowDataset : SlidingWindowDataset {
  static constexpr auto signature = Op("ExperimentalSlidingWindowDataset")
                                        .Input("input_dataset: variant")
                                        .Input("window_size: int64")
                                        .Input("window_shift: int64")
                                        .Input("window_stride: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetShapeFn((detail::ScalarsShape<1, 3>));
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
