// SPDX-License-Identifier: Apache-2.0
#pragma once
// Training steps in Python, as peers.

#include <memory>
#include <string>

#include "peers/peer.hpp"

namespace tenon::bench {

// A step that bench/peers/training_peer.py runs: "function", "xla", "eager" or "compile". `values` is an .npz file with
// the feeds and the first values of the variables. Fetch returns the losses of the first steps. NotFound: the framework
// is not there, or cannot run the model.
Result<std::unique_ptr<PeerSession>> MakeTrainingPeer(const char* kind, const std::string& model,
                                                      const std::string& values, int threads);

}  // namespace tenon::bench
