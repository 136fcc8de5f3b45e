// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of which tests make kernels and contexts: OpKernelContext::Params, TensorValue, CreateOpKernel, DeviceFactory.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/memory/default_allocator.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/compat/tensorflow/base/profiler.hpp>
#include <tenon/compat/tensorflow/kernel_def_builder.hpp>
#include <tenon/compat/tensorflow/proto/config.hpp>
#include <tenon/compat/tensorflow/resource_mgr.hpp>
#include <tenon/compat/tensorflow/base/device_names.hpp>

namespace tensorflow {

// One call of a kernel outside of a session: its inputs, and the environment that the context gets. The outputs live
// here.
struct OpKernelContextParams {
  static constexpr int kNeverForward = -2, kNoReservation = -1;
  int64_t step_id = 0;
  OpKernel* op_kernel = nullptr;
  DeviceBase* device = nullptr;
  ResourceMgr* resource_manager = nullptr;
  ScopedStepContainer* step_container = nullptr;
  CancellationManager* cancellation_manager = nullptr;
  FunctionLibraryRuntime* function_library = nullptr;
  tenon::Rendezvous* rendezvous = nullptr;
  void* session_state = nullptr;
  void* tensor_store = nullptr;
  void* call_frame = nullptr;
  void* op_device_context = nullptr;
  void* stats_collector = nullptr;
  bool track_allocations = false;
  bool log_memory = false;
  bool record_tensor_accesses = false;
  bool is_input_dead = false;
  bool run_all_kernels_inline = false;
  std::string session_handle;
  FrameAndIter frame_iter;
  std::function<void(std::function<void()>)>* runner = nullptr;
  gtl::ArraySlice<TensorValue> inputs;
  gtl::ArraySlice<AllocatorAttributes> input_alloc_attrs;
  const AllocatorAttributes* output_attr_array = nullptr;
  const int* forward_from_array = nullptr;

  // The context's frame; made anew for every context.
  const tenon::OpKernelContext::NodeFrame* Prepare(int outputs) {
    pointers_.clear();
    references_.assign(inputs.size(), tenon::Tensor());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      pointers_.push_back(inputs[i].tensor);
      if (!inputs[i].is_ref()) continue;
      auto variable = tenon::Ref<tenon::LegacyVar>::Adopt(new tenon::LegacyVar(ToTenon(inputs[i].tensor->dtype())));
      variable->tensor = *inputs[i].tensor;
      references_[i] = tenon::RefTo(std::move(variable), inputs[i].tensor->shape());
      pointers_.back() = &references_[i];
    }
    // A kernel that does not read its last inputs runs without them.
    while (op_kernel != nullptr && pointers_.size() < static_cast<std::size_t>(op_kernel->num_inputs()))
      pointers_.push_back(&no_input_);
    last_use_.assign(pointers_.size() + 1, 0);
    escapes_.assign(static_cast<std::size_t>(outputs) + 1, 0);
    results_.assign(static_cast<std::size_t>(outputs) + 1, tenon::Tensor(tenon::DataType::kInvalid));
    env_.device = device != nullptr && device->raw_device() != nullptr ? device->raw_device() : &cpu_;
    constants_.device_name = device != nullptr && !device->name().empty()
                                 ? std::string_view(device->name())
                                 : "/job:localhost/replica:0/task:0/device:CPU:0";
    env_.constants = &constants_;
    env_.step_allocator = env_.result_allocator = tenon::DefaultAllocator();
    env_.step_id = step_id;
    constants_.functions = function_library;
    env_.frame_id = frame_iter.frame_id;
    env_.iteration = frame_iter.iter_id;
    services_.resources = resource_manager;
    services_.step_container = step_container;
    services_.cancellation = cancellation_manager;
    services_.rendezvous = rendezvous;
    env_.services = &services_;
    frame_ = {op_kernel, pointers_.data(), last_use_.data(), results_.data(), escapes_.data(), nullptr, &env_};
    return &frame_;
  }
  // Gives the tensors of references what the kernel has made of them.
  void TakeReferences() {
    for (std::size_t i = 0; i < references_.size(); ++i)
      if (inputs[i].is_ref()) *inputs[i].tensor = tenon::ReferredBy(references_[i])->tensor;
  }
  // Lets kernels take over the buffers of inputs that nothing else holds.
  void AllowForwarding() { last_use_.assign(last_use_.size(), 1); }

 private:
  tenon::Cpu cpu_;
  tenon::RunServices services_;
  tenon::StepConstants constants_;
  tenon::StepEnvironment env_;
  tenon::OpKernelContext::NodeFrame frame_{};
  std::vector<tenon::Tensor*> pointers_;
  std::vector<std::uint8_t> last_use_, escapes_;
  std::vector<tenon::Tensor> results_, references_;
  tenon::Tensor no_input_{tenon::DataType::kInvalid};
};
inline OpKernelContext::OpKernelContext(OpKernelContextParams* params)
    : OpKernelContext(params, params->op_kernel->num_outputs()) {}
inline OpKernelContext::OpKernelContext(OpKernelContextParams* params, int num_outputs) {
  Enter(params->Prepare(num_outputs));
}

namespace internal {
// Calls a kernel of Tenon's own classes.
class OwnKernel final : public OpKernel {
 public:
  OwnKernel(OpKernelConstruction* construction, tenon::Owned<tenon::OpKernel> kernel)
      : OpKernel(construction), kernel_(std::move(kernel)) {}
  void Compute(OpKernelContext* context) override { kernel_->Compute(context); }

 private:
  tenon::Owned<tenon::OpKernel> kernel_;
};
}  // namespace internal

// The kernel of a node. What it refers to stays for the life of the process.
inline std::unique_ptr<OpKernel> CreateOpKernel(DeviceType device_type, DeviceBase*, Allocator*, const NodeDef& node,
                                                int, Status* status) {
  static mutex lock;
  static auto* const kept = new std::vector<std::unique_ptr<tenon::NodeDef>>();
  static auto* const types = new std::vector<std::unique_ptr<tenon::SlimVector<tenon::DataType>>>();
  const auto make = [&](std::unique_ptr<OpKernel>* out) -> Status {
    const tenon::Registry& registry = tenon::Registry::Global();
    const tenon::OpView* op = nullptr;
    auto held = std::make_unique<tenon::NodeDef>(ToTenon(node));
    auto in = std::make_unique<tenon::SlimVector<tenon::DataType>>();
    auto to = std::make_unique<tenon::SlimVector<tenon::DataType>>();
    TF_RETURN_IF_ERROR(registry.ops().LookUp(held->op, &op));
    const tenon::OpDef def = tenon::ToOpDef(*op);
    tenon::AddDefaultsToNodeDef(def, held.get());
    TF_RETURN_IF_ERROR(tenon::ValidateNodeDef(*held, def));
    TF_RETURN_IF_ERROR(tenon::InOutTypesForNode(*held, def, in.get(), to.get()));
    TF_ASSIGN_OR_RETURN(const tenon::KernelDef row, registry.FindForNode(*held, device_type.type_string()));
    tenon::OpKernelConstruction construction(held.get(), op, row.row->device, *in, *to, tenon::DefaultAllocator());
    TF_ASSIGN_OR_RETURN(tenon::Owned<tenon::OpKernel> kernel, tenon::CreateKernel(*row.row, &construction));
    if (row.row->op->by_name)
      out->reset(static_cast<OpKernel*>(kernel.release()));
    else
      *out =
          std::make_unique<internal::OwnKernel>(static_cast<OpKernelConstruction*>(&construction), std::move(kernel));
    mutex_lock guard(lock);
    kept->push_back(std::move(held));
    types->push_back(std::move(in));
    types->push_back(std::move(to));
    return Status();
  };
  std::unique_ptr<OpKernel> made;
  *status = make(&made);
  return made;
}

template <class Properties>
Status CreateOpKernel(DeviceType device_type, DeviceBase* device, Allocator* allocator, FunctionLibraryRuntime*,
                      ResourceMgr*, const std::shared_ptr<const Properties>& properties, int graph_def_version,
                      OpKernel** kernel) {
  Status status;
  *kernel = CreateOpKernel(device_type, device, allocator, properties->node_def, graph_def_version, &status).release();
  return status;
}

// Whether the node's attrs are those of the kernel. InvalidArgument: it lacks one; Unimplemented: a constraint that
// does not list types.
inline Status KernelAttrsMatch(const KernelDef& kernel, AttrSlice attrs, bool* match) {
  *match = false;
  for (const auto& constraint : kernel.constraint()) {
    const auto& allowed = constraint.allowed_values().list().type();
    if (allowed.size() == 0)
      return errors::Unimplemented("KernelDef '", kernel.ShortDebugString(), "' has constraint on attr '",
                                   constraint.name(), "' with unsupported type");
    const AttrValue* const value = attrs.Find(constraint.name());
    if (value == nullptr)
      return errors::InvalidArgument("OpKernel '", kernel.op(), "' has constraint on attr '", constraint.name(),
                                     "' not in NodeDef '", attrs.SummarizeNode(), "', KernelDef: '",
                                     kernel.ShortDebugString(), "'");
    const auto is_allowed = [&](DataType type) {
      for (const auto one : allowed)
        if (static_cast<DataType>(one) == type) return true;
      return false;
    };
    if (value->value_case() == AttrValue::kType) {
      if (!is_allowed(value->type())) return Status();
    } else {
      for (const auto type : value->list().type())
        if (!is_allowed(static_cast<DataType>(type))) return Status();
    }
  }
  *match = true;
  return Status();
}

inline Status FindKernelDef(const DeviceType& device, const NodeDef& node, const KernelDef** def,
                            std::string* class_name) {
  TF_ASSIGN_OR_RETURN(const tenon::KernelDef row,
                      tenon::Registry::Global().FindForNode(ToTenon(node), device.type_string()));
  if (class_name != nullptr) {  // without the place of its registration
    const std::string_view name = row.row->op->struct_name;
    *class_name = std::string(name.substr(0, name.find(" at ")));
  }
  if (def != nullptr) {
    static thread_local KernelDef kept;
    kept.Clear();
    kept.set_op(node.op());
    kept.set_device_type(row.row->device);
    *def = &kept;
  }
  return Status();
}
// Types of devices that have a kernel for the node, by falling priority, then in the order of `wanted`. All of them,
// where none has one and the node asks for a device of another task than `local`.
inline Status SupportedDeviceTypesForNode(const std::vector<DeviceType>& wanted, const NodeDef& node,
                                          std::vector<std::pair<DeviceType, int32>>* found,
                                          const DeviceNameUtils::ParsedName* local = nullptr) {
  const tenon::Registry& registry = tenon::Registry::Global();
  const tenon::OpView* op = nullptr;
  const bool is_function = !registry.ops().LookUp(node.op(), &op).ok();  // any device runs it
  for (const DeviceType& device : wanted) {
    if (is_function) {
      found->push_back({device, 0});
      continue;
    }
    const auto kernel = registry.FindForNode(ToTenon(node), device.type_string());
    if (!kernel.ok() && !errors::IsNotFound(kernel.status())) return kernel.status();
    if (!kernel.ok()) continue;
    const int32 priority = kernel->row->op->match == nullptr ? 0 : kernel->row->op->match->priority;
    auto place = found->end();
    while (place != found->begin() && (place - 1)->second < priority) --place;
    found->insert(place, {device, priority});
  }
  DeviceNameUtils::ParsedName asked;
  if (!found->empty() || local == nullptr || !DeviceNameUtils::ParseFullName(node.device(), &asked) ||
      DeviceNameUtils::IsSameAddressSpace(asked, *local))
    return Status();
  for (const DeviceType& device : wanted) found->push_back({device, 0});
  return Status();
}
using PrioritizedDeviceTypeVector = std::vector<std::pair<DeviceType, int32>>;
using DeviceTypeVector = std::vector<DeviceType>;

struct SessionOptions {
  Env* env = internal::DefaultEnv();
  std::string target;
  ConfigProto config;
};
class DeviceFactory {
 public:
  static std::unique_ptr<Device> NewDevice(const std::string&, const SessionOptions&, const std::string& prefix) {
    auto device = std::make_unique<Device>();
    device->set_name(prefix + "/device:CPU:0");
    return device;
  }
};
using ThreadPoolDevice = DeviceBase;

}  // namespace tensorflow
