// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor's elements as Eigen::TensorMap, for code that computes with Eigen's tensors, such as kernels written for
// TensorFlow. Apart from engine/linalg/eigen.hpp, because Eigen's Tensor module costs several times what its Core
// costs: only <tenon/eigen.hpp> leads here.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Eigen/Core>
#include <unsupported/Eigen/CXX11/Tensor>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/tensor_views.hpp>
#include <tenon/tensor/view.hpp>

static_assert(EIGEN_VERSION_AT_LEAST(3, 4, 0), "tenon: engine/linalg/eigen_tensor.hpp needs Eigen 3.4 or newer");

TENON_DETAIL_NAMESPACE_BEGIN

// Row-major views of T, const for tensors that may only be read; TensorFlow's TTypes. Aligned: Eigen may load whole
// packets from the first element on.
template <class T, int Rank = 1>
struct EigenTypes {
  using Index = Eigen::DenseIndex;
  using Aligned = Eigen::TensorMap<Eigen::Tensor<T, Rank, Eigen::RowMajor, Index>, Eigen::Aligned>;
  using Unaligned = Eigen::TensorMap<Eigen::Tensor<T, Rank, Eigen::RowMajor, Index>>;
  using Scalar = Eigen::TensorMap<Eigen::TensorFixedSize<T, Eigen::Sizes<>, Eigen::RowMajor, Index>, Eigen::Aligned>;
};

namespace detail {

// Alignment that Eigen wants: for the packets of the instruction set that the binary is compiled for.
inline constexpr std::size_t kEigenAlignment = EIGEN_MAX_ALIGN_BYTES == 0 ? 1 : EIGEN_MAX_ALIGN_BYTES;

TENON_DETAIL_COLD inline Status CheckEigenAlignment(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  if (address % kEigenAlignment == 0) return OkStatus();
  return errors::InvalidArgument("EigenViews: ptr = ", static_cast<std::uint64_t>(address), " is not a multiple of ",
                                 kEigenAlignment,
                                 ", as Eigen wants it; unaligned_flat and unaligned_shaped see such elements");
}

// In and Out -> TensorMap. A mistake ends the program, or is the Result if kChecked.
template <bool kChecked, bool kMutable>
class EigenTensorViews {
 public:
  template <class T>
  using Element = std::conditional_t<kMutable, T, const T>;
  template <class T, int Rank>
  using Map = typename EigenTypes<Element<T>, Rank>::Aligned;
  template <class T, int Rank>
  using UnalignedMap = typename EigenTypes<Element<T>, Rank>::Unaligned;
  template <class V>
  using Returned = std::conditional_t<kChecked, Result<V>, V>;
  template <int Rank>
  using Sizes = tenon::Index[static_cast<std::size_t>(Rank)];

  explicit EigenTensorViews(const Tensor& tensor) : tensor_(tensor), views_(tensor) {}

  template <class T>
  Returned<Map<T, 1>> flat() const {
    const tenon::Index sizes[1] = {tensor_.NumElements()};
    return Make<T, 1>(views_.template shaped<T, 1>(sizes));
  }
  template <class T, int Rank>
  Returned<Map<T, Rank>> tensor() const {
    return Make<T, Rank>(views_.template tensor<T, Rank>());
  }
  template <class T>
  Returned<Map<T, 1>> vec() const {
    return Make<T, 1>(views_.template vec<T>());
  }
  template <class T>
  Returned<Map<T, 2>> matrix() const {
    return Make<T, 2>(views_.template matrix<T>());
  }
  // The one element of a tensor of any rank: scalar<float>()().
  template <class T>
  Returned<typename EigenTypes<Element<T>>::Scalar> scalar() const {
    using Scalar = typename EigenTypes<Element<T>>::Scalar;
    return Made<Scalar>(views_.template scalar<T>(), [](const auto& view) { return Scalar(view.data); });
  }
  template <class T, int Rank>
  Returned<Map<T, Rank>> shaped(const Sizes<Rank>& sizes) const {
    return Make<T, Rank>(views_.template shaped<T, Rank>(sizes));
  }
  template <class T, int Rank = 2>
  Returned<Map<T, Rank>> flat_inner_dims() const {
    return Make<T, Rank>(views_.template flat_inner_dims<T, Rank>());
  }
  template <class T, int Rank = 2>
  Returned<Map<T, Rank>> flat_outer_dims() const {
    return Make<T, Rank>(views_.template flat_outer_dims<T, Rank>());
  }
  template <class T, int Rank>
  Returned<Map<T, Rank>> flat_inner_outer_dims(tenon::Index begin) const {
    return Make<T, Rank>(views_.template flat_inner_outer_dims<T, Rank>(begin));
  }
  template <class T, int Rank>
  Returned<Map<T, Rank>> bit_casted_shaped(const Sizes<Rank>& sizes) const {
    return Make<T, Rank>(views_.template bit_casted_shaped<T, Rank>(sizes));
  }
  template <class T, int Rank>
  Returned<Map<T, Rank>> bit_casted_tensor() const {
    return Make<T, Rank>(views_.template bit_casted_tensor<T, Rank>());
  }
  template <class T, int Rank>
  Returned<Map<T, Rank>> reinterpret_last_dimension() const {
    return Make<T, Rank>(views_.template reinterpret_last_dimension<T, Rank>());
  }
  // Elements that begin at any multiple of their own alignment: in slices, in files.
  template <class T>
  Returned<UnalignedMap<T, 1>> unaligned_flat() const {
    const tenon::Index sizes[1] = {tensor_.NumElements()};
    return unaligned_shaped<T, 1>(sizes);
  }
  template <class T, int Rank>
  Returned<UnalignedMap<T, Rank>> unaligned_shaped(const Sizes<Rank>& sizes) const {
    return Made<UnalignedMap<T, Rank>, false>(views_.template shaped<T, Rank>(sizes),
                                              Converter<UnalignedMap<T, Rank>>());
  }

 private:
  template <class M>
  struct Converter {
    template <class V>
    M operator()(const V& view) const {
      Eigen::DSizes<Eigen::DenseIndex, V::rank> sizes;
      for (int d = 0; d < V::rank; ++d) sizes[static_cast<std::size_t>(d)] = view.dims[d];
      return M(view.data, sizes);
    }
  };

  template <class T, int Rank, class V>
  Returned<Map<T, Rank>> Make(const V& view) const {
    return Made<Map<T, Rank>>(view, Converter<Map<T, Rank>>());
  }
  template <class M, bool kAligned = true, class V, class Convert>
  Returned<M> Made(const V& view, Convert convert) const {
    if constexpr (kChecked) {
      TENON_RETURN_IF_ERROR(view.status());
      if (kAligned) TENON_RETURN_IF_ERROR(CheckEigenAlignment(view->data));
      return convert(*view);
    } else {
      if (Status s = kAligned ? CheckEigenAlignment(view.data) : OkStatus(); !s.ok()) [[unlikely]]
        DieOnView(s);
      return convert(view);
    }
  }

  const Tensor& tensor_;
  TensorViews<kChecked, kMutable> views_;
};

}  // namespace detail

// As Views (tensor/tensor_views.hpp), with Eigen's maps: another type, rank, size or alignment ends the program with a
// message. The maps borrow; none may outlive the tensor.
//
//   EigenViews(y).flat<float>() = EigenViews(x).flat<float>().exp() + 1.0f;
inline detail::EigenTensorViews<false, true> EigenViews(Tensor& tensor) {
  return detail::EigenTensorViews<false, true>(tensor);
}
inline detail::EigenTensorViews<false, false> EigenViews(const Tensor& tensor) {
  return detail::EigenTensorViews<false, false>(tensor);
}
void EigenViews(const Tensor&&) = delete;

// EigenViews for tensors of a user: each returns a Result. InvalidArgument, or FailedPrecondition without memory.
inline detail::EigenTensorViews<true, true> CheckedEigenViews(Tensor& tensor) {
  return detail::EigenTensorViews<true, true>(tensor);
}
inline detail::EigenTensorViews<true, false> CheckedEigenViews(const Tensor& tensor) {
  return detail::EigenTensorViews<true, false>(tensor);
}
void CheckedEigenViews(const Tensor&&) = delete;

TENON_DETAIL_NAMESPACE_END
