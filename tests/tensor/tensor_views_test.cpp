// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/tensor_views.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <tenon/tensor/tensor_util.hpp>
#include <tenon/types/complex.hpp>

#include "base/child_process.hpp"
#include "memory/needed.hpp"

namespace tensor_views_test {
using namespace tenon;
using tenon::testing::Needed;

namespace {

Tensor Counting(const TensorShape& shape) {
  Tensor t(DataType::kInt32, shape);
  for (Index i = 0; i < shape.num_elements(); ++i) t.flat<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return t;
}
// A view of memory whose address is one more than a multiple of 64.
template <class T>
Tensor Odd(Buffer* bytes, const TensorShape& shape) {
  return Tensor::ViewOf(bytes, dtype_of_v<T>, shape, static_cast<char*>(bytes->data()) + 1);
}
template <class R>
std::string Error(const R& result) {
  return std::string(result.status().message());
}

}  // namespace

TEST_SUITE("Views") {
  TEST_CASE("see the same elements as Tensor's own") {
    Tensor t = Counting({2, 3});
    const Tensor& c = t;
    CHECK(Views(t).flat<std::int32_t>()[5] == 5);
    CHECK(&Views(c).flat<std::int32_t>().shape() == &t.shape());
    Views(t).matrix<std::int32_t>()(1, 2) = 50;
    CHECK((Views(c).tensor<std::int32_t, 2>()(1, 2)) == 50);
    CHECK((Views(c).shaped<std::int32_t, 3>({3, 1, 2})(2, 0, 1)) == 50);
    const Tensor v = Counting({4});
    CHECK(Views(v).vec<std::int32_t>()(3) == 3);
    const Tensor one = MakeTensor<tstring>({1, 1}, {"text"});
    CHECK(Views(one).scalar<tstring>()() == "text");
    CHECK(std::is_same_v<decltype(Views(c).vec<float>()), In<float, 1>>);
    CHECK(std::is_same_v<decltype(Views(t).vec<float>()), Out<float, 1>>);
    CHECK(std::is_same_v<decltype(CheckedViews(t).vec<float>()), Result<Out<float, 1>>>);
    CHECK(CheckedViews(c).flat<std::int32_t>().value()[5] == 50);
    CHECK((CheckedViews(c).shaped<std::int32_t, 1>({6}).value()(5)) == 50);
    CHECK(CheckedViews(one).scalar<tstring>().value()() == "text");
  }
  TEST_CASE("collapse dimensions on both sides") {
    const Tensor t = Counting({2, 3, 4, 5});
    const auto views = Views(t);
    CHECK((views.flat_inner_dims<std::int32_t>().shape()) == TensorShape{24, 5});
    CHECK((views.flat_inner_dims<std::int32_t, 6>().shape()) == TensorShape{1, 1, 2, 3, 4, 5});
    CHECK((views.flat_outer_dims<std::int32_t>().shape()) == TensorShape{2, 60});
    CHECK((views.flat_outer_dims<std::int32_t, 6>().shape()) == TensorShape{2, 3, 4, 5, 1, 1});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 1>(0).shape()) == TensorShape{120});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 2>(0).shape()) == TensorShape{2, 60});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 2>(1).shape()) == TensorShape{6, 20});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 2>(2).shape()) == TensorShape{24, 5});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 3>(1).shape()) == TensorShape{6, 4, 5});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 8>(-2).shape()) == TensorShape{1, 1, 2, 3, 4, 5, 1, 1});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 3>(-2).shape()) == TensorShape{1, 1, 120});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 3>(9).shape()) == TensorShape{120, 1, 1});
    CHECK((views.flat_inner_outer_dims<std::int32_t, 2>(1)(5, 19)) == 119);
    CHECK(Error(CheckedViews(t).flat_inner_outer_dims<std::int32_t, 2>(-2)) ==
          "Tensor::flat_inner_outer_dims: begin must be more than -2 and at most 254, got -2");
    const Tensor scalar = Tensor::Scalar(7);
    CHECK((Views(scalar).flat_inner_dims<std::int32_t>().shape()) == TensorShape{1, 1});
    CHECK((Views(scalar).flat_outer_dims<std::int32_t, 3>().shape()) == TensorShape{1, 1, 1});
    CHECK((Views(scalar).flat_inner_dims<std::int32_t, 1>()(0)) == 7);
    const Tensor none(DataType::kInt32, {2, 0, 3});
    CHECK((Views(none).flat_inner_dims<std::int32_t>().shape()) == TensorShape{0, 3});
  }
  TEST_CASE("see bytes as other types") {
    Tensor t = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
    CHECK((Views(t).bit_casted_tensor<std::uint32_t, 2>()(0, 0)) == 0x3f800000);
    CHECK((Views(t).bit_casted_shaped<std::uint8_t, 3>({2, 2, 4})(0, 0, 3)) == 0x3f);
    CHECK((Views(t).bit_casted_shaped<complex64, 1>({2})(1)) == complex64(3, 4));
    CHECK(Views(t).bit_casted_flat<std::uint16_t>().size() == 8);
    CHECK((Views(t).reinterpret_last_dimension<complex64, 1>()(1)) == complex64(3, 4));
    CHECK((Views(t).reinterpret_last_dimension<float, 2>()(1, 1)) == 4);
    (Views(t).bit_casted_shaped<std::uint32_t, 1>({4})(0)) = 0;
    CHECK(t.flat<float>()[0] == 0);
    const Tensor s = MakeTensor<tstring>({2}, {"a", "b"});
    CHECK((Views(s).bit_casted_shaped<tstring, 2>({2, 1})(1, 0)) == "b");
    CHECK(Views(s).bit_casted_flat<tstring>()(1) == "b");
    const Tensor none(DataType::kFloat, {0, 3});
    CHECK(Views(none).bit_casted_flat<double>().size() == 0);
  }
  TEST_CASE("that do not fit the type or the bytes are refused") {
    const Tensor t = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
    const auto views = CheckedViews(t);
    const std::string start = "the tensor of type float and shape [2,2] does not have the elements of ";
    CHECK(Error(views.bit_casted_tensor<double, 2>()) ==
          "Tensor::bit_casted_tensor: " + start +
              "[2,2] with 8 bytes each; the numbers of elements (bytes) must be "
              "the same");
    CHECK(Error(views.bit_casted_tensor<std::int32_t, 1>()) ==
          "Tensor::bit_casted_tensor: Asking for tensor of 1 dimensions from a tensor of 2 dimensions: [2,2]");
    CHECK_FALSE(views.bit_casted_shaped<double, 1>({3}).ok());
    CHECK_FALSE(views.bit_casted_shaped<double, 2>({-1, -2}).ok());
    CHECK_FALSE(views.bit_casted_shaped<double, 2>({Index{1} << 61, 1}).ok());
    CHECK(Error(views.bit_casted_flat<tstring>()) ==
          "Tensor::bit_casted_flat: elements of type float cannot be seen as string; both must be plain types");
    CHECK(Error(views.reinterpret_last_dimension<double, 2>()) ==
          "Tensor::reinterpret_last_dimension: double expected, got float; the tensor has shape [2,2]");
    CHECK(Error(views.reinterpret_last_dimension<complex128, 1>()) ==
          "Tensor::reinterpret_last_dimension: the last dimension of shape [2,2] and type float must be the 16 bytes "
          "of one complex128");
    CHECK_FALSE(views.reinterpret_last_dimension<complex128, 3>().ok());
    const Tensor three = MakeTensor<std::uint8_t>({3}, {1, 2, 3});
    CHECK_FALSE(CheckedViews(three).bit_casted_flat<std::uint16_t>().ok());
  }
  TEST_CASE("say what is wrong with a tensor of a user") {
    const Tensor t = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto views = CheckedViews(t);
    CHECK(errors::IsInvalidArgument(views.flat<double>().status()));
    CHECK(Error(views.flat<double>()) == "Tensor::flat: double expected, got float; the tensor has shape [2,3]");
    CHECK(Error(views.vec<float>()) ==
          "Tensor::vec: Asking for tensor of 1 dimensions from a tensor of 2 dimensions: [2,3]");
    CHECK(Error(views.tensor<float, 3>()) ==
          "Tensor::tensor: Asking for tensor of 3 dimensions from a tensor of 2 dimensions: [2,3]");
    CHECK(Error(views.scalar<float>()) == "Tensor::scalar: Must have a one element tensor, got shape [2,3]");
    CHECK(Error(views.shaped<float, 2>({2, 2})) ==
          "Tensor::shaped: the tensor of type float and shape [2,3] does not have the elements of [2,2]; the numbers "
          "of elements (bytes) must be the same");
    const Tensor none(DataType::kFloat, {2}, nullptr);
    CHECK(CheckedViews(none).vec<float>().status().code() == Code::kFailedPrecondition);
    CHECK(Error(CheckedViews(none).unaligned_flat<float>()) ==
          "Tensor::unaligned_shaped: the tensor of type float and shape [2] is not initialised; its elements must have "
          "memory");
  }
  TEST_CASE("end the program where nobody asked for a status") {
    const Tensor t(DataType::kFloat, {2, 3});
    ChildResult child = RunInChild([&] { static_cast<void>(Views(t).flat<double>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Tensor::flat: double expected, got float; the tensor has shape [2,3]"));
    child = RunInChild([&] { static_cast<void>(Views(t).bit_casted_flat<tstring>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "both must be plain types"));
    child = RunInChild([&] { static_cast<void>(Views(t).unaligned_shaped<float, 1>({5})); });
    CHECK(child.aborted);
  }
}

TEST_SUITE("Unaligned views") {
  TEST_CASE("read and write elements at any address") {
    Buffer* bytes = Needed(Buffer::Allocate(CpuAllocator(), 64));
    Tensor t = Odd<double>(bytes, {2, 3});
    bytes->Unref();
    const Tensor& c = t;
    CHECK_FALSE(t.IsAligned());
    const UnalignedOut<double, 2> out = Views(t).unaligned_shaped<double, 2>({3, 2});
    for (Index i = 0; i < 6; ++i) out.SetAt(i, static_cast<double>(i));
    out.Set(50, 2, 1);
    const UnalignedIn<double, 1> in = CheckedViews(c).unaligned_flat<double>().value();
    CHECK(in.size() == 6);
    CHECK(in[4] == 4);
    CHECK(in(5) == 50);
    CHECK(UnalignedIn<double, 2>(out)(1, 1) == 3);
    CHECK(out.shape() == TensorShape{3, 2});
    CHECK(out.dim(1) == 2);
    CHECK(std::is_trivially_copyable_v<UnalignedOut<double, 2>>);
    const Tensor copy = tensor::DeepCopy(c).value();
    CHECK(copy.matrix<double>()(1, 2) == 50);
    CHECK(tensor::Equal(copy, c));
  }
  TEST_CASE("are what refused views advise") {
    Buffer* bytes = Needed(Buffer::Allocate(CpuAllocator(), 64));
    const Tensor t = Odd<float>(bytes, {2, 3});
    bytes->Unref();
    const Status s = CheckedViews(t).flat<float>().status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(Contains(std::string(s.message()), "Tensor::flat: ptr = "));
    CHECK(Contains(std::string(s.message()),
                   " is not a multiple of 4; unaligned_flat and unaligned_shaped see such elements, DeepCopy gives "
                   "them aligned memory"));
    for (const Status& refused :
         {CheckedViews(t).matrix<float>().status(), CheckedViews(t).tensor<float, 2>().status(),
          CheckedViews(t).shaped<float, 1>({6}).status(), CheckedViews(t).flat_inner_dims<float>().status(),
          CheckedViews(t).flat_outer_dims<float>().status(),
          CheckedViews(t).flat_inner_outer_dims<float, 2>(0).status(),
          CheckedViews(t).bit_casted_shaped<std::int32_t, 1>({6}).status(),
          CheckedViews(t).bit_casted_tensor<std::int32_t, 2>().status(),
          CheckedViews(t).reinterpret_last_dimension<float, 2>().status()}) {
      CHECK(errors::IsInvalidArgument(refused));
      CHECK(Contains(std::string(refused.message()), " is not a multiple of 4; unaligned_flat"));
    }
    const ChildResult child = RunInChild([&] { static_cast<void>(Views(t).matrix<float>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Tensor::matrix: ptr = "));
    CHECK(Contains(child.errors, " is not a multiple of 4; unaligned_flat and unaligned_shaped see such elements"));
    CHECK_FALSE(CheckedViews(t).bit_casted_flat<std::uint16_t>().ok());
    CHECK(CheckedViews(t).bit_casted_flat<std::uint8_t>().ok());
    CHECK_FALSE(CheckedViews(t).unaligned_flat<double>().ok());
    CHECK_FALSE(CheckedViews(t).unaligned_shaped<float, 1>({7}).ok());
  }
  TEST_CASE("do not collapse dimensions of no elements whose product overflows") {
    const Index huge = Index{1} << 40;
    const Tensor t(DataType::kFloat, {0, huge, huge});
    CHECK(CheckedViews(t).flat_inner_dims<float>()->dim(0) == 0);
    const Status s = CheckedViews(t).flat_outer_dims<float>().status();
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() ==
          "Tensor::flat_outer_dims: the dimensions of shape [0,1099511627776,1099511627776] that become one overflow; "
          "they must make less than 2**63");
    CHECK_FALSE(CheckedViews(t).flat_inner_outer_dims<float, 2>(0).ok());
    CHECK(CheckedViews(t).flat_inner_outer_dims<float, 2>(1).ok());
  }
  TEST_CASE("of slices of one-byte types need nothing special") {
    const Tensor t = MakeTensor<std::int8_t>({3}, {1, 2, 3});
    const Tensor slice = t.Slice(1, 3);
    CHECK(Views(slice).vec<std::int8_t>()(1) == 3);
    CHECK(Views(slice).unaligned_flat<std::int8_t>()[0] == 2);
  }
}

TEST_SUITE("Slice, SubSlice and Reshape with a status") {
  TEST_CASE("share the buffer") {
    const Tensor t = Counting({4, 2});
    CHECK(tensor::Slice(t, 1, 3).value().SharesBufferWith(t));
    CHECK(tensor::Equal(tensor::Slice(t, 1, 3).value(), MakeTensor<std::int32_t>({2, 2}, {2, 3, 4, 5})));
    CHECK(tensor::Slice(t, 4, 4).value().shape() == TensorShape{0, 2});
    CHECK(tensor::Equal(tensor::SubSlice(t, 3).value(), MakeTensor<std::int32_t>({2}, {6, 7})));
    CHECK(tensor::Reshape(t, {8}).value().SharesBufferWith(t));
    CHECK(tensor::Reshape(Tensor(DataType::kString, {0, 3}), {5, 0}).value().shape() == TensorShape{5, 0});
  }
  TEST_CASE("refuse what is outside") {
    const Tensor t = Counting({4, 2}), scalar = Tensor::Scalar(1);
    CHECK(Error(tensor::Slice(t, 1, 5)) == "Slice: [1,5) must be inside dimension 0 of shape [4,2]");
    CHECK_FALSE(tensor::Slice(t, -1, 2).ok());
    CHECK_FALSE(tensor::Slice(t, 3, 2).ok());
    CHECK(Error(tensor::Slice(scalar, 0, 0)) == "Slice: the tensor must have a dimension, got shape []");
    CHECK(Error(tensor::SubSlice(t, 4)) == "SubSlice: 4 must be inside dimension 0 of shape [4,2]");
    CHECK_FALSE(tensor::SubSlice(scalar, 0).ok());
    CHECK(Error(tensor::Reshape(t, {9})) == "Reshape: shape [4,2] has 8 elements, shape [9] has 9");
  }
}
}  // namespace tensor_views_test
