// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceMgr: the state that outlives a run - variables, tables, queues - by container, type and name. Each session
// has one. Resource is the base of its objects; graphs carry ResourceHandles, which name them.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/resource_handle.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A derived class names its type, as handles and messages show it:
//   static constexpr std::string_view kTypeName = "tensorflow::Var";
// One name is one C++ class. thread-safe, with locks of its own.
class Resource : public RefCounted {
 public:
  virtual std::string DebugString() const = 0;
  virtual std::int64_t MemoryUsed() const { return 0; }  // bytes, roughly
};

// The class of a resource, without run-time type information.
struct ResourceType {
  std::uint64_t hash;
  std::string_view name;
};
template <class T>
inline constexpr ResourceType kResourceType{Hash64(T::kTypeName), T::kTypeName};

// thread-safe. A resource lives while the manager or anything else holds a reference; destructors run outside the lock.
//
//   ResourceMgr resources;
//   Status s = resources.Create("", "v", Ref<Var>::Adopt(new Var(DataType::kFloat)));
//   Ref<Var> v;
//   s = resources.Lookup("", "v", &v);     // NotFound: Resource localhost/v/tensorflow::Var does not exist.
//   s = resources.Cleanup("localhost");
class ResourceMgr {
 public:
  static constexpr std::string_view kDefaultContainer = "localhost";  // the meaning of an empty name

  ResourceMgr() = default;
  ResourceMgr(const ResourceMgr&) = delete;
  ResourceMgr& operator=(const ResourceMgr&) = delete;

  // AlreadyExists when there is one of this type and name.
  template <class T>
  Status Create(std::string_view container, std::string_view name, Ref<T> resource) {
    return CreateAny(container, kResourceType<T>, name, std::move(resource));
  }
  // NotFound when the container has none of this type and name; *resource is left alone then.
  template <class T>
  Status Lookup(std::string_view container, std::string_view name, Ref<T>* resource) const {
    Ref<Resource> found;
    TENON_RETURN_IF_ERROR(LookupAny(container, kResourceType<T>, name, &found));
    *resource = Ref<T>::Adopt(static_cast<T*>(found.release()));
    return OkStatus();
  }
  // Makes a missing resource: make(&resource) -> Status, at most once, under the manager's lock: it must not use the
  // manager. Its error is returned and nothing kept.
  template <class T, class Make>
  Status LookupOrCreate(std::string_view container, std::string_view name, Ref<T>* resource, const Make& make) {
    const auto call = [](const void* made_by, Ref<Resource>* to) -> Status {
      Ref<T> made;
      TENON_RETURN_IF_ERROR((*static_cast<const Make*>(made_by))(&made));
      *to = std::move(made);
      return OkStatus();
    };
    Ref<Resource> found;
    TENON_RETURN_IF_ERROR(LookupOrCreateAny(container, kResourceType<T>, name, &found, call, &make));
    *resource = Ref<T>::Adopt(static_cast<T*>(found.release()));
    return OkStatus();
  }
  // NotFound when there is none.
  template <class T>
  Status Delete(std::string_view container, std::string_view name) {
    return DeleteAny(container, kResourceType<T>.hash, kResourceType<T>.name, name);
  }
  // Deletes the resource that a handle names, of any type.
  Status Delete(const ResourceHandle& handle) {
    return DeleteAny(handle.container, handle.hash_code, handle.maybe_type_name, handle.name);
  }

  // Lets go of everything in a container; OK when there is none.
  Status Cleanup(std::string_view container) {
    Container dropped;  // its resources go after the lock
    const MutexLock lock(mutex_);
    const auto it = containers_.find(Named(container));
    if (it == containers_.end()) return OkStatus();
    dropped = std::move(it->second);
    containers_.erase(it);
    return OkStatus();
  }
  void Clear() {
    FlatMap<std::string, Container> dropped;
    const MutexLock lock(mutex_);
    std::swap(dropped, containers_);
  }

  // One line per resource: container, type, name, its DebugString.
  TENON_DETAIL_COLD std::string DebugString() const {
    const MutexLock lock(mutex_);
    std::string text;
    for (const auto& container : containers_)
      for (const auto& item : container.second)
        StrAppend(&text, container.first, " | ", item.first.type_name, " | ", item.first.name, " | ",
                  item.second->DebugString(), "\n");
    return text;
  }

 private:
  // Ordered by hash first: strings are compared once per look-up.
  struct KeyView {
    std::uint64_t hash, type_hash;
    std::string_view name;
  };
  struct Key {
    std::uint64_t hash, type_hash;
    std::string name;
    std::string_view type_name;  // name of the class; lives as long as the code

    friend bool operator<(const Key& a, const KeyView& b) { return Less(a, b); }
    friend bool operator<(const KeyView& a, const Key& b) { return Less(a, b); }
    friend bool operator<(const Key& a, const Key& b) { return Less(a, b); }
    template <class A, class B>
    static bool Less(const A& a, const B& b) {
      if (a.hash != b.hash) return a.hash < b.hash;
      if (a.type_hash != b.type_hash) return a.type_hash < b.type_hash;
      return std::string_view(a.name) < std::string_view(b.name);
    }
  };
  using Container = FlatMap<Key, Ref<Resource>>;

  static std::string_view Named(std::string_view container) {
    return container.empty() ? kDefaultContainer : container;
  }
  static KeyView MakeKey(std::uint64_t type_hash, std::string_view name) {
    return {HashCombine(Hash64(name), type_hash), type_hash, name};
  }
  TENON_DETAIL_COLD static Status NoResource(std::string_view container, std::string_view type, std::string_view name) {
    return errors::NotFound("Resource ", Named(container), "/", name, "/", type, " does not exist.");
  }
  TENON_DETAIL_COLD static Status NoContainer(std::string_view container, std::string_view name) {
    return errors::NotFound("Container ", Named(container),
                            " does not exist. (Could not find resource: ", Named(container), "/", name, ")");
  }
  void Insert(std::string_view container, ResourceType type, const KeyView& key, Ref<Resource> resource) {
    containers_[std::string(Named(container))].try_emplace(
        Key{key.hash, key.type_hash, std::string(key.name), type.name}, std::move(resource));
  }

  TENON_DETAIL_NOINLINE Status CreateAny(std::string_view container, ResourceType type, std::string_view name,
                                         Ref<Resource> resource) {
    const KeyView key = MakeKey(type.hash, name);
    const MutexLock lock(mutex_);
    const auto it = containers_.find(Named(container));
    if (it != containers_.end() && it->second.contains(key))
      return errors::AlreadyExists("Resource ", Named(container), "/", name, "/", type.name);
    Insert(container, type, key, std::move(resource));
    return OkStatus();
  }
  TENON_DETAIL_NOINLINE Status LookupAny(std::string_view container, ResourceType type, std::string_view name,
                                         Ref<Resource>* resource) const {
    const KeyView key = MakeKey(type.hash, name);
    const MutexLock lock(mutex_);
    const auto it = containers_.find(Named(container));
    if (it == containers_.end()) return NoContainer(container, name);
    const Ref<Resource>* found = it->second.FindValue(key);
    if (found == nullptr) return NoResource(container, type.name, name);
    *resource = *found;
    return OkStatus();
  }
  TENON_DETAIL_NOINLINE Status LookupOrCreateAny(std::string_view container, ResourceType type, std::string_view name,
                                                 Ref<Resource>* resource,
                                                 Status (*make)(const void* made_by, Ref<Resource>* to),
                                                 const void* made_by) {
    const KeyView key = MakeKey(type.hash, name);
    const MutexLock lock(mutex_);
    const auto it = containers_.find(Named(container));
    const Ref<Resource>* found = it == containers_.end() ? nullptr : it->second.FindValue(key);
    if (found != nullptr) {
      *resource = *found;
      return OkStatus();
    }
    Ref<Resource> made;
    TENON_RETURN_IF_ERROR(make(made_by, &made));
    if (!made) return errors::Internal("LookupOrCreate failed unexpectedly: ", type.name, " '", name, "'");
    Insert(container, type, key, made);
    *resource = std::move(made);
    return OkStatus();
  }
  TENON_DETAIL_NOINLINE Status DeleteAny(std::string_view container, std::uint64_t type_hash,
                                         std::string_view type_name, std::string_view name) {
    const KeyView key = MakeKey(type_hash, name);
    Ref<Resource> dropped;  // goes after the lock
    const MutexLock lock(mutex_);
    const auto it = containers_.find(Named(container));
    if (it == containers_.end()) return NoContainer(container, name);
    const auto item = it->second.find(key);
    if (item == it->second.end()) return NoResource(container, type_name, name);
    dropped = std::move(item->second);
    it->second.erase(item);
    return OkStatus();
  }

  mutable Mutex mutex_;
  FlatMap<std::string, Container> containers_;
};

TENON_DETAIL_NAMESPACE_END
