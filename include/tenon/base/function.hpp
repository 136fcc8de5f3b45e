// SPDX-License-Identifier: Apache-2.0
#pragma once
// Function<R(A...)>: a callable that is moved, never copied, with room for four pointers before it needs the heap.
// A callable that copies as plain bytes (a lambda over pointers, references and numbers) moves with one memcpy.

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

template <class Signature>
class Function;

// externally synchronised. Calling an empty Function is a programming error: it calls a null pointer.
//
//   Function<void(Status)> done = [step = std::move(step)](Status s) { step->Finish(s); };
//   done(OkStatus());
template <class R, class... Args>
class Function<R(Args...)> {
 public:
  static constexpr std::size_t kInlineBytes = 4 * sizeof(void*);

  Function() noexcept {}
  Function(std::nullptr_t) noexcept {}

  // From anything that is called with parentheses (no pointers to members); empty when it is a null function pointer.
  template <class F, class D = std::decay_t<F>>
    requires(!std::is_same_v<D, Function> && !std::is_member_pointer_v<D> && std::is_invocable_r_v<R, D&, Args...>)
  Function(F&& callable) {
    if constexpr (std::is_pointer_v<std::remove_reference_t<F>>) {
      if (callable == nullptr) return;
    }
    if constexpr (kInline<D>) {
      ::new (static_cast<void*>(storage_)) D(std::forward<F>(callable));
      call_ = &CallInline<D>;
      if constexpr (!kPlain<D>) manage_ = &ManageInline<D>;
    } else {
      ::new (static_cast<void*>(storage_)) D*(new D(std::forward<F>(callable)));
      call_ = &CallHeap<D>;
      manage_ = &ManageHeap<D>;
    }
  }

  Function(Function&& other) noexcept { Take(other); }
  Function& operator=(Function&& other) noexcept {
    if (this != &other) {
      Destroy();
      Take(other);
    }
    return *this;
  }
  Function& operator=(std::nullptr_t) noexcept {
    Destroy();
    call_ = nullptr;
    manage_ = nullptr;
    return *this;
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { Destroy(); }

  // Constness is not passed on to the callable, as with std::function.
  R operator()(Args... args) const { return call_(storage_, std::forward<Args>(args)...); }

  explicit operator bool() const noexcept { return call_ != nullptr; }
  friend bool operator==(const Function& f, std::nullptr_t) noexcept { return f.call_ == nullptr; }

 private:
  // Called with to == nullptr to destroy the callable in `from`, else to move it to `to` and destroy its remains.
  using Manage = void (*)(void* from, void* to);

  template <class D>
  static constexpr bool kInline =
      sizeof(D) <= kInlineBytes && alignof(D) <= alignof(void*) && std::is_nothrow_move_constructible_v<D>;
  template <class D>
  static constexpr bool kPlain = TENON_DETAIL_IS_TRIVIALLY_COPYABLE(D) && TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(D);

  template <class D>
  static R Invoke(D& callable, Args... args) {
    if constexpr (std::is_void_v<R>) {
      static_cast<void>(callable(std::forward<Args>(args)...));
    } else {
      return callable(std::forward<Args>(args)...);
    }
  }
  template <class D>
  static R CallInline(void* storage, Args... args) {
    return Invoke(*std::launder(static_cast<D*>(storage)), std::forward<Args>(args)...);
  }
  template <class D>
  static R CallHeap(void* storage, Args... args) {
    return Invoke(**std::launder(static_cast<D**>(storage)), std::forward<Args>(args)...);
  }
  template <class D>
  static void ManageInline(void* from, void* to) {
    D* const callable = std::launder(static_cast<D*>(from));
    if (to != nullptr) ::new (to) D(std::move(*callable));
    callable->~D();
  }
  template <class D>
  static void ManageHeap(void* from, void* to) {
    D* const callable = *std::launder(static_cast<D**>(from));
    if (to != nullptr) {
      ::new (to) D*(callable);
    } else {
      delete callable;
    }
  }

  void Take(Function& other) noexcept {
    call_ = std::exchange(other.call_, nullptr);
    manage_ = std::exchange(other.manage_, nullptr);
    if (manage_ != nullptr) {
      manage_(other.storage_, storage_);
    } else if (call_ != nullptr) {
      std::memcpy(storage_, other.storage_, kInlineBytes);
    }
  }
  void Destroy() noexcept {
    if (manage_ != nullptr) manage_(storage_, nullptr);
  }

  R (*call_)(void*, Args...) = nullptr;
  Manage manage_ = nullptr;  // null: the bytes may be copied and forgotten
  alignas(void*) mutable unsigned char storage_[kInlineBytes];
};

TENON_DETAIL_NAMESPACE_END
