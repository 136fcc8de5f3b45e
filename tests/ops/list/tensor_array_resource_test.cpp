// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_array_resource.hpp>

#include <thread>

#include "ops/support.hpp"

namespace state_tensor_array_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::TensorArray;

namespace {

TensorArray::Options Options() {
  TensorArray::Options options;
  options.name = "a";
  options.dtype = DataType::kFloat;
  return options;
}
Ref<TensorArray> New(const TensorArray::Options& options, Index size) {
  return Ref<TensorArray>::Adopt(new TensorArray(options, size));
}
Tensor Floats(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}
std::string Read(const Ref<TensorArray>& array, Index index) {
  Tensor value;
  const Status status = array->Read(index, &value);
  return status.ok() ? StrCat(value.shape(), " ", value.SummarizeValue(9)) : std::string(status.message());
}

}  // namespace

TEST_SUITE("TensorArray") {
  TEST_CASE("what was written is shared, and let go by the read that clears it") {
    const Ref<TensorArray> a = New(Options(), 1);
    const Tensor value = Floats({1, 2});
    REQUIRE(a->Write(0, value).ok());
    CHECK(!value.RefCountIsOne());
    CHECK(Read(a, 0) == "[2] 1 2");
    CHECK(value.RefCountIsOne());
    CHECK(
        Read(a, 0) ==
        "TensorArray a: Could not read index 0 twice because it was cleared after a previous read (perhaps try setting "
        "clear_after_read = false?).");
    CHECK(a->Write(0, value).message() ==
          "TensorArray a: Could not write to TensorArray index 0 because it has already been read.");
  }
  TEST_CASE("without clearing it is read again and again") {
    TensorArray::Options options = Options();
    options.clear_after_read = false;
    const Ref<TensorArray> a = New(options, 1);
    REQUIRE(a->Write(0, Floats({3})).ok());
    for (int i = 0; i < 3; ++i) CHECK(Read(a, 0) == "[1] 3");
  }
  TEST_CASE("a place that nobody wrote reads as zeros of the elements' shape") {
    TensorArray::Options options = Options();
    options.element_shape = PartialTensorShape({-1, 2});
    const Ref<TensorArray> a = New(options, 2);
    CHECK(Read(a, 0).find("TensorArray a: Could not read from TensorArray index 0.  Furthermore, the element shape is "
                          "not fully defined: [?,2].") == 0);
    REQUIRE(a->MergeElementShape(PartialTensorShape({1, -1})).ok());
    CHECK(a->element_shape().DebugString() == "[1,2]");
    CHECK(Read(a, 0) == "[1,2] [0 0]");
    CHECK(a->MergeElementShape(PartialTensorShape({2, 2})).code() == Code::kInvalidArgument);
    CHECK(a->element_shape().DebugString() == "[1,2]");
  }
  TEST_CASE("values of another type or shape are refused, and change nothing") {
    TensorArray::Options options = Options();
    options.element_shape = PartialTensorShape({-1});
    options.identical_element_shapes = true;
    const Ref<TensorArray> a = New(options, 3);
    CHECK(
        a->Write(0, Ints({1})).message() ==
        "TensorArray a: Could not write to TensorArray index 0 because the value dtype is int32 but TensorArray dtype "
        "is float.");
    CHECK(a->Write(0, Tensor::Scalar(1.0f)).message() ==
          "TensorArray a: Could not write to TensorArray index 0 because the value shape is [] which is incompatible "
          "with the TensorArray's inferred element shape: [?] (consider setting infer_shape=False).");
    REQUIRE(a->Write(0, Floats({1, 2})).ok());  // now all must have this shape
    CHECK(a->Write(1, Floats({1}))
              .message()
              .find("the value shape is [1] which is incompatible with the TensorArray's "
                    "inferred element shape: [2]") != std::string::npos);
    CHECK(Read(a, 1) == "[2] 0 0");
  }
  TEST_CASE("a dynamic one grows to its limit and no further") {
    TensorArray::Options options = Options();
    options.dynamic_size = true;
    const Ref<TensorArray> a = New(options, 0);
    CHECK(a->Write(TensorArray::kMaxSize, Floats({1})).ToString() ==
          "RESOURCE_EXHAUSTED: TensorArray a: index 67108864 is beyond the limit of 67108864 elements");
    Index size = -1;
    REQUIRE(a->Size(&size).ok());
    CHECK(size == 0);
    REQUIRE(a->Write(2, Floats({1})).ok());
    REQUIRE(a->Size(&size).ok());
    CHECK(size == 3);
    CHECK(Read(a, 3) == "TensorArray a: Tried to read from index 3 but array size is: 3");
    CHECK(Read(a, -1) == "TensorArray a: Tried to read from index -1 but array size is: 3");
  }
  TEST_CASE("a gradient has the places that were written, as zeros, and adds up what comes") {
    TensorArray::Options options = Options();
    options.dynamic_size = true;
    const Ref<TensorArray> a = New(options, 2);
    REQUIRE(a->Write(0, Floats({5, 6})).ok());
    Ref<TensorArray> g;
    REQUIRE(a->MakeGradient("g", &g).ok());
    CHECK(!a->is_dynamic());  // a gradient has its size for good
    CHECK(g->name() == "g");
    CHECK(g->Write(0, Floats({1})).message() ==
          "TensorArray g: Could not aggregate to TensorArray index 0 because the existing shape is [2] but the new "
          "input shape is [1].");
    const Tensor part = Floats({1, 2});
    for (int i = 0; i < 3; ++i) REQUIRE(g->Write(0, part).ok());  // the same tensor again and again
    CHECK(part.SummarizeValue(2) == "1 2");
    Ref<TensorArray> second;
    CHECK(g->MakeGradient("gg", &second).message().find("Unable to create a gradients TensorArray for g.") == 0);
    CHECK(Read(g, 0) == "[2] 3 6");
    CHECK(Read(a, 0) == "[2] 5 6");
  }
  TEST_CASE("types that cannot be added are refused at the second write only") {
    TensorArray::Options options = Options();
    options.dtype = DataType::kString;
    options.is_grad = true;
    const Ref<TensorArray> a = New(options, 1);
    REQUIRE(a->Write(0, Tensor(DataType::kString, {1})).ok());
    CHECK(a->Write(0, Tensor(DataType::kString, {1})).message() ==
          "TensorArray a: Could not aggregate to TensorArray index 0 because string cannot be added.");
  }
  TEST_CASE("one that is closed refuses everything") {
    const Ref<TensorArray> a = New(Options(), 1);
    const Tensor value = Floats({1});
    REQUIRE(a->Write(0, value).ok());
    a->Close();
    CHECK(value.RefCountIsOne());
    const std::string closed = "TensorArray a has already been closed.";
    Index size = 0;
    Ref<TensorArray> g;
    CHECK(a->Write(0, value).message() == closed);
    CHECK(Read(a, 0) == closed);
    CHECK(a->Size(&size).message() == closed);
    CHECK(a->MergeElementShape(PartialTensorShape()).message() == closed);
    CHECK(a->MakeGradient("g", &g).message() == closed);
    a->Close();
  }
  TEST_CASE("two threads add to one place; nothing is lost") {
    TensorArray::Options options = Options();
    options.is_grad = true;
    const Ref<TensorArray> a = New(options, 1);
    const auto add = [&] {
      for (int i = 0; i < 200; ++i)
        if (!a->Write(0, Floats({1})).ok()) return;
    };
    std::thread other(add);
    add();
    other.join();
    CHECK(Read(a, 0) == "[1] 400");
  }
}
}  // namespace state_tensor_array_resource_test
