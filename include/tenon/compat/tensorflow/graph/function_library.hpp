// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionLibraryDefinition and FunctionRecord: a library of functions as messages, which is a registry of ops, too.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/op/op_def/function_equality.hpp>
#include <tenon/graph/function_reach.hpp>
#include <tenon/compat/tensorflow/graph/op_registry.hpp>
#include <tenon/compat/tensorflow/graph/stack_trace.hpp>

namespace tensorflow {

class Node;

inline bool FunctionDefsEqual(const FunctionDef& a, const FunctionDef& b) {
  return tenon::FunctionDefsEqual(StructOf<tenon::FunctionDef>(a), StructOf<tenon::FunctionDef>(b));
}

// A function and its op. Immutable, but for its references.
class FunctionRecord : public core::RefCounted {
 public:
  FunctionRecord(FunctionDef def, StackTracesMap traces, bool finalized)
      : def_(std::move(def)),
        traces_(std::move(traces)),
        op_(
            def_.signature(), [](shape_inference::InferenceContext* c) { return shape_inference::UnknownShape(c); },
            true),
        finalized_(finalized) {}
  const FunctionDef& fdef() const { return def_; }
  // FailedPrecondition: the record is final.
  StatusOr<FunctionDef*> mutable_fdef() {
    if (finalized_) return errors::FailedPrecondition("Can not mutate FunctionDef of ", def_.signature().name());
    return &def_;
  }
  void finalize() { finalized_ = true; }
  bool finalized() const { return finalized_; }
  const StackTracesMap& stack_traces() const { return traces_; }
  const OpRegistrationData& op_registration_data() const { return op_; }

 private:
  FunctionDef def_;
  const StackTracesMap traces_;
  const OpRegistrationData op_;
  bool finalized_;
};
using FunctionDefLibraryStackTraces = std::map<std::string, StackTracesMap>;

// thread-safe. Find and LookUp borrow until the function is removed or replaced.
class FunctionLibraryDefinition : public OpRegistryInterface {
 public:
  static constexpr const char* const kArgOp = "_Arg";
  static constexpr const char* const kDeviceArgOp = "_DeviceArg";
  static constexpr const char* const kRetOp = "_Retval";
  static constexpr const char* const kDeviceRetOp = "_DeviceRetval";
  static constexpr const char* const kIntsOnDeviceAttr = "experimental_ints_on_device";
  static constexpr const char* const kSharedRendezvousAttr = "shared_rendezvous";
  static constexpr const char* const kGradientOp = "SymbolicGradient";
  static constexpr const char* const kFuncAttr = "f";
  static constexpr const char* const kFunctionRunsAtMostOnce = "function_runs_at_most_once";

  // The last of several functions with one name counts. `ops` outlives the library.
  explicit FunctionLibraryDefinition(const OpRegistryInterface* ops, const FunctionDefLibrary& library = {},
                                     const FunctionDefLibraryStackTraces& traces = {})
      : ops_(ops) {
    for (const FunctionDef& function : library.function()) {
      const auto found = traces.find(function.signature().name());
      state_.functions[function.signature().name()] =
          MakeRecord(function, found == traces.end() ? StackTracesMap() : found->second);
    }
    for (const GradientDef& gradient : library.gradient())
      state_.gradients[gradient.function_name()] = gradient.gradient_func();
  }
  FunctionLibraryDefinition(const OpRegistryInterface* ops, const FunctionDefLibrary& library,
                            const GraphDebugInfo& debug_info)
      : FunctionLibraryDefinition(ops, library, CreateStackTracesForFunctionDefLibrary(library, debug_info)) {}
  template <class Graph>
    requires std::is_same_v<Graph, GraphDef>  // {} is an empty FunctionDefLibrary
  FunctionLibraryDefinition(const OpRegistryInterface* ops, const Graph& graph)
      : FunctionLibraryDefinition(ops, graph.library(), graph.debug_info()) {}
  FunctionLibraryDefinition(const FunctionLibraryDefinition& other) : ops_(other.ops_), state_(other.state()) {}
  FunctionLibraryDefinition& operator=(const FunctionLibraryDefinition&) = delete;
  FunctionLibraryDefinition& operator=(FunctionLibraryDefinition&& other) {
    State taken = other.state();
    const tenon::MutexLock lock(mutex_);
    ops_ = other.ops_;
    state_ = std::move(taken);
    return *this;
  }

  bool Contains(const std::string& name) const { return Find(name) != nullptr; }
  const FunctionDef* Find(const std::string& name) const {
    const core::RefCountPtr<FunctionRecord> record = FindRecord(name);
    return record == nullptr ? nullptr : &record->fdef();
  }
  core::RefCountPtr<FunctionRecord> FindRecord(const std::string& name) const {
    const tenon::MutexLock lock(mutex_);
    const auto found = state_.functions.find(name);
    return found == state_.functions.end() ? core::RefCountPtr<FunctionRecord>() : core::GetNewRef(found->second.get());
  }
  const StackTracesMap* GetStackTraces(const std::string& name) const {
    const core::RefCountPtr<FunctionRecord> record = FindRecord(name);
    return record == nullptr ? nullptr : &record->stack_traces();
  }
  std::string FindGradient(const std::string& name) const {
    const tenon::MutexLock lock(mutex_);
    const auto found = state_.gradients.find(name);
    return found == state_.gradients.end() ? std::string() : found->second;
  }
  Status LookUp(const std::string& name, const OpRegistrationData** data) const override {
    const core::RefCountPtr<FunctionRecord> record = FindRecord(name);
    if (record == nullptr) return ops_->LookUp(name, data);
    *data = &record->op_registration_data();
    return Status();
  }
  std::string UniqueFunctionName(StringPiece prefix) const {
    for (int i = 0;; ++i)
      if (std::string name = strings::StrCat(prefix, i); !Contains(name)) return name;
  }
  // An attr of the function that a node calls; of the gradient's, or else the derived function, for a SymbolicGradient.
  // InvalidArgument: no such function or attr.
  template <class T>
  Status GetAttr(const NodeDef& node, const std::string& attr, T* value) const {
    const FunctionDef* const function = FunctionOf(node);
    if (function != nullptr && TryGetNodeAttr(AttrSlice(&function->attr()), attr, value)) return Status();
    return errors::InvalidArgument("Attr ", attr, " is not defined.");
  }
  size_t num_functions() const {
    const tenon::MutexLock lock(mutex_);
    return state_.functions.size();
  }
  std::vector<std::string> ListFunctionNames() const {
    const tenon::MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, record] : state_.functions) names.push_back(name);
    return names;
  }
  const OpRegistryInterface* default_registry() const { return ops_; }
  void set_default_registry(const OpRegistryInterface* ops) { ops_ = ops; }

  // -- changes. A refused one changes nothing. An equal function or gradient again is fine.
  Status AddFunctionDef(FunctionDef function, const StackTracesMap& traces = {}) {
    return AddFunctionRecord(core::GetNewRef(MakeRecord(std::move(function), traces).get()));
  }
  Status AddFunctionRecord(core::RefCountPtr<FunctionRecord> record) {
    return Change([&](State* state) { return Add(core::GetNewRef(record.get()).release(), state); });
  }
  Status AddGradientDef(const GradientDef& gradient) {
    return Change([&](State* state) { return Add(gradient.function_name(), gradient.gradient_func(), state); });
  }
  Status AddLibrary(const FunctionLibraryDefinition& other) {
    const State added = other.state();
    return Change([&](State* state) -> Status {
      for (const auto& [name, record] : added.functions)
        TF_RETURN_IF_ERROR(Add(core::GetNewRef(record.get()).release(), state));
      for (const auto& [name, gradient] : added.gradients) TF_RETURN_IF_ERROR(Add(name, gradient, state));
      return Status();
    });
  }
  Status AddLibrary(const FunctionDefLibrary& library, const FunctionDefLibraryStackTraces& traces = {}) {
    return Change([&](State* state) -> Status {
      for (const FunctionDef& function : library.function()) {
        const auto found = traces.find(function.signature().name());
        TF_RETURN_IF_ERROR(
            Add(new FunctionRecord(function, found == traces.end() ? StackTracesMap() : found->second, true), state));
      }
      for (const GradientDef& gradient : library.gradient())
        TF_RETURN_IF_ERROR(Add(gradient.function_name(), gradient.gradient_func(), state));
      return Status();
    });
  }
  Status ReplaceFunction(const std::string& name, const FunctionDef& function, const StackTracesMap& traces = {}) {
    return Change([&](State* state) -> Status {
      TF_RETURN_IF_ERROR(Remove(name, state));
      return Add(new FunctionRecord(function, traces, true), state);
    });
  }
  Status ReplaceGradient(const GradientDef& gradient) {
    return Change([&](State* state) -> Status {
      if (state->gradients.erase(gradient.function_name()) == 0)
        return errors::InvalidArgument("Tried to remove non-existent gradient '", gradient.function_name(), "'.");
      return Add(gradient.function_name(), gradient.gradient_func(), state);
    });
  }
  Status RemoveFunction(const std::string& name) {
    return Change([&](State* state) { return Remove(name, state); });
  }
  void Clear() {
    const tenon::MutexLock lock(mutex_);
    state_ = State();
  }
  Status CopyFunctionDefFrom(const std::string& name, const FunctionLibraryDefinition& other) {
    if (ops_ != other.ops_)
      return errors::InvalidArgument("Cannot copy function '", name, "' because CopyFunctionDefFrom() requires that ",
                                     "both libraries have the same default registry.");
    core::RefCountPtr<FunctionRecord> record = other.FindRecord(name);
    if (record == nullptr)
      return errors::InvalidArgument("Cannot copy function '", name,
                                     "' because no function with that name exists in the other library.");
    if (const FunctionDef* const there = Find(name); there != nullptr && !FunctionDefsEqual(*there, record->fdef()))
      return errors::InvalidArgument("Cannot copy function '", name,
                                     "' because a different function with the same name already exists.");
    return AddFunctionRecord(std::move(record));
  }

  FunctionDefLibrary ToProto() const {
    const tenon::MutexLock lock(mutex_);
    FunctionDefLibrary library;
    for (const auto& [name, record] : state_.functions) *library.add_function() = record->fdef();
    for (const auto& [name, gradient] : state_.gradients) {
      GradientDef* const def = library.add_gradient();
      def->set_function_name(name);
      def->set_gradient_func(gradient);
    }
    return library;
  }
  // The functions that the nodes can come to call.
  FunctionLibraryDefinition ReachableDefinitions(const GraphDef& graph) const {
    return Reachable(StructOf<tenon::GraphDef>(graph).node);
  }
  FunctionLibraryDefinition ReachableDefinitions(const FunctionDef& function) const {
    return Reachable(StructOf<tenon::FunctionDef>(function).node_def);
  }
  StatusOr<FunctionLibraryDefinition> ReachableDefinitions(const std::string& name) const {
    const FunctionDef* const function = Find(name);
    if (function == nullptr) return errors::NotFound(name);
    FunctionLibraryDefinition reached = ReachableDefinitions(*function);
    TF_RETURN_IF_ERROR(reached.CopyFunctionDefFrom(name, *this));
    return reached;
  }

  // Graphs that an optimizer has made of functions; kept, not used.
  using OptimizedGraph = std::function<StatusOr<OptimizedFunctionGraph>()>;
  void AddOptimizedFunctionGraph(const std::string& name, const OptimizedFunctionGraph& graph) {
    AddOptimizedFunctionGraph(name, [graph]() -> StatusOr<OptimizedFunctionGraph> { return graph; });
  }
  void AddOptimizedFunctionGraph(const std::string& name, OptimizedGraph make) {
    const tenon::MutexLock lock(mutex_);
    state_.optimized.emplace(name, std::move(make));
  }
  std::optional<StatusOr<OptimizedFunctionGraph>> FindOptimizedFunctionGraph(const std::string& name) const {
    const tenon::MutexLock lock(mutex_);
    const auto found = state_.optimized.find(name);
    if (found == state_.optimized.end()) return std::nullopt;
    return found->second();
  }
  bool HasOptimizedFunctionGraph(const std::string& name) const {
    const tenon::MutexLock lock(mutex_);
    return state_.optimized.count(name) > 0;
  }

  // The traces of a function's nodes have the keys "node@function".
  static FunctionDefLibraryStackTraces CreateStackTracesForFunctionDefLibrary(const FunctionDefLibrary& library,
                                                                              const GraphDebugInfo& debug_info) {
    FunctionDefLibraryStackTraces traces;
    for (const auto& [key, trace] : LoadTracesFromDebugInfo(debug_info)) {
      const std::size_t at = key.rfind('@');
      if (at == std::string::npos) continue;
      const std::string function = key.substr(at + 1);
      for (const FunctionDef& def : library.function())
        if (def.signature().name() == function) traces[function][key.substr(0, at)] = trace;
    }
    return traces;
  }

 private:
  using Record = tenon::Ref<FunctionRecord>;
  struct State {
    std::map<std::string, Record> functions;
    std::map<std::string, std::string> gradients;
    std::map<std::string, OptimizedGraph> optimized;
  };
  static Record MakeRecord(FunctionDef function, const StackTracesMap& traces) {
    return Record::Adopt(new FunctionRecord(std::move(function), traces, true));
  }
  State state() const {
    const tenon::MutexLock lock(mutex_);
    return state_;
  }
  template <class Call>
  Status Change(const Call& call) {
    const tenon::MutexLock lock(mutex_);
    State changed = state_;
    TF_RETURN_IF_ERROR(call(&changed));
    state_ = std::move(changed);
    return Status();
  }
  // Takes over a reference.
  Status Add(FunctionRecord* taken, State* state) const {
    Record record = Record::Adopt(taken);
    const std::string& name = record->fdef().signature().name();
    if (const auto there = state->functions.find(name); there != state->functions.end()) {
      if (FunctionDefsEqual(there->second->fdef(), record->fdef())) return Status();
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because a different function with the same name already exists.");
    }
    const OpDef* op = nullptr;
    if (ops_->LookUpOpDef(name, &op).ok())
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because an op with the same name already exists.");
    state->functions.emplace(name, std::move(record));
    return Status();
  }
  static Status Add(const std::string& name, const std::string& gradient, State* state) {
    const auto [place, added] = state->gradients.emplace(name, gradient);
    if (added || place->second == gradient) return Status();
    return errors::InvalidArgument("Cannot assign gradient function '", gradient, "' to '", name,
                                   "' because it already has gradient function '", place->second, "'");
  }
  static Status Remove(const std::string& name, State* state) {
    if (state->functions.erase(name) > 0) return Status();
    return errors::InvalidArgument("Tried to remove non-existent function '", name, "'.");
  }
  const FunctionDef* FunctionOf(const NodeDef& node) const {
    if (node.op() != kGradientOp) return Find(node.op());
    const AttrValue* const f = AttrSlice(node).Find(kFuncAttr);
    if (f == nullptr) return nullptr;
    const std::string gradient = FindGradient(f->func().name());
    return Find(gradient.empty() ? f->func().name() : gradient);
  }
  template <class Nodes>
  FunctionLibraryDefinition Reachable(const Nodes& nodes) const {
    const tenon::FunctionDefLibrary reached =
        tenon::ReachableFunctions(StructOf<tenon::FunctionDefLibrary>(ToProto()), nodes);
    FunctionLibraryDefinition out(ops_, MessageOf<FunctionDefLibrary>(reached));
    const State all = state();
    for (const auto& [name, graph] : all.optimized)
      if (out.Contains(name)) out.AddOptimizedFunctionGraph(name, graph);
    return out;
  }

  const OpRegistryInterface* ops_;
  mutable tenon::Mutex mutex_;
  State state_;
};

}  // namespace tensorflow
