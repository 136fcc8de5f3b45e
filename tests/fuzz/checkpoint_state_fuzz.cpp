// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file `checkpoint` of a folder. What is read can be written, and reads as the same from then on.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/io/checkpoint_manager.hpp>

#include "temp_folder.hpp"

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempFolder folder;
  Expect(tenon::WriteFile(folder / "checkpoint", {reinterpret_cast<const char*>(data), size}).ok());
  const tenon::Result<tenon::CheckpointState> state = tenon::ReadCheckpointState(folder.path());
  static_cast<void>(tenon::LatestCheckpoint(folder.path()));
  const tenon::Result<tenon::CheckpointManager> manager = tenon::CheckpointManager::Open(folder.path(), {}, 1e9);
  Expect(manager.ok() == state.ok());
  if (!state.ok()) {
    Expect(!state.status().message().empty());
    return 0;
  }
  static_cast<void>(manager->NextNumber());
  // The first time it may get the newest path as the last one, and shorter forms of paths.
  const tenon::Status written = tenon::WriteCheckpointState(folder.path(), *state);
  if (!written.ok()) {
    Expect(tenon::errors::IsInvalidArgument(written));
    return 0;
  }
  const tenon::Result<tenon::CheckpointState> first = tenon::ReadCheckpointState(folder.path());
  Expect(first.ok() && tenon::WriteCheckpointState(folder.path(), *first).ok());
  const tenon::Result<tenon::CheckpointState> second = tenon::ReadCheckpointState(folder.path());
  Expect(second.ok() && tenon::ToText(*second) == tenon::ToText(*first));
  return 0;
}
