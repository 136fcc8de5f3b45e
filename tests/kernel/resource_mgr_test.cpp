// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/resource_mgr.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>

namespace resource_mgr_test {
namespace {

using namespace tenon;

struct Box : Resource {
  static constexpr std::string_view kTypeName = "test::Box";
  explicit Box(int v, int* destroyed = nullptr) : value(v), gone(destroyed) {}
  ~Box() override {
    if (gone != nullptr) ++*gone;
  }
  std::string DebugString() const override { return "a box"; }
  int value;
  int* gone;
};
struct Bag : Resource {
  static constexpr std::string_view kTypeName = "test::Bag";
  std::string DebugString() const override { return "a bag"; }
};

Ref<Box> NewBox(int value, int* gone = nullptr) { return Ref<Box>::Adopt(new Box(value, gone)); }

}  // namespace

TEST_CASE("ResourceMgr: create, look up, delete") {
  ResourceMgr resources;
  REQUIRE(resources.Create("", "a", NewBox(1)).ok());
  REQUIRE(resources.Create("other", "a", NewBox(2)).ok());
  REQUIRE(resources.Create("", "a", Ref<Bag>::Adopt(new Bag)).ok());  // another type, another resource

  Ref<Box> box;
  CHECK(resources.Lookup("", "a", &box).ok());
  CHECK(box->value == 1);
  CHECK(resources.Lookup("localhost", "a", &box).ok());
  CHECK(box->value == 1);
  CHECK(resources.Lookup("other", "a", &box).ok());
  CHECK(box->value == 2);

  Status status = resources.Create("", "a", NewBox(3));
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.message() == "Resource localhost/a/test::Box");
  status = resources.Lookup("", "b", &box);
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.message() == "Resource localhost/b/test::Box does not exist.");
  CHECK(box->value == 2);  // left alone
  status = resources.Lookup("nowhere", "b", &box);
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.message() == "Container nowhere does not exist. (Could not find resource: nowhere/b)");

  CHECK(resources.Delete<Box>("other", "a").ok());
  CHECK(resources.Delete<Box>("other", "a").code() == Code::kNotFound);
  ResourceHandle handle;
  handle.container = "localhost";
  handle.name = "a";
  handle.hash_code = kResourceType<Bag>.hash;
  handle.maybe_type_name = Bag::kTypeName;
  CHECK(resources.Delete(handle).ok());
  CHECK(resources.Delete(handle).message() == "Resource localhost/a/test::Bag does not exist.");
  CHECK(resources.Lookup("", "a", &box).ok());
}

TEST_CASE("ResourceMgr: what is looked up outlives its place") {
  int gone = 0;
  ResourceMgr resources;
  REQUIRE(resources.Create("c", "a", NewBox(1, &gone)).ok());
  REQUIRE(resources.Create("c", "b", NewBox(2, &gone)).ok());
  Ref<Box> box;
  REQUIRE(resources.Lookup("c", "a", &box).ok());
  CHECK(resources.Cleanup("c").ok());
  CHECK(resources.Cleanup("c").ok());
  CHECK(gone == 1);
  CHECK(box->value == 1);
  box = Ref<Box>();
  CHECK(gone == 2);
  REQUIRE(resources.Create("c", "a", NewBox(3, &gone)).ok());
  resources.Clear();
  CHECK(gone == 3);
}

TEST_CASE("ResourceMgr: LookupOrCreate makes once") {
  ResourceMgr resources;
  int made = 0;
  const auto make = [&](Ref<Box>* box) {
    *box = NewBox(++made);
    return OkStatus();
  };
  Ref<Box> box;
  REQUIRE(resources.LookupOrCreate("", "x", &box, make).ok());
  REQUIRE(resources.LookupOrCreate("", "x", &box, make).ok());
  CHECK(made == 1);
  CHECK(box->value == 1);
  const Status status =
      resources.LookupOrCreate("", "y", &box, [](Ref<Box>*) { return Status(Code::kUnavailable, "no"); });
  CHECK(status.code() == Code::kUnavailable);
  CHECK(resources.Lookup("", "y", &box).code() == Code::kNotFound);
  CHECK(resources.LookupOrCreate("", "y", &box, [](Ref<Box>*) { return OkStatus(); }).code() == Code::kInternal);
}

TEST_CASE("ResourceMgr: many threads, one resource each name") {
  ResourceMgr resources;
  std::vector<int> made(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        Ref<Box> box;
        const Status status = resources.LookupOrCreate("", StrCat("n", i), &box, [&](Ref<Box>* to) {
          ++made[static_cast<std::size_t>(t)];
          *to = NewBox(i);
          return OkStatus();
        });
        if (!status.ok() || box->value != i) made[static_cast<std::size_t>(t)] += 1000;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(made[0] + made[1] + made[2] + made[3] == 200);
}
}  // namespace resource_mgr_test
