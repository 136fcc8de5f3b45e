// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/signature_cache.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tenon/runtime/program/program.hpp>

namespace signature_cache_test {
using namespace tenon;
using detail::PreparedSignature;
using detail::SignatureCache;

namespace {
Ref<PreparedSignature> MakeSignature() {
  return Ref<PreparedSignature>::Adopt(new PreparedSignature(MakeOwned<Program>(), false, nullptr));
}
}  // namespace

TEST_SUITE("SignatureCache") {
  TEST_CASE("finds by key; the first of two stays") {
    SignatureCache cache;
    CHECK(!cache.Find("a"));
    const Ref<PreparedSignature> a = MakeSignature(), other = MakeSignature();
    CHECK(cache.Add("a", a, 4).get() == a.get());
    CHECK(cache.Add("a", other, 4).get() == a.get());
    CHECK(cache.Find("a").get() == a.get());
    CHECK(cache.size() == 1);
  }
  TEST_CASE("the least recently used goes, and lives on with its callers") {
    SignatureCache cache;
    const Ref<PreparedSignature> a = MakeSignature(), b = MakeSignature(), c = MakeSignature();
    cache.Add("a", a, 2);
    cache.Add("b", b, 2);
    CHECK(cache.Find("a").get() == a.get());  // b is the older one now
    cache.Add("c", c, 2);
    CHECK(cache.size() == 2);
    CHECK(!cache.Find("b"));
    CHECK(cache.Find("a").get() == a.get());
    int visited = 0;
    CHECK(cache.ForEach([&](PreparedSignature*) { ++visited; }) == 1);
    CHECK(visited == 2);
    CHECK(b->RefCountIsOne());
  }
  TEST_CASE("holds one at least") {
    SignatureCache cache;
    const Ref<PreparedSignature> a = MakeSignature();
    cache.Add("a", a, 0);
    CHECK(cache.Find("a").get() == a.get());
    cache.Add("b", MakeSignature(), -3);
    CHECK(cache.size() == 1);
    CHECK(!cache.Find("a"));
  }
  TEST_CASE("without a fork it is not in use") {
    SignatureCache cache;
    cache.Add("a", MakeSignature(), 2);
    CHECK(!cache.WasInUseAtFork());
    CHECK(cache.size() == 1);
  }
}
}  // namespace signature_cache_test
