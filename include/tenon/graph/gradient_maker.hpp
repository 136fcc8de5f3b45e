// SPDX-License-Identifier: Apache-2.0
#pragma once
// Hook for code that derives functions. A SymbolicGradient node calls it when the graph's library names no gradient
// for its function.

#include <atomic>

#include <tenon/base/errors.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The gradient of `function`, which is one of `library` or an op, as a function with the attrs of the call: it takes
// the function's inputs and then the gradients of its outputs, and gives the gradients of its inputs. It may call
// functions of the library, and SymbolicGradient of them. NotFound: there is none. Called once for each function and
// attrs; from any thread, several at a time.
using GradientMaker = Result<FunctionDef> (*)(const NameAttrList& function, const FunctionDefLibrary& library,
                                              const OpRegistry& ops);

namespace detail {
inline constinit std::atomic<GradientMaker> gradient_maker{nullptr};
}

// For all sessions; null: none. Returns the one before. thread-safe; a session asks when it builds the node's kernel.
inline GradientMaker SetGradientMaker(GradientMaker maker) {
  return detail::gradient_maker.exchange(maker, std::memory_order_acq_rel);
}

// The maker's function. NotFound, with TensorFlow's message: the maker makes none, or there is no maker.
inline Result<FunctionDef> MakeGradient(const NameAttrList& function, const FunctionDefLibrary& library,
                                        const OpRegistry& ops) {
  if (const GradientMaker make = detail::gradient_maker.load(std::memory_order_acquire)) {
    Result<FunctionDef> made = make(function, library, ops);
    if (made.ok() || made.status().code() != Code::kNotFound) return made;
  }
  return errors::NotFound("No gradient defined for op: ", function.name);
}

TENON_DETAIL_NAMESPACE_END
