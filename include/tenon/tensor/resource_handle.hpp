// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceHandle: the element of a resource tensor. Names an object that a device's resource manager holds.

#include <cstdint>
#include <string>

#include <tenon/base/str.hpp>

TENON_NAMESPACE_BEGIN

// Plain data, owning its text but not the object.
struct ResourceHandle {
  std::string device;           // full name of the device whose manager has the object
  std::string container;        // "localhost" if nothing else was asked for
  std::string name;
  std::uint64_t hash_code = 0;  // of the object's C++ type: means something within one ABI only
  std::string maybe_type_name;  // for messages

  friend bool operator==(const ResourceHandle&, const ResourceHandle&) = default;

  std::string SummarizeValue() const {
    return StrCat("ResourceHandle(name=\"", name, "\", device=\"", device, "\", container=\"", container, "\", type=\"",
                  maybe_type_name, "\", dtype and shapes : \"[  ]\")");
  }
  std::string DebugString() const { return SummarizeValue(); }
};

TENON_NAMESPACE_END
