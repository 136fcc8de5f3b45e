// SPDX-License-Identifier: Apache-2.0
#pragma once
// State of a loaded SavedModel. Defines how its signatures, functions and variables are found.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/saved_model/object_paths.hpp>
#include <tenon/runtime/saved_model/signature_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// thread-safe after Load.
class ModelImpl final : public SavedModelState {
 public:
  Result<Ref<RefCounted>> Signature(std::string_view name) {
    TENON_ASSIGN_OR_RETURN(const std::string_view key, SignatureName(name));
    const MutexLock lock(mutex_);
    for (const auto& [known, signature] : prepared_)
      if (known == key) return signature;
    const SignatureDef* const def = meta_graph.FindSignature(key);
    auto made = Ref<SignatureImpl>::Adopt(new SignatureImpl(session));
    made->name = std::string(key);
    DescribeSignature(*def, meta_graph.graph_def, made.get());
    if (made->outputs.empty()) TENON_RETURN_IF_ERROR(FindTargets(key, made.get()));
    made->Prepare();
    prepared_.push_back({std::string(key), made});
    return Ref<RefCounted>(std::move(made));
  }

  // A function that was prepared before; null: it was not.
  Ref<RefCounted> FindFunction(std::string_view path) {
    const MutexLock lock(mutex_);
    for (const auto& [known, function] : functions_)
      if (known == path) return function;
    return {};
  }
  void KeepFunction(std::string_view path, Ref<RefCounted> function) {
    const MutexLock lock(mutex_);
    functions_.push_back({std::string(path), std::move(function)});
  }
  std::int64_t NextNumber() {
    const MutexLock lock(mutex_);
    return next_number_++;
  }

  // The object graph, parsed at the first call.
  Result<const ObjectPaths*> Objects() {
    const MutexLock lock(mutex_);
    return ObjectsLocked();
  }

 private:
  Result<std::string_view> SignatureName(std::string_view name) const {
    constexpr std::string_view kUsual = "serving_default";
    const std::string_view wanted = !name.empty() ? name : signatures.size() == 1 ? signatures[0] : kUsual;
    SlimVector<std::string_view> names;
    for (const std::string& signature : signatures) {
      if (signature == wanted) return std::string_view(signature);
      names.push_back(signature);
    }
    return errors::NotFound("SavedModel '", folder, "': it has no signature '", wanted, "'",
                            SuggestOrList(wanted, names));
  }
  Result<const ObjectPaths*> ObjectsLocked() {
    if (!has_objects_) {
      TENON_ASSIGN_OR_RETURN(objects_, ObjectPaths::Make(meta_graph));
      has_objects_ = true;
    }
    return &objects_;
  }
  // Nothing in a signature without outputs names its node: the object graph does, or else its inputs are read by it.
  Status FindTargets(std::string_view key, SignatureImpl* signature) {
    TENON_ASSIGN_OR_RETURN(const ObjectPaths* const objects, ObjectsLocked());
    if (const NodeDef* const call = objects->CallOfSignature(key); call != nullptr) {
      signature->targets.push_back(call->name);
      return OkStatus();
    }
    for (const NodeDef& node : meta_graph.graph_def.node) {
      for (const std::string& input : node.input) {
        const TensorName name = ParseTensorName(input);
        bool is_input = false;
        for (const SignatureTensor& tensor : signature->inputs) is_input |= ParseTensorName(tensor.tensor) == name;
        if (is_input && (signature->targets.empty() || signature->targets.back() != node.name))
          signature->targets.push_back(node.name);
      }
    }
    return OkStatus();
  }

  Mutex mutex_;  // guards the rest
  SlimVector<std::pair<std::string, Ref<RefCounted>>> prepared_, functions_;  // by name
  std::int64_t next_number_ = 0;
  bool has_objects_ = false;
  ObjectPaths objects_;
};

inline ModelImpl* ModelAccess::Impl(const SavedModel& model) { return static_cast<ModelImpl*>(model.impl_.get()); }
TENON_DETAIL_COLD inline Status NoModel() {
  return errors::InvalidArgument("SavedModel: it is of no folder; SavedModel::Load gives one");
}

template <class U>
Result<ModelSignature> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::FindSignature(
    const SavedModel& model, std::string_view name) {
  if (!model.impl_) return NoModel();
  return CatchAll("SavedModel::signature", [&]() -> Result<ModelSignature> {
    TENON_ASSIGN_OR_RETURN(Ref<RefCounted> signature, ModelAccess::Impl(model)->Signature(name));
    return ModelSignature(std::move(signature));
  });
}
template <class U>
std::vector<std::string> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::Paths(
    const SavedModel& model, bool functions) {
  std::vector<std::string> paths;
  if (!model.impl_) return paths;
  const Result<const ObjectPaths*> objects = ModelAccess::Impl(model)->Objects();
  if (!objects.ok()) return paths;
  for (const ObjectPaths::Item& item : functions ? (*objects)->functions() : (*objects)->variables())
    paths.push_back(item.path);
  return paths;
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
