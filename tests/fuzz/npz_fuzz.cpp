// SPDX-License-Identifier: Apache-2.0
// Any bytes as an .npz file, an .npy file and a deflate stream: an error or tensors, which are the same after they were
// written. Without check sums, so that a changed byte comes further.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <tenon/io/npz.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

void Written(const tenon::Tensor& tensor) {
  const tenon::Result<tenon::detail::NpyImage> image = tenon::detail::MakeNpy(tensor, "fuzz");
  if (!image.ok()) return;
  std::string bytes = image->header;
  bytes += image->data;
  tenon::NpyOptions options;
  if (tensor.dtype() != tenon::DataType::kBfloat16 && bytes.find("'<V1'") != std::string::npos)
    options.void_dtype = tensor.dtype();
  const tenon::Result<tenon::Tensor> again =
      tenon::ParseNpy({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, nullptr, "fuzz", options);
  Expect(again.ok() && again->dtype() == tensor.dtype() && again->shape() == tensor.shape());
  Expect(again->SummarizeValue(100) == tensor.SummarizeValue(100));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenon::NpzOptions options;
  options.check_crc = false;
  options.max_member_bytes = options.max_total_bytes = 1 << 14;
  options.npy.max_bytes = 1 << 14;
  if (size > 0 && (data[size - 1] & 1) != 0)
    options.npy.void_dtype = (data[size - 1] & 2) != 0 ? tenon::DataType::kInt4 : tenon::DataType::kFloat8E4M3FN;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  tenon::Buffer* buffer = tenon::Buffer::Wrap(const_cast<std::uint8_t*>(data), size, nullptr, nullptr);
  if (const tenon::Result<tenon::NpzFile> file = tenon::NpzFile::FromBuffer(buffer, "fuzz", options); file.ok()) {
    for (const std::string& name : file->Names()) {
      const tenon::Result<tenon::Tensor> tensor = file->Read(name);
      if (tensor.ok()) Written(*tensor);
      Expect(tensor.ok() || !tensor.status().message().empty());
    }
    static_cast<void>(file->ReadAll());
  }
  const tenon::Result<tenon::Tensor> viewed = tenon::ParseNpy(bytes, buffer, "fuzz", options.npy);
  if (viewed.ok()) Written(*viewed);
  std::byte out[4096];
  static_cast<void>(tenon::Inflate(bytes, out));
  buffer->Unref();
  return 0;
}
