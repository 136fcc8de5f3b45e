// SPDX-License-Identifier: Apache-2.0
// Any bytes as a TensorProto and as a TensorShapeProto: an error or a value, which is the same after it was written in
// each form.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include <tenon/op/attr/attr_value.hpp>
#include <tenon/wire/tensor_proto.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kRepeatBytes = 1 << 12;  // so that a run is short
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  tenon::Buffer* owner = tenon::Buffer::Wrap(const_cast<std::uint8_t*>(data), size, nullptr, nullptr);
  {
    const tenon::Result<tenon::Tensor> copied = tenon::TensorFromProto(bytes, nullptr, kRepeatBytes);
    const tenon::Result<tenon::Tensor> viewed = tenon::TensorFromProto(bytes, owner, kRepeatBytes);
    // A long string that is repeated needs no memory as a view.
    const bool too_large = copied.status().code() == tenon::Code::kResourceExhausted;
    Expect(copied.status() == viewed.status() || (too_large && viewed.ok()));
    if (viewed.ok()) Expect(!viewed->DebugString(10).empty());
    if (copied.ok()) {
      Expect(tenon::SameTensor(*copied, *viewed));
      Expect(!copied->DebugString(10).empty());
      for (const auto form :
           {tenon::TensorProtoForm::kAuto, tenon::TensorProtoForm::kContent, tenon::TensorProtoForm::kTyped}) {
        std::string text;
        tenon::TensorToProto(*copied, &text, form);
        const tenon::Result<tenon::Tensor> again =
            tenon::TensorFromProto(tenon::wire::AsBytes(text), nullptr, std::uint64_t{1} << 32);
        Expect(again.ok() && tenon::SameTensor(*copied, *again));
      }
    } else {
      Expect(!copied.status().message().empty());
    }
    if (const tenon::Result<tenon::PartialTensorShape> shape = tenon::PartialShapeFromProto(bytes); shape.ok()) {
      std::string text;
      tenon::ShapeToProto(*shape, &text);
      const tenon::Result<tenon::PartialTensorShape> again = tenon::PartialShapeFromProto(tenon::wire::AsBytes(text));
      Expect(again.ok() && *again == *shape);
    }
    static_cast<void>(tenon::ShapeFromProto(bytes));
  }
  owner->Unref();
  return 0;
}
