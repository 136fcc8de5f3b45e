// SPDX-License-Identifier: Apache-2.0
#pragma once
// What session_user.cpp offers, a file that sees <tenon/runtime/api/session.hpp> and nothing else of Tenon.

#include <cstddef>
#include <span>
#include <string>

#include <tenon/runtime/api/session.hpp>

namespace top_test {

// y for this x, of the graph in `bytes`.
tenon::Result<float> RunGraph(std::span<const std::byte> bytes, float x);
// The session's y for x, by a Callable.
tenon::Result<float> CallSession(const tenon::Session& session, float x);

// Where the runtime starts, as that file sees it.
using LoadFile = tenon::Result<tenon::Session> (*)(const std::string& path, tenon::SessionOptions options);
LoadFile LoaderOfOtherFile();

}  // namespace top_test
