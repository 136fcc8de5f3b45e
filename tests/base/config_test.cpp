// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/config.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

namespace {

TENON_HD constexpr int Twice(int x) { return 2 * x; }
TENON_DETAIL_COLD int Rare(int x) { return -x; }
template <class T>
constexpr std::string_view SignatureOf() {
  return TENON_DETAIL_SIGNATURE;
}

}  // namespace

TENON_DETAIL_NAMESPACE_BEGIN
struct InTheVersionedNamespace {};
TENON_DETAIL_NAMESPACE_END

TEST_CASE("the version is three numbers") {
  CHECK(TENON_VERSION > 0);
  CHECK(tenon::kVersionMinor < 100);
  CHECK(tenon::kVersionMajor * 10000 + tenon::kVersionMinor * 100 + tenon::kVersionPatch == TENON_VERSION);
}

TEST_CASE("what is declared in the versioned namespace is found in tenon") {
  static_assert(std::is_same_v<tenon::InTheVersionedNamespace, tenon::TENON_DETAIL_ABI_TAG::InTheVersionedNamespace>);
}

TEST_CASE("TENON_HD functions are usable in constant expressions") {
  static_assert(Twice(21) == 42);
  CHECK(Rare(1) == -1);
}

TEST_CASE("TENON_DETAIL_SIGNATURE names the template arguments") {
  CHECK(SignatureOf<int>().find("int") != std::string_view::npos);
  CHECK(SignatureOf<int>() != SignatureOf<float>());
}
