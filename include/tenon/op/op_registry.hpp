// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpRegistry: op name -> description. Kernels are elsewhere (kernel/registry.hpp); a program that only edits graphs
// needs this.

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/signature.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// The same declaration: the same texts in the same order and the same flags. Shape functions are not compared (the same
// one has several addresses in a program of several shared libraries).
inline bool SameOp(const OpView& a, const OpView& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& s, const auto& t) { return s.text == t.text; });
  };
  return a.name == b.name && same(a.inputs, b.inputs) && same(a.outputs, b.outputs) && same(a.attrs, b.attrs) &&
         std::equal(a.control_outputs.begin(), a.control_outputs.end(), b.control_outputs.begin(),
                    b.control_outputs.end()) &&
         a.flags == b.flags && a.deprecated_since == b.deprecated_since;
}

// Unimplemented when graphs of this version may no longer hold the op.
inline Status CheckOpDeprecation(const OpView& op, int graph_def_version) {
  if (op.deprecated_since == 0 || graph_def_version < op.deprecated_since) return OkStatus();
  return errors::Unimplemented("Op ", op.name, " is not available in GraphDef version ", graph_def_version,
                               ". It has been removed in version ", op.deprecated_since, ". ", op.deprecation_text,
                               ".");
}

// externally synchronised: any number of threads may look up while none registers.
class OpRegistry {
 public:
  // Keeps a pointer: the view lies in static data, or outlives the registry. The same declaration again does nothing;
  // AlreadyExists when the name stands for another one.
  Status Register(const OpView& op) {
    if (!detail::IsOpName(op.name))
      return errors::InvalidArgument("Invalid name: ", op.name, " (Did you use CamelCase?)");
    const auto at = LowerBound(op.name);
    if (at != ops_.end() && (*at)->name == op.name)
      return SameOp(**at, op) ? OkStatus() : errors::AlreadyExists("Op with name ", op.name);
    ops_.insert(at, &op);
    return OkStatus();
  }
  Status Register(OpView&&) = delete;

  // Null when there is no such op.
  const OpView* Find(std::string_view name) const {
    const auto at = const_cast<OpRegistry*>(this)->LowerBound(name);
    return at != ops_.end() && (*at)->name == name ? *at : nullptr;
  }
  // NotFound with TensorFlow's text and the nearest names.
  Status LookUp(std::string_view name, const OpView** op) const {
    *op = Find(name);
    return *op != nullptr ? OkStatus() : NotRegistered(name);
  }

  // All ops, sorted by name.
  const SlimVector<const OpView*>& ops() const { return ops_; }
  std::size_t size() const { return ops_.size(); }

 private:
  SlimVector<const OpView*>::iterator LowerBound(std::string_view name) {
    return std::lower_bound(ops_.begin(), ops_.end(), name,
                            [](const OpView* op, std::string_view n) { return op->name < n; });
  }
  TENON_COLD Status NotRegistered(std::string_view name) const {
    SlimVector<std::string_view> names;
    for (const OpView* op : ops_) names.push_back(op->name);
    return errors::NotFound("Op type not registered '", name, "' in binary running on this machine. ",
                            "Make sure the Op and Kernel are registered in the binary running in this process",
                            DidYouMean(name, names), names.empty() ? "; no op is registered at all." : ".");
  }

  SlimVector<const OpView*> ops_;  // sorted by name
};

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
