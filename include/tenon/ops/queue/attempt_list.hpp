// SPDX-License-Identifier: Apache-2.0
#pragma once
// AttemptList: attempts of ops that wait for a resource, in their order. A move from list to list needs no memory.

#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/owned.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// externally synchronised. T derives from AttemptList<T>::Link. Holder: owns a T.
template <class T, class Holder = Owned<T>>
class AttemptList {
 public:
  class Link {
    friend class AttemptList;
    Holder next_;
  };

  AttemptList() = default;
  AttemptList(const AttemptList&) = delete;
  AttemptList& operator=(const AttemptList&) = delete;
  ~AttemptList() {
    while (first() != nullptr) (void)TakeFirst();
  }

  T* first() const { return first_.get(); }
  T* last() const { return last_; }
  // The attempt behind one of the list; null: it is the last.
  static T* Next(const T* attempt) { return static_cast<const Link*>(attempt)->next_.get(); }
  void Add(Holder attempt) {
    T* const added = attempt.get();
    (last_ == nullptr ? first_ : NextOf(last_)) = std::move(attempt);
    last_ = added;
  }
  Holder TakeFirst() { return TakeBehind(nullptr); }
  // Takes the attempt behind `before`; null: the first. There is one.
  Holder TakeBehind(T* before) {
    Holder& place = before == nullptr ? first_ : NextOf(before);
    Holder taken = std::move(place);
    place = std::move(NextOf(taken.get()));
    if (place.get() == nullptr) last_ = before;
    return taken;
  }
  // Takes the first attempt for which is(attempt) holds; null: none.
  template <class Is>
  Holder TakeIf(const Is& is) {
    T* before = nullptr;
    for (T* a = first(); a != nullptr; before = std::exchange(a, Next(a)))
      if (is(static_cast<const T&>(*a))) return TakeBehind(before);
    return Holder();
  }

 private:
  static Holder& NextOf(T* attempt) { return static_cast<Link*>(attempt)->next_; }

  Holder first_;
  T* last_ = nullptr;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
