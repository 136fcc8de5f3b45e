// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/attrs.hpp>

#include <doctest/doctest.h>

#include "run_op.hpp"

namespace attrs_test {
using namespace tenon;

namespace {
struct Mixed {
  bool flag;
  std::int64_t count;
  std::string_view text;
};
struct Most {
  std::int64_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w;
  bool last;
};
struct TooMany {
  std::int64_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct Derived : Mixed {
  bool more;
};
class Hidden {
  [[maybe_unused]] bool flag = false;
};
}  // namespace

static_assert(detail::IsPlainStruct<Mixed>() && detail::IsPlainStruct<Most>() && !detail::IsPlainStruct<TooMany>());
static_assert(!detail::IsPlainStruct<Derived>() && !detail::IsPlainStruct<Hidden>());
static_assert(detail::MemberCount<Most>() == detail::kMaxAttrMembers && detail::MemberNames<Most>()[22] == "w" &&
              detail::MemberNames<Most>()[23] == "last" && detail::MemberTypesOf<Most>::kind[23] == AttrKind::kBool);
static_assert(detail::MemberCount<Mixed>() == 3);
static_assert(detail::MemberNames<Mixed>()[0] == "flag" && detail::MemberNames<Mixed>()[1] == "count" &&
              detail::MemberNames<Mixed>()[2] == "text");
static_assert(detail::MemberTypesOf<Mixed>::kind[1] == AttrKind::kInt && detail::MemberTypesOf<Mixed>::known[2]);
static_assert(!detail::AttrMember<int>::known && detail::AttrMember<std::span<const float>>::list);

TEST_SUITE("Attrs") {
  TEST_CASE("members are bound by name, whatever their order") {
    const auto out = kernel_test::RunOp("KtAttrs", {}, {});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(std::string_view((*out)[0].scalar<tstring>()[0]) == "7 1.5 1 x int8 [2] 22 a 3");
  }
  TEST_CASE("a node's own values replace the defaults") {
    const auto out = kernel_test::RunOp("KtAttrs", {{"n", 1}, {"s", "hello"}, {"b", false}}, {});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(std::string_view((*out)[0].scalar<tstring>()[0]) == "1 1.5 0 hello int8 [2] 22 a 3");
  }
  TEST_CASE("slots name every member") {
    Mixed mixed{};
    detail::AttrSlot slots[detail::kMaxAttrMembers];
    REQUIRE(detail::ListAttrSlots<Mixed>(&mixed, slots) == 3);
    CHECK(slots[1].name == "count");
    CHECK(slots[1].member == &mixed.count);
  }
}
}  // namespace attrs_test
