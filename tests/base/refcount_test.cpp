// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/refcount.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace refcount_test {
using tenon::Ref;
using tenon::RefCounted;

namespace {

class Probe : public RefCounted {
 public:
  explicit Probe(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
  int value = 1;

 protected:
  ~Probe() override { --*alive_; }

 private:
  std::atomic<int>* alive_;
};

}  // namespace

TEST_CASE("an object lives until its last reference goes") {
  std::atomic<int> alive{0};
  const Probe* const p = new Probe(&alive);
  CHECK(p->RefCountIsOne());
  p->AddRef();
  CHECK_FALSE(p->RefCountIsOne());
  CHECK(p->num_refs() == 2);
  CHECK_FALSE(p->Unref());
  CHECK(alive == 1);
  CHECK(p->Unref());
  CHECK(alive == 0);
}

TEST_CASE("Ref adopts a reference or shares one") {
  std::atomic<int> alive{0};
  Probe* const raw = new Probe(&alive);
  Ref<Probe> a = Ref<Probe>::Adopt(raw);
  CHECK(raw->RefCountIsOne());
  {
    const Ref<Probe> b = Ref<Probe>::Share(raw);
    CHECK_FALSE(raw->RefCountIsOne());
    CHECK(b.get() == a.get());
  }
  CHECK(raw->RefCountIsOne());
  a = Ref<Probe>();
  CHECK(alive == 0);
  CHECK_FALSE(Ref<Probe>::Share(nullptr));
}

TEST_CASE("Ref copies by counting and moves without") {
  std::atomic<int> alive{0};
  Ref<Probe> a = Ref<Probe>::Adopt(new Probe(&alive));
  Ref<Probe> b = a;
  CHECK_FALSE(a->RefCountIsOne());
  Ref<Probe> c = std::move(a);
  CHECK_FALSE(a);
  CHECK((*c).value == 1);
  Ref<Probe>& alias = b;
  b = alias;
  CHECK(b);
  b = std::move(c);
  CHECK(b->RefCountIsOne());
  Probe* const raw = b.release();
  CHECK_FALSE(b);
  CHECK(alive == 1);
  raw->Unref();
  CHECK(alive == 0);
}

TEST_CASE("threads may take and drop references at the same time") {
  std::atomic<int> alive{0};
  {
    const Ref<Probe> shared = Ref<Probe>::Adopt(new Probe(&alive));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([copy = shared] {
        for (int i = 0; i < 2000; ++i) {
          const Ref<Probe> mine = copy;
          if (mine->value != 1) std::abort();
        }
      });
    }
    for (std::thread& t : threads) t.join();
    CHECK(shared->RefCountIsOne());
  }
  CHECK(alive == 0);
}

TEST_CASE("a count starts with one thread, is shared by several and ends with one again") {
  tenon::RefCount refs;
  CHECK(refs.IsOne());
  refs.Add();
  CHECK_FALSE(refs.IsOne());
  {
    std::vector<std::jthread> threads;
    std::atomic<int> last{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10000; ++i) refs.Add();
        for (int i = 0; i < 10000; ++i) last += refs.Drop() ? 1 : 0;
      });
    }
    threads.clear();
    CHECK(last == 0);
  }
  CHECK_FALSE(refs.IsOne());
  CHECK_FALSE(refs.Drop());
  CHECK(refs.IsOne());
  CHECK(refs.Drop());
}
}  // namespace refcount_test
