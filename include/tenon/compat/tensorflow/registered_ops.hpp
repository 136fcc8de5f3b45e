// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpRegistrationData and OpRegistry: the registered ops as messages, over Tenon's registry.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/shape_inference.hpp>

namespace tensorflow {

// A description with its shape function.
struct OpRegistrationData {
  OpRegistrationData() = default;
  explicit OpRegistrationData(const OpDef& def) : op_def(def) {}
  OpRegistrationData(const OpDef& def, const OpShapeInferenceFn& fn, bool is_function = false)
      : op_def(def), shape_inference_fn(fn), is_function_op(is_function) {}
  OpDef op_def;
  OpShapeInferenceFn shape_inference_fn;
  bool is_function_op = false;
};

class OpRegistryInterface {
 public:
  virtual ~OpRegistryInterface() = default;
  virtual Status LookUp(const std::string& name, const OpRegistrationData** data) const = 0;
  // Borrowed. NotFound: no such op.
  Status LookUpOpDef(const std::string& name, const OpDef** def) const {
    const OpRegistrationData* data = nullptr;
    TF_RETURN_IF_ERROR(LookUp(name, &data));
    *def = &data->op_def;
    return Status();
  }
};

// The ops of the process. thread-safe.
class OpRegistry : public OpRegistryInterface {
 public:
  typedef std::function<Status(OpRegistrationData*)> OpRegistrationDataFactory;
  static OpRegistry* Global() {
    static OpRegistry* const all = new OpRegistry(true);  // never destroyed
    return all;
  }
  OpRegistry() = default;

  Status LookUp(const std::string& name, const OpRegistrationData** data) const override {
    *data = LookUp(name);
    if (*data != nullptr) return Status();
    const tenon::OpView* unused = nullptr;
    return tenon::Registry::Global().ops().LookUp(name, &unused).ok()
               ? errors::NotFound("Op type not registered '", name, "'")
               : tenon::Registry::Global().ops().LookUp(name, &unused);
  }
  const OpRegistrationData* LookUp(const std::string& name) const {
    const tenon::MutexLock lock(mutex_);
    std::unique_ptr<OpRegistrationData>& place = known_[name];
    if (place == nullptr && global_) {
      const tenon::OpView* const op = tenon::Registry::Global().FindOp(name);
      if (op != nullptr) {
        place = std::make_unique<OpRegistrationData>(FromTenon(tenon::ToOpDef(*op)));
        if (op->shape_fn != nullptr)
          place->shape_inference_fn = [fn = op->shape_fn](shape_inference::InferenceContext* c) { return fn(c); };
      }
    }
    return place.get();
  }
  // Mistakes are the watcher's, or else end the program.
  template <int = 0>
  void Register(const OpRegistrationDataFactory& make) {
    auto data = std::make_unique<OpRegistrationData>();
    Status status = make(data.get());
    const std::string name = data->op_def.name();
    Watcher watcher;
    {
      const tenon::MutexLock lock(mutex_);
      if (status.ok() && known_.count(name) > 0) status = errors::AlreadyExists("Op with name ", name);
      watcher = watcher_;
      if (watcher != nullptr) status = watcher(status, data->op_def);
      if (status.ok()) known_.emplace(name, std::move(data));
    }
    TF_CHECK_OK(status);
  }
  // Hears of each registration. AlreadyExists: there is a watcher.
  typedef std::function<Status(const Status&, const OpDef&)> Watcher;
  template <int = 0>
  Status SetWatcher(const Watcher& watcher) {
    const tenon::MutexLock lock(mutex_);
    if (watcher_ != nullptr && watcher != nullptr)
      return errors::AlreadyExists("Cannot over-write a valid watcher with another.");
    watcher_ = watcher;
    return Status();
  }
  Status ProcessRegistrations() const { return Status(); }
  template <int = 0>
  std::string DebugString(bool include_internal) const {
    OpList ops;
    Export(include_internal, &ops);
    std::string out;
    for (const OpDef& op : ops.op()) strings::StrAppend(&out, tenon::SummarizeOpDef(ToTenon(op)), "\n");
    return out;
  }
  void DeferRegistrations() {}
  void ClearDeferredRegistrations() {}
  template <int = 0>
  void Export(bool include_internal, OpList* ops) const {
    std::vector<OpDef> all;
    GetRegisteredOps(&all);
    for (const OpDef& op : all)
      if (include_internal || !op.name().starts_with('_')) *ops->add_op() = op;
  }
  template <int = 0>
  void GetRegisteredOps(std::vector<OpDef>* ops) const {
    if (!global_) {
      const tenon::MutexLock lock(mutex_);
      for (const auto& [name, data] : known_)
        if (data != nullptr) ops->push_back(data->op_def);
      return;
    }
    for (const tenon::OpView* op : tenon::Registry::Global().ops().ops())
      ops->push_back(FromTenon(tenon::ToOpDef(*op)));
  }

 private:
  explicit OpRegistry(bool global) : global_(global) {}
  bool global_ = false;
  mutable tenon::Mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<OpRegistrationData>> known_;
  Watcher watcher_;
};

}  // namespace tensorflow
