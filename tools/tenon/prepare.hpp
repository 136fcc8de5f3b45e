// SPDX-License-Identifier: Apache-2.0
#pragma once
// A model with its feeds, ready to run: what `run`, `bench`, `trace` and `diff --run` share.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/optimize/core/options.hpp>

#include "arrays.hpp"
#include "command.hpp"
#include "model.hpp"

namespace command {

struct Prepared {
  tenon::Session session;
  tenon::Callable callable;
  std::vector<End> outputs;
  Feeds feeds;
  Signature signature;
  std::string hint;  // behind a failed precondition: nodes that may initialise variables and tables
};

// Opens the model at `path` and makes a callable as the options --signature, --fetch, --target, --input, --threads say.
// Words behind the model are inputs, too. `fill`: inputs without a value get numbers, for `batch` items.
// `optimizer`: instead of --optimize and --choices, and without notes; null: these.
Result<Prepared> Prepare(const Args& args, const std::string& path, bool fill, std::int64_t batch = 1,
                         const tenon::OptimizerOptions* optimizer = nullptr);
// Prepares the callable again with inputs of `batch` items: rows of the given inputs are repeated or left out.
Result<Feeds> WithBatch(const Args& args, const Prepared& prepared, std::int64_t batch);
// Runs once.
Result<std::vector<NamedOutput>> RunOnce(const Prepared& prepared);

}  // namespace command
