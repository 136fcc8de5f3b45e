// SPDX-License-Identifier: Apache-2.0
// Any bytes as a VariantTensorDataProto and as a TensorProto of variants, decoded by the registry: an error or values,
// which are the same after they were written.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/wire/tensor_proto.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

constexpr std::uint64_t kRepeatBytes = 1 << 12;  // so that a run is short

void Expect(bool condition) {
  if (!condition) std::abort();
}

// Takes its bytes apart, and holds variants again.
struct Pack {
  std::uint8_t kind = 0;
  tenon::SlimVector<tenon::Tensor> parts;

  static std::string TypeName() { return "Pack"; }
  void Encode(tenon::VariantTensorData* data) const {
    data->SetMetadata(kind);
    data->tensors = parts;
  }
  bool Decode(tenon::VariantTensorData data) {
    parts = std::move(data.tensors);
    return data.GetMetadata(&kind) && kind < 4;
  }
};

tenon::VariantRegistry& Registry() {
  static tenon::VariantRegistry registry;
  static const bool added = registry.AddType<Pack>().ok();
  Expect(added);
  return registry;
}

// The variant and all inside it.
void DecodeAll(tenon::Variant* variant);
void DecodeAll(tenon::Tensor* tensor) {
  if (tensor->dtype() != tenon::DataType::kVariant) return;
  for (tenon::Index i = 0; i < tensor->NumElements() && i < 1000; ++i) DecodeAll(tensor->data<tenon::Variant>() + i);
}
void DecodeAll(tenon::Variant* variant) {
  const tenon::Status s = Registry().Decode(variant);
  Expect(s.ok() ? !variant->is_serialized() : !s.message().empty() && variant->is_serialized());
  Expect(!variant->DebugString().empty());
  if (auto* const tensor = variant->get<tenon::Tensor>()) DecodeAll(tensor);
  if (auto* const pack = variant->get<Pack>()) {
    for (tenon::Tensor& part : pack->parts) DecodeAll(&part);
  }
}

void Written(const tenon::Tensor& tensor) {
  for (const auto form : {tenon::TensorProtoForm::kContent, tenon::TensorProtoForm::kTyped}) {
    std::string text, again_text;
    tenon::TensorToProto(tensor, &text, form);
    const tenon::Result<tenon::Tensor> again =
        tenon::TensorFromProto(tenon::wire::AsBytes(text), nullptr, std::uint64_t{1} << 32);
    Expect(again.ok());
    tenon::TensorToProto(*again, &again_text, form);
    Expect(text == again_text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  tenon::wire::ParseContext context;
  context.repeat_bytes = kRepeatBytes;
  tenon::Variant variant;
  if (tenon::wire::Parse(bytes, &variant, context).ok()) {
    tenon::Tensor tensor = tenon::Tensor::Scalar(variant);
    Written(tensor);
    DecodeAll(&variant);
    const tenon::Variant copy = variant;
    Expect(copy.TypeName() == variant.TypeName());
    tensor.data<tenon::Variant>()[0] = std::move(variant);
    Written(tensor);
  }
  if (tenon::Result<tenon::Tensor> tensor = tenon::TensorFromProto(bytes, nullptr, kRepeatBytes); tensor.ok()) {
    Written(*tensor);
    DecodeAll(&*tensor);
    Written(*tensor);
    Expect(!tensor->DebugString(10).empty());
  }
  return 0;
}
