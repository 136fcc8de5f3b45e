// SPDX-License-Identifier: Apache-2.0
#pragma once
// In<T> and Out<T>: a kernel's views of a tensor. Borrowed, packed, row-major, trivially copyable: a GPU kernel may
// receive them by value. With a rank, In<T, 2>, the dimensions are held by value and device code may index with them.

#include <cstddef>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr int kAnyRank = -1;

// A tensor without its type: the runtime hands one over for every argument of a kernel.
struct AnyView {
  void* data;
  Index size;                // elements
  const TensorShape* shape;  // in host memory; outlives the view
};

namespace detail {

// A block of T of any rank; T is const for inputs. `data` may be null when there are no elements.
template <class T, int Rank>
struct View {
  static constexpr int rank = Rank;
  T* data;
  Index dims[Rank == 0 ? 1 : Rank];  // outermost first

  View() = default;
  // The shape must have this rank.
  explicit View(const AnyView& view) : View(static_cast<T*>(view.data), view.shape->begin()) {}
  TENON_HD View(T* elements, const Index* sizes) : data(elements), dims{} {
    for (int d = 0; d < Rank; ++d) dims[d] = sizes[d];
  }

  TENON_HD constexpr Index size() const {
    Index n = 1;
    for (int d = 0; d < Rank; ++d) n *= dims[d];
    return n;
  }
  TENON_HD constexpr Index dim(int d) const { return dims[d]; }
  // Element number i in row-major order.
  TENON_HD constexpr T& operator[](Index i) const { return data[i]; }
  // Element [i, j, ...]; indices are not checked.
  template <class... I>
    requires(sizeof...(I) == static_cast<std::size_t>(Rank) && (std::is_convertible_v<I, Index> && ...))
  TENON_HD constexpr T& operator()(I... indices) const {
    Index offset = 0;
    int d = 0;
    ((offset = offset * dims[d] + static_cast<Index>(indices), ++d), ...);
    static_cast<void>(d);
    return data[offset];
  }
  TENON_HD constexpr T* begin() const { return data; }
  TENON_HD constexpr T* end() const { return data + size(); }
  // Host only.
  TensorShape shape() const { return TensorShape(std::span<const Index>(dims, static_cast<std::size_t>(Rank))); }
};

template <class T>
struct View<T, kAnyRank> {
  static constexpr int rank = kAnyRank;
  T* data;

  View() = default;
  explicit View(const AnyView& view) : data(static_cast<T*>(view.data)), size_(view.size), shape_(view.shape) {}
  // `shape` is borrowed and has `size` elements; device code may pass null.
  TENON_HD View(T* elements, Index size, const TensorShape* shape) : data(elements), size_(size), shape_(shape) {}

  TENON_HD constexpr Index size() const { return size_; }
  TENON_HD constexpr T& operator[](Index i) const { return data[i]; }
  TENON_HD constexpr T& operator()(Index i) const { return data[i]; }
  TENON_HD constexpr T* begin() const { return data; }
  TENON_HD constexpr T* end() const { return data + size_; }
  // Host only.
  const TensorShape& shape() const { return *shape_; }
  const TensorShape* shape_pointer() const { return shape_; }

 private:
  Index size_;
  const TensorShape* shape_;
};

}  // namespace detail

// An output: already allocated, to be written.
template <class T, int Rank = kAnyRank>
struct Out : detail::View<T, Rank> {
  static_assert(!std::is_const_v<T>, "tenon: Out<const T> cannot be written; use In<T>");
  using element_type = T;
  static constexpr bool is_output = true;
  using detail::View<T, Rank>::View;
  Out() = default;
};

// An input: to be read.
template <class T, int Rank = kAnyRank>
struct In : detail::View<const T, Rank> {
  using element_type = T;
  static constexpr bool is_output = false;
  using detail::View<const T, Rank>::View;
  In() = default;
  // An output that has been written may be read.
  TENON_HD In(const Out<T, Rank>& out)
    requires(Rank != kAnyRank)
      : detail::View<const T, Rank>(out.data, out.dims) {}
  In(const Out<T, Rank>& out)
    requires(Rank == kAnyRank)
      : detail::View<const T, Rank>(out.data, out.size(), out.shape_pointer()) {}
};

static_assert(std::is_trivially_copyable_v<In<float>> && std::is_trivially_copyable_v<Out<float, 2>>);
static_assert(std::is_trivially_default_constructible_v<In<float>> && sizeof(In<float, 2>) == 24);

TENON_DETAIL_NAMESPACE_END
