// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionLibraryDefinition: a library of functions that changes while a program runs, with TensorFlow's members and
// messages. What is read from a file, and what a Graph holds, is plain data (op/graph_def/function_def.hpp).
//
//   FunctionLibraryDefinition functions(registry, graph.library);
//   TENON_RETURN_IF_ERROR(functions.AddFunctionDef(square));
//   graph.library = functions.ToProto();

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/attr_slice.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/op_def/function_equality.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/owned_op.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/function_reach.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// thread-safe. What Find and LookUp give stays as it is until the function of that name is removed or replaced.
class FunctionLibraryDefinition {
 public:
  static constexpr std::string_view kGradientOp = "SymbolicGradient";
  static constexpr std::string_view kFuncAttr = "f";  // attr of a SymbolicGradient: the function that it derives

  // The last of several functions with one name counts. `ops` outlives the library.
  explicit FunctionLibraryDefinition(const OpRegistry& ops, FunctionDefLibrary library = {}) : ops_(&ops) {
    for (FunctionDef& function : library.function) {
      Ref<Entry> entry = MakeEntry(std::move(function));
      const std::size_t at = Place(entry->name());
      if (Holds(at, entry->name()))
        functions_[at] = std::move(entry);
      else
        functions_.insert(functions_.begin() + static_cast<std::ptrdiff_t>(at), std::move(entry));
    }
    for (GradientDef& gradient : library.gradient) {
      if (GradientDef* const there = GradientOf(gradient.function_name); there != nullptr)
        *there = std::move(gradient);
      else
        InsertGradient(std::move(gradient));
    }
    registered_gradients_ = std::move(library.registered_gradients);
  }
  // The functions themselves are shared.
  FunctionLibraryDefinition(const FunctionLibraryDefinition& other) : ops_(other.ops_) {
    const MutexLock lock(other.mutex_);
    functions_ = other.functions_;
    gradients_ = other.gradients_;
    registered_gradients_ = other.registered_gradients_;
  }
  FunctionLibraryDefinition& operator=(const FunctionLibraryDefinition&) = delete;

  // --- looking up
  bool Contains(std::string_view name) const { return Find(name) != nullptr; }
  // Null when there is no such function.
  const FunctionDef* Find(std::string_view name) const {
    const MutexLock lock(mutex_);
    const Entry* const entry = FindLocked(name);
    return entry == nullptr ? nullptr : &entry->def;
  }
  // The function that computes the gradient of `function`, or "".
  std::string FindGradient(std::string_view function) const {
    const MutexLock lock(mutex_);
    const GradientDef* const gradient = GradientOf(function);
    return gradient == nullptr ? std::string() : gradient->gradient_func;
  }
  // The op of that name: a function (it says nothing of its results' shapes), else one of the registry. NotFound with
  // TensorFlow's text.
  Status LookUp(std::string_view name, const OpView** op) const {
    *op = nullptr;
    {
      const MutexLock lock(mutex_);
      if (const Entry* const entry = FindLocked(name); entry != nullptr) return entry->Describe(op);
    }
    return ops_->LookUp(name, op);
  }
  // An attr of the function that a node calls. For a SymbolicGradient that is the gradient function or, without one,
  // the function itself. InvalidArgument when there is no function, or the attr is missing or of another type.
  template <class T>
  Status GetAttr(const NodeDef& node, std::string_view attr, T* value) const {
    const FunctionDef* const function = FunctionOf(node);
    if (function != nullptr && AttrSlice(&function->attr).TryGet(attr, value)) return OkStatus();
    return errors::InvalidArgument("Attr ", attr, " is not defined.");
  }
  std::size_t num_functions() const {
    const MutexLock lock(mutex_);
    return functions_.size();
  }
  // Sorted.
  SlimVector<std::string> ListFunctionNames() const {
    const MutexLock lock(mutex_);
    SlimVector<std::string> names;
    for (const Ref<Entry>& entry : functions_) names.push_back(entry->def.signature.name);
    return names;
  }
  // `prefix` and the smallest number from 0 on that gives a name no function has.
  std::string UniqueFunctionName(std::string_view prefix) const {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0;; ++i)
      if (std::string name = StrCat(prefix, i); FindLocked(name) == nullptr) return name;
  }
  const OpRegistry& default_registry() const { return *ops_; }

  // --- changing. What is refused changes nothing.
  // Adding an equal function (FunctionDefsEqual) again does nothing.
  Status AddFunctionDef(FunctionDef function) {
    const MutexLock lock(mutex_);
    return AddLocked(MakeEntry(std::move(function)));
  }
  Status AddGradientDef(GradientDef gradient) {
    const MutexLock lock(mutex_);
    return AddGradientLocked(std::move(gradient));
  }
  // All of another library, or nothing.
  Status AddLibrary(const FunctionDefLibrary& library) {
    SlimVector<Ref<Entry>> functions;
    for (const FunctionDef& function : library.function) functions.push_back(MakeEntry(function));
    return AddAll(functions, library.gradient, library.registered_gradients);
  }
  Status AddLibrary(const FunctionLibraryDefinition& other) {
    const FunctionLibraryDefinition copy(other);  // holds one lock at a time
    return AddAll(copy.functions_, copy.gradients_, copy.registered_gradients_);
  }
  Status RemoveFunction(std::string_view name) {
    const MutexLock lock(mutex_);
    return RemoveLocked(name);
  }
  Status RemoveGradient(std::string_view function) {
    const MutexLock lock(mutex_);
    return RemoveGradientLocked(function);
  }
  // The function takes the place of `name`; it may have another name.
  Status ReplaceFunction(std::string_view name, FunctionDef function) {
    const MutexLock lock(mutex_);
    const SlimVector<Ref<Entry>> before = functions_;
    TENON_RETURN_IF_ERROR(RemoveLocked(name));
    Status status = AddLocked(MakeEntry(std::move(function)));
    if (!status.ok()) functions_ = before;
    return status;
  }
  Status ReplaceGradient(GradientDef gradient) {
    const MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(RemoveGradientLocked(gradient.function_name));
    return AddGradientLocked(std::move(gradient));
  }
  Status CopyFunctionDefFrom(std::string_view name, const FunctionLibraryDefinition& other) {
    if (ops_ != other.ops_)
      return errors::InvalidArgument("Cannot copy function '", name, "' because CopyFunctionDefFrom() requires that ",
                                     "both libraries have the same default registry.");
    Ref<Entry> entry;
    {
      const MutexLock lock(other.mutex_);
      const std::size_t at = other.Place(name);
      if (!other.Holds(at, name))
        return errors::InvalidArgument("Cannot copy function '", name,
                                       "' because no function with that name exists in the other library.");
      entry = other.functions_[at];
    }
    const MutexLock lock(mutex_);
    if (const Entry* const there = FindLocked(name); there != nullptr && !FunctionDefsEqual(there->def, entry->def))
      return errors::InvalidArgument("Cannot copy function '", name,
                                     "' because a different function with the same name already exists.");
    return AddLocked(std::move(entry));
  }

  // --- as data
  // Functions and gradients sorted by name.
  FunctionDefLibrary ToProto() const {
    const MutexLock lock(mutex_);
    FunctionDefLibrary library;
    for (const Ref<Entry>& entry : functions_) library.function.push_back(entry->def);
    library.gradient = gradients_;
    library.registered_gradients = registered_gradients_;
    return library;
  }
  // The functions that a graph or a function can come to call (ReachableFunctions).
  FunctionLibraryDefinition ReachableDefinitions(const GraphDef& graph) const {
    return FunctionLibraryDefinition(*ops_, ReachableFunctions(ToProto(), graph.node));
  }
  FunctionLibraryDefinition ReachableDefinitions(const FunctionDef& function) const {
    return FunctionLibraryDefinition(*ops_, ReachableFunctions(ToProto(), function.node_def));
  }

 private:
  // A function and, from its first LookUp on, its op.
  struct Entry final : RefCounted {
    FunctionDef def;

    std::string_view name() const { return def.signature.name; }
    Status Describe(const OpView** op) const {
      const SpinLockHolder lock(mutex_);
      if (!described_) {
        OpDef signature = def.signature;
        signature.name = "_Function";  // functions need no CamelCase
        TENON_ASSIGN_OR_RETURN(OwnedOp owned, OwnedOp::FromOpDef(signature, &shape_inference::UnknownShape));
        owned_.push_back(std::move(owned));
        view_ = owned_[0].view();
        view_.name = def.signature.name;
        described_ = true;
      }
      *op = &view_;
      return OkStatus();
    }

   private:
    mutable SpinLock mutex_;
    mutable bool described_ = false;
    mutable SlimVector<OwnedOp> owned_;
    mutable OpView view_;
  };
  static Ref<Entry> MakeEntry(FunctionDef function) {
    Ref<Entry> entry = Ref<Entry>::Adopt(new Entry);
    entry->def = std::move(function);
    return entry;
  }

  std::size_t Place(std::string_view name) const {
    const auto at = std::lower_bound(functions_.begin(), functions_.end(), name,
                                     [](const Ref<Entry>& e, std::string_view n) { return e->name() < n; });
    return static_cast<std::size_t>(at - functions_.begin());
  }
  bool Holds(std::size_t at, std::string_view name) const {
    return at < functions_.size() && functions_[at]->name() == name;
  }
  const Entry* FindLocked(std::string_view name) const {
    const std::size_t at = Place(name);
    return Holds(at, name) ? functions_[at].get() : nullptr;
  }
  const GradientDef* GradientOf(std::string_view function) const {
    for (const GradientDef& gradient : gradients_)
      if (gradient.function_name == function) return &gradient;
    return nullptr;
  }
  GradientDef* GradientOf(std::string_view function) {
    return const_cast<GradientDef*>(std::as_const(*this).GradientOf(function));
  }
  void InsertGradient(GradientDef gradient) {
    const auto at = std::lower_bound(gradients_.begin(), gradients_.end(), gradient,
                                     [](const auto& a, const auto& b) { return a.function_name < b.function_name; });
    gradients_.insert(at, std::move(gradient));
  }
  const FunctionDef* FunctionOf(const NodeDef& node) const {
    if (node.op != kGradientOp) return Find(node.op);
    const NameAttrList* forward = nullptr;
    if (!TryGetNodeAttr(node, kFuncAttr, &forward)) return nullptr;
    const FunctionDef* const gradient = Find(FindGradient(forward->name));
    return gradient != nullptr ? gradient : Find(forward->name);
  }

  Status AddLocked(Ref<Entry> entry) {
    const std::string_view name = entry->name();
    const std::size_t at = Place(name);
    if (Holds(at, name)) {
      if (functions_[at].get() == entry.get() || FunctionDefsEqual(functions_[at]->def, entry->def)) return OkStatus();
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because a different function with the same name already exists.");
    }
    if (ops_->Find(name) != nullptr)
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because an op with the same name already exists.");
    functions_.insert(functions_.begin() + static_cast<std::ptrdiff_t>(at), std::move(entry));
    return OkStatus();
  }
  Status AddGradientLocked(GradientDef gradient) {
    const GradientDef* const there = GradientOf(gradient.function_name);
    if (there == nullptr) {
      InsertGradient(std::move(gradient));
    } else if (there->gradient_func != gradient.gradient_func) {
      return errors::InvalidArgument("Cannot assign gradient function '", gradient.gradient_func, "' to '",
                                     gradient.function_name, "' because it already has gradient function '",
                                     there->gradient_func, "'");
    }
    return OkStatus();
  }
  Status RemoveLocked(std::string_view name) {
    const std::size_t at = Place(name);
    if (!Holds(at, name)) return errors::InvalidArgument("Tried to remove non-existent function '", name, "'.");
    functions_.erase(functions_.begin() + static_cast<std::ptrdiff_t>(at));
    return OkStatus();
  }
  Status RemoveGradientLocked(std::string_view function) {
    const GradientDef* const there = GradientOf(function);
    if (there == nullptr) return errors::InvalidArgument("Tried to remove non-existent gradient '", function, "'.");
    gradients_.erase(gradients_.begin() + (there - gradients_.begin()));
    return OkStatus();
  }
  Status AddAll(const SlimVector<Ref<Entry>>& functions, const SlimVector<GradientDef>& gradients,
                const SlimVector<RegisteredGradient>& registered) {
    const MutexLock lock(mutex_);
    const SlimVector<Ref<Entry>> functions_before = functions_;
    const SlimVector<GradientDef> gradients_before = gradients_;
    Status status;
    for (const Ref<Entry>& entry : functions) status.Update(AddLocked(entry));
    for (const GradientDef& gradient : gradients) status.Update(AddGradientLocked(gradient));
    if (!status.ok()) {
      functions_ = functions_before;
      gradients_ = gradients_before;
      return status;
    }
    for (const RegisteredGradient& gradient : registered)
      if (std::find(registered_gradients_.begin(), registered_gradients_.end(), gradient) ==
          registered_gradients_.end())
        registered_gradients_.push_back(gradient);
    return status;
  }

  const OpRegistry* ops_;
  mutable Mutex mutex_;
  SlimVector<Ref<Entry>> functions_;  // sorted by name
  SlimVector<GradientDef> gradients_;  // sorted by function_name
  SlimVector<RegisteredGradient> registered_gradients_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
