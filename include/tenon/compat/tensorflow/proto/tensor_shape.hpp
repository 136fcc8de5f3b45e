// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorShapeProto, a shape as a message.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/text.hpp>

namespace tensorflow {

class TensorShapeProto_Dim : public protobuf::Message<TensorShapeProto_Dim> {
 public:
  static constexpr const char* kName = "TensorShapeProto.Dim";
  TENON_COMPAT_SCALAR(int64_t, size)
  TENON_COMPAT_STRING(name)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "size", m.size_);
    call(2, "name", m.name_);
  }

 private:
  int64_t size_{};
  std::string name_;
};
class TensorShapeProto : public protobuf::Message<TensorShapeProto> {
 public:
  static constexpr const char* kName = "TensorShapeProto";
  using Dim = TensorShapeProto_Dim;
  TENON_COMPAT_ITEMS(TensorShapeProto_Dim, dim)
  TENON_COMPAT_SCALAR(bool, unknown_rank)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(2, "dim", m.dim_);
    call(3, "unknown_rank", m.unknown_rank_);
  }

 private:
  protobuf::RepeatedPtrField<TensorShapeProto_Dim> dim_;
  bool unknown_rank_{};
};

}  // namespace tensorflow
