// SPDX-License-Identifier: Apache-2.0
#pragma once
// Example, SequenceExample and the messages in them.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/text.hpp>

namespace tensorflow {

class BytesList : public protobuf::Message<BytesList> {
 public:
  static constexpr const char* kName = "BytesList";
  TENON_COMPAT_STRINGS(value)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "value", m.value_);
  }

 private:
  protobuf::RepeatedPtrField<std::string> value_;
};
class FloatList : public protobuf::Message<FloatList> {
 public:
  static constexpr const char* kName = "FloatList";
  TENON_COMPAT_NUMBERS(float, value)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "value", m.value_);
  }

 private:
  protobuf::RepeatedField<float> value_;
};
class Int64List : public protobuf::Message<Int64List> {
 public:
  static constexpr const char* kName = "Int64List";
  TENON_COMPAT_NUMBERS(int64_t, value)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "value", m.value_);
  }

 private:
  protobuf::RepeatedField<int64_t> value_;
};
class Feature : public protobuf::Message<Feature> {
 public:
  static constexpr const char* kName = "Feature";
  enum KindCase { KIND_NOT_SET = 0, kBytesList = 1, kFloatList = 2, kInt64List = 3 };
  KindCase kind_case() const {
    return has_bytes_list() ? kBytesList : has_float_list() ? kFloatList : has_int64_list() ? kInt64List : KIND_NOT_SET;
  }
  void clear_kind() {
    bytes_list_.reset();
    float_list_.reset();
    int64_list_.reset();
  }
  bool has_bytes_list() const { return bytes_list_.has(); }
  const BytesList& bytes_list() const { return bytes_list_.get(); }
  BytesList* mutable_bytes_list() {
    if (!bytes_list_.has()) clear_kind();
    return bytes_list_.mutable_get();
  }
  void clear_bytes_list() { bytes_list_.reset(); }
  bool has_float_list() const { return float_list_.has(); }
  const FloatList& float_list() const { return float_list_.get(); }
  FloatList* mutable_float_list() {
    if (!float_list_.has()) clear_kind();
    return float_list_.mutable_get();
  }
  void clear_float_list() { float_list_.reset(); }
  bool has_int64_list() const { return int64_list_.has(); }
  const Int64List& int64_list() const { return int64_list_.get(); }
  Int64List* mutable_int64_list() {
    if (!int64_list_.has()) clear_kind();
    return int64_list_.mutable_get();
  }
  void clear_int64_list() { int64_list_.reset(); }

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "bytes_list", m.bytes_list_);
    call(2, "float_list", m.float_list_);
    call(3, "int64_list", m.int64_list_);
  }
  // Fields exclude each other.
  void BeforeField(int number) {
    if (number != kind_case()) clear_kind();
  }

 private:
  protobuf::Box<BytesList> bytes_list_;
  protobuf::Box<FloatList> float_list_;
  protobuf::Box<Int64List> int64_list_;
};
class Features : public protobuf::Message<Features> {
 public:
  static constexpr const char* kName = "Features";
  TENON_COMPAT_MAP(std::string, Feature, feature)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "feature", m.feature_);
  }

 private:
  protobuf::Map<std::string, Feature> feature_;
};
class FeatureList : public protobuf::Message<FeatureList> {
 public:
  static constexpr const char* kName = "FeatureList";
  TENON_COMPAT_ITEMS(Feature, feature)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "feature", m.feature_);
  }

 private:
  protobuf::RepeatedPtrField<Feature> feature_;
};
class FeatureLists : public protobuf::Message<FeatureLists> {
 public:
  static constexpr const char* kName = "FeatureLists";
  TENON_COMPAT_MAP(std::string, FeatureList, feature_list)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "feature_list", m.feature_list_);
  }

 private:
  protobuf::Map<std::string, FeatureList> feature_list_;
};
class Example : public protobuf::Message<Example> {
 public:
  static constexpr const char* kName = "Example";
  TENON_COMPAT_MESSAGE(Features, features)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "features", m.features_);
  }

 private:
  protobuf::Box<Features> features_;
};
class SequenceExample : public protobuf::Message<SequenceExample> {
 public:
  static constexpr const char* kName = "SequenceExample";
  TENON_COMPAT_MESSAGE(Features, context)
  TENON_COMPAT_MESSAGE(FeatureLists, feature_lists)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "context", m.context_);
    call(2, "feature_lists", m.feature_lists_);
  }

 private:
  protobuf::Box<Features> context_;
  protobuf::Box<FeatureLists> feature_lists_;
};

}  // namespace tensorflow
