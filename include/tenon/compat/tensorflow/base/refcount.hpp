// SPDX-License-Identifier: Apache-2.0
#pragma once
// tensorflow::core: objects with counted references.

#include <memory>

#include <tenon/base/refcount.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {
namespace core {

class RefCounted : public tenon::RefCounted {
 public:
  void Ref() const { this->AddRef(); }
  int64_t RefCount() const { return this->num_refs(); }
};
struct RefCountDeleter {
  template <class T>
  void operator()(T* object) const {
    object->Unref();
  }
};
template <class T>
class RefCountPtr : public std::unique_ptr<T, RefCountDeleter> {
 public:
  using std::unique_ptr<T, RefCountDeleter>::unique_ptr;
  RefCountPtr GetNewRef() const {
    if (this->get() != nullptr) this->get()->AddRef();
    return RefCountPtr(this->get());
  }
};
template <class T>
RefCountPtr<T> GetNewRef(T* object) {
  if (object != nullptr) object->AddRef();
  return RefCountPtr<T>(object);
}
// Drops a reference when it goes.
class ScopedUnref {
 public:
  explicit ScopedUnref(const tenon::RefCounted* object) : object_(object) {}
  ScopedUnref(const ScopedUnref&) = delete;
  ScopedUnref& operator=(const ScopedUnref&) = delete;
  ~ScopedUnref() {
    if (object_ != nullptr) object_->Unref();
  }

 private:
  const tenon::RefCounted* object_;
};

}  // namespace core
}  // namespace tensorflow
