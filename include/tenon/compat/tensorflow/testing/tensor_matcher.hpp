// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorEq, a matcher of GoogleTest for tensors. Needs GoogleTest and GoogleMock.

#include <gmock/gmock.h>

#include <ostream>

#include <tenon/tensor/equality.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {
namespace test {

// Matches tensors of the same type, shape and elements. An element that is not a number equals none.
class TensorEq {
 public:
  explicit TensorEq(const Tensor& target) : target_(target) {}
  operator ::testing::Matcher<const Tensor&>() const { return ::testing::MakeMatcher(new Of(target_)); }

 private:
  class Of : public ::testing::MatcherInterface<const Tensor&> {
   public:
    explicit Of(const Tensor& target) : target_(target) {}
    bool MatchAndExplain(const Tensor& actual, ::testing::MatchResultListener* listener) const override {
      const Status status = tenon::tensor::CheckEqual(actual, target_);
      if (!status.ok()) *listener << status.message();
      return status.ok();
    }
    void DescribeTo(std::ostream* out) const override { *out << "is equal to " << target_.DebugString(); }
    void DescribeNegationTo(std::ostream* out) const override { *out << "is not equal to " << target_.DebugString(); }

   private:
    const Tensor target_;
  };
  const Tensor target_;
};

}  // namespace test
}  // namespace tensorflow
