// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placeholders in attrs: in the body of a function, "$T" stands for the attr T of whoever calls it.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/attr/attr_value.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

inline bool HasPlaceholder(const AttrValue& value);

namespace detail {
inline bool HasPlaceholder(const NameAttrList& function) {
  for (const auto& [name, value] : function.attr)
    if (tenon::HasPlaceholder(value)) return true;
  return false;
}
}  // namespace detail

// Is the value a placeholder, or does a function in it have an attr that holds one?
inline bool HasPlaceholder(const AttrValue& value) {
  if (value.kind() == AttrValue::Kind::kPlaceholder) return true;
  if (value.kind() == AttrValue::Kind::kFunc) return detail::HasPlaceholder(value.func());
  for (const NameAttrList& function : value.list().func)
    if (detail::HasPlaceholder(function)) return true;
  return false;
}

// Puts values in the place of placeholders, in the attrs of functions too. `lookup(std::string_view name, AttrValue*
// to)` writes the value of the attr `name` and returns whether there is one. False, and the value half done, when it
// returned false or when a value is not set; TensorFlow says then "Failed to bind all placeholders in ...".
//
//   if (!SubstitutePlaceholders([&](std::string_view name, AttrValue* to) { ... }, &value)) return ...;
template <class Lookup>
bool SubstitutePlaceholders(const Lookup& lookup, AttrValue* value);

namespace detail {
template <class Lookup>
bool SubstitutePlaceholders(const Lookup& lookup, NameAttrList* function) {
  SlimVector<std::string> names;  // the map gives its values by name only
  for (const auto& item : function->attr) names.push_back(item.first);
  for (const std::string& name : names)
    if (!tenon::SubstitutePlaceholders(lookup, function->attr.Find(std::string_view(name)))) return false;
  return true;
}
}  // namespace detail

template <class Lookup>
bool SubstitutePlaceholders(const Lookup& lookup, AttrValue* value) {
  switch (value->kind()) {
    case AttrValue::Kind::kNone: return false;
    case AttrValue::Kind::kPlaceholder: {
      const std::string name = value->placeholder();  // the value that it stands in is about to change
      return lookup(std::string_view(name), value);
    }
    case AttrValue::Kind::kFunc: return detail::SubstitutePlaceholders(lookup, value->mutable_func());
    case AttrValue::Kind::kList:
      for (std::size_t i = 0; i < value->list().func.size(); ++i)
        if (!detail::SubstitutePlaceholders(lookup, &value->mutable_list()->func[i])) return false;
      return true;
    default: return true;
  }
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
