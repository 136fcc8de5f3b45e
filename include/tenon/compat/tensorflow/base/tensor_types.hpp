// SPDX-License-Identifier: Apache-2.0
#pragma once
// TTypes: the Eigen maps that a tensor's views are.

#include <string>
#include <type_traits>

#include <tenon/compat/tensorflow/base/eigen.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {

template <class T, int NDIMS = 1, class IndexType = Eigen::DenseIndex>
struct TTypes {
  template <class Element, int Rank, class Index = IndexType>
  using Map = Eigen::TensorMap<Eigen::Tensor<Element, Rank, Eigen::RowMajor, Index>, Eigen::Aligned>;
  template <class Element, int Rank>
  using UnalignedMap = Eigen::TensorMap<Eigen::Tensor<Element, Rank, Eigen::RowMajor, IndexType>>;
  template <class Element>
  using One = Eigen::TensorFixedSize<Element, Eigen::Sizes<>, Eigen::RowMajor, IndexType>;

  typedef Map<T, NDIMS> Tensor;
  typedef Map<const T, NDIMS> ConstTensor;
  typedef UnalignedMap<T, NDIMS> UnalignedTensor;
  typedef UnalignedMap<const T, NDIMS> UnalignedConstTensor;
  typedef Map<T, NDIMS, int> Tensor32Bit;
  typedef Eigen::TensorMap<One<T>, Eigen::Aligned> Scalar;
  typedef Eigen::TensorMap<One<const T>, Eigen::Aligned> ConstScalar;
  typedef Eigen::TensorMap<One<T>> UnalignedScalar;
  typedef Eigen::TensorMap<One<const T>> UnalignedConstScalar;
  typedef Map<T, 1> Flat;
  typedef Map<const T, 1> ConstFlat;
  typedef Map<T, 1> Vec;
  typedef Map<const T, 1> ConstVec;
  typedef Map<T, 2> Matrix;
  typedef Map<const T, 2> ConstMatrix;
  typedef UnalignedMap<T, 1> UnalignedFlat;
  typedef UnalignedMap<const T, 1> UnalignedConstFlat;
  typedef UnalignedMap<T, 1> UnalignedVec;
  typedef UnalignedMap<const T, 1> UnalignedConstVec;
  typedef UnalignedMap<T, 2> UnalignedMatrix;
  typedef UnalignedMap<const T, 2> UnalignedConstMatrix;
};

// TensorFlow 1: the elements of tensors of strings have the type of `string`.
template <int NDIMS, class IndexType>
struct TTypes<std::string, NDIMS, IndexType> : TTypes<tstring, NDIMS, IndexType> {};

template <class Map>
using Index32Map = Eigen::TensorMap<
    Eigen::Tensor<std::remove_pointer_t<decltype(std::declval<Map>().data())>, Map::NumIndices, Eigen::RowMajor, int>,
    Eigen::Aligned>;
// The map with indices of 32 bits.
template <class Map>
Index32Map<Map> To32Bit(Map in) {
  Eigen::DSizes<int, Map::NumIndices> sizes;
  for (int d = 0; d < Map::NumIndices; ++d) sizes[d] = static_cast<int>(in.dimension(d));
  return Index32Map<Map>(in.data(), sizes);
}

}  // namespace tensorflow
