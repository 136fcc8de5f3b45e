// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries of a sparse tensor by groups of equal indices, and their order: GroupIterable and DimComparator.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {
namespace sparse {

// Compares entries by the dimensions in that order.
class DimComparator {
 public:
  typedef gtl::ArraySlice<int64_t> VarDimArray;
  DimComparator(const TTypes<std::int64_t>::Matrix& indices, const VarDimArray& order, const VarDimArray&)
      : indices_(indices), order_(order.begin(), order.end()) {}
  bool operator()(int64_t a, int64_t b) const {
    for (const int64_t d : order_)
      if (indices_(a, d) != indices_(b, d)) return indices_(a, d) < indices_(b, d);
    return false;
  }

 private:
  TTypes<std::int64_t>::Matrix indices_;
  std::vector<int64_t> order_;
};

// As DimComparator, for orders of kDims dimensions.
template <int kDims>
class FixedDimComparator : public DimComparator {
 public:
  using DimComparator::DimComparator;
};

class GroupIterable;
// Neighbours with equal indices in the dimensions of the group.
class Group {
 public:
  Group(const GroupIterable* all, int64_t begin, int64_t end) : all_(all), begin_(begin), end_(end) {}
  std::vector<int64_t> group() const;
  int64_t group_at(std::size_t i) const;
  TTypes<std::int64_t>::UnalignedConstMatrix indices() const;
  template <class T>
  typename TTypes<T>::UnalignedVec values() const;

 private:
  const GroupIterable* all_;
  int64_t begin_, end_;
};

// The entries must be sorted by the dimensions of the groups.
class GroupIterable {
 public:
  typedef gtl::ArraySlice<int64_t> VarDimArray;
  GroupIterable(Tensor indices, Tensor values, int dims, const VarDimArray& group_dims)
      : indices_(std::move(indices)),
        values_(std::move(values)),
        dims_(dims),
        group_dims_(group_dims.begin(), group_dims.end()) {}

  class IteratorStep {
   public:
    IteratorStep(const GroupIterable* all, int64_t at) : all_(all), at_(at) { FindEnd(); }
    Group operator*() const { return Group(all_, at_, next_); }
    IteratorStep& operator++() {
      at_ = next_;
      FindEnd();
      return *this;
    }
    IteratorStep operator++(int) {
      const IteratorStep before = *this;
      ++*this;
      return before;
    }
    bool operator==(const IteratorStep& other) const { return at_ == other.at_; }
    bool operator!=(const IteratorStep& other) const { return at_ != other.at_; }
    int64_t loc() const { return at_; }

   private:
    void FindEnd() {
      next_ = at_ + 1;
      while (next_ < all_->count() && all_->GroupMatches(at_, next_)) ++next_;
    }
    const GroupIterable* all_;
    int64_t at_, next_ = 0;
  };
  IteratorStep begin() const { return IteratorStep(this, 0); }
  IteratorStep end() const { return IteratorStep(this, count()); }
  IteratorStep at(int64_t entry) const { return IteratorStep(this, entry); }

 private:
  friend class Group;
  int64_t count() const { return indices_.dim_size(0); }
  int64_t index(int64_t entry, int64_t dim) const { return indices_.base<const std::int64_t>()[entry * dims_ + dim]; }
  bool GroupMatches(int64_t a, int64_t b) const {
    for (const int64_t d : group_dims_)
      if (index(a, d) != index(b, d)) return false;
    return true;
  }
  Tensor indices_, values_;
  int dims_;
  std::vector<int64_t> group_dims_;
};

inline int64_t Group::group_at(std::size_t i) const { return all_->index(begin_, all_->group_dims_[i]); }
inline std::vector<int64_t> Group::group() const {
  std::vector<int64_t> out;
  for (const int64_t d : all_->group_dims_) out.push_back(all_->index(begin_, d));
  return out;
}
inline TTypes<std::int64_t>::UnalignedConstMatrix Group::indices() const {
  return {all_->indices_.base<const std::int64_t>() + begin_ * all_->dims_, end_ - begin_, all_->dims_};
}
template <class T>
typename TTypes<T>::UnalignedVec Group::values() const {
  return typename TTypes<T>::UnalignedVec(all_->values_.template base<T>() + begin_, end_ - begin_);
}

}  // namespace sparse
}  // namespace tensorflow
