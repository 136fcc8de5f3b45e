// SPDX-License-Identifier: Apache-2.0
// Any bytes as the object graph of a checkpoint: an error, or tensors with paths that may be looked up. Their values
// are written as an object-based checkpoint of their paths, where those can be.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/object_checkpoint_writer.hpp>

#include "temp_folder.hpp"

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

// Removes the checkpoints of the run before: to replace one takes four times as many calls of the system.
void RemoveCheckpoints(const TempFolder& folder) {
  for (const char* name : {"m.index", "m.data-00000-of-00001", "n.index", "n.data-00000-of-00001"})
    std::remove((folder / name).c_str());
}

// A checkpoint with this object graph, and with tensors that the seeds name.
void WriteGraph(const std::string& prefix, std::string_view graph) {
  tenon::BundleWriter writer(prefix);
  Expect(writer.Open().ok());
  for (const char* key : {"a/.ATTRIBUTES/VARIABLE_VALUE", "b/.ATTRIBUTES/VARIABLE_VALUE", "t/.ATTRIBUTES/table-keys",
                          "t/.ATTRIBUTES/table-values", "k"})
    Expect(writer.Add(key, tenon::Tensor::Scalar(7)).ok());
  Expect(writer.Add("_CHECKPOINTABLE_OBJECT_GRAPH", tenon::Tensor::Scalar(graph)).ok());
  Expect(writer.Finish().ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempFolder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const tenon::Result<std::string> name = tenon::UnescapeObjectName(bytes); name.ok())
    Expect(tenon::EscapeObjectName(*name) == bytes);
  Expect(*tenon::UnescapeObjectName(tenon::EscapeObjectName(bytes)) == bytes);
  // Files cost most of a run: of the bytes that are no object graph one in sixteen goes into a checkpoint.
  if (size % 16 != 0 && !tenon::ParseTrackableObjectGraph(tenon::wire::AsBytes(bytes)).ok()) return 0;
  RemoveCheckpoints(folder);
  WriteGraph(folder / "m", bytes);
  tenon::Result<tenon::ObjectCheckpoint> checkpoint = tenon::ObjectCheckpoint::Open(folder / "m");
  if (!checkpoint.ok()) {
    Expect(!checkpoint.status().message().empty());
    return 0;
  }
  std::vector<tenon::ObjectValue> values;
  for (const tenon::ObjectTensor& tensor : checkpoint->tensors()) {
    if (values.size() == 50) break;
    const auto found = checkpoint->Find(tensor.path);
    Expect(found.ok() || !found.status().message().empty());
    static_cast<void>(checkpoint->Find(tensor.path + "/.ATTRIBUTES/" + tensor.attribute));
    static_cast<void>(checkpoint->Read(tensor.path));
    values.push_back({tensor.path, tenon::Tensor::Scalar(1), tensor.full_name});
  }
  const tenon::Status written = tenon::WriteObjectCheckpoint(folder / "n", values, {.save_counter = std::nullopt});
  if (!written.ok()) {
    Expect(tenon::errors::IsInvalidArgument(written));
    return 0;
  }
  tenon::Result<tenon::ObjectCheckpoint> again = tenon::ObjectCheckpoint::Open(folder / "n");
  Expect(again.ok() && again->tensors().size() == values.size());
  for (const tenon::ObjectValue& value : values) Expect(again->Read(value.path).ok());
  return 0;
}
