// SPDX-License-Identifier: Apache-2.0
#pragma once
// Features of an Example by name: asked for, added, read.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/compat/tensorflow/proto/example.hpp>

namespace tensorflow {

using FeatureListMap = protobuf::Map<std::string, FeatureList>;

// The kind of a feature's values: int64_t, float or std::string.
template <class T>
struct FeatureValues {
  static auto* Mutable(Feature* feature) {
    if constexpr (std::is_integral_v<T>)
      return feature->mutable_int64_list()->mutable_value();
    else if constexpr (std::is_floating_point_v<T>)
      return feature->mutable_float_list()->mutable_value();
    else
      return feature->mutable_bytes_list()->mutable_value();
  }
  static const auto& Get(const Feature& feature) {
    if constexpr (std::is_integral_v<T>)
      return feature.int64_list().value();
    else if constexpr (std::is_floating_point_v<T>)
      return feature.float_list().value();
    else
      return feature.bytes_list().value();
  }
  static bool IsIn(const Feature& feature) {
    if constexpr (std::is_integral_v<T>) return feature.has_int64_list();
    if constexpr (std::is_floating_point_v<T>) return feature.has_float_list();
    return feature.has_bytes_list();
  }
};

inline Features* GetFeatures(Features* proto) { return proto; }
inline const Features& GetFeatures(const Features& proto) { return proto; }
inline Features* GetFeatures(Example* proto) { return proto->mutable_features(); }
inline const Features& GetFeatures(const Example& proto) { return proto.features(); }
inline Features* GetFeatures(SequenceExample* proto) { return proto->mutable_context(); }
inline const Features& GetFeatures(const SequenceExample& proto) { return proto.context(); }

inline bool HasFeature(std::string_view name, const Features& features) {
  return features.feature().find(name) != features.feature().end();
}
template <class T>
bool HasFeature(std::string_view name, const Features& features) {
  const auto found = features.feature().find(name);
  return found != features.feature().end() && FeatureValues<T>::IsIn(found->second);
}
template <class T, class Proto>
bool HasFeature(std::string_view name, const Proto& proto) {
  return HasFeature<T>(name, GetFeatures(proto));
}
inline bool HasFeature(std::string_view name, const Example& proto) { return HasFeature(name, proto.features()); }
inline bool HasFeature(std::string_view name, const SequenceExample& proto) {
  return HasFeature(name, proto.context());
}
inline bool HasFeatureList(std::string_view name, const SequenceExample& example) {
  return example.feature_lists().feature_list().find(name) != example.feature_lists().feature_list().end();
}
template <class Proto>
const Feature& GetFeature(std::string_view name, const Proto& proto) {
  const auto& map = GetFeatures(proto).feature();
  const auto found = map.find(name);
  return found == map.end() ? Feature::default_instance() : found->second;
}
template <class T, class Proto>
const auto& GetFeatureValues(std::string_view name, const Proto& proto) {
  return FeatureValues<T>::Get(GetFeature(name, proto));
}
template <class T>
const auto& GetFeatureValues(const Feature& feature) {
  return FeatureValues<T>::Get(feature);
}
template <class T, class Proto>
auto* GetFeatureValues(std::string_view name, Proto* proto) {
  return FeatureValues<T>::Mutable(&(*GetFeatures(proto)->mutable_feature())[name]);
}
template <class T>
auto* GetFeatureValues(Feature* feature) {
  return FeatureValues<T>::Mutable(feature);
}
inline protobuf::RepeatedPtrField<Feature>* GetFeatureList(std::string_view name, SequenceExample* example) {
  return (*example->mutable_feature_lists()->mutable_feature_list())[name].mutable_feature();
}
inline const protobuf::RepeatedPtrField<Feature>& GetFeatureList(std::string_view name,
                                                                 const SequenceExample& example) {
  return example.feature_lists().feature_list().at(name).feature();
}
template <class List>
using FeatureItem = std::conditional_t<
    std::is_integral_v<std::remove_cvref_t<decltype(*std::begin(std::declval<const List&>()))>>, int64_t,
    std::conditional_t<
        std::is_floating_point_v<std::remove_cvref_t<decltype(*std::begin(std::declval<const List&>()))>>, float,
        std::string>>;
template <class List>
void AppendFeatureValues(const List& values, Feature* feature) {
  auto* const to = FeatureValues<FeatureItem<List>>::Mutable(feature);
  for (const auto& value : values) to->Add(FeatureItem<List>(value));
}
template <class T>
void AppendFeatureValues(std::initializer_list<T> values, Feature* feature) {
  AppendFeatureValues<std::initializer_list<T>>(values, feature);
}
template <class List, class Proto>
void AppendFeatureValues(const List& values, std::string_view name, Proto* proto) {
  AppendFeatureValues(values, &(*GetFeatures(proto)->mutable_feature())[name]);
}
template <class T, class Proto>
void AppendFeatureValues(std::initializer_list<T> values, std::string_view name, Proto* proto) {
  AppendFeatureValues<std::initializer_list<T>>(values, name, proto);
}
template <class... T>
void ClearFeatureValues(Feature* feature) {
  feature->Clear();
}
template <class List>
void SetFeatureValues(const List& values, Feature* feature) {
  feature->Clear();
  AppendFeatureValues(values, feature);
}
template <class T>
void SetFeatureValues(std::initializer_list<T> values, Feature* feature) {
  SetFeatureValues<std::initializer_list<T>>(values, feature);
}
template <class List, class Proto>
void SetFeatureValues(const List& values, std::string_view name, Proto* proto) {
  SetFeatureValues(values, &(*GetFeatures(proto)->mutable_feature())[name]);
}
template <class T, class Proto>
void SetFeatureValues(std::initializer_list<T> values, std::string_view name, Proto* proto) {
  SetFeatureValues<std::initializer_list<T>>(values, name, proto);
}

}  // namespace tensorflow
