// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's Example and SequenceExample: named features, each a list of strings, floats or integers, as in
// TFRecord files. Has the messages' tables, and views of serialised messages for reading a few features out of many.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct BytesList {
  SlimVector<std::string> value;

  friend bool operator==(const BytesList&, const BytesList&) = default;
};
struct FloatList {
  SlimVector<float> value;

  friend bool operator==(const FloatList&, const FloatList&) = default;
};
struct Int64List {
  SlimVector<std::int64_t> value;

  friend bool operator==(const Int64List&, const Int64List&) = default;
};
// At most one of the three is set.
struct Feature {
  std::optional<BytesList> bytes_list;
  std::optional<FloatList> float_list;
  std::optional<Int64List> int64_list;

  // kString, kFloat, kInt64; kInvalid: the feature has no list.
  DataType dtype() const {
    return bytes_list   ? DataType::kString
           : float_list ? DataType::kFloat
           : int64_list ? DataType::kInt64
                        : DataType::kInvalid;
  }

  friend bool operator==(const Feature&, const Feature&) = default;
};
struct FeatureEntry {
  std::string key;
  Feature value;

  friend bool operator==(const FeatureEntry&, const FeatureEntry&) = default;
};
struct Features {
  SlimVector<FeatureEntry> feature;  // a map; of equal keys the last counts

  // Null without an entry of that key. The time is linear in the number of entries.
  const Feature* Find(std::string_view key) const {
    for (std::size_t i = feature.size(); i-- > 0;) {
      if (feature[i].key == key) return &feature[i].value;
    }
    return nullptr;
  }
  // Sets the feature of a key, which is added where it is new. Values: a number, a text, or a list of them, as by
  // MakeFeature.
  template <class Values>
  void Set(std::string_view key, const Values& values);
  template <class T>
  void Set(std::string_view key, std::initializer_list<T> values) {
    Set(key, Span<const T>(values.begin(), values.size()));
  }

  friend bool operator==(const Features&, const Features&) = default;
};
// Named features. Equal keys: the last counts.
struct Example {
  std::optional<Features> features;

  // Returns the feature of a key; null without one.
  const Feature* Find(std::string_view key) const { return features ? features->Find(key) : nullptr; }
  // Sets the feature of a key, as by MakeFeature:
  //   example.Set("label", 3); example.Set("image", floats); example.Set("words", {"a", "b"});
  template <class Values>
  void Set(std::string_view key, const Values& values) {
    (features ? *features : features.emplace()).Set(key, values);
  }
  template <class T>
  void Set(std::string_view key, std::initializer_list<T> values) {
    (features ? *features : features.emplace()).Set(key, values);
  }

  friend bool operator==(const Example&, const Example&) = default;
};
struct FeatureList {
  SlimVector<Feature> feature;

  friend bool operator==(const FeatureList&, const FeatureList&) = default;
};
struct FeatureListEntry {
  std::string key;
  FeatureList value;

  friend bool operator==(const FeatureListEntry&, const FeatureListEntry&) = default;
};
struct FeatureLists {
  SlimVector<FeatureListEntry> feature_list;  // a map; of equal keys the last counts

  const FeatureList* Find(std::string_view key) const {
    for (std::size_t i = feature_list.size(); i-- > 0;) {
      if (feature_list[i].key == key) return &feature_list[i].value;
    }
    return nullptr;
  }
  // The list of a key, which is added where it is new.
  FeatureList& List(std::string_view key) {
    if (const FeatureList* const found = Find(key)) return const_cast<FeatureList&>(*found);
    FeatureListEntry& entry = feature_list.emplace_back();
    entry.key = key;
    return entry.value;
  }

  friend bool operator==(const FeatureLists&, const FeatureLists&) = default;
};
// Features of a sequence as a whole, and named lists with a feature for each step.
struct SequenceExample {
  std::optional<Features> context;
  std::optional<FeatureLists> feature_lists;

  // Sets a feature of the whole sequence.
  template <class Values>
  void SetContext(std::string_view key, const Values& values) {
    (context ? *context : context.emplace()).Set(key, values);
  }
  // Adds the values of one more step to the list of a key.
  template <class Values>
  void Append(std::string_view key, const Values& values);
  template <class T>
  void Append(std::string_view key, std::initializer_list<T> values) {
    Append(key, Span<const T>(values.begin(), values.size()));
  }

  friend bool operator==(const SequenceExample&, const SequenceExample&) = default;
};

// The feature that holds `values`: integers and bool as int64, floating-point numbers as float, texts as bytes; one of
// them, or a range with begin() and size().
template <class Values>
Feature MakeFeature(const Values& values) {
  Feature feature;
  if constexpr (std::is_same_v<Values, Feature>) {
    return values;
  } else if constexpr (std::is_convertible_v<const Values&, std::string_view>) {
    feature.bytes_list.emplace().value.emplace_back(std::string_view(values));
  } else if constexpr (std::is_integral_v<Values>) {
    feature.int64_list.emplace().value.push_back(static_cast<std::int64_t>(values));
  } else if constexpr (std::is_floating_point_v<Values>) {
    feature.float_list.emplace().value.push_back(static_cast<float>(values));
  } else {
    using T = std::remove_cvref_t<decltype(*values.begin())>;
    const auto add = [&](auto& list, auto as) {
      list.value.reserve(static_cast<std::size_t>(values.size()));
      for (const auto& value : values) list.value.emplace_back(static_cast<decltype(as)>(value));
    };
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      add(feature.bytes_list.emplace(), std::string_view());
    } else if constexpr (std::is_integral_v<T>) {
      add(feature.int64_list.emplace(), std::int64_t{});
    } else {
      static_assert(std::is_floating_point_v<T>, "tenon: a feature holds texts, integers or floating-point numbers");
      add(feature.float_list.emplace(), float{});
    }
  }
  return feature;
}

template <class Values>
void Features::Set(std::string_view key, const Values& values) {
  Feature* to = const_cast<Feature*>(Find(key));
  if (to == nullptr) {
    FeatureEntry& entry = feature.emplace_back();
    entry.key = key;
    to = &entry.value;
  }
  *to = MakeFeature(values);
}
template <class Values>
void SequenceExample::Append(std::string_view key, const Values& values) {
  (feature_lists ? *feature_lists : feature_lists.emplace()).List(key).feature.push_back(MakeFeature(values));
}

namespace detail {
inline void ClearFeature(Feature& feature) { feature = Feature(); }
}  // namespace detail

namespace wire {

#define TENON_DETAIL_EXAMPLE_TABLE(Type, name, ...)                \
  template <>                                                      \
  struct Schema<Type> {                                            \
    static const Message message;                                  \
  };                                                               \
  inline constexpr Field kExample##Type##Fields[] = {__VA_ARGS__}; \
  inline constexpr Message Schema<Type>::message("tensorflow." name, kExample##Type##Fields)

TENON_DETAIL_EXAMPLE_TABLE(BytesList, "BytesList", OfBytes(MakeField<&BytesList::value>(1, "value")));
TENON_DETAIL_EXAMPLE_TABLE(FloatList, "FloatList", MakeField<&FloatList::value>(1, "value"));
TENON_DETAIL_EXAMPLE_TABLE(Int64List, "Int64List", MakeField<&Int64List::value>(1, "value"));
TENON_DETAIL_EXAMPLE_TABLE(Feature, "Feature",
                           MakeFieldInOneof<&Feature::bytes_list, &tenon::detail::ClearFeature>(1, "bytes_list"),
                           MakeFieldInOneof<&Feature::float_list, &tenon::detail::ClearFeature>(2, "float_list"),
                           MakeFieldInOneof<&Feature::int64_list, &tenon::detail::ClearFeature>(3, "int64_list"));
TENON_DETAIL_EXAMPLE_TABLE(FeatureEntry, "Features.FeatureEntry", MakeFieldAlways<&FeatureEntry::key>(1, "key"),
                           MakeFieldAlways<&FeatureEntry::value>(2, "value"));
TENON_DETAIL_EXAMPLE_TABLE(Features, "Features", MakeField<&Features::feature>(1, "feature"));
TENON_DETAIL_EXAMPLE_TABLE(Example, "Example", MakeField<&Example::features>(1, "features"));
TENON_DETAIL_EXAMPLE_TABLE(FeatureList, "FeatureList", MakeField<&FeatureList::feature>(1, "feature"));
TENON_DETAIL_EXAMPLE_TABLE(FeatureListEntry, "FeatureLists.FeatureListEntry",
                           MakeFieldAlways<&FeatureListEntry::key>(1, "key"),
                           MakeFieldAlways<&FeatureListEntry::value>(2, "value"));
TENON_DETAIL_EXAMPLE_TABLE(FeatureLists, "FeatureLists", MakeField<&FeatureLists::feature_list>(1, "feature_list"));
TENON_DETAIL_EXAMPLE_TABLE(SequenceExample, "SequenceExample", MakeField<&SequenceExample::context>(1, "context"),
                           MakeField<&SequenceExample::feature_lists>(2, "feature_lists"));

#undef TENON_DETAIL_EXAMPLE_TABLE

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END

// A view of the values of a serialised Feature. Borrows the bytes.
struct FeatureView {
  DataType dtype = DataType::kInvalid;  // kString, kFloat, kInt64; kInvalid: the feature has no list
  std::string_view list;  // the bytes of a BytesList, FloatList or Int64List
};

namespace detail {

// Calls each(std::string_view) for every value of a field 1 of bytes. Returns false when the bytes are not a message.
template <class Each>
bool ForEachBytes(std::string_view message, const Each& each) {
  wire::Reader reader(wire::AsBytes(message));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.type != wire::WireType::kBytes) {
      if (!reader.Skip(tag)) return false;
    } else if (tag.field == 1 && !each(bytes)) {
      return false;
    }
  }
  return reader.ok();
}

}  // namespace detail

// Returns false when the bytes are not a Feature. The first of several lists counts.
inline bool ReadFeature(std::string_view feature, FeatureView* view) {
  constexpr DataType kTypes[] = {DataType::kInvalid, DataType::kString, DataType::kFloat, DataType::kInt64};
  wire::Reader reader{wire::AsBytes(feature)};
  std::string_view bytes;
  *view = {};
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.type != wire::WireType::kBytes) {
      if (!reader.Skip(tag)) return false;
    } else if (tag.field >= 1 && tag.field <= 3 && view->dtype == DataType::kInvalid) {
      *view = {kTypes[tag.field], bytes};
    }
  }
  return reader.ok();
}
// Calls each(std::string_view key, std::string_view value) for every entry of a serialised map (Features,
// FeatureLists), in order. Returns false when the bytes are not such a message or `each` returns false.
template <class Each>
bool ForEachEntry(std::string_view map, const Each& each) {
  return detail::ForEachBytes(map, [&each](std::string_view entry) {
    wire::Reader reader(wire::AsBytes(entry));
    std::string_view bytes, key, value;
    for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
      if (tag.type != wire::WireType::kBytes) {
        if (!reader.Skip(tag)) return false;
      } else if (tag.field == 1) {
        key = bytes;
      } else if (tag.field == 2) {
        value = bytes;
      }
    }
    return reader.ok() && each(key, value);
  });
}
// Calls each(field number, map) for the maps of a serialised Example or SequenceExample.
template <class Each>
bool ForEachMap(std::string_view example, const Each& each) {
  wire::Reader reader(wire::AsBytes(example));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.type != wire::WireType::kBytes) {
      if (!reader.Skip(tag)) return false;
    } else if (!each(tag.field, bytes)) {
      return false;
    }
  }
  return reader.ok();
}
// Calls each(std::string_view feature) for every feature of a serialised FeatureList.
template <class Each>
bool ForEachFeature(std::string_view list, const Each& each) {
  return detail::ForEachBytes(list, each);
}

// Returns the number of values; -1 when the bytes are not a list of them.
inline std::int64_t CountValues(const FeatureView& feature) {
  std::int64_t count = 0;
  if (feature.dtype == DataType::kString) {
    const bool good = detail::ForEachBytes(feature.list, [&count](std::string_view) { return ++count > 0; });
    return good ? count : -1;
  }
  const bool floats = feature.dtype == DataType::kFloat;
  wire::Reader reader(wire::AsBytes(feature.list));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.type == wire::WireType::kBytes) {
      if (tag.field != 1) continue;
      if (floats) {
        if (bytes.size() % sizeof(float) != 0) return -1;
        count += static_cast<std::int64_t>(bytes.size() / sizeof(float));
        continue;
      }
      if (!bytes.empty() && static_cast<unsigned char>(bytes.back()) >= 0x80) return -1;
      for (const char c : bytes) count += static_cast<unsigned char>(c) < 0x80 ? 1 : 0;
    } else {
      if (!reader.Skip(tag)) return -1;
      const bool wanted = tag.type == (floats ? wire::WireType::kFixed32 : wire::WireType::kVarint);
      if (tag.field == 1 && wanted) ++count;
    }
  }
  return reader.ok() ? count : -1;
}

// Writes the CountValues(feature) values from `to` on. Returns false when a number is malformed after all.
inline bool ReadValues(const FeatureView& feature, float* to) {
  wire::Reader reader(wire::AsBytes(feature.list));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    if (tag.type == wire::WireType::kBytes) {
      if (tag.field != 1 || bytes.empty()) continue;
      std::memcpy(to, bytes.data(), bytes.size());
      to += bytes.size() / sizeof(float);
    } else if (tag.field == 1 && tag.type == wire::WireType::kFixed32) {
      std::uint32_t bits = 0;
      if (!reader.ReadFixed32(&bits)) return false;
      std::memcpy(to++, &bits, sizeof bits);
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return reader.ok();
}
inline bool ReadValues(const FeatureView& feature, std::int64_t* to) {
  wire::Reader reader(wire::AsBytes(feature.list));
  std::string_view bytes;
  for (wire::Tag tag; reader.ReadField(&tag, &bytes);) {
    std::uint64_t value = 0;
    if (tag.type == wire::WireType::kBytes) {
      if (tag.field != 1) continue;
      wire::Reader packed(wire::AsBytes(bytes));
      while (!packed.AtEnd()) {
        if (!packed.ReadVarint(&value)) return false;
        *to++ = static_cast<std::int64_t>(value);
      }
    } else if (tag.field == 1 && tag.type == wire::WireType::kVarint) {
      if (!reader.ReadVarint(&value)) return false;
      *to++ = static_cast<std::int64_t>(value);
    } else if (!reader.Skip(tag)) {
      return false;
    }
  }
  return reader.ok();
}
inline bool ReadValues(const FeatureView& feature, tstring* to) {
  return detail::ForEachBytes(feature.list, [&to](std::string_view bytes) {
    (to++)->assign(bytes);
    return true;
  });
}

TENON_DETAIL_NAMESPACE_END
