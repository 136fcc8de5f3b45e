// SPDX-License-Identifier: Apache-2.0
#pragma once
// The readers of older graphs: TFRecordReader, ReaderRead and so on, which pass their reader by reference. The kernels
// are those of the newer ops.

#include <string_view>

#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/ops/reader/reader.hpp>
#include <tenon/ops/variable/handle_reference.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct TFRecordReader {
  static constexpr auto signature = Op("TFRecordReader")
                                        .Output("reader_handle: Ref(string)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .Attr("compression_type: string = ''")
                                        .SetIsStateful()
                                        .Deprecated(26, "Use TFRecordReaderV2")
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TFRecordReaderV2::kernel<Device>;
};

struct TextLineReader {
  static constexpr auto signature = Op("TextLineReader")
                                        .Output("reader_handle: Ref(string)")
                                        .Attr("skip_header_lines: int = 0")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .Deprecated(26, "Use TextLineReaderV2")
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = TextLineReaderV2::kernel<Device>;
};

struct WholeFileReader {
  static constexpr auto signature = Op("WholeFileReader")
                                        .Output("reader_handle: Ref(string)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = WholeFileReaderV2::kernel<Device>;
};

// Fails with NotFound, as in TensorFlow 2.21, which reads an attr that the op lacks: FixedLengthRecordReaderV2 works.
struct FixedLengthRecordReader {
  static constexpr auto signature = Op("FixedLengthRecordReader")
                                        .Output("reader_handle: Ref(string)")
                                        .Attr("header_bytes: int = 0")
                                        .Attr("record_bytes: int")
                                        .Attr("footer_bytes: int = 0")
                                        .Attr("hop_bytes: int = 0")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .Deprecated(26, "Use FixedLengthRecordReaderV2")
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = FixedLengthRecordReaderV2::kernel<Device>;
};

struct IdentityReader {
  static constexpr auto signature = Op("IdentityReader")
                                        .Output("reader_handle: Ref(string)")
                                        .Attr("container: string = ''")
                                        .Attr("shared_name: string = ''")
                                        .SetIsStateful()
                                        .Deprecated(26, "Use IdentityReaderV2")
                                        .SetShapeFn(detail::TwoElementOutput);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = IdentityReaderV2::kernel<Device>;
};

struct ReaderRead {
  static constexpr auto signature = Op("ReaderRead")
                                        .Input("reader_handle: Ref(string)")
                                        .Input("queue_handle: Ref(string)")
                                        .Output("key: string")
                                        .Output("value: string")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = ReaderReadV2::kernel<Device>;
};

struct ReaderReadUpTo {
  static constexpr auto signature = Op("ReaderReadUpTo")
                                        .Input("reader_handle: Ref(string)")
                                        .Input("queue_handle: Ref(string)")
                                        .Input("num_records: int64")
                                        .Output("keys: string")
                                        .Output("values: string")
                                        .SetShapeFn(detail::ReadUpToShape<1>);
  template <class Device>
  using kernel = ReaderReadUpToV2::kernel<Device>;
};

struct ReaderNumRecordsProduced {
  static constexpr auto signature = Op("ReaderNumRecordsProduced")
                                        .Input("reader_handle: Ref(string)")
                                        .Output("records_produced: int64")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = ReaderNumRecordsProducedV2::kernel<Device>;
};

struct ReaderNumWorkUnitsCompleted {
  static constexpr auto signature = Op("ReaderNumWorkUnitsCompleted")
                                        .Input("reader_handle: Ref(string)")
                                        .Output("units_completed: int64")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = ReaderNumWorkUnitsCompletedV2::kernel<Device>;
};

struct ReaderSerializeState {
  static constexpr auto signature = Op("ReaderSerializeState")
                                        .Input("reader_handle: Ref(string)")
                                        .Output("state: string")
                                        .SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = ReaderSerializeStateV2::kernel<Device>;
};

struct ReaderRestoreState {
  static constexpr auto signature = Op("ReaderRestoreState")
                                        .Input("reader_handle: Ref(string)")
                                        .Input("state: string")
                                        .SetShapeFn(detail::RestoreReaderShape);
  template <class Device>
  using kernel = ReaderRestoreStateV2::kernel<Device>;
};

struct ReaderReset {
  static constexpr auto signature =
      Op("ReaderReset").Input("reader_handle: Ref(string)").SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = ReaderResetV2::kernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
