// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a kernel to its resources: handles are made for the kernel's device, checked and looked up.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A handle of a T, whether there is one or not. An empty container is the default one.
template <class T>
ResourceHandle MakeResourceHandle(std::string_view device, std::string_view container, std::string_view name) {
  return ResourceHandle{std::string(device),
                        std::string(container.empty() ? ResourceMgr::kDefaultContainer : container),
                        std::string(name),
                        kResourceType<T>.hash,
                        std::string(kResourceType<T>.name),
                        {},
                        {}};
}
// A handle that keeps its resource alive, in the container that TensorFlow gives such ones.
template <class T>
ResourceHandle MakeRefCountingHandle(std::string_view device, Ref<T> resource) {
  static std::atomic<std::int64_t> counter{0};
  ResourceHandle handle =
      MakeResourceHandle<T>(device, "Anonymous", StrCat("Resource-", counter.fetch_add(1, std::memory_order_relaxed)));
  handle.object = std::move(resource);
  return handle;
}

// As a scalar tensor, ready to be an output; one without contents where there is no memory.
inline Tensor HandleTensor(ResourceHandle handle) {
  Tensor tensor(DataType::kResource, TensorShape());
  if (tensor.IsInitialized()) *tensor.data<ResourceHandle>() = std::move(handle);
  return tensor;
}

namespace detail {

// Nodes that a GPU has no kernel for run on the host and share the GPU's resources.
TENON_DETAIL_COLD inline bool IsOfOtherDevice(const OpKernelContext& context, const ResourceHandle& handle) {
  const std::string_view other = context.environment().constants->other_device_name;
  return !other.empty() && handle.device == other;
}
TENON_DETAIL_COLD inline Status WrongResourceType(const ResourceHandle& handle, ResourceType wanted) {
  return errors::InvalidArgument(
      "Trying to access a handle's resource using the wrong type. The handle points to a "
      "resource (name '",
      handle.name, "') of type '", handle.maybe_type_name, "' (hash code ", handle.hash_code,
      ") but you are trying to access the resource as type '", wanted.name, "' (hash code ", wanted.hash, ")");
}

// InvalidArgument when the handle is of a device of another program or of another type.
inline Status CheckHandle(const OpKernelContext& context, const ResourceHandle& handle, ResourceType wanted) {
  if (handle.device != context.device_name() && !IsOfOtherDevice(context, handle)) [[unlikely]]
    return errors::InvalidArgument("Trying to access resource ", handle.name, " located in device ", handle.device,
                                   " from device ", context.device_name());
  if (handle.hash_code != wanted.hash) [[unlikely]]
    return WrongResourceType(handle, wanted);
  return OkStatus();
}

TENON_DETAIL_COLD inline Status NoResources(const OpKernelContext& context) {
  return errors::FailedPrecondition(context.op_kernel().type_string(),
                                    ": there are no resources here: the op runs outside of a session's run");
}

// Why an input, or the tensor of HandleTensor, holds no handle.
TENON_DETAIL_COLD inline Status NoHandle(const Tensor& tensor) {
  if (tensor.dtype() == DataType::kResource && tensor.NumElements() == 1)
    return errors::ResourceExhausted("A resource handle has no contents: there was no memory for them");
  return errors::InvalidArgument("A resource handle must be one element of type resource, got ", tensor.dtype(),
                                 " of shape ", tensor.shape());
}

// Does HandleTensor into *made. ResourceExhausted: no memory; *made stays.
inline Status MakeHandleTensor(ResourceHandle handle, Tensor* made) {
  Tensor tensor = HandleTensor(std::move(handle));
  if (!tensor.IsInitialized()) [[unlikely]]
    return NoHandle(tensor);
  *made = std::move(tensor);
  return OkStatus();
}

}  // namespace detail

// The session's manager; FailedPrecondition where there is none (while constants are folded, for example).
inline Status GetResources(const OpKernelContext& context, ResourceMgr** resources) {
  *resources = context.resource_manager();
  return *resources != nullptr ? OkStatus() : detail::NoResources(context);
}

// The handle that an input holds; borrowed from the input. InvalidArgument when it is not one handle, ResourceExhausted
// when there was no memory for it.
inline Status HandleOf(const Tensor& input, const ResourceHandle** handle) {
  if (input.dtype() != DataType::kResource || input.NumElements() < 1 || !input.IsInitialized()) [[unlikely]]
    return detail::NoHandle(input);
  *handle = input.data<ResourceHandle>();
  return OkStatus();
}

// The resource that a handle keeps or names. InvalidArgument for another type or device, NotFound when there is none.
template <class T>
Status LookupResource(const OpKernelContext& context, const ResourceHandle& handle, Ref<T>* resource) {
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  TENON_RETURN_IF_ERROR(detail::CheckHandle(context, handle, kResourceType<T>));
  if (!handle.IsRefCounting()) return resources->Lookup<T>(handle.container, handle.name, resource);
  *resource = Ref<T>::Share(static_cast<T*>(handle.object.get()));
  return OkStatus();
}
template <class T>
Status LookupResource(const OpKernelContext& context, const Tensor& input, Ref<T>* resource) {
  const ResourceHandle* handle = nullptr;
  TENON_RETURN_IF_ERROR(HandleOf(input, &handle));
  return LookupResource<T>(context, *handle, resource);
}

// Looks the resource up, or makes a new one: make(&resource) -> Status runs under the manager's lock.
template <class T, class Make>
Status LookupOrCreateResource(const OpKernelContext& context, const Tensor& input, Ref<T>* resource, const Make& make) {
  const ResourceHandle* handle = nullptr;
  ResourceMgr* resources = nullptr;
  TENON_RETURN_IF_ERROR(HandleOf(input, &handle));
  if (handle->IsRefCounting()) return LookupResource<T>(context, *handle, resource);
  TENON_RETURN_IF_ERROR(GetResources(context, &resources));
  TENON_RETURN_IF_ERROR(detail::CheckHandle(context, *handle, kResourceType<T>));
  return resources->LookupOrCreate<T>(handle->container, handle->name, resource, make);
}

// Where the resource of a node lives, from its attrs `container` and `shared_name`.
struct ContainerInfo {
  std::string container, name;
  bool private_to_kernel = false;  // no other kernel can name it

  // The name is shared_name, or the node's own if `use_node_name`, or one that no other kernel has. InvalidArgument for
  // a container with other characters than [A-Za-z0-9.][A-Za-z0-9./-]* and a shared_name that starts with '_'.
  static Result<ContainerInfo> From(const OpKernelConstruction& c, bool use_node_name = false) {
    std::string_view container, shared_name;
    TENON_RETURN_IF_ERROR(c.GetAttr("container", &container));
    TENON_RETURN_IF_ERROR(c.GetAttr("shared_name", &shared_name));
    for (std::size_t i = 0; i < container.size(); ++i) {
      const char k = container[i];
      const bool word = (k >= 'a' && k <= 'z') || (k >= 'A' && k <= 'Z') || (k >= '0' && k <= '9') || k == '.';
      if (!word && !(i > 0 && (k == '/' || k == '-')))
        return errors::InvalidArgument("container contains invalid characters: ", container);
    }
    if (!shared_name.empty() && shared_name.front() == '_')
      return errors::InvalidArgument("shared_name cannot start with '_':", shared_name);
    ContainerInfo info;
    info.container = container.empty() ? ResourceMgr::kDefaultContainer : container;
    if (!shared_name.empty()) {
      info.name = shared_name;
    } else if (use_node_name) {
      info.name = c.def().name;
    } else {
      static std::atomic<std::int64_t> counter{0};
      info.name = StrCat("_", counter.fetch_add(1, std::memory_order_relaxed), "_", c.def().name);
      info.private_to_kernel = true;
    }
    return info;
  }
};

TENON_DETAIL_NAMESPACE_END
