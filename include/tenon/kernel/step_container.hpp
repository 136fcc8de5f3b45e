// SPDX-License-Identifier: Apache-2.0
#pragma once
// StepContainer: the resources of one run - tensor arrays, stacks, temporary variables. They go when the run ends.

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A container of the manager under the run's own name. A run that puts nothing into it pays nothing. thread-safe; the
// manager outlives it.
class StepContainer {
 public:
  StepContainer(ResourceMgr* resources, std::int64_t step_id) : resources_(resources), step_id_(step_id) {}
  StepContainer(const StepContainer&) = delete;
  StepContainer& operator=(const StepContainer&) = delete;
  // Needs no memory.
  ~StepContainer() {
    if (used_.load(std::memory_order_acquire)) CleanUp();
  }

  // The container that handles carry; code that makes a resource through the manager calls MarkUsed().
  std::string name() const { return StrCat(kNamePrefix, step_id_); }
  std::int64_t step_id() const { return step_id_; }
  void MarkUsed() { used_.store(true, std::memory_order_release); }
  ResourceMgr* resources() const { return resources_; }

  // Keeps resources of the container when the run has succeeded, by the names of the fetches ("x:0"): for tensors
  // that a session keeps. One function serves all runs.
  using KeepFn = Status (*)(StepContainer* container, Span<const std::string_view> fetched);
  void OnSuccess(KeepFn keep) { keep_.store(keep, std::memory_order_release); }
  bool keeps_fetched() const { return keep_.load(std::memory_order_acquire) != nullptr; }
  Status KeepFetched(Span<const std::string_view> fetched) { return keep_.load()(this, fetched); }

  template <class T>
  Status Create(std::string_view name, Ref<T> resource) {
    MarkUsed();
    return resources_->Create<T>(this->name(), name, std::move(resource));
  }
  template <class T>
  Status Lookup(std::string_view name, Ref<T>* resource) const {
    return resources_->Lookup<T>(this->name(), name, resource);
  }
  template <class T, class Make>
  Status LookupOrCreate(std::string_view name, Ref<T>* resource, const Make& make) {
    MarkUsed();
    return resources_->LookupOrCreate<T>(this->name(), name, resource, make);
  }
  template <class T>
  Status Delete(std::string_view name) {
    return resources_->Delete<T>(this->name(), name);
  }

 private:
  static constexpr std::string_view kNamePrefix = "__per_step_";
  TENON_DETAIL_COLD void CleanUp() const {
    char name[kNamePrefix.size() + 20];  // the digits of any std::int64_t
    kNamePrefix.copy(name, kNamePrefix.size());
    char* const end = std::to_chars(name + kNamePrefix.size(), name + sizeof name, step_id_).ptr;
    (void)resources_->Cleanup({name, static_cast<std::size_t>(end - name)});
  }

  ResourceMgr* resources_;
  std::int64_t step_id_;
  std::atomic<KeepFn> keep_{nullptr};
  std::atomic<bool> used_{false};
};

TENON_DETAIL_NAMESPACE_END
