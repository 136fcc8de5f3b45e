// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodeCompressed: texts out of their compressed forms.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/compression/inflate_stream.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Reads a text in pieces, for InflateStream.
inline std::size_t ReadOfText(void* rest, unsigned char* to, std::size_t room) {
  auto& text = *static_cast<std::string_view*>(rest);
  const std::size_t count = std::min(room, text.size());
  if (count != 0) std::memcpy(to, text.data(), count);
  text.remove_prefix(count);
  return count;
}

// A text whose compressed form ends early gives the bytes before its end, as in TensorFlow.
inline Status Decompress(InflateFormat format, std::string_view bytes, tstring* text) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  Owned<InflateStream> stream(new InflateStream(format, &ReadOfText, &bytes));
  text->assign("");
  for (std::size_t size = 0, got = 1; got > 0 && size < kMost; size += got) {
    // The text grows by half of its size, so that large ones are seldom copied.
    const std::size_t room = std::min(kMost - size, std::max(kPiece, size / 2));
    text->resize_uninitialized(size + room);
    const Status status = stream->Read(text->mdata() + size, room, &got);
    text->resize_uninitialized(size + got);
    if (status.code() == Code::kOutOfRange) break;
    TENON_RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

inline Status DecompressAll(OpKernelContext& context, std::string_view kind, const Tensor& bytes) {
  Tensor* output = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, bytes.shape(), &output));
  const tstring* from = bytes.data<tstring>();
  tstring* to = output->data<tstring>();
  for (Index i = 0; i < bytes.NumElements(); ++i) {
    if (kind.empty())
      to[i] = from[i];
    else
      TENON_RETURN_IF_ERROR(
          Decompress(kind == "ZLIB" ? InflateFormat::kZlib : InflateFormat::kGzip, from[i].view(), &to[i]));
  }
  return OkStatus();
}

inline Status CheckCompressionType(std::string_view kind) {
  if (kind.empty() || kind == "ZLIB" || kind == "GZIP") return OkStatus();
  if (kind == "ZSTD") return errors::Unimplemented("DecodeCompressed: ZSTD is not read; use ZLIB, GZIP or ''");
  return errors::InvalidArgument("Only ZLIB, ZSTD, GZIP or NONE are supported compressions");
}

}  // namespace detail

struct DecodeCompressed {
  static constexpr auto signature = Op("DecodeCompressed")
                                        .Input("bytes: string")
                                        .Output("output: string")
                                        .Attr("compression_type: string = ''")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    std::string_view compression_type;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckCompressionType(this->compression_type); }
    Status operator()(Context<Device>& context, const Tensor& bytes, Tensor&) const {
      return detail::DecompressAll(context.op(), this->compression_type, bytes);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
