// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines the runs of a ModelSignature, and makes one of a SignatureDef.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/api/session.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Appends an entry for each tensor of a signature's value.
inline void AppendSignatureTensors(const std::string& key, const TensorInfo& info, std::vector<SignatureTensor>* out) {
  const auto append = [&](std::string name, const std::string& tensor, DataType dtype, PartialTensorShape shape) {
    out->push_back({std::move(name), tensor, dtype, std::move(shape), false});
  };
  if (info.coo_sparse) {
    append(StrCat(key, "/indices"), info.coo_sparse->indices_tensor_name, DataType::kInt64, {});
    append(StrCat(key, "/values"), info.coo_sparse->values_tensor_name, info.dtype, {});
    append(StrCat(key, "/dense_shape"), info.coo_sparse->dense_shape_tensor_name, DataType::kInt64, {});
  } else if (info.composite_tensor) {
    int number = 0;
    for (const TensorInfo& part : info.composite_tensor->components)
      AppendSignatureTensors(StrCat(key, "/", number++), part, out);
  } else {
    append(key, info.name, info.dtype, info.tensor_shape.value_or(PartialTensorShape()));
  }
}

TENON_DETAIL_COLD inline std::string SuggestKeys(std::string_view key, const std::vector<SignatureTensor>& tensors) {
  SlimVector<std::string_view> keys;
  for (const SignatureTensor& tensor : tensors) keys.push_back(tensor.key);
  return SuggestOrList(key, keys);
}

// immutable.
class SignatureImpl final : public SignatureState {
 public:
  explicit SignatureImpl(Session in) : session(std::move(in)) {}

  // Prepares the run of everything. A signature that cannot run as a whole may run in part: its runs say what is wrong.
  void Prepare() {
    CallableOptions options;
    for (const SignatureTensor& input : inputs) {
      if (FindTensor(options.feeds, input.tensor) < 0) options.feeds.push_back(input.tensor);
    }
    for (const SignatureTensor& output : outputs) options.fetches.push_back(output.tensor);
    options.targets = targets;
    Result<Callable> made = session.MakeCallable(options);
    if (made.ok() && made->num_feeds() == inputs.size()) callable = *std::move(made);
  }

  Result<std::vector<NamedTensor>> Run(Span<const NamedTensor> given, Span<const std::string> wanted,
                                       const RunOptions* options) const {
    std::vector<Tensor> values(inputs.size());
    std::vector<char> has(inputs.size(), 0);
    for (const NamedTensor& input : given) {
      const std::ptrdiff_t at = Find(inputs, input.name);
      if (at < 0)
        return errors::InvalidArgument("Signature '", name, "': it has no input '", input.name, "'",
                                       SuggestKeys(input.name, inputs));
      const auto i = static_cast<std::size_t>(at);
      if (has[i] != 0)
        return errors::InvalidArgument("Signature '", name, "': input '", input.name,
                                       "' is given twice; one is wanted");
      has[i] = 1;
      values[i] = input.tensor;
    }
    const SignatureTensor* missing = nullptr;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (has[i] != 0) continue;
      if (defaults[i]) {
        values[i] = *defaults[i];
        has[i] = 1;
      } else if (missing == nullptr || !inputs[i].has_default) {
        missing = &inputs[i];
      }
    }
    std::vector<NamedTensor> results;
    if (wanted.empty()) {
      for (const SignatureTensor& output : outputs) results.push_back({output.key, Tensor()});
    }
    for (const std::string& key : wanted) {
      if (Find(outputs, key) < 0)
        return errors::InvalidArgument("Signature '", name, "': it has no output '", key, "'",
                                       SuggestKeys(key, outputs));
      results.push_back({key, Tensor()});
    }
    TENON_RETURN_IF_ERROR(missing == nullptr && wanted.empty() && callable.num_feeds() == inputs.size() && is_prepared()
                              ? RunPrepared(values, options, &results)
                              : RunByName(values, has, missing, options, &results));
    return results;
  }

  Result<std::vector<Tensor>> Call(Span<const Tensor> given) const {
    if (given.size() != inputs.size())
      return errors::InvalidArgument("Signature '", name, "': ", given.size(), " inputs are given; it has ",
                                     inputs.size());
    std::vector<Tensor> results(outputs.size());
    if (is_prepared()) {
      if (Status status = callable.Run(given, results); !status.ok())
        return NameInput(given, nullptr, std::move(status));
      return results;
    }
    std::vector<NamedTensor> named;
    for (std::size_t i = 0; i < given.size(); ++i) named.push_back({inputs[i].key, given[i]});
    TENON_ASSIGN_OR_RETURN(std::vector<NamedTensor> outputs_by_key, Run(named, {}, nullptr));
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = std::move(outputs_by_key[i].tensor);
    return results;
  }

  Session session;
  std::vector<std::optional<Tensor>> defaults;  // one per input: the value that the signature names
  std::vector<std::string> targets;  // for a signature without outputs

 private:
  static std::ptrdiff_t Find(const std::vector<SignatureTensor>& tensors, std::string_view key) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].key == key) return static_cast<std::ptrdiff_t>(i);
    return -1;
  }
  static std::ptrdiff_t FindTensor(const std::vector<std::string>& names, std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return static_cast<std::ptrdiff_t>(i);
    return -1;
  }
  bool is_prepared() const { return SessionAccess::Impl(callable) != nullptr; }

  Status RunPrepared(Span<const Tensor> values, const RunOptions* options, std::vector<NamedTensor>* results) const {
    std::vector<Tensor> fetched(outputs.size());
    Status status = options == nullptr ? callable.Run(values, fetched) : callable.Run(values, fetched, *options);
    if (!status.ok()) return NameInput(values, nullptr, std::move(status));
    for (std::size_t i = 0; i < fetched.size(); ++i) (*results)[i].tensor = std::move(fetched[i]);
    return OkStatus();
  }
  // Says the key of the first input that has another type or shape than the signature, if that ended the run. `has`:
  // the inputs that are given; null: all.
  TENON_DETAIL_COLD Status NameInput(Span<const Tensor> values, const char* has, Status status) const {
    if (!errors::IsInvalidArgument(status)) return status;
    for (std::size_t i = 0; i < inputs.size() && i < values.size(); ++i) {
      const SignatureTensor& input = inputs[i];
      const Tensor& value = values[i];
      if (has != nullptr && has[i] == 0) continue;
      if (input.dtype == DataType::kInvalid) continue;  // the signature does not say
      if (input.dtype == value.dtype() && input.shape.IsCompatibleWith(value.shape())) continue;
      return Status(status.code(),
                    StrCat("Signature '", name, "': input '", input.key, "' is ", input.dtype, " ", input.shape,
                           ", got ", value.dtype(), " ", value.shape(), ": ", status.message()));
    }
    return status;
  }
  // Feeds what there is; the graph's own values serve for the rest.
  Status RunByName(const std::vector<Tensor>& values, const std::vector<char>& has, const SignatureTensor* missing,
                   const RunOptions* options, std::vector<NamedTensor>* results) const {
    std::vector<NamedTensor> feeds;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (has[i] != 0) feeds.push_back({inputs[i].tensor, values[i]});
    std::vector<std::string> fetches;
    for (const NamedTensor& result : *results)
      fetches.push_back(outputs[static_cast<std::size_t>(Find(outputs, result.name))].tensor);
    Result<std::vector<Tensor>> fetched =
        options == nullptr ? session.Run(feeds, fetches, targets) : session.Run(feeds, fetches, targets, *options);
    if (!fetched.ok() && missing != nullptr && !missing->has_default)
      return Status(fetched.status().code(), StrCat("Signature '", name, "': input '", missing->key,
                                                    "' is missing: ", fetched.status().message()));
    if (!fetched.ok()) return NameInput(values, has.data(), fetched.status());
    for (std::size_t i = 0; i < fetches.size(); ++i) (*results)[i].tensor = std::move((*fetched)[i]);
    return OkStatus();
  }
};

// Fills in inputs, outputs and defaults. `graph`: where has_default is looked up.
inline void DescribeSignature(const SignatureDef& def, const GraphDef& graph, SignatureImpl* signature) {
  signature->method_name = def.method_name;
  for (const auto& [key, info] : def.inputs) AppendSignatureTensors(key, info, &signature->inputs);
  for (const auto& [key, info] : def.outputs) AppendSignatureTensors(key, info, &signature->outputs);
  signature->defaults.resize(signature->inputs.size());
  for (std::size_t i = 0; i < signature->inputs.size(); ++i) {
    SignatureTensor& input = signature->inputs[i];
    for (const auto& [key, value] : def.defaults) {
      if (key == input.key) signature->defaults[i] = value;
    }
    input.has_default = signature->defaults[i].has_value();
    const TensorName name = ParseTensorName(input.tensor);
    for (const NodeDef& node : graph.node) {
      if (node.name != name.node) continue;
      input.has_default = input.has_default || (node.op != "Placeholder" && node.op != "PlaceholderV2");
      break;
    }
  }
}

TENON_DETAIL_COLD inline Status NoSignature() {
  return errors::InvalidArgument("Signature: it is of no model; SavedModel::signature gives one");
}

template <class U>
Result<std::vector<NamedTensor>> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::Run(
    const RefCounted* signature, Span<const NamedTensor> inputs, Span<const std::string> outputs,
    const RunOptions* options) {
  if (signature == nullptr) return NoSignature();
  return CatchAll("ModelSignature::Run",
                  [&] { return static_cast<const SignatureImpl*>(signature)->Run(inputs, outputs, options); });
}
template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_saved_model_hpp_in_one_source_file<U>::Call(
    const RefCounted* signature, Span<const Tensor> inputs) {
  if (signature == nullptr) return NoSignature();
  return CatchAll("Signature", [&] { return static_cast<const SignatureImpl*>(signature)->Call(inputs); });
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
