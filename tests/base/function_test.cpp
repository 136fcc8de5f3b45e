// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/function.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace function_test {
using tenon::Function;

namespace {

int Twice(int x) { return 2 * x; }

// Counts the objects that are alive and those that went to the heap.
template <std::size_t Bytes>
struct Counted {
  static inline int alive = 0;
  static inline int on_heap = 0;

  explicit Counted(int v) : value(v) { ++alive; }
  Counted(Counted&& other) noexcept : value(other.value) { ++alive; }
  Counted(const Counted&) = delete;
  ~Counted() { --alive; }
  static void* operator new(std::size_t size) {
    ++on_heap;
    return ::operator new(size);
  }
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* p) {
    --on_heap;
    ::operator delete(p);
  }
  int operator()(int x) { return value += x; }

  int value;
  unsigned char more[Bytes - sizeof(int)] = {};
};
using Small = Counted<32>;
using Large = Counted<40>;

template <class C>
void LivesAndDies() {
  {
    Function<int(int)> f = C(10);
    CHECK(C::alive == 1);
    CHECK(f(1) == 11);
    CHECK(f(1) == 12);  // its own state, not a copy's
    Function<int(int)> g = std::move(f);
    CHECK_FALSE(f);
    CHECK(C::alive == 1);
    CHECK(g(1) == 13);
    f = std::move(g);
    CHECK(C::alive == 1);
    CHECK(f(1) == 14);
    f = C(0);
    CHECK(C::alive == 1);
    CHECK(f(1) == 1);
    Function<int(int)>& alias = f;
    f = std::move(alias);
    CHECK(f(1) == 2);
    f = nullptr;
    CHECK(C::alive == 0);
    f = C(5);
  }
  CHECK(C::alive == 0);
  CHECK(C::on_heap == 0);
}

}  // namespace

TEST_CASE("an empty function is false") {
  const Function<void()> none;
  const Function<void()> null = nullptr;
  CHECK_FALSE(none);
  CHECK(null == nullptr);
  int (*no_function)(int) = nullptr;
  CHECK_FALSE(Function<int(int)>(no_function));
}

TEST_CASE("functions, lambdas and function objects are called with their arguments") {
  const Function<int(int)> plain = Twice;
  const Function<int(int)> pointer = &Twice;
  int base = 40;
  const Function<int(int)> lambda = [&base](int x) { return base += x; };
  CHECK(plain(21) == 42);
  CHECK(pointer(1) == 2);
  CHECK(lambda(2) == 42);
  CHECK(base == 42);
}

TEST_CASE("arguments and results that can only be moved pass through") {
  const Function<std::unique_ptr<int>(std::unique_ptr<int>)> next = [](std::unique_ptr<int> p) {
    ++*p;
    return p;
  };
  CHECK(*next(std::make_unique<int>(1)) == 2);
}

TEST_CASE("references pass through as references") {
  const Function<std::string&(std::string&, const std::string&)> append =
      [](std::string& a, const std::string& b) -> std::string& { return a += b; };
  std::string text = "a";
  CHECK(&append(text, "b") == &text);
  CHECK(text == "ab");
}

TEST_CASE("a result is converted, or dropped for void") {
  int calls = 0;
  const Function<void()> dropped = [&calls] { return ++calls; };
  dropped();
  CHECK(calls == 1);
  const Function<double()> converted = [] { return 2; };
  CHECK(converted() == 2.0);
}

TEST_CASE("a callable that can only be moved is held") {
  Function<int()> f = [p = std::make_unique<int>(7)] { return *p; };
  Function<int()> g = std::move(f);
  CHECK(g() == 7);
  static_assert(!std::is_copy_constructible_v<Function<int()>>);
  static_assert(std::is_nothrow_move_constructible_v<Function<int()>>);
}

TEST_CASE("a callable of four pointers lives inside, with state, moves and one end") { LivesAndDies<Small>(); }

TEST_CASE("a larger callable lives on the heap, with state, moves and one end") { LivesAndDies<Large>(); }

TEST_CASE("only a callable larger than four pointers goes to the heap") {
  const Function<int(int)> inside = Small(1);
  CHECK(Small::on_heap == 0);
  const Function<int(int)> outside = Large(1);
  CHECK(Large::on_heap == 1);
  CHECK(sizeof(Function<int(int)>) == 6 * sizeof(void*));
}

TEST_CASE("a callable with a large alignment is aligned") {
  struct alignas(64) Wide {
    std::uintptr_t operator()() const { return reinterpret_cast<std::uintptr_t>(this); }
  };
  const Function<std::uintptr_t()> f = Wide{};
  CHECK(f() % 64 == 0);
}

TEST_CASE("functions may be kept in a vector that grows") {
  std::vector<Function<int()>> functions;
  for (int i = 0; i < 100; ++i)
    functions.emplace_back([i, s = std::string(30, 'x')] { return i + static_cast<int>(s.size()); });
  for (int i = 0; i < 100; ++i) CHECK(functions[static_cast<std::size_t>(i)]() == i + 30);
}

TEST_CASE("only what can be called that way converts") {
  static_assert(!std::is_constructible_v<Function<void(int)>, int>);
  static_assert(!std::is_constructible_v<Function<void(int)>, void (*)(std::string)>);
  static_assert(!std::is_constructible_v<Function<std::string()>, int (*)()>);
  static_assert(std::is_constructible_v<Function<void(int)>, void (*)(double)>);
}
}  // namespace function_test
