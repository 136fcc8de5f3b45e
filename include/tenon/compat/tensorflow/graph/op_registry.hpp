// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpDefBuilder, OpRegistrationData and OpRegistry: descriptions of ops as messages, over Tenon's registry.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/op_def/op_def_builder.hpp>
#include <tenon/op/op_def/op_def_compatible.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/op.hpp>
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

class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) : builder_(std::move(name)) {}
  OpDefBuilder& Attr(std::string spec) { return builder_.Attr(std::move(spec)), *this; }
  OpDefBuilder& Input(std::string spec) { return builder_.Input(std::move(spec)), *this; }
  OpDefBuilder& Output(std::string spec) { return builder_.Output(std::move(spec)), *this; }
  OpDefBuilder& ControlOutput(std::string name) { return builder_.ControlOutput(std::move(name)), *this; }
  OpDefBuilder& Doc(std::string text) { return builder_.Doc(std::move(text)), *this; }
  OpDefBuilder& Deprecated(int version, std::string why) { return builder_.Deprecated(version, std::move(why)), *this; }
  OpDefBuilder& SetIsCommutative() { return builder_.SetIsCommutative(), *this; }
  OpDefBuilder& SetIsAggregate() { return builder_.SetIsAggregate(), *this; }
  OpDefBuilder& SetIsStateful() { return builder_.SetIsStateful(), *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return builder_.SetAllowsUninitializedInput(), *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return builder_.SetIsDistributedCommunication(), *this; }
  OpDefBuilder& SetShapeFn(OpShapeInferenceFn fn) {
    if (shape_fn_ != nullptr) builder_.AddError("SetShapeFn called twice for Op");
    return shape_fn_ = std::move(fn), *this;
  }
  Status Finalize(OpRegistrationData* data) const {
    tenon::OpDef def;
    TF_RETURN_IF_ERROR(builder_.Finalize(&def));
    data->op_def = FromTenon(def);
    data->shape_inference_fn = shape_fn_;
    return Status();
  }

 private:
  tenon::OpDefBuilder builder_;
  OpShapeInferenceFn shape_fn_;
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
  void Register(const OpRegistrationDataFactory& make) {
    auto data = std::make_unique<OpRegistrationData>();
    TF_CHECK_OK(make(data.get()));
    const tenon::MutexLock lock(mutex_);
    const std::string name = data->op_def.name();
    known_[name] = std::move(data);
  }
  void Export(bool, OpList* ops) const {
    std::vector<OpDef> all;
    GetRegisteredOps(&all);
    for (const OpDef& op : all) *ops->add_op() = op;
  }
  void GetRegisteredOps(std::vector<OpDef>* ops) const {
    if (!global_) return;
    for (const tenon::OpView* op : tenon::Registry::Global().ops().ops())
      ops->push_back(FromTenon(tenon::ToOpDef(*op)));
  }

 private:
  explicit OpRegistry(bool global) : global_(global) {}
  bool global_ = false;
  mutable tenon::Mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<OpRegistrationData>> known_;
};
class OpListOpRegistry : public OpRegistryInterface {
 public:
  explicit OpListOpRegistry(const OpList* ops) {
    for (const OpDef& op : ops->op()) known_[op.name()] = std::make_unique<OpRegistrationData>(op);
  }
  Status LookUp(const std::string& name, const OpRegistrationData** data) const override {
    const auto found = known_.find(name);
    *data = found == known_.end() ? nullptr : found->second.get();
    return *data != nullptr ? Status() : errors::NotFound("Op type not registered '", name, "'");
  }

 private:
  std::map<std::string, std::unique_ptr<OpRegistrationData>> known_;
};

// -------------------------------------------------------------------------------------------- descriptions compared
inline Status ValidateOpDef(const OpDef& op) { return tenon::ValidateOpDef(ToTenon(op)); }
inline Status OpDefCompatible(const OpDef& old_op, const OpDef& new_op) {
  return tenon::OpDefCompatible(ToTenon(old_op), ToTenon(new_op));
}
inline Status OpDefAddedDefaultsUnchanged(const OpDef& old_op, const OpDef& penultimate, const OpDef& new_op) {
  return tenon::OpDefAddedDefaultsUnchanged(ToTenon(old_op), ToTenon(penultimate), ToTenon(new_op));
}
inline Status OpDefAttrDefaultsUnchanged(const OpDef& old_op, const OpDef& new_op) {
  return tenon::OpDefAttrDefaultsUnchanged(ToTenon(old_op), ToTenon(new_op));
}
inline bool OpDefEqual(const OpDef& a, const OpDef& b) { return tenon::OpDefEqual(ToTenon(a), ToTenon(b)); }
inline uint64_t OpDefHash(const OpDef& op) { return tenon::OpDefHash(ToTenon(op)); }
inline std::string SummarizeOpDef(const OpDef& op) { return tenon::SummarizeOpDef(ToTenon(op)); }
inline Status ValidateAttrValue(const AttrValue& value, const OpDef_AttrDef& attr) {
  OpDef op;
  *op.add_attr() = attr;
  return tenon::ValidateAttrValue(ToTenon(value), ToTenon(op).attr[0]);
}
inline const OpDef_AttrDef* FindAttr(StringPiece name, const OpDef& op) {
  for (const OpDef_AttrDef& attr : op.attr())
    if (attr.name() == name) return &attr;
  return nullptr;
}
inline OpDef_AttrDef* FindAttrMutable(StringPiece name, OpDef* op) {
  return const_cast<OpDef_AttrDef*>(FindAttr(name, *op));
}
inline const OpDef_ArgDef* FindInputArg(StringPiece name, const OpDef& op) {
  for (const OpDef_ArgDef& arg : op.input_arg())
    if (arg.name() == name) return &arg;
  return nullptr;
}
inline bool HasAttrStyleType(const OpDef_ArgDef& arg) {
  return arg.type() != DT_INVALID || !arg.type_attr().empty() || !arg.type_list_attr().empty();
}
inline void RemoveDescriptionsFromOpDef(OpDef* op) {
  for (OpDef_ArgDef& arg : *op->mutable_input_arg()) arg.clear_description();
  for (OpDef_ArgDef& arg : *op->mutable_output_arg()) arg.clear_description();
  for (OpDef_AttrDef& attr : *op->mutable_attr()) attr.clear_description();
  op->clear_summary();
  op->clear_description();
}
inline void RemoveDescriptionsFromOpList(OpList* ops) {
  for (OpDef& op : *ops->mutable_op()) RemoveDescriptionsFromOpDef(&op);
}
inline void RemoveNonDeprecationDescriptionsFromOpDef(OpDef* op) { RemoveDescriptionsFromOpDef(op); }
inline Status CheckOpDeprecation(const OpDef& op, int producer) {
  if (!op.has_deprecation() || producer < op.deprecation().version()) return Status();
  return errors::Unimplemented("Op ", op.name(), " is not available in GraphDef version ", producer,
                               ". It has been removed in version ", op.deprecation().version(), ". ",
                               op.deprecation().explanation(), ".");
}

}  // namespace tensorflow
