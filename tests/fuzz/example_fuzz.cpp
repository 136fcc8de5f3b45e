// SPDX-License-Identifier: Apache-2.0
// Any bytes as an Example and as a SequenceExample: an error, or values whose bytes are read as the values again, and
// whose features are tensors and features again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/io/example_io.hpp>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

void AsTensor(const tenon::Feature& feature) {
  const tenon::Result<tenon::Tensor> tensor = tenon::FeatureToTensor(feature);
  Expect(tensor.ok() == (feature.dtype() != tenon::DataType::kInvalid));
  if (!tensor.ok()) return;
  const tenon::Result<tenon::Feature> again = tenon::FeatureFromTensor(*tensor);
  Expect(again.ok());
  std::string first, second;  // as bytes, since NaN does not equal itself
  tenon::wire::SerializeTo(feature, &first);
  tenon::wire::SerializeTo(*again, &second);
  Expect(first == second);
}
void AsTensor(const tenon::FeatureList& list) {
  const tenon::Result<tenon::Tensor> tensor = tenon::FeatureListToTensor(list);
  Expect(tensor.ok() || !tensor.status().message().empty());
  if (!tensor.ok()) return;
  const tenon::Result<tenon::FeatureList> again = tenon::FeatureListFromTensor(*tensor);
  Expect(again.ok() && again->feature.size() == list.feature.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const tenon::Result<tenon::Example> example = tenon::ParseExample(bytes); example.ok()) {
    const std::string written = tenon::SerializeExample(*example);
    const tenon::Result<tenon::Example> again = tenon::ParseExample(written);
    Expect(again.ok() && tenon::SerializeExample(*again) == written);
    if (example->features) {
      for (const tenon::FeatureEntry& entry : again->features->feature) {
        AsTensor(entry.value);
        Expect(example->Find(entry.key) != nullptr && again->Find(entry.key) == &entry.value);
      }
    }
  } else {
    Expect(!example.status().message().empty());
  }
  if (const tenon::Result<tenon::SequenceExample> example = tenon::ParseSequenceExample(bytes); example.ok()) {
    const std::string written = tenon::SerializeSequenceExample(*example);
    const tenon::Result<tenon::SequenceExample> again = tenon::ParseSequenceExample(written);
    Expect(again.ok() && tenon::SerializeSequenceExample(*again) == written);
    if (example->feature_lists) {
      for (const tenon::FeatureListEntry& entry : again->feature_lists->feature_list) AsTensor(entry.value);
    }
  }
  return 0;
}
