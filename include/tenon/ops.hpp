// SPDX-License-Identifier: Apache-2.0
#pragma once
// All standard ops, and tenon::ops::All to register them:
//
//   TENON_REGISTER(tenon::ops::All);                                          every type
//   TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::All);       these types only: smaller and faster to
//   compile

#include <tenon/ops/cnn.hpp>
#include <tenon/ops/mlp.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/ops/array/broadcast_gradient.hpp>
#include <tenon/ops/array/dynamic.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/inplace.hpp>
#include <tenon/ops/array/matrix_diag.hpp>
#include <tenon/ops/array/matrix_diag_old.hpp>
#include <tenon/ops/array/pad_gradient.hpp>
#include <tenon/ops/array/parallel_concat.hpp>
#include <tenon/ops/array/parallel_stitch.hpp>
#include <tenon/ops/array/reverse.hpp>
#include <tenon/ops/array/scatter.hpp>
#include <tenon/ops/array/scatter_non_aliasing.hpp>
#include <tenon/ops/array/search_sorted.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/slice_update.hpp>
#include <tenon/ops/array/space_batch.hpp>
#include <tenon/ops/array/split.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/array/unique.hpp>
#include <tenon/ops/array/unique_axis.hpp>
#include <tenon/ops/array/unravel_index.hpp>
#include <tenon/ops/audio/spectrogram.hpp>
#include <tenon/ops/audio/wav.hpp>
#include <tenon/ops/data/cache.hpp>
#include <tenon/ops/data/compress.hpp>
#include <tenon/ops/data/experimental.hpp>  // batch.hpp, csv.hpp and others that it needs
#include <tenon/ops/data/generator.hpp>
#include <tenon/ops/data/global_shuffle.hpp>
#include <tenon/ops/data/multi_device.hpp>
#include <tenon/ops/data/padded_batch.hpp>
#include <tenon/ops/data/prefetch.hpp>
#include <tenon/ops/data/repeat.hpp>
#include <tenon/ops/data/snapshot.hpp>
#include <tenon/ops/data/statistics.hpp>
#include <tenon/ops/debug/debug.hpp>
#include <tenon/ops/flow/assert.hpp>
#include <tenon/ops/flow/control.hpp>
#include <tenon/ops/flow/device_index.hpp>
#include <tenon/ops/flow/fake_param.hpp>
#include <tenon/ops/flow/functional.hpp>
#include <tenon/ops/flow/loop.hpp>
#include <tenon/ops/flow/map_defun.hpp>
#include <tenon/ops/flow/merge.hpp>
#include <tenon/ops/flow/print.hpp>
#include <tenon/ops/flow/py_func.hpp>
#include <tenon/ops/flow/remote_call.hpp>
#include <tenon/ops/flow/send_recv.hpp>
#include <tenon/ops/flow/switch.hpp>
#include <tenon/ops/flow/symbolic_gradient.hpp>
#include <tenon/ops/image/boxes.hpp>
#include <tenon/ops/image/color.hpp>
#include <tenon/ops/image/combined_suppression.hpp>
#include <tenon/ops/image/crop_resize.hpp>
#include <tenon/ops/image/decode.hpp>
#include <tenon/ops/image/decode_image.hpp>
#include <tenon/ops/image/distorted_box.hpp>
#include <tenon/ops/image/encode.hpp>
#include <tenon/ops/image/glimpse.hpp>
#include <tenon/ops/image/patches.hpp>
#include <tenon/ops/image/random_crop.hpp>
#include <tenon/ops/image/resize.hpp>
#include <tenon/ops/image/scale_translate.hpp>
#include <tenon/ops/image/suppression.hpp>
#include <tenon/ops/image/suppression_overlaps.hpp>
#include <tenon/ops/image/transform.hpp>
#include <tenon/ops/io/decode_compressed.hpp>
#include <tenon/ops/io/decode_json_example.hpp>
#include <tenon/ops/io/decode_proto.hpp>
#include <tenon/ops/io/encode_proto.hpp>
#include <tenon/ops/io/file.hpp>
#include <tenon/ops/io/immutable_const.hpp>
#include <tenon/ops/io/parse_example.hpp>
#include <tenon/ops/io/parse_sequence_example.hpp>
#include <tenon/ops/io/remap_matrix.hpp>
#include <tenon/ops/io/restore.hpp>
#include <tenon/ops/io/save.hpp>
#include <tenon/ops/linalg/batch_v1.hpp>
#include <tenon/ops/linalg/cross.hpp>
#include <tenon/ops/linalg/eig.hpp>
#include <tenon/ops/linalg/exponential.hpp>
#include <tenon/ops/linalg/factor.hpp>
#include <tenon/ops/linalg/fft.hpp>
#include <tenon/ops/linalg/logarithm.hpp>
#include <tenon/ops/linalg/solve.hpp>
#include <tenon/ops/linalg/spectrum.hpp>
#include <tenon/ops/linalg/tridiagonal_matmul.hpp>
#include <tenon/ops/math/approx_top_k.hpp>
#include <tenon/ops/math/arg_reduction.hpp>
#include <tenon/ops/math/batch_matmul.hpp>
#include <tenon/ops/math/bitwise.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/complex_parts.hpp>
#include <tenon/ops/math/cumulative.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/edit_distance.hpp>
#include <tenon/ops/math/einsum.hpp>
#include <tenon/ops/math/euclidean_norm.hpp>
#include <tenon/ops/math/fake_quant.hpp>
#include <tenon/ops/math/gamma_gradient.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/histogram.hpp>
#include <tenon/ops/math/isotonic_regression.hpp>
#include <tenon/ops/math/logical.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/nearest_neighbors.hpp>
#include <tenon/ops/math/quantize_dequantize.hpp>
#include <tenon/ops/math/reduction_logical.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/segment.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/sparse_segment.hpp>
#include <tenon/ops/math/sparse_segment_gradient.hpp>
#include <tenon/ops/math/special.hpp>
#include <tenon/ops/math/special_bessel.hpp>
#include <tenon/ops/math/special_higher.hpp>
#include <tenon/ops/math/to_bool.hpp>
#include <tenon/ops/math/top_k.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/activation_gradient.hpp>
#include <tenon/ops/nn/attention.hpp>
#include <tenon/ops/nn/batch_norm.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>
#include <tenon/ops/nn/conv3d.hpp>
#include <tenon/ops/nn/conv_any.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/nn/ctc.hpp>
#include <tenon/ops/nn/ctc_beam.hpp>
#include <tenon/ops/nn/data_format.hpp>
#include <tenon/ops/nn/depthwise.hpp>
#include <tenon/ops/nn/dilation.hpp>
#include <tenon/ops/nn/fractional_pool.hpp>
#include <tenon/ops/nn/fractional_pool_gradient.hpp>
#include <tenon/ops/nn/fused.hpp>
#include <tenon/ops/nn/fused_elementwise.hpp>
#include <tenon/ops/nn/fused_pad.hpp>
#include <tenon/ops/nn/global_normalization_gradient.hpp>
#include <tenon/ops/nn/layer_norm.hpp>
#include <tenon/ops/nn/lrn.hpp>
#include <tenon/ops/nn/pool3d.hpp>
#include <tenon/ops/nn/pool_average.hpp>
#include <tenon/ops/nn/pool_max.hpp>
#include <tenon/ops/nn/pool_second_gradient.hpp>
#include <tenon/ops/nn/recurrent.hpp>
#include <tenon/ops/nn/recurrent_cell_gradient.hpp>
#include <tenon/ops/nn/recurrent_gradient.hpp>
#include <tenon/ops/quantize/activation.hpp>
#include <tenon/ops/quantize/arithmetic.hpp>
#include <tenon/ops/quantize/calibration.hpp>
#include <tenon/ops/quantize/concat.hpp>
#include <tenon/ops/quantize/conv.hpp>
#include <tenon/ops/quantize/fused.hpp>
#include <tenon/ops/quantize/fused_matmul.hpp>
#include <tenon/ops/quantize/int8_layer.hpp>
#include <tenon/ops/quantize/normalize.hpp>
#include <tenon/ops/quantize/per_channel.hpp>
#include <tenon/ops/quantize/quantize.hpp>
#include <tenon/ops/quantize/requantize.hpp>
#include <tenon/ops/quantize/resize.hpp>
#include <tenon/ops/quantize/uniform_arithmetic.hpp>
#include <tenon/ops/quantize/uniform_conv.hpp>
#include <tenon/ops/quantize/uniform_dot.hpp>
#include <tenon/ops/quantize/uniform_quantize.hpp>
#include <tenon/ops/queue/batch.hpp>
#include <tenon/ops/queue/unbatch.hpp>
#include <tenon/ops/ragged/convert.hpp>
#include <tenon/ops/ragged/cross.hpp>
#include <tenon/ops/ragged/fill_empty_rows.hpp>
#include <tenon/ops/ragged/gather.hpp>
#include <tenon/ops/ragged/range.hpp>
#include <tenon/ops/ragged/variant.hpp>
#include <tenon/ops/ragged/variant_gradient.hpp>
#include <tenon/ops/random/binomial.hpp>
#include <tenon/ops/random/bounded_normal.hpp>
#include <tenon/ops/random/bounded_normal_stateless.hpp>
#include <tenon/ops/random/candidate_sampler.hpp>
#include <tenon/ops/random/index_shuffle.hpp>
#include <tenon/ops/random/kmeans.hpp>
#include <tenon/ops/random/multinomial.hpp>
#include <tenon/ops/random/samples.hpp>
#include <tenon/ops/random/seeded.hpp>
#include <tenon/ops/random/shuffle.hpp>
#include <tenon/ops/random/sobol.hpp>
#include <tenon/ops/random/stateful.hpp>
#include <tenon/ops/random/stateless.hpp>
#include <tenon/ops/random/stateless_v2.hpp>
#include <tenon/ops/random/stochastic_cast.hpp>
#include <tenon/ops/sparse/add.hpp>
#include <tenon/ops/sparse/count.hpp>
#include <tenon/ops/sparse/cross.hpp>
#include <tenon/ops/sparse/csr_cholesky.hpp>
#include <tenon/ops/sparse/csr_convert.hpp>
#include <tenon/ops/sparse/csr_product.hpp>
#include <tenon/ops/sparse/dense.hpp>
#include <tenon/ops/sparse/dense_matmul.hpp>
#include <tenon/ops/sparse/fill_empty_rows.hpp>
#include <tenon/ops/sparse/matmul.hpp>
#include <tenon/ops/sparse/reduce.hpp>
#include <tenon/ops/sparse/reshape.hpp>
#include <tenon/ops/sparse/serialize.hpp>
#include <tenon/ops/sparse/set.hpp>
#include <tenon/ops/sparse/slice.hpp>
#include <tenon/ops/sparse/softmax.hpp>
#include <tenon/ops/sparse/tensors_map.hpp>
#include <tenon/ops/sparse/to_dense.hpp>
#include <tenon/ops/queue/accumulator.hpp>
#include <tenon/ops/table/anonymous_table.hpp>
#include <tenon/ops/queue/barrier.hpp>
#include <tenon/ops/table/dense_table.hpp>
#include <tenon/ops/queue/map_stage.hpp>
#include <tenon/ops/state/mutex.hpp>
#include <tenon/ops/queue/queue_reference.hpp>  // queue.hpp, queue_access.hpp
#include <tenon/ops/reader/reader_reference.hpp>  // reader.hpp
#include <tenon/ops/reader/record_input.hpp>
#include <tenon/ops/variable/ref_variable.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/state/session_tensor.hpp>
#include <tenon/ops/list/composite.hpp>
#include <tenon/ops/list/stack_reference.hpp>  // stack.hpp
#include <tenon/ops/queue/stage.hpp>
#include <tenon/ops/variable/strided_slice_assign.hpp>
#include <tenon/ops/table/table_dataset.hpp>
#include <tenon/ops/table/vocab_remapping.hpp>
#include <tenon/ops/table/table_reference.hpp>  // table.hpp, table_file.hpp
#include <tenon/ops/list/tensor_array.hpp>
#include <tenon/ops/list/tensor_array_old.hpp>
#include <tenon/ops/list/tensor_array_pack.hpp>
#include <tenon/ops/list/tensor_list_element.hpp>
#include <tenon/ops/list/tensor_list_concat.hpp>
#include <tenon/ops/list/tensor_list_tensor.hpp>
#include <tenon/ops/list/tensor_map.hpp>
#include <tenon/ops/training/dense.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/training/sdca_optimizer.hpp>
#include <tenon/ops/training/sparse.hpp>
#include <tenon/ops/training/sparse_handles.hpp>
#include <tenon/ops/training/word2vec.hpp>
#include <tenon/ops/variable/variable_gather.hpp>
#include <tenon/ops/variable/variable_scatter.hpp>
#include <tenon/ops/variable/variable_scatter_nd.hpp>
#include <tenon/ops/variable/variable_update.hpp>
#include <tenon/ops/string/csv.hpp>
#include <tenon/ops/string/each.hpp>
#include <tenon/ops/string/fingerprint.hpp>
#include <tenon/ops/string/hash_bucket.hpp>
#include <tenon/ops/string/join.hpp>
#include <tenon/ops/string/ngrams.hpp>
#include <tenon/ops/string/number.hpp>
#include <tenon/ops/string/regex.hpp>
#include <tenon/ops/string/split.hpp>
#include <tenon/ops/string/tensor_text.hpp>
#include <tenon/ops/string/unicode.hpp>
#include <tenon/ops/summary/summary.hpp>
#include <tenon/ops/summary/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

using All = OpList<
    // arrays
    BroadcastGradientArgs, Concat, ConcatOffset, ConcatV2, DynamicPartition, DynamicStitch, Empty, Fill, OneHot,
    OnesLike, ZerosLike, Gather, GatherNd, GatherV2, EnsureShape, Identity, IdentityN, ListToArray, ArrayToList,
    PreventGradient, Snapshot, StopGradient, DeepCopy, InplaceAdd, InplaceSub, InplaceUpdate, Diag, DiagPart,
    MatrixBandPart, MatrixDiag, MatrixDiagPart, MatrixDiagPartV2, MatrixDiagPartV3, MatrixDiagV2, MatrixDiagV3,
    MatrixSetDiag, MatrixSetDiagV2, MatrixSetDiagV3, BatchMatrixBandPart, BatchMatrixDiag, BatchMatrixDiagPart,
    BatchMatrixSetDiag, Pack, MirrorPad, Pad, PadV2, MirrorPadGrad, ParallelDynamicStitch, ExpandDims, Reshape, Squeeze,
    Reverse, ReverseSequence, ReverseV2, Roll, ScatterNd, TensorScatterAdd, TensorScatterMax, TensorScatterMin,
    TensorScatterSub, TensorScatterUpdate, ScatterNdNonAliasingAdd, LowerBound, UpperBound, CheckNumerics,
    CheckNumericsV2, LinSpace, Range, Rank, Shape, ShapeN, Size, Slice, StridedSlice, StridedSliceGrad,
    TensorStridedSliceUpdate, BatchToSpace, BatchToSpaceND, DepthToSpace, SpaceToBatch, SpaceToBatchND, SpaceToDepth,
    Split, SplitV, Unpack, BroadcastArgs, BroadcastTo, Tile, ConjugateTranspose, InvertPermutation, Transpose, ListDiff,
    Unique, UniqueWithCounts, Where, UniqueV2, UniqueWithCountsV2, UnravelIndex, ParallelConcat,
    // inputs, constants, datasets and iterators
    BatchDataset, BatchDatasetV2, ParallelBatchDataset, CacheDataset, CacheDatasetV2, AnonymousMemoryCache,
    DummyMemoryCache, DeleteMemoryCache, ConcatenateDataset, ZipDataset, DirectedInterleaveDataset, CompressElement,
    UncompressElement, CSVDataset, CSVDatasetV2, ExperimentalDatasetCardinality, ExperimentalDenseToSparseBatchDataset,
    ExperimentalDirectedInterleaveDataset, ExperimentalGroupByReducerDataset, ExperimentalGroupByWindowDataset,
    ExperimentalIgnoreErrorsDataset, ExperimentalMapAndBatchDataset, ExperimentalMaxIntraOpParallelismDataset,
    ExperimentalNonSerializableDataset, ExperimentalParallelInterleaveDataset, ExperimentalPrivateThreadPoolDataset,
    ExperimentalScanDataset, ExperimentalTakeWhileDataset, ExperimentalUnbatchDataset, ExperimentalUniqueDataset,
    ExperimentalCSVDataset, ExperimentalDatasetToTFRecord, ExperimentalIteratorGetDevice,
    ExperimentalMatchingFilesDataset, ExperimentalRebatchDataset, ExperimentalSleepDataset,
    ExperimentalParseExampleDataset, ExperimentalRandomDataset, ExperimentalSlidingWindowDataset, TFRecordDataset,
    TFRecordDatasetV2, TextLineDataset, FixedLengthRecordDataset, FixedLengthRecordDatasetV2, FilterDataset,
    ParallelFilterDataset, TakeWhileDataset, GeneratorDataset, GroupByWindowDataset, GroupByReducerDataset,
    FlatMapDataset, InterleaveDataset, ParallelInterleaveDataset, LegacyParallelInterleaveDatasetV2,
    ParallelInterleaveDatasetV2, ParallelInterleaveDatasetV3, ParallelInterleaveDatasetV4, Iterator, IteratorV2,
    OneShotIterator, AnonymousIterator, AnonymousIteratorV2, AnonymousIteratorV3, MakeIterator, DeleteIterator,
    IteratorGetNext, IteratorGetNextSync, IteratorGetNextAsOptional, IteratorToStringHandle, IteratorFromStringHandle,
    IteratorFromStringHandleV2, SerializeIterator, DeserializeIterator, IteratorGetDevice, MapDataset,
    ParallelMapDataset, ParallelMapDatasetV2, MapAndBatchDataset, MatchingFilesDataset, OptionalNone, OptionalFromValue,
    OptionalHasValue, OptionalGetValue, OptionsDataset, ModelDataset, OptimizeDataset, OptimizeDatasetV2,
    FinalizeDataset, NonSerializableDataset, RewriteDataset, MaxIntraOpParallelismDataset, PrivateThreadPoolDataset,
    PaddedBatchDataset, PaddedBatchDatasetV2, ParseExampleDataset, ParseExampleDatasetV2, PrefetchDataset,
    UnbatchDataset, RebatchDataset, RebatchDatasetV2, RepeatDataset, TakeDataset, SkipDataset, ShardDataset,
    ScanDataset, ReduceDataset, AnonymousSeedGenerator, AnonymousRandomSeedGenerator, DummySeedGenerator,
    DeleteSeedGenerator, DeleteRandomSeedGenerator, UniqueDataset, SamplingDataset, AssertCardinalityDataset,
    IgnoreErrorsDataset, ShuffleDataset, ShuffleDatasetV2, ShuffleDatasetV3, ShuffleAndRepeatDataset,
    ShuffleAndRepeatDatasetV2, RandomDataset, RandomDatasetV2, DatasetToSingleElement, GetElementAtIndex,
    DatasetCardinality, GetOptions, WrapDatasetVariant, UnwrapDatasetVariant, SleepDataset, SlidingWindowDataset,
    SaveDataset, SaveDatasetV2, LoadDataset, SnapshotChunkDataset, SnapshotDatasetReader, SnapshotDatasetV2,
    SnapshotNestedDatasetReader, RangeDataset, TensorDataset, ListDataset, TensorSliceDataset, SparseTensorSliceDataset,
    DenseToSparseBatchDataset, DatasetToTFRecord, WindowDataset, WindowOp, ParseExample, ParseExampleV2,
    ParseSingleExample, DecodeJSONExample, ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample,
    Const, ReadFile, WriteFile, MatchingFiles, ShardedFilename, ShardedFilespec, SaveV2, MergeV2Checkpoints, Save,
    SaveSlices, RestoreV2, Restore, RestoreSlice, GuaranteeConst, ImmutableConst, Placeholder, PlaceholderV2,
    PlaceholderWithDefault, DecodeWav, EncodeWav, AudioSpectrogram, Mfcc, DecodeCompressed, LoadAndRemapMatrix,
    // control flow and functions
    Print, PrintV2, RemoteCall, SymbolicGradient, Timestamp, HostRecv, HostSend, Recv, Send, PublicRecv, PublicSend,
    Assert, Abort, Arg, ControlTrigger, Retval, Case, For, If, PartitionedCall, StatefulPartitionedCall, StatelessCase,
    StatelessIf, StatelessWhile, While, Enter, Exit, LoopCond, NextIteration, RefEnter, RefExit, RefNextIteration,
    Merge, RefMerge, RefSelect, NoOp, RefSwitch, Switch, SwitchN,
    // images and neural networks
    DrawBoundingBoxes, DecodeWebP, DrawBoundingBoxesV2, AdjustContrastv2, AdjustHue, AdjustSaturation, HSVToRGB,
    RGBToHSV, CombinedNonMaxSuppression, CropAndResize, CropAndResizeGradBoxes, CropAndResizeGradImage, DecodeBmp,
    DecodeJpeg, DecodePng, EncodeJpeg, EncodePng, ExtractImagePatches, ExtractVolumePatches, ResizeArea, ResizeBicubic,
    ResizeBicubicGrad, ResizeBilinear, ResizeBilinearGrad, ResizeNearestNeighbor, ResizeNearestNeighborGrad,
    NonMaxSuppression, NonMaxSuppressionV2, NonMaxSuppressionV3, NonMaxSuppressionV4, NonMaxSuppressionV5,
    ScaleAndTranslate, ScaleAndTranslateGrad, ImageProjectiveTransformV2, ImageProjectiveTransformV3,
    NonMaxSuppressionWithOverlaps, ExtractGlimpse, ExtractGlimpseV2, SampleDistortedBoundingBox,
    SampleDistortedBoundingBoxV2, StatelessSampleDistortedBoundingBox, EncodeJpegVariableQuality, DecodeAndCropJpeg,
    DecodeGif, DecodeImage, ExtractJpegShape, CTCBeamSearchDecoder, CTCGreedyDecoder, CTCLoss, Elu, LeakyRelu, Relu,
    Relu6, Selu, Softplus, Softsign, EluGrad, LeakyReluGrad, Relu6Grad, ReluGrad, SeluGrad, SoftplusGrad, SoftsignGrad,
    BatchNormWithGlobalNormalization, FusedBatchNorm, FusedBatchNormGrad, FusedBatchNormGradV2, FusedBatchNormGradV3,
    FusedBatchNormV2, FusedBatchNormV3, BiasAdd, BiasAddGrad, BiasAddV1, Conv2D, Conv3D, Conv3DBackpropFilter,
    Conv3DBackpropFilterV2, Conv3DBackpropInput, Conv3DBackpropInputV2, Conv2DBackpropFilter, Conv2DBackpropInput,
    SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits, DataFormatDimMap, DataFormatVecPermute,
    DepthwiseConv2dNative, DepthwiseConv2dNativeBackpropFilter, DepthwiseConv2dNativeBackpropInput, Dilation2D,
    Dilation2DBackpropFilter, Dilation2DBackpropInput, FractionalAvgPoolGrad, FractionalMaxPoolGrad, FusedConv2D,
    FusedMatMul, BatchNormWithGlobalNormalizationGrad, LRN, LRNGrad, MaxPool, AvgPool3D, AvgPool3DGrad, MaxPool3D,
    MaxPool3DGrad, AvgPool, AvgPoolGrad, MaxPoolGrad, MaxPoolGradV2, MaxPoolGradWithArgmax, MaxPoolV2,
    MaxPoolWithArgmax, MaxPool3DGradGrad, MaxPoolGradGrad, MaxPoolGradGradV2, BlockLSTM, BlockLSTMV2, BlockLSTMGrad,
    BlockLSTMGradV2, GRUBlockCell, LSTMBlockCell, LogSoftmax, Softmax, FractionalAvgPool, FractionalMaxPool,
    FusedAttention, FusedElementwise, FusedProducer, LayerNorm, DequantizeUint8, Int8Conv2D, Int8DepthwiseConv2D,
    // mathematics, linear algebra, random numbers
    SelfAdjointEig, BatchSelfAdjointEig, BatchCholesky, BatchCholeskyGrad, BatchMatrixDeterminant, BatchMatrixInverse,
    BatchMatrixSolve, BatchMatrixSolveLs, BatchMatrixTriangularSolve, BatchSelfAdjointEigV2, BatchSvd,
    TridiagonalMatMul, Eig, MatrixSquareRoot, Cross, Cholesky, CholeskyGrad, LogMatrixDeterminant, Lu,
    MatrixDeterminant, MatrixInverse, FFT, FFT2D, FFT3D, IFFT, IFFT2D, IFFT3D, IRFFT, IRFFT2D, IRFFT3D, RFFT, RFFT2D,
    RFFT3D, BandedTriangularSolve, MatrixSolve, MatrixSolveLs, MatrixTriangularSolve, TridiagonalSolve, Qr,
    SelfAdjointEigV2, Svd, MatrixLogarithm, MatrixExponential, ArgMax, ArgMin, Abs, Add, AddV2, DivNoNan, Inv, Maximum,
    Minimum, Mul, MulNoNan, Neg, RealDiv, Reciprocal, Sign, Square, SquaredDifference, Sub, BatchMatMul, BatchMatMulV2,
    BatchMatMulV3, BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, PopulationCount, RightShift, Bitcast, Cast,
    ApproximateEqual, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Angle, Complex, ComplexAbs, Conj, Imag,
    Real, Cumprod, Cumsum, CumulativeLogsumexp, Div, FloorDiv, FloorMod, Mod, Pow, TruncateDiv, TruncateMod,
    EditDistance, Einsum, EuclideanNorm, Exp, Expm1, Log, Log1p, Rsqrt, Sigmoid, Sqrt, Xdivy, Xlog1py, Xlogy,
    FakeQuantWithMinMaxArgs, FakeQuantWithMinMaxArgsGradient, FakeQuantWithMinMaxVars, FakeQuantWithMinMaxVarsGradient,
    FakeQuantWithMinMaxVarsPerChannel, FakeQuantWithMinMaxVarsPerChannelGradient, IgammaGradA, RandomGammaGrad, InvGrad,
    ReciprocalGrad, RsqrtGrad, SigmoidGrad, SqrtGrad, TanhGrad, Bincount, Bucketize, DenseBincount, HistogramFixedWidth,
    RaggedBincount, SparseBincount, LogicalAnd, LogicalNot, LogicalOr, MatMul, AccumulateNV2, AddN, ClipByValue, L2Loss,
    QuantizeAndDequantize, QuantizeAndDequantizeV2, QuantizeAndDequantizeV3, QuantizeAndDequantizeV4, Int8MatMul,
    QuantizeAndDequantizeV4Grad, Max, Mean, Min, Prod, Sum, ReduceAll, ReduceAny, Ceil, Floor, IsFinite, IsInf, IsNan,
    NextAfter, Rint, Round, SegmentMax, SegmentMaxV2, SegmentMean, SegmentMin, SegmentMinV2, SegmentProd, SegmentProdV2,
    SegmentSum, SegmentSumV2, UnsortedSegmentMax, UnsortedSegmentMin, UnsortedSegmentProd, UnsortedSegmentSum, Select,
    SelectV2, SparseSegmentMean, SparseSegmentMeanGrad, SparseSegmentMeanWithNumSegments, SparseSegmentSqrtN,
    SparseSegmentSqrtNGrad, SparseSegmentSqrtNWithNumSegments, SparseSegmentSum, SparseSegmentSumGrad,
    SparseSegmentSumWithNumSegments, Digamma, Erf, Erfc, Erfinv, Lgamma, Ndtri, BesselI0, BesselI0e, BesselI1,
    BesselI1e, Betainc, Dawsn, Expint, Igamma, Igammac, Polygamma, Zeta, ToBool, InTopK, InTopKV2, NthElement, TopK,
    TopKV2, Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cos, Cosh, Sin, Sinh, Tan, Tanh, BesselJ0, BesselJ1, BesselK0,
    BesselK0e, BesselK1, BesselK1e, BesselY0, BesselY1, FresnelCos, FresnelSin, Spence, IsotonicRegression, ApproxTopK,
    QuantizeV2, Dequantize, QuantizeDownAndShrinkRange, Requantize, RequantizationRange, QuantizedAdd, QuantizedBiasAdd,
    QuantizedMatMul, QuantizedMul, QuantizedRelu, QuantizedRelu6, QuantizedConcat, QuantizedConcatV2, QuantizedReshape,
    QuantizedAvgPool, QuantizedConv2D, QuantizedMaxPool, QuantizedBatchNormWithGlobalNormalization, QuantizeUint8,
    QuantizedInstanceNorm, RequantizationRangePerChannel, RequantizePerChannel, QuantizedResizeBilinear,
    QuantizedConv2DPerChannel, QuantizedConv2DAndRelu, QuantizedConv2DAndRequantize,
    QuantizedConv2DAndReluAndRequantize, QuantizedConv2DWithBias, QuantizedConv2DWithBiasAndRelu,
    QuantizedConv2DWithBiasAndRequantize, QuantizedConv2DWithBiasAndReluAndRequantize,
    QuantizedConv2DWithBiasSumAndRelu, QuantizedConv2DWithBiasSumAndReluAndRequantize,
    QuantizedConv2DWithBiasSignedSumAndReluAndRequantize, QuantizedDepthwiseConv2D, QuantizedDepthwiseConv2DWithBias,
    QuantizedDepthwiseConv2DWithBiasAndRelu, QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize,
    QuantizedMatMulWithBias, QuantizedMatMulWithBiasAndRelu, QuantizedMatMulWithBiasAndRequantize,
    QuantizedMatMulWithBiasAndReluAndRequantize, QuantizedMatMulWithBiasAndDequantize, UniformDequantize,
    UniformQuantize, UniformQuantizedAdd, UniformQuantizedClipByValue, UniformQuantizedConvolution,
    UniformQuantizedConvolutionHybrid, UniformQuantizedDot, UniformQuantizedDotHybrid, UniformRequantize,
    SparseSegmentMeanGradV2, SparseSegmentSqrtNGradV2, SparseSegmentSumGradV2, ParameterizedTruncatedNormal,
    Multinomial, StatelessMultinomial, RandomGamma, RandomPoisson, RandomPoissonV2, StatelessRandomGammaV2,
    StatelessRandomGammaV3, StatelessRandomPoisson, RandomStandardNormal, RandomUniform, RandomUniformInt,
    TruncatedNormal, RandomShuffle, StatelessShuffle, RngReadAndSkip, RngSkip, StatefulStandardNormalV2,
    StatefulTruncatedNormal, StatefulUniform, StatefulUniformFullInt, StatefulUniformInt, StatelessRandomNormal,
    StatelessRandomUniform, StatelessRandomUniformFullInt, StatelessRandomUniformInt, StatelessTruncatedNormal,
    StatelessRandomGetAlg, StatelessRandomGetKeyCounter, StatelessRandomGetKeyCounterAlg, StatelessRandomNormalV2,
    StatelessRandomUniformFullIntV2, StatelessRandomUniformIntV2, StatelessRandomUniformV2, StatelessTruncatedNormalV2,
    StatefulRandomBinomial, StatelessRandomBinomial, StatelessParameterizedTruncatedNormal, RandomIndexShuffle,
    AllCandidateSampler, ComputeAccidentalHits, FixedUnigramCandidateSampler, LearnedUnigramCandidateSampler,
    LogUniformCandidateSampler, ThreadUnsafeUnigramCandidateSampler, UniformCandidateSampler, SobolSample,
    // sparse and ragged tensors
    RaggedTensorToSparse, RaggedTensorToTensor, RaggedGather, RaggedRange, RaggedTensorFromVariant,
    RaggedTensorToVariant, RaggedCross, RaggedFillEmptyRows, RaggedFillEmptyRowsGrad, RaggedTensorToVariantGradient,
    SparseAdd, SparseAddGrad, SparseSparseMaximum, SparseSparseMinimum, SparseCross, SparseCrossHashed, SparseCrossV2,
    SparseDenseCwiseAdd, SparseDenseCwiseDiv, SparseDenseCwiseMul, SparseTensorDenseAdd, SparseFillEmptyRows,
    SparseFillEmptyRowsGrad, SparseTensorDenseMatMul, SparseReduceMax, SparseReduceMaxSparse, SparseReduceSum,
    SparseReduceSumSparse, SparseReorder, SparseReshape, DenseToDenseSetOperation, DenseToSparseSetOperation, SetSize,
    SparseToSparseSetOperation, SparseConcat, SparseSlice, SparseSliceGrad, SparseSplit, SparseSoftmax, SparseToDense,
    AddManySparseToTensorsMap, AddSparseToTensorsMap, DeserializeManySparse, DeserializeSparse, SerializeManySparse,
    SerializeSparse, TakeManySparseFromTensorsMap, DenseCountSparseOutput, RaggedCountSparseOutput,
    SparseCountSparseOutput, CSRSparseMatrixComponents, CSRSparseMatrixToDense, CSRSparseMatrixToSparseTensor,
    DenseToCSRSparseMatrix, SparseMatrixNNZ, SparseTensorToCSRSparseMatrix, SparseMatrixMatMul,
    SparseMatrixSparseMatMul, SparseMatrixTranspose, SparseMatMul,
    // variables, lists, arrays, tables, queues
    DeleteSessionTensor, GetSessionHandle, GetSessionHandleV2, GetSessionTensor, AnonymousMutableDenseHashTable,
    MutableDenseHashTableV2, FIFOQueue, FakeQueue, PaddingFIFOQueue, PriorityQueue, QueueClose, QueueDequeue,
    QueueDequeueMany, QueueDequeueUpTo, QueueEnqueue, QueueEnqueueMany, QueueIsClosed, QueueSize, RandomShuffleQueue,
    AnonymousMutableHashTable, AnonymousMutableHashTableOfTensors, HashTable, InitializeTable,
    InitializeTableFromTextFile, LookupTableExport, LookupTableFind, LookupTableImport, LookupTableInsert,
    LookupTableSize, MutableHashTable, MutableHashTableOfTensors, Stack, StackClose, StackPop, StackPush, Stage,
    StageClear, StagePeek, StageSize, Unstage, MapClear, MapIncompleteSize, MapPeek, MapSize, MapStage, MapUnstage,
    MapUnstageNoKey, OrderedMapClear, OrderedMapIncompleteSize, OrderedMapPeek, OrderedMapSize, OrderedMapStage,
    OrderedMapUnstage, OrderedMapUnstageNoKey, AccumulatorApplyGradient, AccumulatorNumAccumulated,
    AccumulatorSetGlobalStep, AccumulatorTakeGradient, ConditionalAccumulator, ResourceAccumulatorApplyGradient,
    ResourceAccumulatorNumAccumulated, ResourceAccumulatorSetGlobalStep, ResourceAccumulatorTakeGradient,
    ResourceConditionalAccumulator, SparseAccumulatorApplyGradient, SparseAccumulatorTakeGradient,
    SparseConditionalAccumulator, Barrier, BarrierClose, BarrierIncompleteSize, BarrierInsertMany, BarrierReadySize,
    BarrierTakeMany, ConsumeMutexLock, MutexLock, MutexV2, FIFOQueueV2, PaddingFIFOQueueV2, PriorityQueueV2,
    RandomShuffleQueueV2, QueueCloseV2, QueueDequeueManyV2, QueueDequeueUpToV2, QueueDequeueV2, QueueEnqueueManyV2,
    QueueEnqueueV2, QueueIsClosedV2, QueueSizeV2, Assign, DestroyTemporaryVariable, IsVariableInitialized,
    TemporaryVariable, Variable, VariableV2, AssignVariableOp, DestroyResourceOp, DisableCopyOnRead, ReadVariableOp,
    VarHandleOp, VarIsInitializedOp, VariableShape, _ReadVariablesOp, StackCloseV2, StackPopV2, StackPushV2, StackV2,
    ResourceStridedSliceAssign, StridedSliceAssign, AnonymousHashTable, HashTableV2, InitializeTableV2,
    LookupTableExportV2, LookupTableFindV2, LookupTableImportV2, LookupTableInsertV2, LookupTableRemoveV2,
    LookupTableSizeV2, MutableHashTableOfTensorsV2, MutableHashTableV2, InitializeTableFromTextFileV2,
    GenerateVocabRemapping, TensorArrayCloseV3, TensorArrayGradV3, TensorArrayReadV3, TensorArraySizeV3, TensorArrayV3,
    TensorArrayWriteV3, TensorArrayConcatV3, TensorArrayGatherV3, TensorArrayScatterV3, TensorArraySplitV3,
    EmptyTensorList, TensorListConcatLists, TensorListElementShape, TensorListGetItem, TensorListLength,
    TensorListPopBack, TensorListPushBack, TensorListPushBackBatch, TensorListReserve, TensorListResize,
    TensorListSetItem, TensorListConcat, TensorListConcatV2, TensorListFromTensor, TensorListGather, TensorListScatter,
    TensorListScatterIntoExistingList, TensorListScatterV2, TensorListSplit, TensorListStack, ApplyAdaMax,
    ApplyAdadelta, ApplyAdagrad, ApplyAdagradDA, ApplyAdagradV2, ApplyAdam, ApplyAddSign, ApplyCenteredRMSProp,
    ApplyFtrl, ApplyFtrlV2, ApplyGradientDescent, ApplyMomentum, ApplyPowerSign, ApplyProximalAdagrad,
    ApplyProximalGradientDescent, ApplyRMSProp, ResourceApplyAdaMax, ResourceApplyAdadelta, ResourceApplyAdagrad,
    ResourceApplyAdagradDA, ResourceApplyAdagradV2, ResourceApplyAdam, ResourceApplyAdamWithAmsgrad,
    ResourceApplyAddSign, ResourceApplyCenteredRMSProp, ResourceApplyFtrl, ResourceApplyFtrlV2,
    ResourceApplyGradientDescent, ResourceApplyKerasMomentum, ResourceApplyMomentum, ResourceApplyPowerSign,
    ResourceApplyProximalAdagrad, ResourceApplyProximalGradientDescent, ResourceApplyRMSProp, SparseApplyAdadelta,
    SparseApplyAdagrad, SparseApplyAdagradDA, SparseApplyAdagradV2, SparseApplyCenteredRMSProp, SparseApplyFtrl,
    SparseApplyFtrlV2, SparseApplyMomentum, SparseApplyProximalAdagrad, SparseApplyProximalGradientDescent,
    SparseApplyRMSProp, ResourceSparseApplyAdadelta, ResourceSparseApplyAdagrad, ResourceSparseApplyAdagradDA,
    ResourceSparseApplyAdagradV2, ResourceSparseApplyCenteredRMSProp, ResourceSparseApplyFtrl,
    ResourceSparseApplyFtrlV2, ResourceSparseApplyKerasMomentum, ResourceSparseApplyMomentum,
    ResourceSparseApplyProximalAdagrad, ResourceSparseApplyProximalGradientDescent, ResourceSparseApplyRMSProp,
    ResourceGather, ResourceGatherNd, ResourceScatterAdd, ResourceScatterDiv, ResourceScatterMax, ResourceScatterMin,
    ResourceScatterMul, ResourceScatterSub, ResourceScatterUpdate, ScatterAdd, ScatterDiv, ScatterMax, ScatterMin,
    ScatterMul, ScatterSub, ScatterUpdate, ResourceScatterNdAdd, ResourceScatterNdMax, ResourceScatterNdMin,
    ResourceScatterNdSub, ResourceScatterNdUpdate, ScatterNdAdd, ScatterNdMax, ScatterNdMin, ScatterNdSub,
    ScatterNdUpdate, AssignAdd, AssignAddVariableOp, AssignSub, AssignSubVariableOp, CountUpTo, ResourceCountUpTo,
    EmptyTensorMap, TensorMapErase, TensorMapHasKey, TensorMapInsert, TensorMapLookup, TensorMapSize,
    TensorMapStackKeys,
    // strings, readers, summaries, messages, batches, functions of the program
    DecodeCSV, DecodeBase64, EncodeBase64, StringLength, StringLower, StringStrip, StringUpper, Substr,
    StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong, ReduceJoin, StringJoin, UnsortedSegmentJoin,
    StringNGrams, AsString, StringToNumber, RegexFullMatch, RegexReplace, StaticRegexFullMatch, StaticRegexReplace,
    StringSplit, StringSplitV2, DecodePaddedRaw, DecodeRaw, ParseTensor, SerializeTensor, StringFormat, UnicodeDecode,
    UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeScript, UnicodeTranscode, Fingerprint, AudioSummary, AudioSummaryV2,
    HistogramSummary, ImageSummary, MergeSummary, ScalarSummary, TensorSummary, TensorSummaryV2, CloseSummaryWriter,
    CreateSummaryFileWriter, FlushSummaryWriter, ImportEvent, SummaryWriter, WriteAudioSummary, WriteGraphSummary,
    WriteHistogramSummary, WriteImageSummary, WriteRawProtoSummary, WriteScalarSummary, WriteSummary,
    FixedLengthRecordReader, FixedLengthRecordReaderV2, IdentityReader, IdentityReaderV2, ReaderNumRecordsProduced,
    ReaderNumRecordsProducedV2, ReaderNumWorkUnitsCompleted, ReaderNumWorkUnitsCompletedV2, ReaderRead, ReaderReadUpTo,
    ReaderReadUpToV2, ReaderReadV2, ReaderReset, ReaderResetV2, ReaderRestoreState, ReaderRestoreStateV2,
    ReaderSerializeState, ReaderSerializeStateV2, TFRecordReader, TFRecordReaderV2, TextLineReader, TextLineReaderV2,
    WholeFileReader, WholeFileReaderV2, TensorArray, TensorArrayClose, TensorArrayCloseV2, TensorArrayConcat,
    TensorArrayConcatV2, TensorArrayGather, TensorArrayGatherV2, TensorArrayGrad, TensorArrayGradV2, TensorArrayRead,
    TensorArrayReadV2, TensorArrayScatter, TensorArrayScatterV2, TensorArraySize, TensorArraySizeV2, TensorArraySplit,
    TensorArraySplitV2, TensorArrayV2, TensorArrayWrite, TensorArrayWriteV2, AdjustContrast, Batch, BatchFunction,
    DecodeProtoV2, DeviceIndex, EagerPyFunc, EncodeProto, GRUBlockCellGrad, HostConst, LSTMBlockCellGrad, MapDefun,
    NearestNeighbors, PyFunc, PyFuncStateless, RandomCrop, Unbatch, UnbatchGrad, CompositeTensorVariantFromComponents,
    CompositeTensorVariantToComponents, Conv, FileSystemSetConfiguration, FusedPadConv2D, FusedResizeAndPadConv2D,
    InitializeTableFromDataset, NonDeterministicInts, RefIdentity, SdcaShrinkL1, SdcaFprint, SdcaOptimizer,
    SdcaOptimizerV2, StatefulStandardNormal, TensorArrayGradWithShape, TensorArrayPack, TensorArrayUnpack,
    SparseMatrixSparseCholesky, Skipgram, NegTrain, RecordInput, GlobalShuffleDataset, ComputeBatchSize,
    LatencyStatsDataset, ExperimentalLatencyStatsDataset, BytesProducedStatsDataset,
    ExperimentalBytesProducedStatsDataset, SetStatsAggregatorDataset, ExperimentalSetStatsAggregatorDataset,
    StatsAggregatorHandle, ExperimentalStatsAggregatorHandle, StatsAggregatorHandleV2, StatsAggregatorSummary,
    ExperimentalStatsAggregatorSummary, StatsAggregatorSetSummaryWriter, ThreadPoolHandle, ExperimentalThreadPoolHandle,
    ThreadPoolDataset, ExperimentalThreadPoolDataset, ChooseFastestDataset, ExperimentalChooseFastestDataset,
    MultiDeviceIterator, AnonymousMultiDeviceIterator, AnonymousMultiDeviceIteratorV3, MultiDeviceIteratorInit,
    MultiDeviceIteratorGetNextFromShard, DeleteMultiDeviceIterator, MultiDeviceIteratorToStringHandle,
    MultiDeviceIteratorFromStringHandle, DebugCopy, CopyHost, DebugIdentity, DebugIdentityV2, DebugIdentityV3,
    DebugGradientIdentity, DebugGradientRefIdentity, DebugNanCount, DebugNumericSummary, DebugNumericSummaryV2,
    FakeParam, SyncDevice, CustomAggregator, KmeansPlusPlusInitialization, KMC2ChainInitialization,
    StochasticCastToInt>;

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
