// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorShape and PartialTensorShape: Tenon's, with TensorFlow's constructors and Eigen's sizes. They add no members,
// so that a shape of Tenon is one of these.

#include <cstddef>
#include <initializer_list>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/shape_util.hpp>
#include <tenon/wire/shape_proto.hpp>
#include <tenon/compat/tensorflow/base/containers.hpp>
#include <tenon/compat/tensorflow/base/logging.hpp>
#include <tenon/compat/tensorflow/proto/tensor_shape.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>

namespace tensorflow {

struct TensorShapeDim {
  explicit TensorShapeDim(int64_t s = 0) : size(s) {}
  int64_t size;
};
class TensorShapeIter {
 public:
  explicit TensorShapeIter(const tenon::Index* at) : at_(at) {}
  TensorShapeDim operator*() const { return TensorShapeDim(*at_); }
  TensorShapeIter& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const TensorShapeIter& other) const { return at_ == other.at_; }

 private:
  const tenon::Index* at_;
};

template <class Shape>
void ShapeAsProto(const Shape& shape, TensorShapeProto* proto) {
  proto->Clear();
  if (shape.unknown_rank()) return proto->set_unknown_rank(true);
  for (const TensorShapeDim dim : shape) proto->add_dim()->set_size(dim.size);
}

template <class List>
concept SizeList = requires(const List& list) {
  static_cast<int64_t>(*list.data());
  list.size();
} && !std::is_base_of_v<tenon::TensorShape, List> && !std::is_base_of_v<tenon::PartialTensorShape, List>;

template <class List>
std::vector<tenon::Index> SizesOf(const List& list) {
  std::vector<tenon::Index> sizes;
  for (const auto size : list) sizes.push_back(static_cast<tenon::Index>(size));
  return sizes;
}

class TensorShape : public tenon::TensorShape {
 public:
  using Base = tenon::TensorShape;
  TensorShape() = default;
  TensorShape(const Base& shape) : Base(shape) {}
  TensorShape(std::initializer_list<int64_t> sizes) { CheckOk(BuildTensorShape(sizes, this)); }
  explicit TensorShape(const TensorShapeProto& proto) { CheckOk(BuildTensorShape(proto, this)); }
  template <SizeList List>
  TensorShape(const List& sizes) {
    CheckOk(BuildTensorShape(sizes, this));
  }

  template <class List>
  static Status BuildTensorShape(const List& sizes, TensorShape* out) {
    return Base::Build(SizesOf(sizes), out);
  }
  static Status BuildTensorShape(std::initializer_list<int64_t> sizes, TensorShape* out) {
    return Base::Build(SizesOf(sizes), out);
  }
  template <class List>
  static Status BuildTensorShapeBase(const List& sizes, TensorShape* out) {
    return BuildTensorShape(sizes, out);
  }
  static Status BuildTensorShapeBase(std::initializer_list<int64_t> sizes, TensorShape* out) {
    return BuildTensorShape(sizes, out);
  }

  static Status BuildTensorShape(const TensorShapeProto& proto, TensorShape* out) {
    const std::string bytes = proto.SerializeAsString();
    TF_ASSIGN_OR_RETURN(*static_cast<Base*>(out), tenon::ShapeFromProto(tenon::wire::AsBytes(bytes)));
    return Status();
  }
  static Status BuildTensorShapeBase(const TensorShapeProto& proto, TensorShape* out) {
    return BuildTensorShape(proto, out);
  }
  static Status IsValidShape(const TensorShapeProto& proto) {
    TensorShape unused;
    return BuildTensorShape(proto, &unused);
  }
  static bool IsValid(const TensorShapeProto& proto) { return IsValidShape(proto).ok(); }
  static bool IsValid(const Base&) { return true; }
  void AsProto(TensorShapeProto* proto) const { ShapeAsProto(*this, proto); }
  TensorShapeProto AsProto() const {
    TensorShapeProto proto;
    AsProto(&proto);
    return proto;
  }
  using Base::DebugString;
  static std::string DebugString(const TensorShapeProto& proto);

  static constexpr int MaxDimensions() { return tenon::kMaxTensorRank; }
  bool IsValid() const { return true; }
  // Accepted, for tests: a shape does not keep a type.
  void set_data_type(DataType) {}
  DataType data_type() const { return DT_INVALID; }
  TensorShapeDim dim(int i) const { return TensorShapeDim(dim_size(i)); }
  bool IsFullyDefined() const { return true; }
  bool unknown_rank() const { return false; }
  TensorShapeIter begin() const { return TensorShapeIter(Base::begin()); }
  TensorShapeIter end() const { return TensorShapeIter(Base::end()); }
  gtl::InlinedVector<int64_t, 4> dim_sizes() const {
    return gtl::InlinedVector<int64_t, 4>(Base::begin(), Base::end());
  }

  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizes() const {
    Eigen::DSizes<IndexType, NDIMS> sizes;
    CheckOk((AsEigenDSizesWithStatus<NDIMS, IndexType>(&sizes)));
    return sizes;
  }
  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizesWithPadding() const {
    Eigen::DSizes<IndexType, NDIMS> sizes;
    CheckOk((AsEigenDSizesWithPaddingWithStatus<NDIMS, IndexType>(&sizes)));
    return sizes;
  }
  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Status AsEigenDSizesWithStatus(Eigen::DSizes<IndexType, NDIMS>* out) const {
    if (dims() != NDIMS)
      return errors::Internal("Asking for tensor of ", NDIMS, " dimensions from a tensor of ", dims(), " dimensions");
    return AsEigenDSizesWithPaddingWithStatus<NDIMS, IndexType>(out);
  }
  template <int NDIMS, class IndexType = Eigen::DenseIndex>
  Status AsEigenDSizesWithPaddingWithStatus(Eigen::DSizes<IndexType, NDIMS>* out) const {
    if (dims() > NDIMS)
      return errors::Internal("Asking for tensor of at most ", NDIMS, " dimensions from a tensor of ", dims(),
                              " dimensions");
    for (int d = 0; d < NDIMS; ++d)
      (*out)[static_cast<std::size_t>(d)] = d < dims() ? static_cast<IndexType>(dim_size(d)) : 1;
    return Status();
  }

 private:
  static void CheckOk(const Status& status) { TF_CHECK_OK(status); }
};
static_assert(sizeof(TensorShape) == sizeof(tenon::TensorShape));
inline std::ostream& operator<<(std::ostream& out, const TensorShape& shape) { return out << shape.DebugString(); }

class PartialTensorShape : public tenon::PartialTensorShape {
 public:
  using Base = tenon::PartialTensorShape;
  PartialTensorShape() = default;
  PartialTensorShape(const Base& shape) : Base(shape) {}
  PartialTensorShape(const tenon::TensorShape& shape) : Base(shape) {}
  explicit PartialTensorShape(const TensorShapeProto& proto) { CheckOk(BuildPartialTensorShape(proto, this)); }
  PartialTensorShape(std::initializer_list<int64_t> sizes) { CheckOk(BuildPartialTensorShape(sizes, this)); }
  template <SizeList List>
  PartialTensorShape(const List& sizes) {
    CheckOk(BuildPartialTensorShape(sizes, this));
  }
  template <class List>
  static Status BuildPartialTensorShape(const List& sizes, PartialTensorShape* out) {
    return Base::Build(SizesOf(sizes), out);
  }
  static Status BuildPartialTensorShape(std::initializer_list<int64_t> sizes, PartialTensorShape* out) {
    return Base::Build(SizesOf(sizes), out);
  }
  static Status BuildPartialTensorShape(const TensorShapeProto& proto, PartialTensorShape* out) {
    const std::string bytes = proto.SerializeAsString();
    TF_ASSIGN_OR_RETURN(*static_cast<Base*>(out), tenon::PartialShapeFromProto(tenon::wire::AsBytes(bytes)));
    return Status();
  }
  template <class Sizes>
  static Status BuildTensorShapeBase(const Sizes& sizes, PartialTensorShape* out) {
    return BuildPartialTensorShape(sizes, out);
  }
  static Status IsValidShape(const TensorShapeProto& proto) {
    PartialTensorShape unused;
    return BuildPartialTensorShape(proto, &unused);
  }
  static bool IsValid(const TensorShapeProto& proto) { return IsValidShape(proto).ok(); }
  void AsProto(TensorShapeProto* proto) const { ShapeAsProto(*this, proto); }
  TensorShapeProto AsProto() const {
    TensorShapeProto proto;
    AsProto(&proto);
    return proto;
  }
  using Base::DebugString;
  static std::string DebugString(const TensorShapeProto& proto) {
    if (proto.unknown_rank()) return "<unknown>";
    std::string out = "[";
    for (int d = 0; d < proto.dim_size(); ++d) {
      const int64_t size = proto.dim(d).size();
      strings::StrAppend(&out, d == 0 ? "" : ",", size == -1 ? "?" : std::to_string(size));
    }
    return out += "]";
  }
  template <class Int>
  static Status MakePartialShape(const Int* sizes, int count, PartialTensorShape* out) {
    return tenon::MakeShape(sizes, count, static_cast<Base*>(out));
  }

  // As in TensorFlow, an unknown rank is not valid.
  bool IsValid() const { return !unknown_rank(); }
  TensorShapeIter begin() const { return TensorShapeIter(Base::begin()); }
  TensorShapeIter end() const { return TensorShapeIter(Base::end()); }
  gtl::InlinedVector<int64_t, 4> dim_sizes() const {
    return gtl::InlinedVector<int64_t, 4>(Base::begin(), Base::end());
  }
  bool AsTensorShape(TensorShape* shape) const { return Base::AsTensorShape(shape); }
  Status MergeWith(const Base& other, PartialTensorShape* out) const { return Base::MergeWith(other, out); }
  // A size below 0 is unknown.
  PartialTensorShape Concatenate(int64_t size) const { return Base::Concatenate(size < 0 ? -1 : size); }
  PartialTensorShape Concatenate(const Base& more) const { return Base::Concatenate(more); }
  Status ConcatenateWithStatus(int64_t size, PartialTensorShape* out) const {
    return Base::Concatenate(size < 0 ? -1 : size, out);
  }
  Status ConcatenateWithStatus(const Base& more, PartialTensorShape* out) const { return Base::Concatenate(more, out); }

 private:
  static void CheckOk(const Status& status) { TF_CHECK_OK(status); }
};
static_assert(sizeof(PartialTensorShape) == sizeof(tenon::PartialTensorShape));
inline std::ostream& operator<<(std::ostream& out, const PartialTensorShape& shape) {
  return out << shape.DebugString();
}

inline std::string TensorShape::DebugString(const TensorShapeProto& proto) {
  return PartialTensorShape::DebugString(proto);
}

template <class Shape>
using TensorShapeBase = Shape;
class TensorShapeUtils {
 public:
  static bool IsScalar(const tenon::TensorShape& shape) { return shape.dims() == 0; }
  static bool IsVector(const tenon::TensorShape& shape) { return shape.dims() == 1; }
  static bool IsScalarOrVector(const tenon::TensorShape& shape) { return shape.dims() <= 1; }
  static bool IsVectorOrHigher(const tenon::TensorShape& shape) { return shape.dims() >= 1; }
  static bool IsMatrix(const tenon::TensorShape& shape) { return shape.dims() == 2; }
  static bool IsSquareMatrix(const tenon::TensorShape& shape) { return tenon::IsSquareMatrix(shape); }
  static bool IsMatrixOrHigher(const tenon::TensorShape& shape) { return shape.dims() >= 2; }
  static bool IsSingleElement(const tenon::TensorShape& shape) { return shape.num_elements() == 1; }
  static bool StartsWith(const tenon::TensorShape& shape, const tenon::TensorShape& prefix) {
    return tenon::StartsWith(shape, prefix);
  }
  static bool EndsWith(const tenon::TensorShape& shape, const tenon::TensorShape& suffix) {
    return tenon::EndsWith(shape, suffix);
  }
  template <class Int, class Count>
  static Status MakeShape(const Int* sizes, Count count, TensorShape* out) {
    return tenon::MakeShape(sizes, static_cast<tenon::Index>(count), static_cast<tenon::TensorShape*>(out));
  }
  template <class Int, class Count>
  static Status MakeShape(const Int* sizes, Count count, PartialTensorShape* out) {
    return tenon::MakeShape(sizes, static_cast<tenon::Index>(count), static_cast<tenon::PartialTensorShape*>(out));
  }
  template <SizeList List, class Shape>
  static Status MakeShape(const List& sizes, Shape* out) {
    return MakeShape(sizes.data(), static_cast<int64_t>(sizes.size()), out);
  }
  static std::string ShapeListString(gtl::ArraySlice<TensorShape> shapes) { return tenon::ShapeListString(shapes); }
  static Status NumElements(gtl::ArraySlice<int64_t> sizes, int64_t* out) {
    TF_ASSIGN_OR_RETURN(*out, tenon::NumElements(sizes));
    return Status();
  }
};
class PartialTensorShapeUtils {
 public:
  static std::string PartialShapeListString(gtl::ArraySlice<PartialTensorShape> shapes) {
    return tenon::ShapeListString(shapes);
  }
  static bool AreIdentical(gtl::ArraySlice<PartialTensorShape> a, gtl::ArraySlice<PartialTensorShape> b) {
    return All(a, b, [](const PartialTensorShape& x, const PartialTensorShape& y) { return x.IsIdenticalTo(y); });
  }
  static bool AreCompatible(gtl::ArraySlice<PartialTensorShape> a, gtl::ArraySlice<PartialTensorShape> b) {
    return All(a, b, [](const PartialTensorShape& x, const PartialTensorShape& y) { return x.IsCompatibleWith(y); });
  }

 private:
  template <class Fit>
  static bool All(gtl::ArraySlice<PartialTensorShape> a, gtl::ArraySlice<PartialTensorShape> b, Fit fit) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!fit(a[i], b[i])) return false;
    return true;
  }
};

inline int64_t MultiplyWithoutOverflow(int64_t a, int64_t b) { return tenon::MultiplyWithoutOverflow(a, b); }
// -1: the sum does not fit, or a number is negative.
inline int64_t AddWithoutOverflow(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || a > std::numeric_limits<int64_t>::max() - b) return -1;
  return a + b;
}
template <class Index, class Limit>
bool FastBoundsCheck(const Index index, const Limit limit) {
  return static_cast<uint64_t>(static_cast<int64_t>(index)) < static_cast<uint64_t>(static_cast<int64_t>(limit));
}
// "[1,2]": the position of an element by its number.
inline std::string SliceDebugString(const tenon::TensorShape& shape, const int64_t flat) {
  std::string out = "[";
  int64_t rest = flat, stride = shape.num_elements();
  for (int d = 0; d < shape.dims(); ++d) {
    stride /= shape.dim_size(d);
    strings::StrAppend(&out, d == 0 ? "" : ",", rest / stride);
    rest %= stride;
  }
  return out += "]";
}

}  // namespace tensorflow
