// SPDX-License-Identifier: Apache-2.0
#pragma once
// CallNumbers: finds a function with its attrs among many in constant time.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Numbers for calls, from 0 on: equal calls have one number. externally synchronised.
class CallNumbers {
 public:
  // -1: an equal call has no number yet. Calls of another `kind` are not equal.
  int Find(const NameAttrList& call, char kind = 0) const { return index_.Find(KeyOf(call, kind), Key{&keys_}); }
  // The number of the call, the next one for a new call. Without memory nothing changes.
  int Insert(const NameAttrList& call, char kind = 0) {
    const int next = static_cast<int>(keys_.size());
    keys_.push_back(KeyOf(call, kind));
    struct TakeBack {
      SlimVector<std::string>* keys;
      ~TakeBack() {
        if (keys != nullptr) keys->pop_back();
      }
    } new_key{&keys_};
    const int known = index_.Insert(keys_.back(), next, Key{&keys_});
    if (known >= 0) return known;
    new_key.keys = nullptr;
    return next;
  }

 private:
  struct Key {
    const SlimVector<std::string>* keys;
    std::string_view operator()(int i) const { return (*keys)[static_cast<std::size_t>(i)]; }
  };
  static std::string Serialized(const NameAttrList& call) {
    std::string bytes;
    wire::SerializeTo(call, &bytes);
    return bytes;
  }
  static std::string KeyOf(const NameAttrList& call, char kind) {
    std::string key = call.attr.empty() ? call.name : Serialized(call);
    key.push_back(call.attr.empty() ? 0 : 1);
    key.push_back(kind);
    return key;
  }

  SlimVector<std::string> keys_;
  detail::NameIndex index_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
